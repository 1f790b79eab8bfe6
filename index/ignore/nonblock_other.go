//go:build !unix

package ignore

const nonBlocking = 0

//go:build !unix

package regular

// NonBlocking: on these systems nothing that has the name of a file blocks an
// open.
const NonBlocking = 0

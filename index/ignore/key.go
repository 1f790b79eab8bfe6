package ignore

import (
	"bytes"
	"regexp"
)

// keyBegin is the line that a private key starts with, in all the armours there
// are: PKCS#1 and #8, EC, OpenSSH, PGP, and PuTTY's own.
var keyBegin = regexp.MustCompile(`^[ \t]*(?:-----BEGIN (?:[A-Z0-9]+ ){0,3}PRIVATE KEY(?: BLOCK)?-----|PuTTY-User-Key-File-|AGE-SECRET-KEY-1)`)

// serviceAccount matches what Google's keys for programs begin with, whatever the
// file is called.
var serviceAccount = regexp.MustCompile(`^\s*\{\s*"type"\s*:\s*"service_account"`)

var (
	privateKey = []byte("PRIVATE KEY")
	keyEnd     = []byte("-----END ")
)

// isPrivateKey reports a file that is a private key, whatever its name: it
// begins with one, behind blank lines and comments, or more than half of it is
// inside keys.
//
// Code that holds a key in the middle, as tests of cryptography do, stays: it is
// code, and its author showed that key to everyone who reads the code.
func isPrivateKey(data []byte) bool {
	data = bytes.TrimLeft(data, invisible)
	head := true // nothing but blank lines and comments so far
	if !bytes.Contains(data, privateKey) && !keyHead(data) {
		return false
	}
	if serviceAccount.Match(data[:min(len(data), headBytes)]) {
		return true
	}
	inside, size := false, 0
	for line := range bytes.Lines(data) {
		switch {
		case keyBegin.Match(line):
			if head {
				return true
			}
			inside = true
		case head:
			text := bytes.TrimSpace(line)
			head = len(text) == 0 || comment(string(text[:min(len(text), 8)]))
		}
		if inside {
			size += len(line)
		}
		if inside && bytes.HasPrefix(bytes.TrimLeft(line, " \t"), keyEnd) {
			inside = false
		}
	}
	return size*2 > len(data)
}

// invisible is what may stand before a text without being seen: byte order mark,
// zero-width spaces and joiners.
const invisible = "\ufeff\u200b\u200c\u200d\u2060"

// keyHead reports a file that may be a key without the words for it.
func keyHead(data []byte) bool {
	head := data[:min(len(data), headBytes)]
	return bytes.Contains(head, []byte("PuTTY-User-Key-File-")) || bytes.Contains(head, []byte("AGE-SECRET-KEY-1"))
}

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

// ansibleVault is what Ansible's encrypted files begin with, and may be edited as
// plain text.
const ansibleVault = "$ANSIBLE_VAULT;"

// clientKey is the line of a Kubernetes configuration that holds a key, and
// clientToken the one that holds a token; clusterConfig tells one from a text about
// them.
var (
	clientKey     = regexp.MustCompile(`(?m)^\s*(?:client-key-data|token):\s*["']?[A-Za-z0-9+/=._-]{16,}`)
	clusterConfig = regexp.MustCompile(`(?m)^(?:kind:\s*["']?Config\b|current-context:)`)
)

// registryLogin is a login of Docker's, in its configuration under any name.
var registryLogin = regexp.MustCompile(`"auth"\s*:\s*"[A-Za-z0-9+/=]{8,}"`)

// isSecret says what secret a file is, whatever its name; "" if it is none that is
// known.
func isSecret(data []byte) string {
	data = bytes.TrimLeft(data, invisible)
	head := bytes.TrimSpace(data[:min(len(data), headBytes)])
	switch {
	case isPrivateKey(data):
		return "built in: content of a private key"
	case bytes.HasPrefix(head, []byte(ansibleVault)):
		return "built in: content of a vault"
	case bytes.Contains(head, []byte("apiVersion:")) && clusterConfig.Match(data) && clientKey.Match(data):
		return "built in: login to a cluster"
	case bytes.HasPrefix(head, []byte("{")) && bytes.Contains(head, []byte(`"auths"`)) && registryLogin.Match(data):
		return "built in: login to a registry"
	}
	return ""
}

var (
	privateKey = []byte("PRIVATE KEY")
	keyEnd     = []byte("-----END ")
)

// isPrivateKey reports a file that is a private key, whatever its name: it
// begins with one, behind blank lines and comments, or more than half of it is
// inside keys, those in string literals included.
//
// Code that holds a key in the middle, as tests of cryptography do, stays: it is
// code. The key itself is hidden (see package redact).
func isPrivateKey(data []byte) bool {
	head := true // nothing but blank lines and comments so far
	if !bytes.Contains(data, privateKey) && !keyHead(data) {
		return false
	}
	if serviceAccount.Match(data[:min(len(data), headBytes)]) {
		return true
	}
	for line := range bytes.Lines(data) {
		if keyBegin.Match(line) {
			return true
		}
		text := bytes.TrimSpace(line)
		if head = len(text) == 0 || comment(string(text[:min(len(text), 8)])); !head {
			break
		}
	}
	return insideKeys(data)*2 > len(data)
}

// armour is how a key begins, wherever it stands.
var armour = regexp.MustCompile(`-----BEGIN (?:[A-Z0-9]+ ){0,3}PRIVATE KEY(?: BLOCK)?-----`)

// insideKeys is how many bytes stand between the beginnings of keys and their ends;
// what has no end is none, but for a line's beginning.
func insideKeys(data []byte) (size int) {
	for {
		at := armour.FindIndex(data)
		if at == nil {
			return size
		}
		end := bytes.Index(data[at[1]:], keyEnd)
		if end < 0 {
			return size
		}
		size += at[1] - at[0] + end
		data = data[at[1]+end:]
	}
}

// invisible is what may stand before a text without being seen: byte order mark,
// zero-width spaces and joiners.
const invisible = "\ufeff\u200b\u200c\u200d\u2060"

// keyHead reports a file that may be a key without the words for it.
func keyHead(data []byte) bool {
	head := data[:min(len(data), headBytes)]
	return bytes.Contains(head, []byte("PuTTY-User-Key-File-")) || bytes.Contains(head, []byte("AGE-SECRET-KEY-1"))
}

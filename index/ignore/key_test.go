package ignore

import (
	"strings"
	"testing"
)

func TestAPrivateKeyIsASecretUnderEveryName(t *testing.T) {
	body := strings.Repeat("MIIEvQIBADANBgkqhkiG9w0BAQEFAASC\n", 20)
	pem := func(kind string) string {
		return "-----BEGIN " + kind + "-----\n" + body + "-----END " + kind + "-----\n"
	}
	code := "package p\n\nconst key = `\n" + pem("RSA PRIVATE KEY") + "`\n" + strings.Repeat("\nfunc F() { use(key) }\n", 60)
	for _, tt := range []struct {
		name, text string
		want       Content
	}{
		{"PKCS #8", pem("PRIVATE KEY"), PrivateKey},
		{"encrypted", pem("ENCRYPTED PRIVATE KEY"), PrivateKey},
		{"RSA", pem("RSA PRIVATE KEY"), PrivateKey},
		{"EC", pem("EC PRIVATE KEY"), PrivateKey},
		{"OpenSSH", pem("OPENSSH PRIVATE KEY"), PrivateKey},
		{"PGP", pem("PGP PRIVATE KEY BLOCK"), PrivateKey},
		{"PuTTY", "PuTTY-User-Key-File-3: ssh-ed25519\nEncryption: none\n", PrivateKey},
		{"age", "# created: 2026\nAGE-SECRET-KEY-1QQQ\n", PrivateKey},
		{"behind blank lines and comments", "\n# deploy\n\n" + pem("RSA PRIVATE KEY"), PrivateKey},
		{"behind a byte order mark", "\ufeff" + pem("PRIVATE KEY"), PrivateKey},
		{"behind what cannot be seen", "\u200b\ufeff" + strings.ReplaceAll(pem("RSA PRIVATE KEY"), "\n", "\r\n"), PrivateKey},
		{"Google's for a program", "{\n  \"type\": \"service_account\",\n  \"private_key\": \"-----BEGIN PRIVATE KEY-----\\nMII\\n\"\n}\n", PrivateKey},
		{"the half of one that is pasted so far", "-----BEGIN RSA PRIVATE KEY-----\n" + body, PrivateKey},
		{"what is mostly a key", "Bag Attributes\n  localKeyID: 01\n" + pem("PRIVATE KEY"), PrivateKey},
		{"several keys and little else", "name: a\nkey: |\n" + pem("PRIVATE KEY") + "\n" + pem("PRIVATE KEY"), PrivateKey},
		{"a key in a string literal and nothing else", "module.exports = `" + pem("PRIVATE KEY") + "`;\n", PrivateKey},
		{"a key in a string literal on one line", `export const key = "` + strings.ReplaceAll(pem("EC PRIVATE KEY"), "\n", `\n`) + "\"\n", PrivateKey},
		{"a key in Go", "package p\n\nvar key = []byte(`" + pem("RSA PRIVATE KEY") + "`)\n", PrivateKey},
		{"a vault of Ansible's", "$ANSIBLE_VAULT;1.1;AES256\n6162\n", PrivateKey},
		{"a configuration of Kubernetes with a key", "apiVersion: v1\nkind: Config\nusers:\n- name: me\n  user:\n    client-key-data: " + strings.Repeat("QUJD", 20) + "\n", PrivateKey},
		{"one with a token", "apiVersion: v1\ncurrent-context: x\nusers:\n- user:\n    token: " + strings.Repeat("QUJD", 20) + "\n", PrivateKey},
		{"a manifest of Kubernetes is none", "apiVersion: v1\nkind: ConfigMap\ndata:\n  token: " + strings.Repeat("QUJD", 20) + "\n", Text},
		{"a login to a registry", "{\n\t\"auths\": {\"x\": {\"auth\": \"bWU6aHVudGVyMg==\"}}\n}\n", PrivateKey},
		{"a registry without a login", "{\"auths\": {\"x\": {}}}\n", Text},
		{"a public key is none", pem("PUBLIC KEY"), Text},
		{"a certificate is none", pem("CERTIFICATE"), Text},
		{"code that holds a key in the middle is code", code, Text},
		{"code about keys is code", "package p\n\n// -----BEGIN PRIVATE KEY-----\nconst begin = \"-----BEGIN PRIVATE KEY-----\"\n", Text},
		{"UTF-16 is binary, even without a NUL", "\xff\xfe\x16\x4e", Binary},
	} {
		if got, why := Judge([]byte(tt.text)); got != tt.want {
			t.Errorf("%s: %d (%s), want %d", tt.name, got, why, tt.want)
		}
	}
}

func TestSecretJudgesAPathWithAllItsFolders(t *testing.T) {
	for path, want := range map[string]bool{
		".env": true, "/home/me/.env": true, "/home/me/.ssh/config": true, "home/.aws/x.go": true,
		"/srv/secrets/db": true, "/srv/secrets/rotate.go": false, "C:/x/id_rsa": true,
		"deploy_rsa": true, "github-ed25519": true, "deploy_rsa.pub": false, "rsa": false, "sign_rsa.go": false,
		"Untitled-1": false, "/home/me/main.go": false, "": false, "/": false,
	} {
		if got := Secret(path); got.Ignored != want {
			t.Errorf("%q: %+v, want %v", path, got, want)
		}
	}
}

package ignore

import (
	"bytes"
	"path"
	"regexp"
	"strings"
)

// final gives the verdicts that no rule can change.
func final(f *folder, rel, name string, isDir bool) Verdict {
	if isDir || name == ".git" {
		if versionControl[name] {
			return Verdict{true, "built in: version control"}
		}
		if isDir {
			if secretDirs[name] {
				return Verdict{true, "built in: folder of secrets"}
			}
			return Verdict{}
		}
	}
	if why := secret(name); why != "" {
		return Verdict{true, why}
	}
	if f.secrets && !isSource(name) {
		return Verdict{true, "built in: in a folder of secrets"}
	}
	if secretPaths[name] && secretPath(rel, name) {
		return Verdict{true, "built in: name of a secret"}
	}
	return Verdict{}
}

var versionControl = map[string]bool{".git": true, ".hg": true, ".svn": true, ".bzr": true, ".jj": true, "CVS": true, ".sl": true, ".pijul": true}

// secretDirs hold keys and tokens under any name.
var secretDirs = map[string]bool{".oci": true, ".chef": true, ".vault": true, ".ssh": true, ".gnupg": true, ".aws": true, ".azure": true, ".kube": true, ".gcloud": true, ".password-store": true, ".secrets": true}

// secretFolder reports whether files in a folder of this name are secrets
// unless they are source code: secrets/db_password, but not secrets/rotate.go.
func secretFolder(name string) bool {
	switch lowerASCII(name) {
	case "secret", "secrets", "credentials", "private_keys", "private-keys":
		return true
	}
	return false
}

// secretPaths are names that are secrets only in certain folders.
var secretPaths = map[string]bool{"config.json": true, "hosts.yml": true, "settings.xml": true}

func secretPath(rel, name string) bool {
	for _, end := range [...]string{".docker/config.json", "gh/hosts.yml", ".m2/settings.xml"} {
		if strings.HasSuffix(rel, end) && (len(rel) == len(end) || rel[len(rel)-len(end)-1] == '/') {
			return true
		}
	}
	return false
}

// secret says why a file of this name is never read; "" if it may be. Names are
// compared without case.
//
//	exact      .env .envrc .netrc .npmrc .pypirc .git-credentials wp-config.php vault.yml …
//	start      .env.*, id_rsa*, ssh_host_*_key, .*_history
//	end        *_rsa, *_ed25519 …
//	extension  .pem .key .p12 .pfx .kdbx .tfvars …
//	word       credentials*, secrets*, passwords*, client_secret*, *service-account*, *firebase-adminsdk*
//
// The list is what version control is told to leave out (GitHub's templates of
// .gitignore) and what scanners of repositories look for by name, as far as it
// holds secrets by its nature. Files that may hold one among other things are read:
// application.properties, appsettings.json, database.yml, gradle.properties,
// NuGet.Config, docker-compose.yml; what of them can be told from its form is
// hidden (see package redact).
//
// Two things are let through. Templates that are made to be shared:
// .env.example and its like, and public keys. And, for the words alone, source
// code: credentials.go handles credentials, credentials.json holds them. What is
// wrong with a missed file is one line less to suggest from, so the rest is wide.
//
// A copy is as secret as what it is a copy of: .env~, #.env#, server.key.bak,
// "prod.tfvars copy".
func secret(name string) string {
	var buf [64]byte
	n := appendLower(buf[:0], name)
	if !bytes.ContainsAny(n, "~# ()") && !backupExts[string(n[lastDot(n):])] {
		return secretItself(n, name) // as nearly all are
	}
	of := copied(string(n))
	if why := secretItself([]byte(of), of); why != "" || template(of) {
		return why
	}
	return secretItself(n, name)
}

// backupExts are what programs and people put behind the name of an older version.
var backupExts = oneOf(".bak", ".bck", ".bkp", ".backup", ".old", ".orig", ".org", ".save", ".saved", ".prev", ".copy", ".tmp", ".temp",
	".swp", ".swo", ".swn", ".rej", ".1", ".2", ".3")

var copyEnd = regexp.MustCompile(`(?:[ _-]+copy(?: ?\d+)?| ?\(\d+\)|\.~\d+~|~)$`)

// copied is the name of the file that one of this name, in lower case, was copied
// from by an editor, a file manager or a person.
func copied(n string) string {
	for {
		of := copyEnd.ReplaceAllString(n, "")
		if backupExts[of[lastDot(of):]] {
			swap := strings.HasPrefix(of[lastDot(of):], ".sw")
			of = of[:lastDot(of)]
			if bare := strings.TrimPrefix(of, "."); swap && secretItself([]byte(bare), bare) != "" {
				return bare // vim's .server.key.swp
			}
		}
		of = strings.TrimPrefix(of, ".#") // Emacs
		if len(of) > 2 && of[0] == '#' && of[len(of)-1] == '#' {
			of = of[1 : len(of)-1]
		}
		if of == n || of == "" {
			return n
		}
		n = of
	}
}

func secretItself(n []byte, name string) string {
	switch {
	case secretNames[string(n)]:
		return "built in: name of a secret"
	case secretExts[string(n[lastDot(n):])]:
		return "built in: extension of keys and secrets"
	case secretStart(string(n)):
		return "built in: name of a secret"
	case secretWord(string(n)) && !isSource(name):
		return "built in: name of a secret"
	}
	return ""
}

var secretNames = oneOf(
	".env", ".envrc", ".flaskenv", "env.local", "env",
	".netrc", "_netrc", ".npmrc", ".yarnrc", ".yarnrc.yml", ".pypirc", ".gemrc", ".terraformrc", "terraform.rc",
	".git-credentials", ".gitcookies", ".htpasswd", ".pgpass", ".my.cnf", ".mylogin.cnf",
	".dockercfg", ".dockerconfigjson", ".s3cfg", ".boto", ".vault-token", ".vault_pass", ".vault_pass.txt",
	".vault-password", "kubeconfig", "auth.json", "application_default_credentials.json",
	"id_rsa", "id_dsa", "id_ecdsa", "id_ed25519", "identity", "wallet.dat", "shadow",
	"vault.yml", "vault.yaml", "wp-config.php", "configuration.php.bak", "localsettings.php", ".dev.vars", ".sentryclirc", ".databrickscfg",
	".authinfo", ".msmtprc", ".fetchmailrc", ".esmtprc", ".muttrc", ".smbcredentials", ".ftpconfig", ".ftppass", "sftp-config.json", ".remote-sync.json",
	"filezilla.xml", "sitemanager.xml", "recentservers.xml", "proftpdpasswd", "pgpass.conf", "logins.json", "key3.db", "key4.db", "signons.sqlite",
	"keystore.properties", "key.properties", "signing.properties", "google-services.json", "googleservice-info.plist", "otr.private_key",
	"accesstokens.json", "msal_token_cache.json", "credentials.tfrc.json", "local.settings.json", ".rclone.conf", "rclone.conf",
)

var secretExts = oneOf(
	".pem", ".key", ".p12", ".pfx", ".p8", ".pkcs12", ".pk8", ".jks", ".keystore", ".kdb", ".kdbx", ".ppk",
	".asc", ".gpg", ".pgp", ".age", ".agekey", ".keytab", ".ovpn", ".env", ".tfvars", ".tfstate",
	".kubeconfig", ".mobileprovision", ".publishsettings", ".cscfg", ".psafe3", ".kwallet", ".agilekeychain", ".bek", ".fve", ".snk", ".rdp", ".pcap", ".keychain", ".credentials", ".secret", ".secrets", ".token", ".htpasswd",
)

func secretStart(n string) bool {
	switch {
	case strings.HasPrefix(n, ".env"):
		return (strings.HasPrefix(n, ".env.") || strings.HasPrefix(n, ".env-") || strings.HasPrefix(n, ".env_")) && !template(n)
	case strings.HasPrefix(n, "id_"):
		for _, key := range [...]string{"id_rsa", "id_dsa", "id_ecdsa", "id_ed25519"} {
			if strings.HasPrefix(n, key) {
				return !strings.HasSuffix(n, ".pub")
			}
		}
	case strings.HasPrefix(n, "."):
		return strings.HasSuffix(n, "_history") || strings.Contains(n, ".tfstate.")
	}
	return strings.Contains(n, ".tfvars.") || strings.Contains(n, ".tfstate.") || keyName(n) ||
		strings.HasPrefix(n, "ssh_host_") && strings.HasSuffix(n, "_key")
}

// keyName reports what ssh-keygen's users call their keys: deploy_rsa,
// github-ed25519. The public half ends in .pub, code in its own extension.
func keyName(n string) bool {
	for _, kind := range [...]string{"rsa", "dsa", "ecdsa", "ed25519"} {
		if rest, ok := strings.CutSuffix(n, kind); ok && (strings.HasSuffix(rest, "_") || strings.HasSuffix(rest, "-")) {
			return true
		}
	}
	return false
}

// Secret judges a slash-separated path by the built-in rules on names alone, all
// of its folders included: for what lies in no folder whose rules could be read.
func Secret(p string) Verdict {
	p = strings.TrimPrefix(path.Clean("/"+p), "/")
	around := &folder{}
	for at, c := range p {
		if c != '/' {
			continue
		}
		dir := p[:at]
		if v := final(around, dir, baseOf(dir), true); v.Ignored {
			return v
		}
		around.secrets = around.secrets || secretFolder(baseOf(dir))
	}
	return final(around, p, baseOf(p), false)
}

// template reports whether a name says that the file holds no real values.
func template(n string) bool {
	for _, end := range [...]string{"example", "sample", "template", "tmpl", "dist", "defaults", "schema"} {
		if strings.HasSuffix(n, end) {
			return true
		}
	}
	return false
}

func secretWord(n string) bool {
	n = strings.TrimLeft(n, "._-")
	switch {
	case n == "":
		return false
	case n[0] == 'c':
		return strings.HasPrefix(n, "credential") || strings.HasPrefix(n, "client_secret") || strings.HasPrefix(n, "client-secret")
	case n[0] == 'p' && strings.HasPrefix(n, "password"):
		return true
	case n[0] == 's' && strings.HasPrefix(n, "secret"):
		return true
	}
	return strings.Contains(n, "firebase-adminsdk") || strings.Contains(n, "service-account") || strings.Contains(n, "service_account") || strings.Contains(n, "serviceaccount") ||
		strings.HasSuffix(strings.TrimSuffix(n, n[lastDot([]byte(n)):]), "credentials")
}

// isSource reports whether the extension is that of a programming language. Data
// formats (JSON, YAML, TOML, properties, SQL) and shell scripts, which tend to
// hold values, are not among them.
func isSource(name string) bool {
	var buf [16]byte
	ext := name[lastDot([]byte(name)):]
	return len(ext) <= len(buf) && sourceExts[string(appendLower(buf[:0], ext))]
}

var sourceExts = oneOf(
	".go", ".py", ".pyi", ".ts", ".tsx", ".mts", ".cts", ".js", ".jsx", ".mjs", ".cjs", ".java", ".kt", ".kts",
	".scala", ".groovy", ".rs", ".c", ".h", ".cc", ".cpp", ".cxx", ".hh", ".hpp", ".hxx", ".m", ".mm", ".cs", ".fs", ".vb",
	".rb", ".php", ".swift", ".dart", ".ex", ".exs", ".erl", ".hrl", ".hs", ".ml", ".mli", ".clj", ".cljs", ".lua", ".pl",
	".pm", ".r", ".jl", ".nim", ".zig", ".v", ".d", ".el", ".lisp", ".scm", ".proto", ".graphql", ".vue", ".svelte",
)

func oneOf(names ...string) map[string]bool {
	m := make(map[string]bool, len(names))
	for _, n := range names {
		m[n] = true
	}
	return m
}

// lastDot is where the last extension of n starts; len(n) if it has none.
func lastDot[T string | []byte](n T) int {
	for i := len(n) - 1; i >= 0; i-- {
		if n[i] == '.' {
			return i
		}
	}
	return len(n)
}

func appendLower(b []byte, s string) []byte {
	for i := range len(s) {
		b = append(b, lower(s[i]))
	}
	return b
}

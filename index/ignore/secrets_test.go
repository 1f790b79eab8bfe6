package ignore

import (
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestSecretsByName(t *testing.T) {
	never := `.env .ENV .env.local .env.production prod.env .env-old .envrc .netrc _netrc .npmrc .yarnrc.yml .pypirc .git-credentials
		.htpasswd .pgpass id_rsa id_rsa.bak id_ed25519 ID_RSA server.key tls.pem TLS.PEM cert.p12 cert.pfx AuthKey.p8 release.jks
		app.keystore vault.kdbx putty.ppk prod.tfvars prod.auto.tfvars.json terraform.tfstate terraform.tfstate.backup
		credentials credentials.json credentials.yml.enc Credentials.xml aws_credentials my-credentials.csv .credentials
		client_secret.json client_secret_123.apps.json secrets.yaml secrets.yml.enc secret.txt .secrets secrets.sh
		passwords.txt password.md my-service-account.json serviceAccountKey.json .bash_history .psql_history
		vault.yml vault.yaml wp-config.php demo-firebase-adminsdk-x1y2z-0123456789.json ssh_host_rsa_key ssh_host_ed25519_key key.properties
		google-services.json GoogleService-Info.plist .dev.vars sftp-config.json local.settings.json app.publishsettings .tfstate
		auth.json kubeconfig prod.kubeconfig api.token db.secret key.asc backup.gpg`
	may := `main.go .envoy.yaml env.go environment.py .env.example .env.sample .env.template .env.dist example.env.go id_rsa.pub
		id_generator.go idea.md key.go keys.py monkey.js credentials.go credentials_test.go Credentials.java SecretsManager.ts secrets.py
		secret.rs passwords.rb password_reset.py service_account.go secretary.go tokenizer.py token.go .gitignore
		wp-config-sample.php vault.go default-vault.tf ssh_host_rsa_key.pub firebase.json appsettings.json gradle.properties
		README.md config.json hosts.yml settings.xml Makefile .envoy environment.env.js passport.json crediting.txt`
	for _, name := range strings.Fields(never) {
		if secret(name) == "" {
			t.Errorf("%s may be read", name)
		}
	}
	for _, name := range strings.Fields(may) {
		if why := secret(name); why != "" {
			t.Errorf("%s is never read: %s", name, why)
		}
	}
}

func TestACopyIsAsSecretAsWhatItIsACopyOf(t *testing.T) {
	for _, name := range []string{".env~", "#.env#", ".#.env", ".env copy", ".env copy 2", ".env - copy", ".env (1)", "env", ".netrc.bak", ".netrc~",
		".npmrc~", "prod.tfvars~", "server.key~", "server.key.bak", "server.pem.old", "server.key.orig~", ".server.key.swp", ".env.~1~", "Server.KEY.BAK",
		"id_ed25519 copy", "kubeconfig.1"} {
		if secret(name) == "" {
			t.Errorf("%s may be read", name)
		}
	}
	for _, name := range []string{"main.go~", "#main.go#", "notes copy.md", "README (1).md", "key.go.bak", "~", "#", "##", ".bak", "a.1", "env copy.go", "monkey~",
		".env.example~"} {
		if why := secret(name); why != "" {
			t.Errorf("%s is never read: %s", name, why)
		}
	}
}

func TestSecretsByPlace(t *testing.T) {
	noGitSettings(t)
	r := open(t, folderOf(t, "secrets/x: ", "pkg/credentials/x: ", "deploy/secrets/prod/x: "))
	for path, ignored := range map[string]bool{
		".ssh/config": true, "home/.aws/config": true, ".docker/config.json": true, "x/.docker/config.json": true, ".docker/Dockerfile": false,
		"x.docker/config.json": false, ".config/gh/hosts.yml": true, "hosts.yml": false, ".m2/settings.xml": true,
		"secrets/db": true, "secrets/rotate.go": false, "deploy/secrets/prod/db.yaml": true, "deploy/secrets/prod/load.py": false,
		"pkg/credentials/creds.go": false, "pkg/credentials/testdata.json": true, "pkg/other/data.json": false,
	} {
		if v := r.Match(path, false); v.Ignored != ignored {
			t.Errorf("%s: got %v", path, v)
		}
	}
}

// Whatever patterns say, and wherever they say it.
func TestNoRuleBringsBackASecret(t *testing.T) {
	noGitSettings(t)
	secrets := []string{".env", "id_rsa", "a.pem", "credentials.json", ".ssh/x", ".git/config", "secrets/db"}
	rapid.Check(t, func(t *rapid.T) {
		path := rapid.SampledFrom(secrets).Draw(t, "path")
		if rapid.Bool().Draw(t, "deep") {
			path = "a/" + path
		}
		pieces := append([]string{"*", "**", "/", "**/", path}, strings.SplitAfter(path, "/")...)
		pattern := "!" + strings.Join(rapid.SliceOf(rapid.SampledFrom(pieces)).Draw(t, "pattern"), "")
		b := &base{settings: parseLines("configuration", []string{pattern}, 0, false)}
		rules := []*list{parse(FileName, []byte(pattern), 0, false)}
		f := &folder{base: b, own: rules, git: rules}
		for at := 0; ; {
			n := strings.IndexByte(path[at:], '/')
			part := path
			if n >= 0 {
				part = path[:at+n]
			}
			if v, _ := f.judge(part, n >= 0); v.Ignored {
				return
			}
			if n < 0 {
				t.Fatalf("%s may be read with %q", path, pattern)
			}
			f.secrets = f.secrets || secretFolder(baseOf(part))
			at += n + 1
		}
	})
}

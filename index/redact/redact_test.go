package redact

import (
	"bytes"
	"strings"
	"testing"
	"time"
)

// some is n characters that a token could have.
func some(n int) string { return strings.Repeat("Q7d0", n/4+1)[:n] }

func TestSecretsInCodeAreHidden(t *testing.T) {
	pem := strings.Repeat(some(64)+"\n", 3) + some(20) + "==\n"
	for _, tt := range []struct{ name, text, secret string }{
		{"Amazon's key", `id := "AKIA` + strings.ToUpper(some(16)) + `"`, strings.ToUpper(some(16))},
		{"and its secret", `aws_secret_access_key = ` + some(40), some(40)},
		{"in camel case", `"secretAccessKey": "` + some(40) + `"`, some(40)},
		{"in the environment", `os.Setenv("AWS_SECRET_ACCESS_KEY", "` + some(40) + `")`, some(40)},
		{"GitHub's", "token = 'ghp_" + some(36) + "'", some(36)},
		{"GitHub's fine-grained one", "github_pat_" + some(60), some(60)},
		{"GitLab's", "glpat-" + some(20), some(20)},
		{"Slack's", "xoxb-1234567890-" + some(24), some(24)},
		{"Stripe's", `stripe.Key = "sk_live_` + some(24) + `"`, some(24)},
		{"Google's", "AIza" + some(35), some(35)},
		{"a model service's", "sk-ant-api03-" + some(40), some(40)},
		{"npm's, at the end of an address", "//packages.example.com/:_authToken=npm_" + some(36), some(36)},
		{"a JSON Web Token", "Bearer eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0." + some(43), some(43)},
		{"a password in an address", `"postgres://me:hunter2@db:5432/x"`, "hunter2"},
		{"a private key in a raw string", "const k = `-----BEGIN RSA PRIVATE KEY-----\n" + pem + "-----END RSA PRIVATE KEY-----`", some(64)},
		{"its last line, too", "-----BEGIN PRIVATE KEY-----\n" + pem + "-----END PRIVATE KEY-----", some(20) + "=="},
		{"a private key on one line", `"-----BEGIN EC PRIVATE KEY-----\n` + some(64) + `\n` + some(22) + `\n-----END EC PRIVATE KEY-----"`, some(22) + `\n-`},
		{"a private key in pieces", "\"-----BEGIN PRIVATE KEY-----\\n\" +\n\t\"" + some(64) + "\\n\" +\n\t\"" + some(24) + "\\n\" +\n\"-----END PRIVATE KEY-----\"", some(24)},
		{"a private key without an end", "-----BEGIN PRIVATE KEY-----\n" + pem, some(64)},
		{"a token behind an escaped line end", `"token:\nghp_` + some(36) + `"`, some(36)},
		{"a token in an encoded address", "https://example.com/?next=%2Fx%3Ftoken%3Dghp_" + some(36), some(36)},
		{"an encoded password in an address", `"postgres://me:p%40ss%2Fword@db/x"`, "ss%2Fword"},
		{"two in a line", "AKIA" + strings.ToUpper(some(16)) + " ghp_" + some(36), some(36)},
	} {
		text := []byte("x = 1 // " + tt.text + " // y\n")
		before := bytes.Clone(text)
		got := Text(text)
		if strings.Contains(string(got), tt.secret) || len(got) != len(text) || !bytes.HasPrefix(got, []byte("x = 1 // ")) || !bytes.HasSuffix(got, []byte(" // y\n")) {
			t.Errorf("%s: %s", tt.name, got)
		}
		if !bytes.Equal(text, before) {
			t.Errorf("%s: the text itself was changed", tt.name)
		}
		if again := Text(got); !bytes.Equal(again, got) {
			t.Errorf("%s: hidden twice it is %s", tt.name, again)
		}
		for i := range got {
			if got[i] != text[i] && (got[i] != hidden || text[i] == '\n' || text[i] == '"' || text[i] == '\\') {
				t.Errorf("%s: byte %d, %q, became %q", tt.name, i, text[i], got[i])
			}
		}
	}
}

func TestWhatIsNoSecretStays(t *testing.T) {
	for name, text := range map[string]string{
		"code":                          "func AKIA(eyJ string) { sk := ghp_token; SG.x() }",
		"a beginning alone":             `strings.HasPrefix(s, "ghp_") || strings.HasPrefix(s, "xoxb-")`,
		"a placeholder":                 `"sk_live_..." "ghp_your_token_here" "AKIA<key>"`,
		"a longer word":                 "AKIA" + strings.ToUpper(some(40)),
		"in the middle of a word":       "MYAKIA" + strings.ToUpper(some(16)),
		"an address without password":   `"https://example.com:8080/a@b" "git@github.com:x/y" "http://me@x"`,
		"an address to be filled in":    `"postgres://{user}:{password}@db" "http://u:%s@x" "http://u:$PW@x"`,
		"the armour of a key alone":     "const begin, end = \"-----BEGIN PRIVATE KEY-----\", \"-----END PRIVATE KEY-----\"\n\nfunc parse() {}",
		"code between the two":          "x = \"-----BEGIN PRIVATE KEY-----\"\nfor _, l := range aRatherLongIdentifier(data) {\n}\ny = \"-----END PRIVATE KEY-----\"",
		"a public key":                  "-----BEGIN PUBLIC KEY-----\n" + some(64) + "\n-----END PUBLIC KEY-----",
		"a hash":                        `"sha256-` + some(43) + `="`,
		"a name without a value":        "func secretAccessKey() string { return c.SecretAccessKey }",
		"a password that is any string": `password = "hunter2"`,
		"a module path":                 "hf_hub_download(repo_id)\nkey-value\noy2",
		"names of functions":            "hf_load_pretrained_model_and_tokenizer(npm_package_config_of_the_workspace_that_is_built, sk_test_compare_two_elements)",
		"an address with a verb":        `"http://u:%d@x"`,
		"a beginning and no dot":        "eyJ" + some(200),
		"nothing":                       "",
	} {
		if got := Text([]byte(text)); string(got) != text {
			t.Errorf("%s:\n%s\nbecame\n%s", name, text, got)
		}
	}
	text := []byte("package p\n")
	if got := Text(text); &got[0] != &text[0] {
		t.Error("a text without secrets was copied")
	}
}

func TestAPartOfATextIsAsCleanAsTheWhole(t *testing.T) {
	secret := some(36)
	text := []byte(strings.Repeat("a\n", 30_000) + "ghp_" + secret + "\n" + strings.Repeat("b\n", 30_000))
	at := bytes.Index(text, []byte("ghp_"))
	for _, view := range [][2]int{{at - 10, at + 60}, {at + 20, at + 60}, {at - 10, at + 20}, {0, len(text)}} {
		got := Around(text, view[0], view[1])
		if bytes.Contains(got, []byte(secret)) || len(got) != len(text) {
			t.Errorf("%v: the secret is there", view)
		}
	}
	if got := Around(text, 0, 10); &got[0] != &text[0] {
		t.Error("a part without secrets was copied")
	}
	if got := Around(nil, 0, 0); len(got) != 0 {
		t.Errorf("nothing became %q", got)
	}
}

// Each of these made every beginning read all that follows it: minutes for a
// megabyte, in which no key was answered.
func TestATextFullOfBeginningsIsReadAsSoonAsAnyOther(t *testing.T) {
	const size = 1 << 20
	for _, s := range shapes {
		within(t, s.begins, size)
		within(t, s.begins+"-", size)
		within(t, s.begins+" ", size)
		within(t, "\\n"+s.begins, size)
	}
	for _, unit := range []string{
		"A", "-----BEGIN PRIVATE KEY", "-----BEGIN PRIVATE KEY-----\nAAAA ", "PRIVATE KEY", "-----BEGIN ", "-----END", "://a:", "://", "secret_access_key=", "\\", "%41",
	} {
		within(t, unit, size)
	}
}

// within fails if a text of a repeated unit takes a second a mebibyte. Three of these
// took 19 to 90 for one, and four times as long for two. The best of some tries
// counts: the machine may have other work.
func within(t *testing.T, unit string, size int) {
	t.Helper()
	text := bytes.Repeat([]byte(unit), size/len(unit))
	most := time.Duration(size>>20) * time.Second
	var took time.Duration
	for range 5 {
		start := time.Now()
		Text(text)
		if took = time.Since(start); took <= most {
			return
		}
	}
	t.Errorf("%q repeated to %d bytes took %v, over %v", unit, len(text), took, most)
}

func FuzzText(f *testing.F) {
	f.Add([]byte("AKIA" + strings.ToUpper(some(16)) + " http://a:bbb@c -----BEGIN PRIVATE KEY-----\\n" + some(64)))
	f.Add([]byte("aws_secret_access_key=" + some(40) + "\\"))
	f.Add([]byte("\\PRIVATE KEY://:"))
	f.Fuzz(func(t *testing.T, text []byte) {
		before := bytes.Clone(text)
		got := Text(text)
		if !bytes.Equal(text, before) || len(got) != len(text) {
			t.Fatalf("%q became %q", before, got)
		}
		for i := range got {
			if got[i] != text[i] && got[i] != hidden || text[i] == '\n' && got[i] != '\n' {
				t.Fatalf("byte %d of %q became %q", i, text, got[i])
			}
		}
		if again := Text(got); !bytes.Equal(again, got) {
			t.Fatalf("%q became %q, and that %q", text, got, again)
		}
	})
}

func BenchmarkText(b *testing.B) {
	text := bytes.Repeat([]byte("\tif err := s.store.Put(ctx, key, \"a string\", 42); err != nil { // see https://example.com/a\n"), 1<<20/90)
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		Text(text)
	}
}

// Package redact hides the secrets that stand in code.
//
// Files that are secrets as a whole are never read: that is package ignore's
// business. But people paste a token into a test, a key into a constant, a
// password into an address, and forget it there. The code around it is worth
// completing from; the characters of the token are not, and a prompt, a page or a
// cache may be seen by others than the author. So they are replaced:
//
//	const id = "AKIAIOSFODNN7EXAMPLE"      const id = "AKIAxxxxxxxxxxxxxxxx"
//	dsn := "postgres://me:hunter2@db/x"    dsn := "postgres://me:xxxxxxx@db/x"
//
// Properties:
//   - The length stays, and so do all other bytes: whatever points into the text
//     points to the same thing in what Text returns.
//   - What begins a token stays, so that a reader, and a model, know what stood
//     there.
//   - A text without secrets is returned as it is, after one pass over it, about a
//     millisecond for a megabyte. No text takes more than a few passes: a file full
//     of beginnings is what an attacker's repository would have.
//   - Text(Text(x)) is Text(x).
//
// It knows tokens by the beginnings that their issuers gave them for this very
// purpose, private keys by their armour, passwords in addresses by their place, and
// Amazon's secret keys by their name. It does not know a password by its look:
// `password = "hunter2"` could be any string, and stays.
package redact

import (
	"bytes"
	"slices"
	"strings"
)

// A shape is a kind of token: how it begins, which bytes follow, and how many.
type shape struct {
	begins string
	of     *set
	least  int // bytes behind the beginning; fewer are a placeholder, or prose
	most   int // 0: any number; more are something else
}

// shapes are the tokens of those who hand out the most, with their own lengths.
var shapes = []shape{
	{"AKIA", upper, 16, 16}, {"ASIA", upper, 16, 16}, {"ABIA", upper, 16, 16}, {"ACCA", upper, 16, 16}, // Amazon
	{"AIza", token, 35, 35}, {"ya29.", token, 20, 0}, {"GOCSPX-", token, 20, 0}, // Google
	{"ghp_", word, 36, 0}, {"gho_", word, 36, 0}, {"ghu_", word, 36, 0}, {"ghs_", word, 36, 0}, {"ghr_", word, 36, 0}, {"github_pat_", word, 40, 0},
	{"glpat-", token, 20, 0}, {"glptt-", token, 20, 0}, {"gldt-", token, 20, 0}, {"glrt-", token, 20, 0},
	{"xoxb-", token, 10, 0}, {"xoxp-", token, 10, 0}, {"xoxa-", token, 10, 0}, {"xoxr-", token, 10, 0}, {"xoxs-", token, 10, 0}, {"xapp-", token, 10, 0}, // Slack
	{"sk_live_", alnum, 16, 0}, {"rk_live_", alnum, 16, 0}, {"sk_test_", alnum, 16, 0}, {"whsec_", alnum, 24, 0}, // Stripe
	{"sk-ant-", token, 24, 0}, {"sk-proj-", token, 24, 0}, {"sk-", word, 40, 0}, {"hf_", alnum, 30, 0}, // model services
	{"npm_", alnum, 36, 0}, {"pypi-", token, 50, 0}, {"dckr_pat_", token, 20, 0}, {"rubygems_", word, 40, 0}, {"oy2", word, 43, 43}, // registries
	{"SG.", dotted, 40, 0}, {"key-", word, 32, 32}, {"SK", hex, 32, 32}, {"dop_v1_", hex, 64, 64}, {"shpat_", hex, 32, 32}, {"shpss_", hex, 32, 32},
	{"hvs.", token, 24, 0}, {"dapi", hex, 32, 32}, {"eyJ", dotted, 60, 0}, // Vault, Databricks, JSON Web Tokens
	{"AGE-SECRET-KEY-1", upper, 50, 0},
}

// A set is a set of bytes.
type set [256]bool

func setOf(ranges string) *set {
	var s set
	for i := 0; i+1 < len(ranges); i += 2 {
		for c := int(ranges[i]); c <= int(ranges[i+1]); c++ {
			s[c] = true
		}
	}
	return &s
}

var (
	upper  = setOf("AZ09")
	hex    = setOf("af09")
	alnum  = setOf("AZaz09") // of those whose beginning could begin a function's name: hf_load_model_and_tokenizer
	word   = setOf("AZaz09__")
	token  = setOf("AZaz09__--")
	dotted = setOf("AZaz09__--..")
	base64 = setOf("AZaz09++//==__--")
	// userinfo is what a name or password in an address consists of, beside what is
	// written as %40. What a program fills in ({password}, %s, $PASSWORD) is none.
	userinfo = setOf("AZaz09__--..~~!!&&**++,,;;==^^")
	hexDigit = setOf("AFaf09")
)

// starts are the shapes by their first byte, seconds the second bytes that go with
// it: most words end there.
var (
	starts  [256][]shape
	seconds [256]*set
)

func init() {
	for _, s := range shapes {
		c := s.begins[0]
		if starts[c] = append(starts[c], s); seconds[c] == nil {
			seconds[c] = new(set)
		}
		seconds[c][s.begins[1]] = true
	}
}

// hidden stands for each byte of a secret.
const hidden = 'x'

// Text is a text without the secrets in it: the very same one if there are none.
// The text itself is not changed.
func Text(text []byte) []byte {
	r := redactor{text: text, out: text}
	r.tokens()
	r.privateKeys()
	return r.out
}

// A redactor copies the text when it finds the first secret.
type redactor struct {
	text, out []byte
	runs      map[*set]run
}

// A run is a part of the text, of bytes of one set, that has no such byte behind it.
type run struct{ start, end int }

// end is where the run of a set's bytes that starts at i ends. It remembers the
// last one of each set, so that beginnings which stand close together, all without
// what makes them a token, don't have the rest of the text read for each.
func (r *redactor) end(of *set, i int) int {
	if last := r.runs[of]; last.start <= i && i < last.end {
		return last.end
	}
	end := i
	for end < len(r.text) && of[r.text[end]] {
		end++
	}
	if r.runs == nil {
		r.runs = map[*set]run{}
	}
	r.runs[of] = run{i, end}
	return end
}

func (r *redactor) hide(start, end int) {
	if start >= end {
		return
	}
	if &r.out[0] == &r.text[0] {
		r.out = bytes.Clone(r.text)
	}
	for i := start; i < end; i++ {
		r.out[i] = hidden
	}
}

// tokens hides what has a beginning of its own, and passwords in addresses. All
// beginnings are those of words, so it goes from word to word.
func (r *redactor) tokens() {
	text := r.text
	for i := 0; i < len(text); {
		c := text[i]
		if !word[c] {
			if c == '\\' || c == '%' {
				if n := escape(text[i:]); n > 0 && i+n < len(text) {
					if end := r.token(i + n); end > i+n {
						i = end
						continue
					}
				}
			}
			i++
			if c == ':' && bytes.HasPrefix(text[i:], []byte("//")) {
				i = r.password(i + len("//"))
			}
			continue
		}
		from := i
		if next := seconds[c]; next != nil && i+1 < len(text) && next[text[i+1]] {
			i = r.token(i)
		}
		for i < len(text) && word[text[i]] {
			i++
		}
		if text[i-1]|0x20 == 'y' {
			r.named(text[from:i], i)
		}
	}
}

// escape is the length of what text begins with, if it stands for a character that
// no word has, and yet ends in a letter or digit: \n, %3D. What follows may be a
// token.
func escape(text []byte) int {
	switch {
	case len(text) >= 2 && text[0] == '\\' && (text[1] == 'n' || text[1] == 'r' || text[1] == 't'):
		return 2
	case encoded(text):
		return 3
	}
	return 0
}

// encoded reports whether text begins with a byte as addresses write it: %3D.
func encoded(text []byte) bool {
	return len(text) >= 3 && text[0] == '%' && hexDigit[text[1]] && hexDigit[text[2]]
}

// token hides the token at i, and returns its end; i if there is none.
func (r *redactor) token(i int) int {
	for _, s := range starts[r.text[i]] {
		if !bytes.HasPrefix(r.text[i:], []byte(s.begins)) {
			continue
		}
		start := i + len(s.begins)
		end := r.end(s.of, start)
		n := end - start
		if n < s.least || s.most > 0 && (n > s.most || end < len(r.text) && word[r.text[end]]) || s.of == dotted && r.end(token, start) == end {
			continue
		}
		r.hide(start, end)
		return end
	}
	return i
}

// longestUser is what a name, and a password, in an address have at most.
const longestUser = 128

// password hides the password of an address whose scheme ends before i. It returns
// where to go on.
func (r *redactor) password(i int) int {
	run := func(i int) int {
		end := i
		for end < len(r.text) && end < i+longestUser {
			switch {
			case userinfo[r.text[end]]:
				end++
			case encoded(r.text[end:]):
				end += 3
			default:
				return end
			}
		}
		return end
	}
	colon := run(i)
	if colon == len(r.text) || r.text[colon] != ':' {
		return i
	}
	at := run(colon + 1)
	if at == len(r.text) || r.text[at] != '@' || at-colon <= 3 {
		return i
	}
	r.hide(colon+1, at)
	return at
}

var (
	keyBegin = []byte("PRIVATE KEY")
	keyEnd   = []byte("-----END")
	anyBegin = []byte("-----BEGIN ")
)

const (
	// longestKey bounds the search for a key's end, in bytes: RSA keys of 8192 bits
	// have some 6,500.
	longestKey = 16 << 10
	// keyLine is the shortest run that begins a key's body: its lines have 64
	// characters, or 70, and words of code have fewer.
	keyLine = 40
	// lastLine is the shortest last line of one that is worth hiding.
	lastLine = 8
	// between is what may stand between two lines of a key in code: a quote, an
	// escaped line end, a plus, a line end, the indentation and a quote.
	between = 40
)

// privateKeys hides the bodies of armoured private keys.
func (r *redactor) privateKeys() {
	for at := 0; ; {
		i := bytes.Index(r.text[at:], keyBegin)
		if i < 0 {
			return
		}
		at += i + len(keyBegin)
		line := r.text[max(0, at-60):at]
		if b := bytes.LastIndex(line, anyBegin); b < 0 || bytes.IndexByte(line[b:], '\n') >= 0 {
			continue
		}
		end := min(len(r.text), at+longestKey)
		if b := bytes.Index(r.text[at:end], anyBegin); b >= 0 {
			end = at + b
		}
		e := bytes.Index(r.text[at:end], keyEnd)
		if e >= 0 {
			end = at + e
		}
		r.body(at, end, e >= 0)
	}
}

// body hides the runs of a key's characters in a part of the text: the long ones,
// and, of a whole key, shorter ones that follow them.
func (r *redactor) body(start, end int, whole bool) {
	last := -1 // the end of the last run that was hidden
	for i := start; i < end; {
		switch {
		case r.text[i] == '\\': // with what it escapes: \n is no character of the key
			i += 2
			continue
		case !base64[r.text[i]]:
			i++
			continue
		}
		from := i
		for i < end && base64[r.text[i]] {
			i++
		}
		if n := i - from; n >= keyLine || whole && n >= lastLine && last >= 0 && from-last <= between {
			r.hide(from, i)
			last = i
		}
	}
}

// names are how Amazon's secret keys are called, which have no beginning.
var names = [][]byte{[]byte("ecret_access_key"), []byte("ecretAccessKey"), []byte("ECRET_ACCESS_KEY")}

const secretKey = 40

// named hides a value of 40 characters behind such a name, which ends at i.
func (r *redactor) named(name []byte, i int) {
	if !slices.ContainsFunc(names, func(n []byte) bool { return bytes.HasSuffix(name, n) }) {
		return
	}
	start := i
	for start < len(r.text) && start < i+16 && strings.IndexByte(" \t\"'`:=>(,", r.text[start]) >= 0 {
		start++
	}
	end := start
	for end < len(r.text) && end <= start+secretKey && base64[r.text[end]] {
		end++
	}
	if end-start == secretKey {
		r.hide(start, end)
	}
}

// Around is a text without the secrets between start and end, for who shows only
// that part of it: the rest is not looked at farther than a key is long.
func Around(text []byte, start, end int) []byte {
	from, to := max(0, start-longestKey), min(len(text), end+longestKey)
	part := text[from:to]
	clean := Text(part)
	if len(part) == 0 || &clean[0] == &part[0] {
		return text
	}
	return slices.Concat(text[:from], clean, text[to:])
}

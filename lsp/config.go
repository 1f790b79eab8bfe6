package lsp

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"readahead/index"
	"readahead/index/facts"
	"readahead/index/regular"
	"readahead/model"
	"readahead/model/endpoint"
)

// A Config is everything a user can set. One schema serves the client's
// initializationOptions, workspace/configuration (section "readahead"), the
// user's config.toml and a workspace's .readahead.toml; later sources win.
type Config struct {
	Enable         bool     // false: no index, no model, no request of any kind
	Languages      []string // language IDs to complete in; empty: all
	Server         string   // what the model server speaks: "ollama" or "openai"
	Model          string   // of the server; empty: the best code model that it has
	Endpoint       string   // of the model server; empty: OLLAMA_HOST, else Ollama's own default
	APIKeyFile     string   // holds the key for an openai server; empty: READAHEAD_API_KEY, else none
	CAFile         string   // certificates to trust beside the system's
	PlainHTTP      bool     // a key may go over http to another machine
	Family         string   // prompt family; empty: by the model
	KeepAlive      time.Duration
	NumCtx         int    // context window asked of the server, in tokens; 0: the model's own choice
	Prompt         string // "auto", "fim", "causal" or "suffix"
	Primary        string // "auto", "structural" or "lexical": the evidence that the model is asked with first
	Samples        int    // N of Caret
	Agreement      string // "auto", "samples" or "probabilities": see rank.Options.Explore
	DeadlineMs     int    // an automatic request answers within this, with the best so far
	DebounceMs     int    // pause after a key before the model is asked
	Multiline      bool   // offer blocks where the syntax says that one follows
	EvidenceTokens int    // upper bound of VITAL-RAG's B
	Ignore         []string
	MaxFileSize    int // bytes; larger files are not read
	LogLevel       string

	// Tunings are no setting: what was measured in the workspace folders, and
	// counts where Primary is "auto".
	Tunings []Tuning
}

// AgreementOf is how it is known of a model, "samples" or "probabilities".
func (c Config) AgreementOf(m model.Info) string {
	switch {
	case c.Agreement != "auto":
		return c.Agreement
	case m.Provider == embeddedProvider: // it lists all that it could say
		return "probabilities"
	}
	return "samples"
}

// DefaultConfig suits a laptop with a 1.5B model.
func DefaultConfig() Config {
	return Config{
		Enable:         true,
		Server:         "ollama",
		KeepAlive:      30 * time.Minute,
		Prompt:         "auto",
		Primary:        autoPrimary,
		Samples:        10,
		Agreement:      "auto",
		DeadlineMs:     1500,
		DebounceMs:     75,
		Multiline:      true,
		EvidenceTokens: 4096,
		MaxFileSize:    1 << 20,
		LogLevel:       "info",
	}
}

// A Setting is one key of the schema. Doc is what README's table says.
type Setting struct {
	Key       string
	Doc       string
	Workspace bool // may a repository's own .readahead.toml set it?
	set       func(*Config, any) error
	get       func(Config) any
}

// Settings lists the schema in the order in which README documents it.
//
// A repository must not be able to send code elsewhere, so a workspace's file
// may set neither the server nor what leads there or lets it in, nor the model (a
// server may offer models that run remotely), and it can only narrow the rest: its ignore patterns add up, its
// languages are those that the user has, too, numbers are lowered and switches
// switched off.
func Settings() []Setting {
	return []Setting{
		{"enable", "false: no indexing, no requests to a model, no completions", true, setBool(func(c *Config) *bool { return &c.Enable }), func(c Config) any { return c.Enable }},
		{"languages", "language IDs to complete in; empty means all", true, setList(func(c *Config) *[]string { return &c.Languages }), func(c Config) any { return c.Languages }},
		{"server", "what the model server speaks: `ollama`, or `openai` for a completions endpoint (vLLM, llama-server; see For a team)", false, setOneOf(func(c *Config) *string { return &c.Server }, "ollama", "openai"), func(c Config) any { return c.Server }},
		{"model", "model of the server; empty means the best code model that it has", false, setString(func(c *Config) *string { return &c.Model }), func(c Config) any { return c.Model }},
		{"endpoint", "address of the model server; empty means `OLLAMA_HOST`, else Ollama's default", false, setEndpoint, func(c Config) any { return c.Endpoint }},
		{"apiKeyFile", "file with the API key for an `openai` server, readable by you alone; empty means the environment's `READAHEAD_API_KEY`, else none", false, setString(func(c *Config) *string { return &c.APIKeyFile }), func(c Config) any { return c.APIKeyFile }},
		{"caFile", "certificates (PEM) to trust for an `openai` server, beside the system's", false, setString(func(c *Config) *string { return &c.CAFile }), func(c Config) any { return c.CAFile }},
		{"plainHTTP", "true: the API key may go to another machine over plain http", false, setBool(func(c *Config) *bool { return &c.PlainHTTP }), func(c Config) any { return c.PlainHTTP }},
		{"keepAlive", "how long the server keeps the model in memory after a request", false, setDuration, func(c Config) any { return c.KeepAlive.String() }},
		{"numCtx", "context window in tokens, at most the model's own; 0 means what its Modelfile or a team's server sets, else 8192", false, setInt(func(c *Config) *int { return &c.NumCtx }, 0, 1<<20), func(c Config) any { return c.NumCtx }},
		{"family", "prompt family of the model, such as `qwen2.5-coder`; empty means by its name or what it says of itself", false, setString(func(c *Config) *string { return &c.Family }), func(c Config) any { return c.Family }},
		{"prompt", "`fim` fills in the middle, `causal` continues the left context, `auto` goes by the model, `suffix` leaves the form to an `openai` server", false, setOneOf(func(c *Config) *string { return &c.Prompt }, "auto", "fim", "causal", "suffix"), func(c Config) any { return c.Prompt }},
		{"primary", "evidence that the model is asked with first: `structural`, `lexical`, or `auto`: what `readahead tune` found for the workspace, else structural", false, setOneOf(func(c *Config) *string { return &c.Primary }, autoPrimary, string(index.Structural), string(index.Lexical)), func(c Config) any { return c.Primary }},
		{"samples", "candidates drawn from each consulted context (Caret's N), the first one at temperature 0", false, setInt(func(c *Config) *int { return &c.Samples }, 1, 64), func(c Config) any { return c.Samples }},
		{"agreement", "how far the model agrees with itself: `samples` draws lines, `probabilities` reads those of its tokens instead, the likeliest line first, `auto` reads the embedded model and draws from others", false, setOneOf(func(c *Config) *string { return &c.Agreement }, "auto", "samples", "probabilities"), func(c Config) any { return c.Agreement }},
		{"deadlineMs", "an automatic completion answers within this many milliseconds with the best so far; ghost text for which there is none yet comes later", false, setInt(func(c *Config) *int { return &c.DeadlineMs }, 50, 60_000), func(c Config) any { return c.DeadlineMs }},
		{"debounceMs", "pause after a key before the model is asked", false, setInt(func(c *Config) *int { return &c.DebounceMs }, 0, 5_000), func(c Config) any { return c.DebounceMs }},
		{"multiline", "offer a whole block where the syntax says that one follows", true, setBool(func(c *Config) *bool { return &c.Multiline }), func(c Config) any { return c.Multiline }},
		{"evidenceTokens", "upper bound of repository evidence in a prompt, in tokens; halved while the model reads too slowly for `deadlineMs`", true, setInt(func(c *Config) *int { return &c.EvidenceTokens }, 0, 1<<17), func(c Config) any { return c.EvidenceTokens }},
		{"ignore", "further patterns, in .gitignore syntax, of files never read", true, setList(func(c *Config) *[]string { return &c.Ignore }), func(c Config) any { return c.Ignore }},
		{"maxFileSize", "files of more bytes than this are not read", true, setInt(func(c *Config) *int { return &c.MaxFileSize }, 1, 1<<30), func(c Config) any { return c.MaxFileSize }},
		{"logLevel", "`debug`, `info`, `warn` or `error`", false, setOneOf(func(c *Config) *string { return &c.LogLevel }, "debug", "info", "warn", "error"), func(c Config) any { return c.LogLevel }},
	}
}

// A Source says where values come from, for messages and for trust.
type Source struct {
	Name      string // shown in messages: a file name, "initializationOptions"
	Workspace bool   // written by whoever wrote the repository

	lines map[string]int // on which keys stand, if that is known
}

// Apply sets the values on top of c and returns the result. What cannot be
// applied leaves its key as it was and is reported, one error a key, so that
// one typing error never switches the rest off.
func (c Config) Apply(values map[string]any, from Source) (Config, []error) {
	settings := Settings()
	var errs []error
	for _, name := range from.inOrder(values) {
		at := from.at(name)
		i := slices.IndexFunc(settings, func(s Setting) bool { return s.Key == name })
		if i < 0 {
			errs = append(errs, fmt.Errorf("%s: unknown key %q%s", at, clip(name, 80), didYouMean(name, settings)))
			continue
		}
		s := settings[i]
		if from.Workspace && !s.Workspace {
			errs = append(errs, fmt.Errorf("%s: %s is ignored here: a repository may not set it (set it in your own configuration)", at, name))
			continue
		}
		next := c
		if err := s.set(&next, values[name]); err != nil {
			errs = append(errs, fmt.Errorf("%s: %s: %w", at, name, err))
			continue
		}
		if from.Workspace {
			var err error
			if next, err = c.narrowed(next, name); err != nil {
				errs = append(errs, fmt.Errorf("%s: %w", at, err))
				continue
			}
		}
		c = next
	}
	return c, errs
}

// CompletesIn reports whether the languages that are set have one: by the editor's
// word for it, or, where there is no editor ("" is its word), by any word that an
// editor would have.
func (c Config) CompletesIn(languageID string, lang facts.Language) bool {
	return len(c.Languages) == 0 || slices.ContainsFunc(c.Languages, func(l string) bool {
		return l == languageID || l == string(lang) || languageID == "" && lang != "" && languageIDs[l] == lang
	})
}

// narrowed is next, c after a repository set one key, as far as it allows no more
// than c does. A wish for more is refused by name; it would have no effect where
// the user asks for as much.
func (c Config) narrowed(next Config, key string) (Config, error) {
	refuse := func(own any) (Config, error) {
		return c, fmt.Errorf("%s is ignored here: a repository may only narrow it, and your own is %v", key, own)
	}
	switch {
	case next.Enable && !c.Enable:
		return refuse(c.Enable)
	case next.Multiline && !c.Multiline:
		return refuse(c.Multiline)
	case next.EvidenceTokens > c.EvidenceTokens:
		return refuse(c.EvidenceTokens)
	case next.MaxFileSize > c.MaxFileSize:
		return refuse(c.MaxFileSize)
	}
	switch key {
	case "ignore":
		next.Ignore = addPatterns(c.Ignore, next.Ignore)
	case "languages":
		if len(c.Languages) == 0 {
			break
		}
		own := c.Languages
		next.Languages = slices.DeleteFunc(slices.Clone(next.Languages), func(l string) bool { return !slices.Contains(own, l) })
		if len(next.Languages) == 0 { // empty would mean all
			return refuse(own)
		}
	}
	return next, nil
}

// addPatterns adds a repository's patterns to the user's own. A negated pattern
// would re-admit what the user excluded, so it is dropped.
func addPatterns(own, repo []string) []string {
	out := slices.Clone(own)
	for _, p := range repo {
		if !strings.HasPrefix(p, "!") {
			out = append(out, p)
		}
	}
	return out
}

// ApplyJSON applies a JSON object, as an LSP client sends it. Lua has one kind of
// table, so from Neovim an object without keys comes as an array without items.
func (c Config) ApplyJSON(data []byte, from Source) (Config, []error) {
	switch string(bytes.Join(bytes.Fields(data), nil)) {
	case "", "null", "[]":
		return c, nil
	}
	var values map[string]any
	if err := json.Unmarshal(data, &values); err != nil {
		return c, []error{fmt.Errorf("%s: not a JSON object of settings: %s", from.Name, JSONCause(err))}
	}
	return c.Apply(values, from)
}

// LoadConfig reads the user's file (or the one given in its place) and then
// the .readahead.toml of each workspace folder.
func LoadConfig(userFile string, folders []string) (Config, []error) {
	var errs []error
	c := DefaultConfig()
	if userFile == "" {
		userFile = defaultUserFile()
	} else if err := CheckConfigFile(userFile); errors.Is(err, fs.ErrNotExist) {
		errs = append(errs, err)
	}
	c, es := c.ApplyFile(userFile, Source{Name: userFile})
	errs = append(errs, es...)
	for _, dir := range folders {
		path := filepath.Join(dir, workspaceFile)
		if i, err := os.Lstat(path); err == nil && i.Mode()&fs.ModeSymlink != 0 {
			errs = append(errs, fmt.Errorf("configuration: read %s: %w: what a repository's symbolic link leads to is not read (put the file itself there)", path, regular.ErrSpecial))
			continue
		}
		c, es = c.ApplyFile(path, Source{Name: path, Workspace: true})
		errs = append(errs, es...)
	}
	return c, once(errs)
}

// CheckConfigFile reports why a file that the user names in place of their own
// configuration cannot be read.
func CheckConfigFile(path string) error {
	f, _, err := regular.Open(path)
	if err != nil {
		return fmt.Errorf("configuration: %w", err)
	}
	return f.Close()
}

// defaultUserFile is "" where the user has no configuration folder.
func defaultUserFile() string {
	dir, err := os.UserConfigDir()
	if err != nil {
		return ""
	}
	return filepath.Join(dir, "readahead", "config.toml")
}

func setBool(field func(*Config) *bool) func(*Config, any) error {
	return func(c *Config, v any) error {
		b, ok := v.(bool)
		if !ok {
			return fmt.Errorf("want true or false, not %s", quoted(v))
		}
		*field(c) = b
		return nil
	}
}

func setString(field func(*Config) *string) func(*Config, any) error {
	return func(c *Config, v any) error {
		s, ok := v.(string)
		if !ok {
			return fmt.Errorf("want a string, not %s", quoted(v))
		}
		*field(c) = s
		return nil
	}
}

// setEndpoint refuses what is no address, so that it is told where it was written.
func setEndpoint(c *Config, v any) error {
	s, ok := v.(string)
	if !ok {
		return fmt.Errorf("want a string, not %s", quoted(v))
	}
	if strings.TrimSpace(s) != "" {
		if _, err := endpoint.Parse(s); err != nil {
			return err
		}
	}
	c.Endpoint = s
	return nil
}

func setOneOf(field func(*Config) *string, words ...string) func(*Config, any) error {
	return func(c *Config, v any) error {
		s, ok := v.(string)
		if !ok || !slices.Contains(words, s) {
			return fmt.Errorf("want one of %s, not %s", strings.Join(words, ", "), quoted(v))
		}
		*field(c) = s
		return nil
	}
}

func setList(field func(*Config) *[]string) func(*Config, any) error {
	return func(c *Config, v any) error {
		list, ok := v.([]any)
		if !ok {
			return fmt.Errorf("want a list of strings, not %s", quoted(v))
		}
		out := make([]string, 0, len(list))
		for _, e := range list {
			s, ok := e.(string)
			if !ok {
				return fmt.Errorf("want a list of strings, but it holds %s", quoted(e))
			}
			out = append(out, s)
		}
		*field(c) = out
		return nil
	}
}

// setInt accepts TOML's integers and JSON's numbers without a fraction.
func setInt(field func(*Config) *int, lo, hi int) func(*Config, any) error {
	return func(c *Config, v any) error {
		n, ok := v.(int64)
		if f, isFloat := v.(float64); isFloat && f == math.Trunc(f) && math.Abs(f) < 1<<53 {
			n, ok = int64(f), true
		}
		if !ok || n < int64(lo) || n > int64(hi) {
			return fmt.Errorf("want a whole number from %d to %d, not %s", lo, hi, quoted(v))
		}
		*field(c) = int(n)
		return nil
	}
}

// mostSeconds is thirty years, and far from what overflows.
const mostSeconds = 1e9

// setDuration accepts what Ollama does: "30m", or a number of seconds; a
// negative value keeps the model loaded for good.
func setDuration(c *Config, v any) error {
	switch v := v.(type) {
	case string:
		d, err := time.ParseDuration(v)
		if err != nil {
			return fmt.Errorf("want a duration such as 30m or -1s, not %s", quoted(v))
		}
		c.KeepAlive = d
	case int64:
		return setDuration(c, float64(v))
	case float64:
		if !(math.Abs(v) <= mostSeconds) {
			return fmt.Errorf("want a number of seconds up to %.0e, not %v", float64(mostSeconds), v)
		}
		c.KeepAlive = time.Duration(v * float64(time.Second))
	default:
		return fmt.Errorf("want a duration such as 30m, not %s", quoted(v))
	}
	return nil
}

// quoted is a value as it was written, more or less, in the width of a message.
func quoted(v any) string {
	if s, ok := v.(string); ok {
		return fmt.Sprintf("%q", clip(s, 80))
	}
	return clip(fmt.Sprint(v), 80)
}

// didYouMean names the closest key when it is within two edits.
func didYouMean(name string, settings []Setting) string {
	best, at := 3, ""
	for _, s := range settings {
		if d := editDistance(strings.ToLower(name), strings.ToLower(s.Key)); d < best {
			best, at = d, s.Key
		}
	}
	if at == "" {
		return ""
	}
	return fmt.Sprintf(" (did you mean %s?)", at)
}

func editDistance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			substitute := diagonal
			if a[i] != b[j] {
				substitute++
			}
			diagonal = row[j+1]
			row[j+1] = min(substitute, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(b)]
}

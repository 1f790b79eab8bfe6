package ignore

import (
	"os"
	"os/user"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
)

// A config holds what git's settings say about ignoring, read from the same
// files in the same order as git reads them; the last word counts.
type config struct {
	excludesFile string // absolute; "" for none
	foreign      bool   // the repository's own settings name excludesFile, not the user's
	ignoreCase   bool
	worktree     bool     // extensions.worktreeConfig
	files        []string // everything that was asked, existing or not
}

// maxIncludes is git's own limit for nested includes.
const maxIncludes = 10

// readConfig reads the settings that hold in repo.
func readConfig(repo *repository) config {
	home, _ := os.UserHomeDir()
	xdg := os.Getenv("XDG_CONFIG_HOME")
	if xdg == "" && home != "" {
		xdg = filepath.Join(home, ".config")
	}
	c := config{ignoreCase: defaultFold}
	if xdg != "" {
		c.excludesFile = filepath.Join(xdg, "git", "ignore")
	}
	r := configReader{config: &c, repo: repo, home: home}
	for _, file := range systemConfigs() {
		r.read(file, 0)
	}
	if file, ok := os.LookupEnv("GIT_CONFIG_GLOBAL"); ok {
		r.read(file, 0)
	} else {
		if xdg != "" {
			r.read(filepath.Join(xdg, "git", "config"), 0)
		}
		if home != "" {
			r.read(filepath.Join(home, ".gitconfig"), 0)
		}
	}
	if repo.gitDir != "" {
		r.inRepository = true
		r.read(filepath.Join(repo.common, "config"), 0)
		if c.worktree {
			r.read(filepath.Join(repo.gitDir, "config.worktree"), 0)
		}
	}
	return c
}

// systemConfigs are the places where packagers of git put its settings.
func systemConfigs() []string {
	if on, err := strconv.ParseBool(os.Getenv("GIT_CONFIG_NOSYSTEM")); err == nil && on {
		return nil
	}
	if file, ok := os.LookupEnv("GIT_CONFIG_SYSTEM"); ok {
		return []string{file}
	}
	if runtime.GOOS == "windows" {
		return []string{filepath.Join(os.Getenv("ProgramFiles"), "Git", "etc", "gitconfig")}
	}
	return []string{"/etc/gitconfig", "/usr/local/etc/gitconfig", "/opt/homebrew/etc/gitconfig"}
}

type configReader struct {
	config *config
	repo   *repository
	home   string

	inRepository bool // from here on, what is read came with the repository
}

// read applies one file and what it includes. A file that is missing or broken
// says nothing, as far as it is.
func (r *configReader) read(file string, depth int) {
	if file == "" || depth > maxIncludes {
		return
	}
	r.config.files = append(r.config.files, file)
	data, err := readRuleFile(file, true)
	if err != nil || data == nil {
		return
	}
	parseConfig(string(data), func(section, sub, key, value string) {
		switch {
		case section == "core" && sub == "" && key == "excludesfile":
			r.config.excludesFile, r.config.foreign = r.path(value, r.repo.top), r.inRepository
		case section == "core" && sub == "" && key == "ignorecase":
			r.config.ignoreCase = configBool(value)
		case section == "extensions" && sub == "" && key == "worktreeconfig":
			r.config.worktree = configBool(value)
		case section == "include" && sub == "" && key == "path",
			section == "includeif" && key == "path" && r.holds(sub, filepath.Dir(file)):
			r.read(r.path(value, filepath.Dir(file)), depth+1)
		}
	})
}

// path resolves a path among the settings; "" stays "".
func (r *configReader) path(value, dir string) string {
	value = strings.TrimPrefix(value, ":(optional)")
	switch {
	case value == "":
		return ""
	case value == "~" || strings.HasPrefix(value, "~/"):
		return filepath.Join(r.home, filepath.FromSlash(value[1:]))
	case value[0] == '~':
		name, rest, _ := strings.Cut(value[1:], "/")
		if u, err := user.Lookup(name); err == nil {
			return filepath.Join(u.HomeDir, filepath.FromSlash(rest))
		}
	}
	return within(dir, value)
}

// holds decides the condition of an includeIf. Those on remotes are taken as
// not met: git itself forbids most settings there.
func (r *configReader) holds(condition, dir string) bool {
	kind, pattern, _ := strings.Cut(condition, ":")
	switch kind {
	case "gitdir", "gitdir/i":
		if r.repo.gitDir == "" {
			return false
		}
		pattern = r.gitDirPattern(pattern, dir)
		real, err := filepath.EvalSymlinks(r.repo.gitDir)
		if err != nil {
			real = r.repo.gitDir
		}
		return r.matches(pattern, filepath.ToSlash(r.repo.gitDir), kind == "gitdir/i") ||
			r.matches(pattern, filepath.ToSlash(real), kind == "gitdir/i")
	case "onbranch":
		if r.repo.gitDir == "" {
			return false
		}
		head, _ := readRuleFile(filepath.Join(r.repo.gitDir, "HEAD"), true)
		branch, ok := strings.CutPrefix(strings.TrimSpace(string(head)), "ref: refs/heads/")
		if strings.HasSuffix(pattern, "/") {
			pattern += "**"
		}
		return ok && r.matches(pattern, branch, false)
	}
	return false
}

// gitDirPattern completes a pattern as git-config(1) says.
func (r *configReader) gitDirPattern(pattern, dir string) string {
	switch {
	case strings.HasPrefix(pattern, "~/"):
		pattern = filepath.ToSlash(r.home) + pattern[1:]
	case strings.HasPrefix(pattern, "./"):
		pattern = filepath.ToSlash(dir) + pattern[1:]
	case !filepath.IsAbs(filepath.FromSlash(pattern)):
		pattern = "**/" + pattern
	}
	if strings.HasSuffix(pattern, "/") {
		pattern += "**"
	}
	return pattern
}

func (r *configReader) matches(pattern, text string, fold bool) bool {
	g, ok := compile(pattern, true, fold)
	if fold {
		text = lowerASCII(text)
	}
	return ok && g.match(text)
}

// configBool reads a boolean of git's.
func configBool(value string) bool {
	switch strings.ToLower(value) {
	case "true", "yes", "on":
		return true
	}
	n, err := strconv.Atoi(value)
	return err == nil && n != 0
}

// parseConfig calls set for every variable, sections and keys in lower case. A
// key without "=" is "true". It stops at the first line that git would refuse.
func parseConfig(text string, set func(section, sub, key, value string)) {
	var section, sub string
	text = strings.TrimPrefix(text, "\ufeff")
	for text != "" {
		text = strings.TrimLeft(text, " \t\r\n")
		switch {
		case text == "":
			return
		case text[0] == '#' || text[0] == ';':
			_, text, _ = strings.Cut(text, "\n")
		case text[0] == '[':
			var ok bool
			if section, sub, text, ok = configSection(text); !ok {
				return
			}
		default:
			n := strings.IndexFunc(text, func(c rune) bool {
				return c != '-' && (c > 127 || !isLetter(byte(c)) && !isDigit(byte(c)))
			})
			if n <= 0 {
				return
			}
			key := strings.ToLower(text[:n])
			text = strings.TrimLeft(text[n:], " \t")
			value := "true"
			if strings.HasPrefix(text, "=") {
				var ok bool
				if value, text, ok = configValue(text[1:]); !ok {
					return
				}
			} else if text != "" && !strings.ContainsRune("\r\n#;", rune(text[0])) {
				return
			}
			set(section, sub, key, value)
		}
	}
}

// configSection reads [section], [section.sub] or [section "sub"].
func configSection(text string) (section, sub, rest string, ok bool) {
	end := strings.IndexAny(text, "]\"\n")
	if end < 0 || text[end] == '\n' {
		return "", "", "", false
	}
	section = strings.ToLower(strings.TrimSpace(text[1:end]))
	if text[end] == ']' {
		section, sub, _ = strings.Cut(section, ".")
		return section, sub, text[end+1:], true
	}
	var b strings.Builder
	for i := end + 1; i < len(text) && text[i] != '\n'; i++ {
		switch {
		case text[i] == '\\' && i+1 < len(text):
			i++
			b.WriteByte(text[i])
		case text[i] == '"':
			rest, ok = strings.CutPrefix(text[i+1:], "]")
			return section, b.String(), rest, ok
		default:
			b.WriteByte(text[i])
		}
	}
	return "", "", "", false
}

// configValue reads what follows "=": quotes, escapes, comments, continued lines.
func configValue(text string) (value, rest string, ok bool) {
	var b strings.Builder
	quoted, kept := false, 0 // kept: up to here trailing space is part of the value
	text = strings.TrimLeft(text, " \t")
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case c == '\n' && quoted:
			return "", "", false
		case c == '\n':
			return b.String()[:kept], text[i+1:], true
		case c == '\r' && strings.HasPrefix(text[i:], "\r\n"):
		case c == '"':
			quoted = !quoted
			kept = b.Len()
		case c == '\\' && i+1 < len(text):
			i++
			switch text[i] {
			case '\n':
				continue
			case 'n':
				b.WriteByte('\n')
			case 't':
				b.WriteByte('\t')
			case 'b':
				b.WriteByte('\b')
			case '\\', '"':
				b.WriteByte(text[i])
			default:
				return "", "", false
			}
			kept = b.Len()
		case !quoted && (c == '#' || c == ';'):
			_, rest, _ = strings.Cut(text[i:], "\n")
			return b.String()[:kept], rest, true
		default:
			b.WriteByte(c)
			if quoted || c != ' ' && c != '\t' {
				kept = b.Len()
			}
		}
	}
	return b.String()[:kept], "", !quoted
}

package lsp

import (
	"net/url"
	"path"
	"strings"
)

// pathOf is the document's name in our own tables: the absolute path of a file,
// else the URI itself. Editors spell one file's URI in several ways (c%3A, C:,
// %20 or a blank); its path is one.
//
// Symbolic links are not resolved: two names of one file are two documents to the
// editor, and what is asked about one is answered under its name. That they are
// one file is for the Engine to know (see openText).
func pathOf(uri string, windows bool) string {
	rest, ok := cutPrefixFold(uri, "file:")
	if !ok {
		return uri
	}
	host := ""
	if after, ok := strings.CutPrefix(rest, "//"); ok {
		i := strings.IndexByte(after, '/')
		if i < 0 {
			return uri
		}
		host, rest = after[:i], after[i:]
	}
	if i := strings.IndexAny(rest, "?#"); i >= 0 {
		rest = rest[:i]
	}
	name, err := url.PathUnescape(rest)
	if err != nil {
		name = rest // a lone % in a name that was not encoded
	}
	if !strings.HasPrefix(name, "/") {
		return uri
	}
	local := host == "" || strings.EqualFold(host, "localhost")
	if !windows {
		if !local {
			return uri
		}
		return path.Clean(name)
	}
	name = path.Clean(name)
	switch {
	case !local:
		name = "//" + host + name
	case len(name) >= 3 && name[2] == ':':
		name = strings.ToUpper(name[1:2]) + name[2:]
		if len(name) == 2 {
			name += "/"
		}
	}
	return strings.ReplaceAll(name, "/", `\`)
}

func cutPrefixFold(s, prefix string) (string, bool) {
	if len(s) < len(prefix) || !strings.EqualFold(s[:len(prefix)], prefix) {
		return s, false
	}
	return s[len(prefix):], true
}

package lsp

import "testing"

func TestDocumentNames(t *testing.T) {
	for _, c := range []struct {
		name    string
		uri     string
		windows bool
		want    string
	}{
		{"a file", "file:///home/ann/a.go", false, "/home/ann/a.go"},
		{"percent-encoding is undone", "file:///a%20b/%C3%A9.go", false, "/a b/é.go"},
		{"a blank that should have been encoded", "file:///a b.go", false, "/a b.go"},
		{"a % that stands for itself", "file:///100%/a.go", false, "/100%/a.go"},
		{"an encoded % is one", "file:///100%25/a.go", false, "/100%/a.go"},
		{"a + is no blank", "file:///c++/a.cc", false, "/c++/a.cc"},
		{"localhost is here", "file://localhost/a.go", false, "/a.go"},
		{"the short form", "file:/a.go", false, "/a.go"},
		{"the scheme in capitals", "FILE:///a.go", false, "/a.go"},
		{"dots are resolved", "file:///a/../b/./c.go", false, "/b/c.go"},
		{"another machine's file is no file here", "file://server/share/a.go", false, "file://server/share/a.go"},
		{"an untitled document keeps its URI", "untitled:Untitled-1", false, "untitled:Untitled-1"},
		{"so does one of another scheme", "git:/a.go?ref", false, "git:/a.go?ref"},
		{"nothing", "", false, ""},
		{"a scheme alone", "file://", false, "file://"},
		{"a drive", "file:///C:/Users/a.go", true, `C:\Users\a.go`},
		{"a drive in small letters is the same drive", "file:///c%3A/Users/a.go", true, `C:\Users\a.go`},
		{"a drive's root", "file:///c:/", true, `C:\`},
		{"a share", "file://server/share/a.go", true, `\\server\share\a.go`},
		{"elsewhere a colon is part of a name", "file:///c:/a.go", false, "/c:/a.go"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := pathOf(c.uri, c.windows); got != c.want {
				t.Errorf("pathOf(%q) = %q, want %q", c.uri, got, c.want)
			}
		})
	}
}

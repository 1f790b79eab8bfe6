package eval

import (
	"path/filepath"
	"strings"
	"testing"
)

func TestAWrongTaskFileSaysWhatIsWrongAndWhere(t *testing.T) {
	for _, tt := range []struct{ name, file, says string }{
		{"empty", "\n\n", "no tasks"},
		{"not JSON", `{"id":"a","path":"a.go","repo":{"kind":"dir"}}` + "\nhello\n", "line 2"},
		{"a second task of the same name", `{"id":"a","path":"a.go","repo":{"kind":"dir"}}` + "\n" + `{"id":"a","path":"b.go","repo":{"kind":"dir"}}`, `"a"`},
		{"a path that leaves the repository", `{"id":"a","path":"../../etc/passwd","repo":{"kind":"dir"}}`, "../../etc/passwd"},
		{"a gold path that leaves it", `{"id":"a","path":"a.go","repo":{"kind":"dir"},"gold":[{"path":"/etc/passwd","start_line":1,"name_line":1,"end_line":1}]}`, "/etc/passwd"},
		{"a name outside its definition", `{"id":"a","path":"a.go","repo":{"kind":"dir"},"gold":[{"path":"b.go","start_line":5,"name_line":3,"end_line":9}]}`, "lines 5 to 9"},
		{"offsets that do not fit the target", `{"id":"a","path":"a.go","repo":{"kind":"dir"},"offset":3,"end_offset":9,"target":"x"}`, "6 bytes"},
		{"a package's folder that leaves the sources", `{"id":"a","path":"a.go","repo":{"kind":"debian","package":"x","root":"../../.."}}`, "not a path inside a package"},
		{"a version that leaves the sources", `{"id":"a","path":"a.go","repo":{"kind":"goproxy","module":"x","version":"/../../../etc"}}`, "does not lie below"},
		{"a module that is an option", `{"id":"a","path":"a.go","repo":{"kind":"goproxy","module":"-modfile=x","version":"v1"}}`, "is no name of"},
		{"a package that is an option", `{"id":"a","path":"a.go","repo":{"kind":"debian","package":"-oDir::Bin::dpkg","version":"1"}}`, "is no name of"},
		{"an unknown repository", `{"id":"a","path":"a.go","repo":{"kind":"svn"}}`, "svn"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if _, err := Parse(strings.NewReader(tt.file)); err == nil || !strings.Contains(err.Error(), tt.says) {
				t.Errorf("got %v; want an error that says %q", err, tt.says)
			}
		})
	}
}

func TestRepositoriesLieBelowTheSources(t *testing.T) {
	for want, r := range map[string]Repo{
		"go/go.etcd.io+bbolt@v1.5.0":        {Kind: "goproxy", Module: "go.etcd.io/bbolt", Version: "v1.5.0"},
		"deb/python3-x_1%3a2.0-1/usr/lib/x": {Kind: "debian", Package: "python3-x", Version: "1:2.0-1", Root: "usr/lib/x"},
		"github/a+b@0123456789ab":           {Kind: "github", Repo: "a/b", Commit: "0123456789abcdef"},
		"":                                  {Kind: "dir"},
	} {
		got, err := r.Dir("S")
		if err != nil || got != filepath.Join("S", filepath.FromSlash(want)) {
			t.Errorf("%+v: %q, %v", r, got, err)
		}
	}
}

package tuned

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"readahead/index"
)

var choice = Choice{Model: "m", Primary: index.Lexical, Clear: true, Lines: 100, EM: EM{10, 20}, P: 0.01, Measured: time.Unix(1_800_000_000, 0).UTC()}

func TestAChoiceIsKeptForOneFolderAndOneModel(t *testing.T) {
	s := Store(filepath.Join(t.TempDir(), "state", "tuned"))
	a, b := t.TempDir(), t.TempDir()
	other := choice
	other.Model, other.Primary = "n", index.Structural
	for _, c := range []Choice{choice, other, choice} {
		if err := s.Save(a, c); err != nil {
			t.Fatal(err)
		}
	}
	if got, err := s.Load(a); err != nil || len(got) != 2 || got[0] != other || got[1] != choice {
		t.Errorf("kept: %+v, %v", got, err)
	}
	if got, err := s.Load(b); err != nil || len(got) != 0 {
		t.Errorf("another folder has %+v, %v", got, err)
	}
	link := filepath.Join(t.TempDir(), "link")
	if err := os.Symlink(a, link); err != nil {
		t.Fatal(err)
	}
	got, errs := s.Tunings([]string{b, link})
	if len(errs) != 0 || len(got) != 2 || got[1].Folder != link || got[1].Primary != index.Lexical {
		t.Errorf("by way of a link: %+v, %v", got, errs)
	}
	if info, err := os.Stat(s.Path(a)); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v", info, err)
	}
	if info, err := os.Stat(string(s)); err != nil || info.Mode().Perm() != 0o700 {
		t.Errorf("%v, %v", info, err)
	}
}

func TestADamagedFileCountsAsNoneAndIsSaidToBe(t *testing.T) {
	s := Store(t.TempDir())
	dir := t.TempDir()
	if err := s.Save(dir, choice); err != nil {
		t.Fatal(err)
	}
	whole, err := os.ReadFile(s.Path(dir))
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{
		"half":             string(whole[:len(whole)/2]),
		"another version":  strings.Replace(string(whole), "tuning 1", "tuning 9", 1),
		"another folder":   strings.Replace(string(whole), dir, "/elsewhere", 1),
		"another evidence": strings.Replace(string(whole), `"lexical"`, `"magic"`, 1),
		"noise":            "\x00\xff",
	} {
		if err := os.WriteFile(s.Path(dir), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		got, errs := s.Tunings([]string{dir})
		if len(got) != 0 || len(errs) != 1 || !strings.Contains(errs[0].Error(), s.Path(dir)) || !strings.Contains(errs[0].Error(), "run: readahead tune "+dir) {
			t.Errorf("%s: %+v, %v", name, got, errs)
		}
	}
}

func TestWithoutAHomeNothingIsKept(t *testing.T) {
	s := Store("")
	if err := s.Save(t.TempDir(), choice); err == nil || !strings.Contains(err.Error(), "HOME") {
		t.Errorf("error %v", err)
	}
	if got, err := s.Load(t.TempDir()); got != nil || err != nil {
		t.Errorf("%v, %v", got, err)
	}
	if was, err := s.Forget(t.TempDir()); was || err != nil {
		t.Errorf("%v, %v", was, err)
	}
}

func FuzzLoad(f *testing.F) {
	f.Add([]byte(begins + `,"folder":"/","choices":[{"model":"m","primary":"lexical"}]}`))
	f.Add([]byte(`{`))
	f.Fuzz(func(t *testing.T, text []byte) {
		s := Store(t.TempDir())
		if err := os.WriteFile(s.Path("/"), text, 0o600); err != nil {
			t.Fatal(err)
		}
		known, err := s.Load("/")
		for _, c := range known {
			if err != nil || c.Primary != index.Structural && c.Primary != index.Lexical {
				t.Fatalf("%+v, %v", c, err)
			}
		}
	})
}

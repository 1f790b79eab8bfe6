package lsp

import (
	"fmt"
	"path/filepath"
	"strings"

	"readahead/index"
	"readahead/model"
)

// A Tuning is what was measured for one workspace folder and one model: which
// evidence that model is better asked with first (Caret §IV-E picks it on a
// development split). What holds for one model says little about another, and
// what holds for one repository little about the next, so it counts for these two
// alone.
type Tuning struct {
	Folder  string // workspace folder, as EngineOptions.Roots has it
	Model   string // see ModelKey
	Primary index.Family
	Why     string // for people: on how many lines, when, with what result
}

// autoPrimary lets a Tuning choose, and structural evidence come first without
// one.
const autoPrimary = "auto"

// ModelKey is the name that a Tuning knows a model by. The embedded model's own
// name counts what it has read, and changes all the time; of a server's models
// "name" and "name:latest" are one.
func ModelKey(i model.Info) string {
	if i.Provider == "embedded" {
		return i.Provider
	}
	return strings.TrimSuffix(i.Name, ":latest")
}

// PrimaryFor is the family of evidence that a model is asked with first for a
// document, and why.
func (c Config) PrimaryFor(m model.Info, path string) (index.Family, string) {
	if c.Primary != autoPrimary && c.Primary != "" {
		return index.Family(c.Primary), "primary is set in the configuration"
	}
	best := -1
	for i, t := range c.Tunings {
		if t.Model == ModelKey(m) && inside(t.Folder, path) && (best < 0 || len(t.Folder) > len(c.Tunings[best].Folder)) {
			best = i
		}
	}
	if best < 0 {
		return index.Structural, "the default"
	}
	return c.Tunings[best].Primary, c.Tunings[best].Why
}

// inside reports whether a path lies in a folder, or is it.
func inside(folder, path string) bool {
	rel, err := filepath.Rel(folder, path)
	return err == nil && rel != ".." && !strings.HasPrefix(rel, ".."+string(filepath.Separator))
}

// families are the two families in the order in which the model is asked with
// them, and the sentence that a trace has about it.
func (c Config) families(m model.Info, path string) (order [2]index.Family, why string) {
	first, why := c.PrimaryFor(m, path)
	order = [2]index.Family{index.Structural, index.Lexical}
	if first == index.Lexical {
		order[0], order[1] = order[1], order[0]
	}
	return order, fmt.Sprintf("%s evidence first: %s", order[0], why)
}

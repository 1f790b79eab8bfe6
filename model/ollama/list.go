package ollama

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/ollama/ollama/api"

	"readahead/model/fim"
	"readahead/model/link"
)

// probeStart bounds the question at start-up whether a server is there: on this
// machine it answers in milliseconds.
const probeStart = 2 * time.Second

// Probe asks the server at endpoint ("" as in Config) for its version, for two
// seconds at most.
func Probe(ctx context.Context, endpoint string) (version string, err error) {
	err = with(ctx, endpoint, func(ctx context.Context, w *wire) error {
		version, err = serverVersion(ctx, w)
		return err
	})
	return version, err
}

// An Installed is a model that a server has.
type Installed struct {
	Name   string
	Family string  // prompt family by its name; "" if it is none that is known
	Params float64 // billions of parameters; 0 if unknown
	Bytes  int64   // on disk
	Loaded bool    // in memory now
	Remote string  // host that runs it, if it isn't the server itself
}

// List lists the models of the server at endpoint ("" as in Config).
func List(ctx context.Context, endpoint string) ([]Installed, error) {
	var models []Installed
	err := with(ctx, endpoint, func(ctx context.Context, w *wire) (err error) {
		models, err = listed(ctx, w)
		return err
	})
	return models, err
}

func listed(ctx context.Context, w *wire) (models []Installed, err error) {
	about := attempt{what: "list the models of " + w.url.Host, host: w.url.Host}
	list, err := w.client.List(ctx)
	if err != nil {
		return nil, about.explain(ctx, err)
	}
	loaded := map[string]bool{}
	if running, err := w.client.ListRunning(ctx); err == nil { // only orders the choice
		for _, r := range running.Models {
			loaded[r.Name] = true
		}
	}
	for _, m := range list.Models {
		models = append(models, installed(m, loaded[m.Name]))
	}
	return models, nil
}

func installed(m api.ListModelResponse, loaded bool) Installed {
	f, _ := fim.CalledBy(m.Name)
	return Installed{
		Name: m.Name, Family: f.Name, Params: billions(m.Details.ParameterSize),
		Bytes: m.Size, Loaded: loaded, Remote: m.RemoteHost,
	}
}

// billions reads "1.5B", "135.15M", "6.9M".
func billions(size string) float64 {
	unit := map[byte]float64{'B': 1, 'M': 1e-3, 'K': 1e-6}
	if size == "" || unit[size[len(size)-1]] == 0 {
		return 0
	}
	n, err := strconv.ParseFloat(size[:len(size)-1], 64)
	if err != nil {
		return 0
	}
	return n * unit[size[len(size)-1]]
}

// PickCodeModel chooses among the installed models one for completing code:
// a known family, or else a name with "code" in it; the one in memory, else the
// one whose size suits a pause in typing. It never chooses a model that runs on
// another machine. Without any it fails with ErrNoCodeModel.
func PickCodeModel(ctx context.Context, endpoint string) (string, error) {
	models, err := List(ctx, endpoint)
	if err != nil {
		return "", err
	}
	models = slices.DeleteFunc(models, func(m Installed) bool { return !m.completesCode() })
	if len(models) == 0 {
		return "", attempt{what: "choose a model"}.fail(ErrNoCodeModel, "run: ollama pull qwen2.5-coder:1.5b")
	}
	return slices.MaxFunc(models, func(a, b Installed) int {
		return slices.Compare(a.merits(), b.merits())
	}).Name, nil
}

func (m Installed) completesCode() bool {
	name := strings.ToLower(m.Name)
	return m.Remote == "" && !strings.Contains(name, "embed") && (m.Family != "" || strings.Contains(name, "code"))
}

// maxParams, in billions, is about what answers within a pause without a GPU.
const maxParams = 4

// merits are compared from the first on: in memory, of a known family, not
// tuned for chat, small enough, then the larger of the small and the smaller of
// the large, then the family's rank in the table.
func (m Installed) merits() []float64 {
	size, rank := m.Params, 0
	if size > maxParams {
		size = -size
	}
	for i, f := range fim.Families {
		if f.Name == m.Family {
			rank = len(fim.Families) - i
		}
	}
	is := func(b bool) float64 {
		if b {
			return 1
		}
		return 0
	}
	return []float64{is(m.Loaded), is(m.Family != ""), is(!fim.ForChat(m.Name)), is(m.Params <= maxParams), size, float64(rank)}
}

// with runs f on a connection of its own, for probeStart at most.
func with(ctx context.Context, endpoint string, f func(context.Context, *wire) error) error {
	u, err := parseEndpoint(endpoint)
	if err != nil {
		return err
	}
	limited, cancel := context.WithTimeout(ctx, probeStart)
	defer cancel()
	w := dial(u)
	defer w.close()
	err = f(limited, w)
	if err != nil && limited.Err() != nil && ctx.Err() == nil {
		return attempt{what: "ask " + u.Host, host: u.Host}.unreachable(link.Silent, fmt.Sprintf("no answer within %v", probeStart))
	}
	return err
}

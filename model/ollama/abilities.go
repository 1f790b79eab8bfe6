package ollama

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/ollama/ollama/api"

	"readahead/model/fim"
	"readahead/model/link"
)

// abilities is what a server and a model were found to offer.
type abilities struct {
	version  string
	logProbs bool
	family   fim.Family
	fim      bool
	context  int    // tokens that the model was trained for; 0 if unknown
	own      int    // num_ctx of its Modelfile; 0 if it sets none
	remote   string // host, if text leaves this machine
}

// ask asks /api/version and /api/show, once each; a third request, for the
// vocabulary, only for a model with FIM tokens of an unknown family.
func ask(ctx context.Context, w *wire, name string) (abilities, error) {
	about := attempt{what: "open " + name, model: name, host: w.url.Host}
	version, err := serverVersion(ctx, w)
	if err != nil {
		return abilities{}, err
	}
	show, err := w.client.Show(ctx, &api.ShowRequest{Model: name})
	if err != nil {
		return abilities{}, about.explain(ctx, err)
	}
	if len(show.Capabilities) > 0 && !slices.Contains(show.Capabilities, "completion") {
		return abilities{}, about.fail(ErrNotGenerative, fmt.Sprintf("it can do %v; choose a code model, such as qwen2.5-coder:1.5b", show.Capabilities))
	}
	a := abilities{
		version:  version,
		logProbs: hasLogProbs(version),
		context:  number(show.ModelInfo, text(show.ModelInfo, "general.architecture")+".context_length"),
		own:      parameter(show.Parameters, "num_ctx"),
		remote:   link.Remote(w.url),
	}
	if show.RemoteHost != "" {
		a.remote = show.RemoteHost
	}
	a.family, a.fim = detect(name, show)
	if !a.fim && hasFIMTokens(show.ModelInfo) {
		a.learnVocabulary(ctx, w, name)
	}
	return a, nil
}

func serverVersion(ctx context.Context, w *wire) (string, error) {
	version, err := w.client.Version(ctx)
	if err != nil {
		return "", attempt{what: "ask " + w.url.Host + " for its version", host: w.url.Host}.explain(ctx, err)
	}
	if version == "" {
		return "", attempt{what: "ask " + w.url.Host + " for its version"}.fail(ErrNotOllama, "set the endpoint to the Ollama server")
	}
	return version, nil
}

// hasLogProbs says whether the version is 0.12.11 or later. Builds without a
// version call themselves 0.0.0; they are taken for new.
func hasLogProbs(version string) bool {
	var have [3]int
	for i, part := range strings.SplitN(strings.TrimPrefix(version, "v"), ".", 3) {
		digits := strings.IndexFunc(part, func(r rune) bool { return r < '0' || r > '9' })
		if digits >= 0 {
			part = part[:digits]
		}
		have[i], _ = strconv.Atoi(part) // no digits: 0
	}
	return have == [3]int{} || slices.Compare(have[:], []int{0, 12, 11}) >= 0
}

// numCtx is the context that every request asks for.
func (a abilities) numCtx(wanted int) int {
	n := wanted
	if n <= 0 {
		n = a.own
	}
	if n <= 0 {
		n = DefaultNumCtx
	}
	if a.context > 0 {
		n = min(n, a.context)
	}
	return n
}

// parameter reads one number from the Modelfile's parameters, one a line.
func parameter(parameters, name string) int {
	for line := range strings.Lines(parameters) {
		if f := strings.Fields(line); len(f) == 2 && f[0] == name {
			n, err := strconv.Atoi(f[1])
			if err == nil {
				return n
			}
		}
	}
	return 0
}

func text(info map[string]any, key string) string {
	s, _ := info[key].(string)
	return s
}

func number(info map[string]any, key string) int {
	f, _ := info[key].(float64) // JSON
	return int(f)
}

package inspect

import (
	"fmt"
	"html/template"
	"math"
	"strings"
)

var functions = template.FuncMap{
	"runs":     runs,
	"plain":    plain,
	"spelled":  spelled.Replace,
	"n":        thousands,
	"count":    count,
	"percent":  percent,
	"ms":       ms,
	"decimal":  decimal,
	"chance":   chance,
	"score":    score,
	"timeline": timeline,
	"window":   windowOf,
	"inc":      func(i int) int { return i + 1 },
	"wide":     func(share float64) string { return fmt.Sprintf("%.2f", 100*max(0, min(1, share))) },
}

// spelled shows the white space of a token.
var spelled = strings.NewReplacer("\n", "⏎", "\t", "⇥", " ", "·")

// thousands is n with a narrow space at every third digit, as SI has it.
func thousands(n int) string {
	s := fmt.Sprint(max(n, -n))
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "\u202f" + s[i:]
	}
	if n < 0 {
		return "−" + s
	}
	return s
}

// count is n things.
func count(n int, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	return thousands(n) + " " + thing + "s"
}

func percent(share float64) string { return fmt.Sprintf("%.0f\u00a0%%", 100*share) }

// ms is a time with as many digits as one reads.
func ms(x float64) string {
	switch {
	case x >= 10_000:
		return fmt.Sprintf("%.1f\u00a0s", x/1000)
	case x >= 10:
		return fmt.Sprintf("%.0f\u00a0ms", x)
	case x >= 1:
		return fmt.Sprintf("%.1f\u00a0ms", x)
	}
	return fmt.Sprintf("%.2f\u00a0ms", x)
}

// decimal is a log-probability or a blend.
func decimal(x float64) string { return strings.Replace(fmt.Sprintf("%.2f", x), "-", "−", 1) }

// chance is a log-probability as people say it.
func chance(t Token) string {
	if t.LogProb == nil {
		return "ruled out"
	}
	p := math.Exp(*t.LogProb)
	switch {
	case p >= 0.095:
		return fmt.Sprintf("%.0f\u00a0%%", 100*p)
	case p >= 0.001:
		return fmt.Sprintf("%.1f\u00a0%%", 100*p)
	}
	if p < 1e-6 {
		return "less than 1 in a million"
	}
	return "1 in " + thousands(int(1/p))
}

// score is retrieval's, which is a probability in one family and a sum of BM25
// in the other.
func score(x float64) string { return fmt.Sprintf("%.3g", x) }

// A stage is a bar of the timeline. Start and Share are parts of the whole.
type stage struct {
	Name         string
	MS           float64
	Start, Share float64
	Note         string
}

// timeline lays the stages end to end, as they ran.
func timeline(t *Trace) (out []stage) {
	total, at := t.MS.Total, 0.0
	if total <= 0 {
		return nil
	}
	add := func(name string, x float64, note string) {
		if x > 0 {
			out = append(out, stage{name, x, at / total, x / total, note})
			at += x
		}
	}
	add("the local model learns", t.MS.Prepare, "")
	add("retrieve", t.MS.Retrieve, "both families")
	add("allocate", t.MS.Allocate, "both contexts")
	sampled := 0.0
	for _, p := range t.Decision.Pools {
		sampled += p.Usage.MS
	}
	for _, p := range t.Decision.Pools {
		part := 1 / float64(len(t.Decision.Pools))
		if sampled > 0 {
			part = p.Usage.MS / sampled
		}
		if p.Explored {
			add("read probabilities, "+p.Family, t.Decision.MS.Sample*part, count(len(p.Samples), "line")+" followed")
			continue
		}
		add("sample, "+p.Family, t.Decision.MS.Sample*part, count(len(p.Samples), "sample"))
	}
	add("grade", t.Decision.MS.Score, "the code after the cursor, once a candidate")
	add("rest of the ranking", t.MS.Rank-t.Decision.MS.Sample-t.Decision.MS.Score, "")
	add("write the block", t.MS.Block, "")
	if rest := total - at; rest > total/100 {
		add("everything else", rest, "")
	}
	return out
}

// A share is a part of the model's window.
type share struct {
	Name, Class  string
	Tokens       int
	Start, Share float64
	Note         string
}

// windowOf divides the model's window as it was used with one context.
func windowOf(r Report, context int) (out []share) {
	w := r.Trace.Window
	if w.Context <= 0 || context >= len(r.Prompts) {
		return nil
	}
	p, at := r.Prompts[context], 0
	add := func(name, class string, n int, note string) {
		if n = max(0, n); n > 0 {
			out = append(out, share{name, class, n, float64(at) / float64(w.Context), float64(n) / float64(w.Context), note})
			at += n
		}
	}
	of := func(n int) string { return "of at most " + thousands(n) }
	add("evidence", "evidence", p.Tokens.Context, of(w.Evidence))
	add("code before the cursor", "left", p.Tokens.Left, of(w.Left))
	if !p.Causal {
		add("code after the cursor", "right", p.Tokens.Right, of(w.Right))
	}
	add("kept for the answer and the model's separators", "kept", w.Answer+w.Format, "")
	add("margin, since counts are estimates", "margin", w.Margin, "")
	add("free", "free", w.Context-at, "")
	return out
}

// Package inspect shows a person why a line was offered.
//
// An answer has a long story: two retrievals, a budget that was divided, ten
// samples, a vote, perhaps a second context and a grading by the code after the
// cursor. All of it is in the JSON of `readahead complete --json`; nobody reads
// that. So this package turns it into one page for a browser:
//
//	JSON of a Report ──decode──▶ Report ──template──▶ one HTML file
//	                                                   styles and script inside
//
// Properties:
//   - The page is a function of the JSON alone: it cannot say what the JSON does
//     not say, and the package imports nothing of ours.
//   - The page asks the network for nothing. Its Content-Security-Policy allows
//     the one style sheet and the one script that it contains, by their hashes,
//     and nothing else.
//   - Code of a repository is hostile until shown otherwise. Everything goes
//     through html/template's escaping, and characters that hide or reorder text
//     (controls, direction overrides, zero-width ones) stand as their code
//     points.
//   - Without the script everything is there: what opens is <details>, what leads
//     somewhere is a link. The script only makes it quicker.
//
// It refuses to judge: what is on the page was decided elsewhere.
package inspect

import (
	"bytes"
	"crypto/sha256"
	"embed"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"html/template"
	"io"
	"strings"
)

//go:embed page.html.tmpl page.css page.js
var files embed.FS

var layout = template.Must(template.New("page.html.tmpl").Funcs(functions).ParseFS(files, "page.html.tmpl"))

// A page is what the template is given.
type page struct {
	Report
	Version       string
	Policy        string
	Style, Script template.HTML // both from this package, sizes from numbers
}

// Write writes the page of a Report's JSON. version names the program at the
// page's foot.
func Write(w io.Writer, report []byte, version string) error {
	p := page{Version: version}
	if err := json.Unmarshal(report, &p.Report); err != nil {
		return fmt.Errorf("inspect: read the report: %w (it must be what `readahead inspect --json` prints)", err)
	}
	style, script := text("page.css")+sizes(p.Report), text("page.js")
	p.Style, p.Script = template.HTML("<style>"+style+"</style>"), template.HTML("<script>"+script+"</script>")
	p.Policy = fmt.Sprintf("default-src 'none'; style-src %s; script-src %s; base-uri 'none'; form-action 'none'", hash(style), hash(script))
	var b bytes.Buffer // so that a failure leaves no half page
	if err := layout.Execute(&b, p); err != nil {
		return fmt.Errorf("inspect: %w", err)
	}
	_, err := w.Write(b.Bytes())
	return err
}

func text(name string) string {
	b, err := files.ReadFile(name)
	if err != nil {
		panic(err) // it is compiled in
	}
	return string(b)
}

// hash is how a Content-Security-Policy names what it allows.
func hash(s string) string {
	sum := sha256.Sum256([]byte(s))
	return "'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
}

// sizes are the rules for what is as long as its number of tokens: the policy
// allows no style attributes.
func sizes(r Report) string {
	var b strings.Builder
	if r.Trace == nil {
		return ""
	}
	for i, c := range r.Trace.Contexts {
		for j, o := range c.Objects {
			fmt.Fprintf(&b, "\n#s%d-%d{flex-grow:%d}", i, j, max(1, o.Tokens))
		}
		fmt.Fprintf(&b, "\n#s%d-rest{flex-grow:%d}", i, max(0, r.Trace.Window.Evidence-c.Tokens))
	}
	return b.String()
}

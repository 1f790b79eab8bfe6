package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// README's picture is graded-picture.png of READAHEAD_SCREENSHOTS.
//
// The page in a real browser, driven by editors/e2e/page/page.mjs: no word on
// the console, no request, reached and opened by keyboard, legible in both colour
// schemes, nothing wider than a telephone.
func TestBrowserShowsTheInspectionToEveryone(t *testing.T) {
	chromium := os.Getenv("READAHEAD_CHROMIUM")
	if chromium == "" {
		t.Skip(`

    SKIPPED: this test drives a real browser, and READAHEAD_CHROMIUM does not name one.
    With Debian's Chromium, Node and npm:

        apt-get install chromium && npm ci --ignore-scripts --prefix editors/e2e/page
        READAHEAD_CHROMIUM=/usr/bin/chromium go test -run Browser -v ./cmd/readahead
`)
	}
	node, err := exec.LookPath("node")
	if err != nil {
		t.Fatal("READAHEAD_CHROMIUM is set, but there is no node to drive it: install Node 20 or later")
	}
	shop := unpack(t, "shop")
	agreed := cursor(t, filepath.Join(shop, "order", "order.go"))
	graded := put(t, filepath.Join(shop, "bill", "bill.go"), gradedCode)
	other := unpack(t, "shop")
	hostile := put(t, filepath.Join(other, "hostile", "hostile.go"), hostileCode)
	empty := put(t, filepath.Join(t.TempDir(), "empty", "empty.txt"), "$0")
	pages := t.TempDir()
	arguments := []string{filepath.Join("..", "..", "editors", "e2e", "page", "page.mjs"), chromium, screenshots(t)}
	for name, at := range map[string]string{
		"agreed": agreed, "graded": cursor(t, graded), "hostile": cursor(t, hostile), "empty": cursor(t, empty),
	} {
		page := filepath.Join(pages, name+".html")
		if got := run(t, "inspect", "--open=false", "--out", page, "--root", filepath.Dir(filepath.Dir(at)), at); got.status != 0 {
			t.Fatalf("inspect %s: status %d\n%s", at, got.status, got.stderr)
		}
		arguments = append(arguments, page)
	}
	out, err := exec.CommandContext(t.Context(), node, arguments...).CombinedOutput()
	t.Logf("\n%s", out)
	if err != nil {
		t.Error(err)
	}
	// What a page does not have is not tried on it: this one must have it.
	for _, tried := range []string{"graded.html: a segment is reached by Tab", "graded.html: the arrow keys read the heat map", "hostile.html: a segment opens"} {
		if !strings.Contains(string(out), tried) {
			t.Errorf("not tried: %s", tried)
		}
	}
}

func put(t *testing.T, path, text string) string {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	return path
}

// gradedCode has a cursor where the samples scatter and the code after it, an
// error that is returned, says which of them is right.
const gradedCode = `// Package bill says what a cart costs.
package bill

import (
	"example.com/shop/cart"
)

// Put fills a cart.
func Put(c *cart.Cart, items []cart.Item) error {
	for _, it := range items {
		if $0
			return err
		}
	}
	return nil
}
`

// screenshots is the folder for pictures of what was tested, "-" for none.
func screenshots(t *testing.T) string {
	dir := os.Getenv("READAHEAD_SCREENSHOTS")
	if dir == "" {
		return "-"
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	return dir
}

// hostileCode tries to leave its place on the page: by closing the script, by
// elements that act, by turning the direction of writing, and by bytes that are
// no text.
const hostileCode = "package hostile\n\n" +
	"// </script><script>window.pwned=1</script><img src=x onerror=\"window.pwned=1\">\n" +
	"// --></style><svg onload=window.pwned=1> {{.}} ${pwned} `\n" +
	"// access \u202e\u2066// only admins\u2069 \u2066 \u200b\x1b[31m \xff\xfe end\n" +
	"func Greet(name string) string { return \"</pre></code><script>alert(1)</script>\" + name }\n\n" +
	"func Twice() string {\n\treturn Greet(\"</title><base href=//example.com>\") + $0\n}\n\n" +
	"// javascript:alert(1) &lt;b&gt; <!-- \u2028 <plaintext>\n" +
	"func Last() string { return Greet(\"x\") }\n"

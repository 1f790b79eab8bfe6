package treesitter

import (
	"runtime"
	"strings"
	"testing"
	"unsafe"

	"github.com/smacker/go-tree-sitter/ruby"
)

// longWords are Ruby texts in which the words of open heredocs are long, or many.
func longWords() []string {
	var texts []string
	for _, n := range []int{254, 255, 256, 257, 300, 511, 512, 600, 1010, 1011, 1012, 1013, 1014, 1015, 1016, 1017, 1018, 1019, 1020, 1021, 1024, 5000} {
		word := strings.Repeat("A", n)
		texts = append(texts,
			"def a\n  x = <<"+word+"\nhello #{x}\n"+word+"\n  y\nend\n",
			"def a\n  out <<\"\nend\n"+strings.Repeat("x\n", n/2)+"def b\n  \"q\"\nend\n",
			"f(<<~"+word[:n/2]+", <<-"+word[n/2:]+")\n a\n"+word[:n/2]+"\n b\n"+word[n/2:]+"\nend\n")
	}
	for n := 1; n < 300; n += 7 {
		texts = append(texts, strings.Repeat("<<A#{\n", n)+strings.Repeat("}\nA\n", n), strings.Repeat("f <<ABCDEFGH, ", n)+"\n")
	}
	return texts
}

func TestRubysScannerSurvivesEveryHeredoc(t *testing.T) {
	p, err := NewParser(Ruby())
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	for _, text := range longWords() {
		tree, err := p.Parse([]byte(text), nil)
		if err != nil {
			t.Errorf("%.40q…, %d bytes: %v", text, len(text), err)
			continue
		}
		tree.Close()
	}
}

func TestAFailedAssertionCostsAParseOnly(t *testing.T) {
	if runtime.GOOS != "linux" && runtime.GOOS != "darwin" {
		t.Skip("assertions of C code are fatal here: see assert.c")
	}
	asItIs := Language{"ruby", *(*unsafe.Pointer)(unsafe.Pointer(ruby.GetLanguage()))} // without our scanner
	p, err := NewParser(asItIs)
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	word := strings.Repeat("A", 300)
	for range 3 {
		_, err = p.Parse([]byte("x = <<"+word+"\nhello #{x}\n"+word+"\n"), nil)
		if err == nil || !strings.Contains(err.Error(), "scanner.c") {
			t.Fatalf("error %v: want the place of the assertion", err)
		}
		tree, err := p.Parse([]byte("def a\n  1\nend\n"), nil)
		if err != nil {
			t.Fatalf("after it: %v", err)
		}
		if tree.HasError() {
			t.Error("after it, a good text has errors")
		}
		tree.Close()
	}
}

func TestWhatFailedParsesLoseIsBounded(t *testing.T) {
	if runtime.GOOS != "linux" && runtime.GOOS != "darwin" {
		t.Skip("assertions of C code are fatal here: see assert.c")
	}
	asItIs := Language{"ruby without our scanner", *(*unsafe.Pointer)(unsafe.Pointer(ruby.GetLanguage()))}
	word := strings.Repeat("A", 300)
	text := []byte(strings.Repeat("def a(b)\n  foo.bar(1, [2])\nend\n", 4000) + "x = <<" + word + "\nhello #{x}\n" + word + "\n")
	most := 1 + mostLost/(lostPerByte*len(text))
	for n := 1; ; n++ {
		p, err := NewParser(asItIs)
		if err != nil {
			t.Fatal(err)
		}
		if _, err = p.Parse(text, nil); err == nil {
			t.Fatal("a text that the grammar can't read was read")
		}
		p.Close()
		if strings.Contains(err.Error(), "none is parsed any more") {
			break
		}
		if n > most {
			t.Fatalf("%d parses lost their memory, over %d: %v", n, most, err)
		}
	}
	p, err := NewParser(Go())
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	tree, err := p.Parse([]byte("package p\n"), nil)
	if err != nil {
		t.Fatalf("another language: %v", err)
	}
	tree.Close()
}

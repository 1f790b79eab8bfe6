package lsp

import (
	"strings"
	"testing"
	"time"

	"readahead/index/facts"
)

func TestALineOfBracketsAloneIsNotJudgedForMinutes(t *testing.T) {
	text := []byte("package p\n\n" + strings.Repeat("{", 200_000) + "\n")
	d := Doc{Path: "a.go", Lang: facts.Go, Text: text, Offset: len(text) - 1}
	start := time.Now()
	newJudge(d).breaks(t.Context(), d, Item{Text: "}"})
	if took := time.Since(start); took > 10*time.Second {
		t.Errorf("it took %v", took)
	}
}

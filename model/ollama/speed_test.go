package ollama

import (
	"strings"
	"testing"

	"readahead/model"
)

func TestAModelKnowsItsPromptSpeed(t *testing.T) {
	f := newFake(t)
	f.promptSpeed = 2000
	m := f.open(t, Config{})
	if got := m.PromptSpeed(); got != 0 {
		t.Errorf("before any request: %v tokens/s", got)
	}
	for _, err := range m.Generator.Samples(t.Context(), model.Prompt{Left: strings.Repeat("ab", 2000)}, model.Options{MaxTokens: 4}) {
		if err != nil {
			t.Fatal(err)
		}
		break
	}
	if got := m.PromptSpeed(); got < 1900 || got > 2100 {
		t.Errorf("%v tokens/s, the server reads 2000", got)
	}
}

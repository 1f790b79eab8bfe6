package lsp

import (
	"encoding/json"
	"testing"

	"go.lsp.dev/protocol"
)

func TestAPendingListIsTheListAndOneWordMore(t *testing.T) {
	list := inlineList([]protocol.InlineCompletionItem{{InsertText: protocol.String("x\n"), Command: acceptedCommand(0)}})
	got, err := pending(list)
	if err != nil {
		t.Fatal(err)
	}
	var plain, more map[string]any
	for _, answer := range []struct {
		v  any
		to *map[string]any
	}{{list, &plain}, {got, &more}} {
		text, err := json.Marshal(answer.v)
		if err == nil {
			err = json.Unmarshal(text, answer.to)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if more["isIncomplete"] != true {
		t.Errorf("got %v", more)
	}
	delete(more, "isIncomplete")
	a, _ := json.Marshal(plain)
	b, _ := json.Marshal(more)
	if string(a) != string(b) || len(plain["items"].([]any)) != 1 {
		t.Errorf("got %s, want the list as it is without: %s", b, a)
	}
}

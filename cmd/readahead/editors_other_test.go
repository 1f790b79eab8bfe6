package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"net/textproto"
	"os"
	"strconv"
)

// Where this is set, the test binary is a language server that offers its value's
// words and nothing else: what an editor has beside readahead.
const actAsOther = "READAHEAD_TEST_OTHER"

// offerWords serves until the client leaves.
func offerWords(words []string) {
	in := bufio.NewReader(os.Stdin)
	for {
		header, err := textproto.NewReader(in).ReadMIMEHeader()
		if err != nil {
			return
		}
		n, err := strconv.Atoi(header.Get("Content-Length"))
		if err != nil {
			return
		}
		body := make([]byte, n)
		if _, err := io.ReadFull(in, body); err != nil {
			return
		}
		var m message
		if err := json.Unmarshal(body, &m); err != nil || m.Method == "exit" {
			return
		}
		if m.ID != nil {
			answer, err := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": m.ID, "result": wordsFor(m.Method, words)})
			if err != nil {
				return
			}
			fmt.Printf("Content-Length: %d\r\n\r\n%s", len(answer), answer)
		}
	}
}

func wordsFor(method string, words []string) any {
	switch method {
	case "initialize":
		return map[string]any{"capabilities": map[string]any{"textDocumentSync": 1, "completionProvider": map[string]any{}}}
	case "textDocument/completion":
		items := []map[string]any{}
		for _, w := range words {
			items = append(items, map[string]any{"label": w})
		}
		return items
	}
	return nil
}

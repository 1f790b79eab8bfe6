package lsp

import "readahead/index/facts"

type Doc struct {
	Text   []byte
	Offset int
	Lang   facts.Language
}

func Show(d Doc, raw string) (Item, string) {
	if raw == "" {
		return Item{}, "empty"
	}
	return Item{Text: raw}, ""
}

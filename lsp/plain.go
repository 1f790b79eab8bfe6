package lsp

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"reflect"
	"strings"
	"unicode"
	"unicode/utf8"
)

// What readahead tells its user quotes others: a model's name, a path, the words
// of a server. Any of them may hold what drives a terminal, breaks a line into two,
// or turns the direction of writing. So whatever is shown outside the code itself,
// in a notice, the status, a bar or on the command line, goes through OneLine on
// its way out; package slog quotes what goes into the log.

// mostShown is how many characters of a text are shown: more than a long path and
// a sentence around it.
const mostShown = 4000

// OneLine is text that can be shown in a line: white space other than the space
// becomes one, what has no shape or moves the cursor becomes U+FFFD, and the end is
// cut behind some thousand characters.
func OneLine(text string) string {
	if len(text) > mostShown*utf8.UTFMax {
		text = text[:mostShown*utf8.UTFMax]
	}
	var b strings.Builder
	n, broken := 0, false
	for _, r := range text {
		if n++; n > mostShown {
			b.WriteRune('…')
			break
		}
		breaks := r != ' ' && unicode.IsSpace(r)
		switch {
		case breaks && broken:
		case breaks:
			b.WriteByte(' ')
		default:
			b.WriteRune(Visible(r))
		}
		broken = breaks
	}
	return b.String()
}

// Visible is r, or U+FFFD in its place if it is a control character or has no
// shape of its own.
func Visible(r rune) rune {
	if unicode.IsControl(r) || shapeless(r) {
		return utf8.RuneError
	}
	return r
}

// inLines is an error as it is shown to people: one line for each that it joins.
func inLines(err error) string {
	if joined, ok := err.(interface{ Unwrap() []error }); ok && strings.Contains(err.Error(), "\n") {
		var lines []string
		for _, e := range joined.Unwrap() {
			lines = append(lines, inLines(e))
		}
		return strings.Join(lines, "\n")
	}
	return OneLine(err.Error())
}

// JSONCause is what is wrong with a JSON text, in words about the text: the errors
// of package encoding/json are about Go's types.
func JSONCause(err error) string {
	var syntax *json.SyntaxError
	var kind *json.UnmarshalTypeError
	switch {
	case errors.As(err, &kind) && kind.Field != "":
		return fmt.Sprintf("%q must be %s, not %s", kind.Field, wanted(kind.Type), article(kind.Value))
	case errors.As(err, &kind):
		return fmt.Sprintf("it must be %s, not %s", wanted(kind.Type), article(kind.Value))
	case errors.Is(err, io.ErrUnexpectedEOF), err.Error() == "unexpected end of JSON input":
		return "it ends in the middle of a value (was it cut off?)"
	case errors.As(err, &syntax):
		return fmt.Sprintf("it is no JSON (byte %d: %s)", syntax.Offset, syntax.Error())
	}
	return err.Error()
}

// wanted is a type of Go by its name in JSON.
func wanted(t reflect.Type) string {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	switch t.Kind() {
	case reflect.String:
		return "a string"
	case reflect.Bool:
		return "true or false"
	case reflect.Slice, reflect.Array:
		return "an array"
	case reflect.Struct, reflect.Map:
		return "an object"
	case reflect.Int, reflect.Int64:
		return "a whole number"
	}
	return "a number"
}

// article is a value as package encoding/json names it: "number 1.5", "object".
func article(value string) string {
	word, rest, _ := strings.Cut(value, " ")
	switch word {
	case "array", "object":
		return "an " + word
	case "number":
		return strings.TrimSpace("a number " + rest)
	case "bool":
		return "true or false"
	}
	return "a " + word
}

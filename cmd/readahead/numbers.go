package main

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// A scale says which values a numeric flag takes, so that a wrong one is refused
// where it is read, before anything is done, and in the flag's own words.
type scale[T any] struct {
	kind string // as help shows it
	want string // what the flag wants, as an error says it
	read func(string) (T, bool)
}

// whole is whole numbers from lo to hi.
func whole(lo, hi int) scale[int] {
	return scale[int]{"int", fmt.Sprintf("a whole number from %d to %d", lo, hi), func(s string) (int, bool) {
		n, err := strconv.Atoi(s)
		return n, err == nil && lo <= n && n <= hi
	}}
}

// most is the bound of counts that nothing else bounds: more is a slip.
const most = 1_000_000

// fraction is numbers from 0 to hi.
func fraction(hi float64) scale[float64] {
	return scale[float64]{"float", fmt.Sprintf("a number from 0 to %v", hi), func(s string) (float64, bool) {
		x, err := strconv.ParseFloat(s, 64)
		return x, err == nil && 0 <= x && x <= hi
	}}
}

// span is times that something may take.
func span() scale[time.Duration] {
	return scale[time.Duration]{"duration", "a time above 0 with its unit, such as 90s or 5m", func(s string) (time.Duration, bool) {
		d, err := time.ParseDuration(s)
		return d, err == nil && d > 0
	}}
}

// flag makes a flag of one value; short is its one-letter name, or "".
func (s scale[T]) flag(l *pflag.FlagSet, p *T, name, short string, usual T, usage string) {
	*p = usual
	l.VarP(&number[T]{s, p}, name, short, usage)
}

// flags makes a flag that takes several values, with commas between them.
func (s scale[T]) flags(l *pflag.FlagSet, p *[]T, name string, usual []T, usage string) {
	*p = usual
	l.Var(&numbers[T]{scale: s, to: p}, name, usage)
}

// A number is the value of a flag that takes one.
type number[T any] struct {
	scale[T]
	to *T
}

func (n *number[T]) Set(text string) error {
	v, ok := n.read(text)
	if !ok {
		return errors.New(n.want)
	}
	*n.to = v
	return nil
}

func (n *number[T]) Type() string   { return n.kind }
func (n *number[T]) String() string { return fmt.Sprint(*n.to) }

// A numbers is the value of a flag that takes several. The first that are given
// take the place of the usual ones, and later ones are added.
type numbers[T any] struct {
	scale[T]
	to    *[]T
	given bool
}

func (n *numbers[T]) Set(text string) error {
	var list []T
	for word := range strings.SplitSeq(text, ",") {
		v, ok := n.read(word)
		if !ok {
			return errors.New(n.want + ", or several with commas between them")
		}
		list = append(list, v)
	}
	if n.given {
		list = append(*n.to, list...)
	}
	*n.to, n.given = list, true
	return nil
}

func (n *numbers[T]) Type() string { return n.kind + "s" }

func (n *numbers[T]) String() string {
	words := make([]string, len(*n.to))
	for i, v := range *n.to {
		words[i] = fmt.Sprint(v)
	}
	return "[" + strings.Join(words, ",") + "]"
}

// wrongFlag is the usage error for what a flag was given. The library quotes the
// parsers of Go, which say what they could not parse, not what the flag wants.
func wrongFlag(_ *cobra.Command, err error) error {
	var wrong *pflag.InvalidValueError
	if !errors.As(err, &wrong) {
		return usageError{err}
	}
	want := errors.Unwrap(wrong).Error()
	if wrong.GetFlag().Value.Type() == "bool" {
		want = "true or false"
	}
	name := "--" + wrong.GetFlag().Name
	if short := wrong.GetFlag().Shorthand; short != "" {
		name = fmt.Sprintf("-%s (%s)", short, name)
	}
	return usagef("%s wants %s, not %q", name, want, wrong.GetValue())
}

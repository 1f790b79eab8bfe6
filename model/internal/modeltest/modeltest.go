// Package modeltest is what the tests of all model servers share.
//
// A server is somebody else's program, whose answers cross a network. Whatever it
// speaks, the same things can go wrong, and the same promises hold:
//
//	process    a server in a process of its own: started, killed, started again
//	broken     replies that end too early, redirects, an address where nobody is
//	promises   what every model keeps: odd texts are scored, a cancellation
//	           is felt at once, the estimate of tokens is not too low
//
// What a server is called, how it is started and what it says is the business of
// ollamatest and openaitest, which are built on this, and of the tests beside their
// packages.
package modeltest

import (
	"context"
	"errors"
	"os"
	"testing"

	"readahead/model"
)

// Draw takes n samples. Generators go on for as long as somebody listens, so fewer
// come with an error.
func Draw(ctx context.Context, m model.Model, p model.Prompt, o model.Options, n int) (samples []model.Sample, err error) {
	for s, err := range m.Generator.Samples(ctx, p, o) {
		if err != nil {
			return samples, err
		}
		if samples = append(samples, s); len(samples) == n {
			return samples, nil
		}
	}
	return samples, errors.New("the samples ended")
}

// Source is real code: n bytes of a file of the package under test, behind the
// first skip, or before the last -skip if that is negative.
func Source(t testing.TB, file string, skip, n int) string {
	t.Helper()
	b, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if skip < 0 {
		skip += len(b) - n
	}
	if skip < 0 || len(b) < skip+n {
		t.Fatalf("%s is too short for %d bytes of it", file, n)
	}
	return string(b[skip : skip+n])
}

package model

import (
	"encoding/json"
	"math"
	"reflect"
	"testing"
	"time"
)

func TestJSON(t *testing.T) {
	tests := []struct {
		name  string
		value any
		want  string
	}{
		{"times are milliseconds", Usage{1, 2, 3, 1500 * time.Microsecond, 2 * time.Second},
			`{"requests":1,"prompt_tokens":2,"generated_tokens":3,"prompt_ms":1.5,"ms":2000}`},
		{"a token's log-probability", Token{"x", -0.5}, `{"text":"x","logprob":-0.5}`},
		{"a token that is ruled out", Token{"x", math.Inf(-1)}, `{"text":"x","logprob":null}`},
		{"a likelihood", Likelihood{LogProb: -3, Exact: true, Tokens: []Token{{"x", -3}}},
			`{"logprob":-3,"tokens":[{"text":"x","logprob":-3}],"exact":true}`},
		{"a likelihood that is no number", Likelihood{LogProb: math.NaN()}, `{"logprob":null,"exact":false}`},
		{"a sample", Sample{Text: "f()", Stopped: true},
			`{"text":"f()","stopped":true,"usage":{"requests":0,"prompt_tokens":0,"generated_tokens":0,"prompt_ms":0,"ms":0}}`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, err := json.Marshal(tt.value)
			if err != nil || string(got) != tt.want {
				t.Errorf("got %s, %v\nwant %s", got, err, tt.want)
			}
		})
	}
}

func TestUsageComesBackFromJSON(t *testing.T) {
	want := Sample{"a", []Token{{"a", -1}}, true, Usage{1, 2, 3, 4 * time.Microsecond, 5 * time.Hour}}
	data, err := json.Marshal(want)
	if err != nil {
		t.Fatal(err)
	}
	var got Sample
	if err := json.Unmarshal(data, &got); err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v, %v\nwant %+v", got, err, want)
	}
}

func TestUsageRefusesOtherJSON(t *testing.T) {
	if err := json.Unmarshal([]byte(`{"ms":"soon"}`), new(Usage)); err == nil {
		t.Error("a time that is no number was accepted")
	}
}

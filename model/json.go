package model

import (
	"encoding/json"
	"math"
	"time"
)

// The JSON of samples, likelihoods and usages is part of what the commands
// print with --json: lowercase names, times in milliseconds with the unit in
// the name, and null for a number that JSON can't express.

// MarshalJSON gives null for a log-probability that is not finite: a token that
// the model rules out has −∞, and one such token must not cost the report.
func (t Token) MarshalJSON() ([]byte, error) {
	return json.Marshal(struct {
		Text    string   `json:"text"`
		LogProb *float64 `json:"logprob"`
	}{t.Text, finite(t.LogProb)})
}

// MarshalJSON gives null for a log-probability that is not finite.
func (l Likelihood) MarshalJSON() ([]byte, error) {
	type fields Likelihood // without this method
	return json.Marshal(struct {
		LogProb *float64 `json:"logprob"` // hides the one in fields
		fields
	}{finite(l.LogProb), fields(l)})
}

func finite(x float64) *float64 {
	if math.IsNaN(x) || math.IsInf(x, 0) {
		return nil
	}
	return &x
}

// usage is the JSON form of a Usage.
type usage struct {
	Requests  int     `json:"requests"`
	Prompt    int     `json:"prompt_tokens"`
	Generated int     `json:"generated_tokens"`
	PromptMS  float64 `json:"prompt_ms"`
	MS        float64 `json:"ms"`
}

// MarshalJSON gives times in milliseconds, to the microsecond.
func (u Usage) MarshalJSON() ([]byte, error) {
	return json.Marshal(usage{u.Requests, u.Prompt, u.Generated, Milliseconds(u.PromptTime), Milliseconds(u.Time)})
}

// UnmarshalJSON reads what MarshalJSON wrote.
func (u *Usage) UnmarshalJSON(data []byte) error {
	var v usage
	if err := json.Unmarshal(data, &v); err != nil {
		return err
	}
	*u = Usage{v.Requests, v.Prompt, v.Generated, duration(v.PromptMS), duration(v.MS)}
	return nil
}

// Milliseconds is d in milliseconds, to the microsecond: how every time in
// readahead's JSON is written.
func Milliseconds(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }

func duration(ms float64) time.Duration {
	return time.Duration(math.Round(ms*1000)) * time.Microsecond
}

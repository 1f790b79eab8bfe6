package openai

import "log/slog"

// A Secret is an API key that shows itself to nobody: however it is printed,
// logged or encoded, it is a placeholder.
type Secret struct{ key string }

// NewSecret wraps a key.
func NewSecret(key string) Secret { return Secret{key} }

// Empty says that there is no key.
func (s Secret) Empty() bool { return s.key == "" }

const hidden = "(hidden)"

func (s Secret) String() string {
	if s.Empty() {
		return ""
	}
	return hidden
}

// GoString is for %#v.
func (s Secret) GoString() string { return s.String() }

// MarshalText is for encoders.
func (s Secret) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// LogValue is for package slog.
func (s Secret) LogValue() slog.Value { return slog.StringValue(s.String()) }

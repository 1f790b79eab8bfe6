package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"readahead/index/regular"
	"readahead/lsp"
	"readahead/model"
	"readahead/model/ollama"
	"readahead/model/openai"
)

// connect reaches the model that the configuration names, or the best code
// model that the server has.
func connect(ctx context.Context, c lsp.Config) (model.Model, func(), error) {
	switch {
	case c.Model == embeddedName:
		return model.Model{}, nil, lsp.ErrNoServer
	case c.Server == "openai":
		m, err := openTeam(ctx, c)
		if err != nil {
			return model.Model{}, nil, err
		}
		return m.Model, m.Close, nil
	}
	name := c.Model
	if name == "" {
		best, err := ollama.PickCodeModel(ctx, c.Endpoint)
		if err != nil {
			return model.Model{}, nil, err
		}
		name = best
	}
	m, err := ollama.Open(ctx, ollamaConfig(c, name))
	if err != nil {
		return model.Model{}, nil, err
	}
	return m.Model, m.Close, nil
}

// reach is connect for a command that cannot do without the model: a server that
// accepts and says nothing is given up soon.
func reach(ctx context.Context, c lsp.Config) (model.Model, func(), error) {
	return reachWithin(ctx, c, reachTime)
}

// reachWithin is reach for who has less time than that.
func reachWithin(ctx context.Context, c lsp.Config, limit time.Duration) (model.Model, func(), error) {
	timed, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	m, release, err := connect(timed, c)
	if err != nil && ctx.Err() == nil && timed.Err() != nil {
		err = fmt.Errorf("the model server said nothing for %v (restart it, or set another endpoint): %w", limit, err)
	}
	return m, release, err
}

// reachTime is more than a server takes that is there, busy as it may be; tests
// shorten it.
var reachTime = 20 * time.Second

func ollamaConfig(c lsp.Config, name string) ollama.Config {
	return ollama.Config{Endpoint: c.Endpoint, Model: name, NumCtx: c.NumCtx, KeepAlive: c.KeepAlive, Family: c.Family}
}

// openTeam opens the model of a completions server.
func openTeam(ctx context.Context, c lsp.Config) (*openai.Model, error) {
	key, err := apiKey(c)
	if err != nil {
		return nil, err
	}
	var ca []byte
	if c.CAFile != "" {
		if ca, err = regular.Read(ofHome(c.CAFile), maxSecret); err != nil {
			return nil, fmt.Errorf("read the certificates to trust (caFile): %w", err)
		}
	}
	return openai.Open(ctx, openai.Config{
		Endpoint: c.Endpoint, Model: c.Model, Key: key, CA: ca, PlainHTTP: c.PlainHTTP,
		NumCtx: c.NumCtx, Family: c.Family, Suffix: c.Prompt == "suffix",
	})
}

const (
	// apiKeyVariable has a name of its own, so that no key meant for another
	// service goes to a team's server.
	apiKeyVariable = "READAHEAD_API_KEY"
	// maxSecret, in bytes, is far above a key or a bundle of certificates.
	maxSecret = 1 << 20
)

// apiKey is the key for a completions server: of the file that is named, or of the
// environment. Like ssh it takes none from a file that others can read.
func apiKey(c lsp.Config) (openai.Secret, error) {
	if c.APIKeyFile == "" {
		return secret("the environment's "+apiKeyVariable, []byte(os.Getenv(apiKeyVariable)))
	}
	path := ofHome(c.APIKeyFile)
	file, info, err := regular.Open(path)
	if err != nil {
		return openai.Secret{}, fmt.Errorf("read the API key (apiKeyFile): %w", err)
	}
	defer file.Close()
	if mode := info.Mode().Perm(); runtime.GOOS != "windows" && mode&0o077 != 0 {
		return openai.Secret{}, fmt.Errorf("read the API key (apiKeyFile): others can read %s (its mode is %#o; run: chmod 600 %s)", path, mode, path)
	}
	data, err := regular.Read(path, maxSecret)
	if err != nil {
		return openai.Secret{}, fmt.Errorf("read the API key (apiKeyFile): %w", err)
	}
	if len(bytes.TrimSpace(data)) == 0 {
		return openai.Secret{}, fmt.Errorf("read the API key (apiKeyFile): %s is empty", path)
	}
	return secret(path, data)
}

// ofHome is a path that may begin with ~/ in a configuration file.
func ofHome(path string) string {
	if rest, ok := strings.CutPrefix(path, "~/"); ok {
		if home, err := os.UserHomeDir(); err == nil {
			return filepath.Join(home, rest)
		}
	}
	return path
}

// secret refuses what cannot be a key, without quoting it.
func secret(from string, data []byte) (openai.Secret, error) {
	data = bytes.TrimSpace(data)
	for _, b := range data {
		if b <= ' ' || b >= 0x7f {
			return openai.Secret{}, fmt.Errorf("read the API key of %s: a key is one word of ASCII", from)
		}
	}
	return openai.NewSecret(string(data)), nil
}

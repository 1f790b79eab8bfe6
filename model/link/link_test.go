package link

import (
	"bytes"
	"compress/gzip"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync/atomic"
	"testing"
	"unicode/utf8"
)

func get(t *testing.T, url string, limit int64) (int64, error) {
	t.Helper()
	tr := Transport(nil)
	defer tr.CloseIdleConnections()
	resp, err := Client(tr, limit).Get(url)
	if err != nil {
		return 0, err
	}
	defer resp.Body.Close()
	return io.Copy(io.Discard, resp.Body)
}

func serve(t *testing.T, f http.HandlerFunc) string {
	s := httptest.NewServer(f)
	t.Cleanup(s.Close)
	return s.URL
}

func TestAnEndlessBodyIsGivenUp(t *testing.T) {
	at := serve(t, func(w http.ResponseWriter, _ *http.Request) {
		for { // until the client hangs up
			if _, err := w.Write(make([]byte, 1<<16)); err != nil {
				return
			}
		}
	})
	if n, err := get(t, at, 1<<20); !errors.Is(err, ErrTooLong) || n > 1<<21 {
		t.Errorf("read %d bytes, then %v", n, err)
	}
}

// A limit on what comes over the wire would not hold for what comes out of it.
func TestTheLimitIsForWhatIsUnpacked(t *testing.T) {
	var packed bytes.Buffer
	z := gzip.NewWriter(&packed)
	if _, err := z.Write(make([]byte, 8<<20)); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	at := serve(t, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Encoding", "gzip")
		_, _ = w.Write(packed.Bytes())
	})
	if n, err := get(t, at, 1<<20); !errors.Is(err, ErrTooLong) || n > 1<<21 {
		t.Errorf("%d bytes packed: read %d, then %v", packed.Len(), n, err)
	}
}

func TestABodyThatEndsEarlyIsAnError(t *testing.T) {
	at := serve(t, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Length", "100")
		_, _ = w.Write([]byte("half"))
	})
	if _, err := get(t, at, 1<<20); !errors.Is(err, ErrCutOff) || !Unreachable(err) {
		t.Errorf("got %v", err)
	}
}

func TestRedirectsAreNotFollowed(t *testing.T) {
	var leaked atomic.Int32
	elsewhere := serve(t, func(http.ResponseWriter, *http.Request) { leaked.Add(1) })
	at := serve(t, func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, elsewhere, http.StatusFound) })
	if _, err := get(t, at, 1<<20); !errors.Is(err, ErrRedirect) || leaked.Load() != 0 {
		t.Errorf("%v, and %d requests went elsewhere", err, leaked.Load())
	}
}

func TestWhichHostsAreRemote(t *testing.T) {
	for at, want := range map[string]string{
		"http://localhost:1": "", "http://127.0.0.2": "", "http://[::1]:80": "", "https://gpu.lan/v1": "gpu.lan", "http://localhost.evil.example": "localhost.evil.example",
	} {
		u, err := url.Parse(at)
		if err != nil {
			t.Fatal(err)
		}
		if got := Remote(u); got != want {
			t.Errorf("%s: %q, want %q", at, got, want)
		}
	}
}

func TestWordsOfAServerStayOnOneShortLine(t *testing.T) {
	got := Short("a\nb\xff\t" + strings.Repeat("日", 300))
	if !strings.HasPrefix(got, "a b 日") || len(got) > 210 || strings.Contains(got, "\n") || !utf8.ValidString(got) || !strings.HasSuffix(got, "日…") {
		t.Errorf("%q", got)
	}
}

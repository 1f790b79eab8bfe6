package link

import (
	"crypto/tls"
	"crypto/x509"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"
)

// quiet keeps what servers think of clients out of the test's output.
func quiet(s *httptest.Server) *httptest.Server {
	s.Config.ErrorLog = log.New(io.Discard, "", 0)
	return s
}

// dropping closes each connection behind some bytes.
func dropping(t *testing.T, says string) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	go func() { // ends with the listener
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			_, _ = c.Read(make([]byte, 1))
			_, _ = io.WriteString(c, says)
			c.Close()
		}
	}()
	return "://" + l.Addr().String()
}

func TestWhyNoAnswerComesIsSaidInWordsOfTheEndpoint(t *testing.T) {
	plain := httptest.NewServer(http.NotFoundHandler())
	secret := quiet(httptest.NewTLSServer(http.NotFoundHandler()))
	t.Cleanup(plain.Close)
	t.Cleanup(secret.Close)
	own := x509.NewCertPool()
	own.AddCert(secret.Certificate())
	trusting := func(later time.Duration) *tls.Config {
		return &tls.Config{RootCAs: own, Time: func() time.Time { return time.Now().Add(later) }}
	}
	for _, tt := range []struct {
		name, url string
		config    *tls.Config
		says      string
	}{
		{"nobody is there", "http://127.0.0.1:1/", nil, "nothing listens there"},
		{"http where https is asked for", strings.Replace(plain.URL, "http:", "https:", 1), nil, "write http:// in the endpoint"},
		{"neither of the two", "https" + dropping(t, "hello"), nil, "write http:// in the endpoint"},
		{"https in a way that is no http", "http" + dropping(t, "\x15\x03\x01\x00\x02\x02\x0a"), nil, "write https:// in the endpoint"},
		{"an unknown authority", secret.URL, nil, "nobody that is trusted here has signed its certificate"},
		{"another name", strings.Replace(secret.URL, "127.0.0.1", "localhost", 1), trusting(0), "its certificate is for other names than localhost"},
		{"an old certificate", secret.URL, trusting(100 * 365 * 24 * time.Hour), "out of date"},
		{"no such machine", "http://models.invalid/", nil, "models.invalid"},
		{"a connection that ends", "http" + dropping(t, ""), nil, "closed before the answer was whole"},
		{"half an answer", "http" + dropping(t, "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhalf"), nil, "closed before the answer was whole"},
	} {
		c := Client(Transport(tt.config), 1<<20)
		resp, err := c.Get(tt.url)
		if err == nil {
			_, err = io.ReadAll(resp.Body)
			resp.Body.Close()
		}
		c.CloseIdleConnections()
		if err == nil {
			t.Errorf("%s: no error", tt.name)
			continue
		}
		got := Cause(err)
		if !strings.Contains(got, tt.says) {
			t.Errorf("%s: %s", tt.name, got)
		}
		for _, word := range []string{"dial tcp", "EOF", "x509:", "tls:", "Get \"", "net/http:", "lookup "} {
			if strings.Contains(got, word) {
				t.Errorf("%s: %q is for programmers: %s", tt.name, word, got)
			}
		}
	}
}

func TestAServerOfHTTPSTellsThatItIsOne(t *testing.T) {
	secret := quiet(httptest.NewTLSServer(http.NotFoundHandler()))
	defer secret.Close()
	resp, err := http.Get(strings.Replace(secret.URL, "https:", "http:", 1))
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil || !strings.Contains(OtherScheme(string(body)), "write https://") {
		t.Errorf("%q, %v", body, err)
	}
	if got := OtherScheme("model not found"); got != "" {
		t.Errorf("an ordinary answer: %s", got)
	}
}

// What helps against one fault is no help against another, and depends on whose
// machine the server is on.
func TestEveryFaultHasItsOwnStep(t *testing.T) {
	here := Server{Host: "127.0.0.1:1", Here: true, Start: "START", There: "THERE", Trust: "TRUST"}
	there := Server{Host: "gpu.lan:1", Start: "START", There: "THERE", Trust: "TRUST"}
	for _, s := range []Server{here, there} {
		seen := map[string]Kind{}
		for k := Unknown; k <= Scheme; k++ {
			step := s.Mend(k)
			if other, was := seen[step]; was && !(other == Unknown && k == Broken) || step == "" {
				t.Errorf("%s: faults %d and %d have the step %q", s.Host, other, k, step)
			}
			seen[step] = k
		}
	}
	for _, tt := range []struct {
		server Server
		kind   Kind
		says   string
	}{
		{here, Refused, "START"}, {there, Refused, "THERE"}, {there, NoName, "gpu.lan"}, {there, Proxy, "NO_PROXY=gpu.lan"}, {there, Silent, "firewall"},
		{here, Silent, "START"}, {there, Untrusted, "TRUST"}, {here, Broken, "START"},
	} {
		if got := tt.server.Mend(tt.kind); !strings.Contains(got, tt.says) || !tt.server.Here && strings.Contains(got, "START") {
			t.Errorf("%s, fault %d: %s", tt.server.Host, tt.kind, got)
		}
	}
}

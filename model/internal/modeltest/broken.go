package modeltest

import (
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"testing"
)

// BrokenReplies are what is left of a reply when the other side dies: the bytes
// behind which the connection ends. whole is a reply that would do.
func BrokenReplies(whole string) map[string]string {
	return map[string]string{
		"the server dies before it answers": "",
		"half a header":                     "HTTP/1.1 200 OK\r\nContent-Le",
		"half a body":                       "HTTP/1.1 200 OK\r\nContent-Length: 500\r\n\r\n" + whole[:len(whole)-1],
		"a whole reply in half a body":      "HTTP/1.1 200 OK\r\nContent-Length: 500\r\n\r\n" + whole + "\n",
		"garbage":                           "\x00\x01\x02\x03",
		"half a gzip": "HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 12\r\n\r\n" +
			"\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\xff\x00\x00",
	}
}

// HangUp sends some bytes, past all of HTTP, and ends the connection.
func HangUp(w http.ResponseWriter, after string) {
	conn, _, err := http.NewResponseController(w).Hijack()
	if err != nil {
		panic(err)
	}
	_, _ = conn.Write([]byte(after))
	_ = conn.Close()
}

// Elsewhere is an address that nothing may be sent to, and how much was.
func Elsewhere(t testing.TB) (url string, leaked *atomic.Int32) {
	leaked = new(atomic.Int32)
	s := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { leaked.Add(1) }))
	t.Cleanup(s.Close)
	return s.URL, leaked
}

// Nobody is an address at which no server is.
func Nobody(t testing.TB) string { return "127.0.0.1:" + FreePort(t) }

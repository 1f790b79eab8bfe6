// Package endpoint reads the addresses of model servers as people write them.
//
// An address is set in five places (a flag, the environment, two files, the
// editor) and used much later, on another goroutine, by a package that knows one
// kind of server. A slip that only shows there looks like a server that is down.
// So an address is read here, in one way, where it is set and where it is used:
//
//	[http:// or https://] host [:port] [/path]
//
// What it refuses: whatever else a URL may hold. A user's name or a query can be a
// secret, and would end up in logs; a fragment means nothing to a server. And it
// guesses nothing: which port or scheme is meant where none stands is the business
// of who uses the address.
package endpoint

import (
	"errors"
	"fmt"
	"net/netip"
	"net/url"
	"regexp"
	"strconv"
	"strings"
)

// An Address is what Parse found; the parts that did not stand there are "".
type Address struct {
	Scheme string // "http" or "https"
	Host   string // a name or an IP address, without brackets
	Port   string // from 1 to 65535
	Path   string // without the slash before it
}

// What is wrong with an address. Errors of Parse show it, too, without what may be
// secret in it, and say how one is written.
var (
	ErrScheme = errors.New("the scheme is neither http nor https")
	ErrMore   = errors.New("only a host, a port and a path belong in it, no user, password, query or fragment")
	ErrHost   = errors.New("no host can be read from it")
	ErrPort   = errors.New("the port is no number from 1 to 65535")
	ErrPath   = errors.New("the path is none of an address")
)

// Form is how an address is written, for messages.
const Form = "write it like http://127.0.0.1:11434"

// hostname are the characters of names, in any script, and of IPv4.
var hostname = regexp.MustCompile(`^[\pL\pN\pM_-][\pL\pN\pM._-]*$`)

// Parse reads an address. Only a port may do without a host, and only without a
// scheme: it is then a port of this machine. Spaces around it count for nothing.
func Parse(s string) (Address, error) {
	s = strings.TrimSpace(s)
	var a Address
	refuse := func(why error) (Address, error) {
		return Address{}, fmt.Errorf("endpoint %q: %w (%s)", Redacted(s), why, Form)
	}
	scheme, rest, ok := strings.Cut(s, "://")
	if !ok {
		scheme, rest = "", s
	} else if scheme = strings.ToLower(scheme); scheme != "http" && scheme != "https" {
		return refuse(ErrScheme)
	}
	// A password may hold a slash, so an @ counts wherever it stands.
	if strings.ContainsAny(rest, "@?#") {
		return refuse(ErrMore)
	}
	hostport, path, _ := strings.Cut(rest, "/")
	host, port, ok := split(hostport)
	switch n, err := strconv.ParseUint(port, 10, 16); {
	case !ok, host == "" && (port == "" || scheme != ""), scheme == "" && (host == "http" || host == "https"): // http:/x
		return refuse(ErrHost)
	case scheme == "" && port == "" && strings.HasSuffix(hostport, ":") && path != "": // unix:/run/x
		return refuse(ErrScheme)
	case port != "" && (err != nil || n == 0):
		return refuse(ErrPort)
	}
	a = Address{scheme, host, port, path}
	if u, err := url.Parse("http://host/" + path); err != nil || strings.ContainsAny(path, " \\") || u.Host != "host" {
		return refuse(ErrPath)
	}
	return a, nil
}

// split divides what stands between scheme and path. An IPv6 address may do
// without its brackets if no port follows.
func split(s string) (host, port string, ok bool) {
	if bare, err := netip.ParseAddr(s); err == nil {
		return bare.String(), "", true
	}
	if inside, ok := strings.CutPrefix(s, "["); ok {
		inside, after, closed := strings.Cut(inside, "]")
		ip, err := netip.ParseAddr(inside)
		if !closed || err != nil || !ip.Is6() || after != "" && after[0] != ':' {
			return "", "", false
		}
		return inside, strings.TrimPrefix(after, ":"), true
	}
	host, port, _ = strings.Cut(s, ":")
	return host, port, host == "" || hostname.MatchString(host)
}

// Redacted is an address for messages, which end up in logs: without what may be
// a password or a token in it. It takes anything, since what cannot be read is
// told, too.
func Redacted(s string) string {
	scheme, rest, ok := strings.Cut(s, "://")
	if !ok {
		scheme, rest = "", s
	} else {
		scheme += "://"
	}
	if i := strings.LastIndexByte(rest, '@'); i >= 0 {
		rest = "xxxxx" + rest[i:]
	}
	if i := strings.IndexAny(rest, "?#&"); i >= 0 {
		rest = rest[:i+1] + "xxxxx"
	}
	return scheme + rest
}

package link

import (
	"errors"
	"net"
)

// A Server is what one has to know of a server to mend the way to it.
type Server struct {
	Host  string // and port, as it was tried
	Here  bool   // on this machine
	Start string // the command that starts it here
	There string // and how it is started to answer other machines
	Trust string // how the authority that signed its certificate is made known
}

// Mend is the step that mends a fault of a kind.
func (s Server) Mend(k Kind) string {
	name, _, err := net.SplitHostPort(s.Host)
	if err != nil {
		name = s.Host
	}
	switch k {
	case Refused:
		if s.Here {
			return s.Start
		}
		return "start the server on " + name + " so that it answers other machines (" + s.There + "), or correct the port in the endpoint"
	case NoName:
		return "correct the name " + name + " in the endpoint, or connect to the network that knows it"
	case NoRoute:
		return "connect to the network of " + name + " (a VPN?), or correct the endpoint"
	case Silent:
		if s.Here {
			return "restart the server, which accepts and does not answer: " + s.Start
		}
		return "see on " + name + " whether the server runs, and whether a firewall drops what is sent to " + s.Host
	case Proxy:
		return "export NO_PROXY=" + name + ", if it is reached without the proxy; else correct HTTPS_PROXY and HTTP_PROXY"
	case Untrusted:
		return s.Trust
	case BadName:
		return "write the endpoint with a name that the certificate is for"
	case Expired:
		return "renew the server's certificate, or set the clock right (date shows this machine's)"
	case BadUse:
		return "give the server a certificate for servers"
	case Scheme:
		return "correct http:// or https:// in the endpoint"
	}
	if s.Here {
		return "see the server's log; if it has died: " + s.Start + "; if another program listens there, correct the endpoint"
	}
	return "see the log of the server on " + name + "; if another program listens there, correct the endpoint"
}

// Mended is an error with the step that mends it, for who shows both apart.
func Mended(err error, step string) error { return mended{err, step} }

type mended struct {
	error
	step string
}

func (m mended) Unwrap() error { return m.error }

// Step is the step that came with an error by Mended; "" if none did.
func Step(err error) string {
	if m := (mended{}); errors.As(err, &m) {
		return m.step
	}
	return ""
}

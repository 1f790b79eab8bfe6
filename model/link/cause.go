package link

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net"
	"net/url"
	"strings"
	"syscall"
)

// A Kind is what keeps an answer from coming, for who says what to do about it.
type Kind uint8

const (
	Unknown   Kind = iota
	Refused        // nothing listens
	NoName         // the name leads nowhere
	NoRoute        // no network leads there
	Silent         // nothing comes back
	Broken         // the connection ends too soon
	Proxy          // a proxy on the way lets nothing through
	Untrusted      // the certificate is of an unknown authority
	BadName        // or for another name
	Expired        // or out of date
	BadUse         // or not for servers
	Scheme         // http where https is spoken, or the other way round
)

// A diagnosis of an error: its kind, and why, in words.
type diagnosis struct {
	kind Kind
	says string
}

// Cause is why a request had no answer, in the words of somebody who has set an
// endpoint: what net, net/http and crypto say of it is for those who write clients.
// What is not known keeps its own words, in one line.
func Cause(err error) string { return diagnose(err).says }

// KindOf is what kept a request from an answer.
func KindOf(err error) Kind { return diagnose(err).kind }

func diagnose(err error) diagnosis {
	var request *url.Error
	if errors.As(err, &request) {
		err = request.Err // without the method and the whole address
	}
	for _, known := range []func(error) diagnosis{proxyCause, protocolCause, trustCause, nameCause, connectionCause} {
		if d := known(err); d.says != "" {
			return d
		}
	}
	return diagnosis{Unknown, Short(err.Error())}
}

// proxyCause is what stands in the way to whatever would be in the way beyond.
func proxyCause(err error) diagnosis {
	var op *net.OpError
	if !errors.As(err, &op) || op.Op != "proxyconnect" {
		return diagnosis{}
	}
	return diagnosis{Proxy, fmt.Sprintf("the proxy of HTTPS_PROXY or HTTP_PROXY does not let it through (correct that, or name the host in NO_PROXY): %s", Cause(op.Err))}
}

// OtherScheme is what a server is told to speak that speaks the other one of http
// and https, as its answer or the error shows; "" if it does not.
func OtherScheme(says string) string {
	says = strings.ToLower(says)
	for _, plain := range []string{"server gave http response to https client", "first record does not look like a tls handshake"} {
		if strings.Contains(says, plain) {
			return "it speaks plain http: write http:// in the endpoint"
		}
	}
	for _, secret := range []string{"http request to an https server", "http request was sent to https port", `malformed http response "\x15\x03`} {
		if strings.Contains(says, secret) {
			return "it speaks https: write https:// in the endpoint"
		}
	}
	return ""
}

func protocolCause(err error) diagnosis {
	var header tls.RecordHeaderError
	if errors.As(err, &header) {
		return diagnosis{Scheme, "it does not speak https: write http:// in the endpoint"}
	}
	return diagnosis{Scheme, OtherScheme(err.Error())}
}

// trustCause is why a certificate counts for nothing.
func trustCause(err error) diagnosis {
	var authority x509.UnknownAuthorityError
	var name x509.HostnameError
	var invalid x509.CertificateInvalidError
	switch {
	case errors.As(err, &authority):
		return diagnosis{Untrusted, "nobody that is trusted here has signed its certificate"}
	case errors.As(err, &name):
		return diagnosis{BadName, fmt.Sprintf("its certificate is for other names than %s: write the endpoint with the name that it is for", name.Host)}
	case errors.As(err, &invalid) && invalid.Reason == x509.Expired:
		return diagnosis{Expired, "its certificate is out of date, or the clock of one of the machines is wrong"}
	case errors.As(err, &invalid):
		return diagnosis{BadUse, "its certificate is not valid for a server"}
	}
	return diagnosis{}
}

func nameCause(err error) diagnosis {
	var name *net.DNSError
	switch {
	case !errors.As(err, &name):
		return diagnosis{}
	case name.IsNotFound:
		return diagnosis{NoName, fmt.Sprintf("no machine is known by the name %s (is it spelt right?)", name.Name)}
	}
	return diagnosis{NoName, fmt.Sprintf("the name %s could not be looked up (is the network there?)", name.Name)}
}

func connectionCause(err error) diagnosis {
	var late net.Error
	switch {
	case errors.Is(err, syscall.ECONNREFUSED):
		return diagnosis{Refused, "nothing listens there"}
	case errors.Is(err, syscall.ENETUNREACH), errors.Is(err, syscall.EHOSTUNREACH), errors.Is(err, syscall.ENETDOWN):
		return diagnosis{NoRoute, "no network leads there"}
	case errors.Is(err, context.DeadlineExceeded), errors.As(err, &late) && late.Timeout():
		return diagnosis{Silent, fmt.Sprintf("nothing came back in time (%v to connect)", DialTimeout)}
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, syscall.ECONNRESET), errors.Is(err, syscall.EPIPE), errors.Is(err, ErrCutOff):
		return diagnosis{Broken, "the connection was closed before the answer was whole"}
	}
	return diagnosis{}
}

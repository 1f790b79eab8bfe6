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

// Cause is why a request had no answer, in the words of somebody who has set an
// endpoint: what net, net/http and crypto say of it is for those who write clients.
// What is not known keeps its own words, in one line.
func Cause(err error) string {
	var request *url.Error
	if errors.As(err, &request) {
		err = request.Err // without the method and the whole address
	}
	for _, known := range []func(error) string{proxyCause, protocolCause, trustCause, nameCause, connectionCause} {
		if says := known(err); says != "" {
			return says
		}
	}
	return Short(err.Error())
}

// proxyCause is what stands in the way to whatever would be in the way beyond.
func proxyCause(err error) string {
	var op *net.OpError
	if !errors.As(err, &op) || op.Op != "proxyconnect" {
		return ""
	}
	return fmt.Sprintf("the proxy of HTTPS_PROXY or HTTP_PROXY does not let it through (correct that, or name the host in NO_PROXY): %s", Cause(op.Err))
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

func protocolCause(err error) string {
	var header tls.RecordHeaderError
	if errors.As(err, &header) {
		return "it does not speak https: write http:// in the endpoint"
	}
	return OtherScheme(err.Error())
}

// trustCause is why a certificate counts for nothing.
func trustCause(err error) string {
	var authority x509.UnknownAuthorityError
	var name x509.HostnameError
	var invalid x509.CertificateInvalidError
	switch {
	case errors.As(err, &authority):
		return "nobody that is trusted here has signed its certificate"
	case errors.As(err, &name):
		return fmt.Sprintf("its certificate is for other names than %s: write the endpoint with the name that it is for", name.Host)
	case errors.As(err, &invalid) && invalid.Reason == x509.Expired:
		return "its certificate is out of date, or the clock of one of the machines is wrong"
	case errors.As(err, &invalid):
		return "its certificate is not valid for a server"
	}
	return ""
}

func nameCause(err error) string {
	var name *net.DNSError
	switch {
	case !errors.As(err, &name):
		return ""
	case name.IsNotFound:
		return fmt.Sprintf("no machine is known by the name %s (is it spelt right?)", name.Name)
	}
	return fmt.Sprintf("the name %s could not be looked up (is the network there?)", name.Name)
}

func connectionCause(err error) string {
	var late net.Error
	switch {
	case errors.Is(err, syscall.ECONNREFUSED):
		return "nothing listens there"
	case errors.Is(err, syscall.ENETUNREACH), errors.Is(err, syscall.EHOSTUNREACH), errors.Is(err, syscall.ENETDOWN):
		return "no network leads there"
	case errors.Is(err, context.DeadlineExceeded), errors.As(err, &late) && late.Timeout():
		return fmt.Sprintf("nothing came back in time (%v to connect)", DialTimeout)
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, syscall.ECONNRESET), errors.Is(err, syscall.EPIPE), errors.Is(err, ErrCutOff):
		return "the connection was closed before the answer was whole"
	}
	return ""
}

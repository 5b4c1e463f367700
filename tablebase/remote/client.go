//go:build !js

package remote

import (
	"context"
	"crypto/tls"
	"errors"
	"net"
	"net/http"
	"net/url"
	"strings"
)

type httpClient struct{ *http.Client }

func newClient() client {
	transport := http.DefaultTransport
	if usual, ok := transport.(*http.Transport); ok {
		usual = usual.Clone()
		usual.MaxIdleConnsPerHost = maxRequests // else most connections would be opened anew
		transport = usual
	}
	return httpClient{&http.Client{Transport: transport, CheckRedirect: checkRedirect}}
}

var errRedirect = errors.New("it redirects too often, from https to http, or to what is not on a web server")

// checkRedirect follows redirects between web servers, but not from https to http.
func checkRedirect(r *http.Request, via []*http.Request) error {
	if len(via) >= 10 || !IsURL(r.URL.String()) || via[len(via)-1].URL.Scheme == "https" && r.URL.Scheme != "https" {
		return errRedirect
	}
	return nil
}

func (c httpClient) get(ctx context.Context, address string, headers map[string]string) (*reply, error) {
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return nil, withoutAddress(err)
	}
	for name, value := range headers {
		r.Header.Set(name, value)
	}
	r.Header.Set("User-Agent", "backsolve")
	answer, err := c.Do(r)
	if err != nil {
		return nil, transientUnlessSure(withoutAddress(err))
	}
	_, reason, _ := strings.Cut(answer.Status, " ")
	return &reply{answer.StatusCode, reason, answer.Header.Get, answer.Body}, nil
}

func (c httpClient) close() { c.CloseIdleConnections() }

// withoutAddress removes the address, whose query may have secrets.
func withoutAddress(err error) error {
	if at := (*url.Error)(nil); errors.As(err, &at) {
		return at.Err
	}
	return err
}

// transientUnlessSure makes a *transientError of an error unless the next attempt would meet it.
func transientUnlessSure(err error) error {
	var certificate *tls.CertificateVerificationError
	var name *net.DNSError
	if errors.Is(err, errRedirect) || errors.As(err, &certificate) || errors.As(err, &name) && name.IsNotFound {
		return err
	}
	return &transientError{cause: err}
}

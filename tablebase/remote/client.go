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

// httpClient asks by net/http.
type httpClient struct{ *http.Client }

func newClient() client {
	transport := http.DefaultTransport
	if usual, ok := transport.(*http.Transport); ok {
		usual = usual.Clone()
		usual.MaxIdleConnsPerHost = atOnce // else most would be opened anew for each question
		transport = usual
	}
	return httpClient{&http.Client{Transport: transport, CheckRedirect: checkRedirect}}
}

// errRedirect is why a redirect is not followed.
var errRedirect = errors.New("it redirects too often, or from https to http")

// checkRedirect follows redirects, but not into the open.
func checkRedirect(r *http.Request, via []*http.Request) error {
	if len(via) >= 10 || via[0].URL.Scheme == "https" && r.URL.Scheme != "https" {
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
		return nil, passingUnlessSure(withoutAddress(err))
	}
	_, reason, _ := strings.Cut(answer.Status, " ")
	return &reply{answer.StatusCode, reason, answer.Header.Get, answer.Body}, nil
}

func (c httpClient) close() { c.CloseIdleConnections() }

// withoutAddress takes away the address, which may have secrets in its query.
func withoutAddress(err error) error {
	if at := (*url.Error)(nil); errors.As(err, &at) {
		return at.Err
	}
	return err
}

// passingUnlessSure makes a *passing of an error that the next try may not meet.
func passingUnlessSure(err error) error {
	var certificate *tls.CertificateVerificationError
	var name *net.DNSError
	if errors.Is(err, errRedirect) || errors.As(err, &certificate) || errors.As(err, &name) && name.IsNotFound {
		return err
	}
	return &passing{cause: err}
}

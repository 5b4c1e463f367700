package main

import (
	"crypto/tls"
	"fmt"
	"sync/atomic"
)

// certificate is the one of --tls-cert with its key.
type certificate struct {
	files [2]string // certificate and key
	now   atomic.Pointer[tls.Certificate]
}

// certificate returns the certificate, not read yet; nil without TLS.
func (o *options) certificate() *certificate {
	if o.cert == "" {
		return nil
	}
	return &certificate{files: [2]string{o.cert, o.key}}
}

// read reads both files.
func (c *certificate) read() ([]any, error) {
	pair, err := tls.LoadX509KeyPair(c.files[0], c.files[1])
	if err != nil {
		return nil, fmt.Errorf("cannot use the certificate: %w", err)
	}
	c.now.Store(&pair)
	return []any{"until", pair.Leaf.NotAfter}, nil
}

// config returns the TLS configuration with the current certificate, nil without TLS.
func (c *certificate) config() *tls.Config {
	if c == nil {
		return nil
	}
	return &tls.Config{
		GetCertificate: func(*tls.ClientHelloInfo) (*tls.Certificate, error) { return c.now.Load(), nil },
		MinVersion:     tls.VersionTLS12,
	}
}

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

// certificate returns the certificate, which is not read yet, nil where no TLS is to be spoken.
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
		return nil, fmt.Errorf("the certificate cannot be used: %w", err)
	}
	c.now.Store(&pair)
	return []any{"until", pair.Leaf.NotAfter}, nil
}

// config returns how TLS is spoken with the certificate of the time, nil without one.
func (c *certificate) config() *tls.Config {
	if c == nil {
		return nil
	}
	return &tls.Config{
		GetCertificate: func(*tls.ClientHelloInfo) (*tls.Certificate, error) { return c.now.Load(), nil },
		MinVersion:     tls.VersionTLS12,
	}
}

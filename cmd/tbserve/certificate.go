package main

import (
	"context"
	"crypto/tls"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"sync/atomic"
	"time"
)

// certificate is the one of --tls-cert with its key, which is read again when a file
// changes, since certificates of today live for weeks and servers for months.
type certificate struct {
	files [2]string // certificate and key
	seen  [2]fs.FileInfo
	log   *slog.Logger
	now   atomic.Pointer[tls.Certificate]
}

// certificateInterval is the time between two looks at the files.
const certificateInterval = 5 * time.Second

// certificate reads the certificate, nil where no TLS is to be spoken.
func (o *options) certificate(log *slog.Logger) (*certificate, error) {
	if o.cert == "" {
		return nil, nil
	}
	c := &certificate{files: [2]string{o.cert, o.key}, log: log}
	c.changed()
	if err := c.read(); err != nil {
		return nil, err
	}
	return c, nil
}

// read reads both files.
func (c *certificate) read() error {
	pair, err := tls.LoadX509KeyPair(c.files[0], c.files[1])
	if err != nil {
		return fmt.Errorf("the certificate cannot be used: %w", err)
	}
	c.now.Store(&pair)
	return nil
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

// watch looks at the files again and again until ctx ends.
func (c *certificate) watch(ctx context.Context) {
	tick := time.NewTicker(certificateInterval)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
			c.look()
		}
	}
}

// look reads the files again where one has changed. While they do not belong together,
// as when only one of them has been replaced yet, the certificate before is kept.
func (c *certificate) look() {
	if !c.changed() {
		return
	}
	if err := c.read(); err != nil {
		c.log.Error("the certificate before is kept", "error", err)
		return
	}
	c.log.Info("certificate read again", "until", c.now.Load().Leaf.NotAfter)
}

// changed reports whether a file is another one than at the last call, or is gone.
func (c *certificate) changed() (changed bool) {
	for i, name := range c.files {
		file, _ := os.Stat(name) // nil where it is gone
		if !sameFile(c.seen[i], file) {
			changed = true
		}
		c.seen[i] = file
	}
	return changed
}

// sameFile reports whether two files, each nil where there is none, are the same one
// with the same content, as far as that can be seen.
func sameFile(a, b fs.FileInfo) bool {
	if a == nil || b == nil {
		return a == nil && b == nil
	}
	return os.SameFile(a, b) && a.Size() == b.Size() && a.ModTime().Equal(b.ModTime())
}

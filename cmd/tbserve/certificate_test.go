package main

import (
	"bytes"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"log/slog"
	"math/big"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// newPair returns a certificate of a name with its key, as their files have them.
func newPair(t *testing.T, name string) (cert, key []byte) {
	t.Helper()
	private, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: name}, DNSNames: []string{name},
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour),
	}
	signed, err := x509.CreateCertificate(rand.Reader, template, template, &private.PublicKey, private)
	if err != nil {
		t.Fatal(err)
	}
	encoded, err := x509.MarshalPKCS8PrivateKey(private)
	if err != nil {
		t.Fatal(err)
	}
	return pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: signed}), pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: encoded})
}

// replace puts a file into the place of another one, as it should be done.
func replace(t *testing.T, path string, content []byte) {
	t.Helper()
	if err := os.WriteFile(path+".new", content, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(path+".new", path); err != nil {
		t.Fatal(err)
	}
}

// A certificate that is replaced is the one of the next connections. While it has not
// its key yet, or is gone, the one before is.
func TestCertificateIsReadAgain(t *testing.T) {
	dir := t.TempDir()
	o := options{cert: filepath.Join(dir, "cert"), key: filepath.Join(dir, "key")}
	var said bytes.Buffer
	log := slog.New(slog.NewTextHandler(&said, nil))
	if _, err := o.certificate(log); err == nil {
		t.Error("files are read that are not there")
	}
	cert, key := newPair(t, "first")
	replace(t, o.cert, cert)
	replace(t, o.key, key)
	c, err := o.certificate(log)
	if err != nil {
		t.Fatal(err)
	}
	config := c.config()
	want := func(name, text string) {
		t.Helper()
		c.look()
		got, err := config.GetCertificate(&tls.ClientHelloInfo{})
		if err != nil || got.Leaf.Subject.CommonName != name {
			t.Errorf("%v, the certificate is of %s, want %s", err, got.Leaf.Subject.CommonName, name)
		}
		if logged := said.String(); text == "" && logged != "" || !strings.Contains(logged, text) {
			t.Errorf("logged is %q, want %q", logged, text)
		}
		said.Reset()
	}
	want("first", "")
	cert, key = newPair(t, "second")
	replace(t, o.cert, cert)
	want("first", "the certificate before is kept")
	want("first", "")
	replace(t, o.key, key)
	want("second", "certificate read again")
	want("second", "")
	if err := os.Remove(o.key); err != nil {
		t.Fatal(err)
	}
	want("second", "the certificate before is kept")
	replace(t, o.key, key)
	want("second", "certificate read again")
}

func TestNoCertificate(t *testing.T) {
	c, err := new(options).certificate(slog.New(slog.DiscardHandler))
	if c.config() != nil || err != nil {
		t.Errorf("%v, %v", c.config(), err)
	}
}

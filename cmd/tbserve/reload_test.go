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
	"errors"
	"log/slog"
	"math/big"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"backsolve/cmd/cli/reload"
	"backsolve/internal/server"
	"backsolve/internal/server/catalog"
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
	files := &reload.Files{Log: slog.New(slog.NewTextHandler(&said, nil))}
	if _, err := o.certificates(files); err == nil {
		t.Error("files are read that are not there")
	}
	cert, key := newPair(t, "first")
	replace(t, o.cert, cert)
	replace(t, o.key, key)
	files = &reload.Files{Log: files.Log}
	config, err := o.certificates(files)
	if err != nil {
		t.Fatal(err)
	}
	want := func(name, text string) {
		t.Helper()
		files.Look(false)
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
	want("first", "keeping the old certificate")
	want("first", "")
	replace(t, o.key, key)
	want("second", "certificate read again")
	want("second", "")
	if err := os.Remove(o.key); err != nil {
		t.Fatal(err)
	}
	want("second", "keeping the old certificate")
	replace(t, o.key, key)
	want("second", "certificate read again")
}

func TestNoCertificate(t *testing.T) {
	if config, err := new(options).certificates(nil); config != nil || err != nil {
		t.Errorf("%v, %v", config, err)
	}
}

// A token that is replaced is wanted from then on, and the one before is refused; also where it
// is as long, and its file was rewritten in place with the modification time as it was.
func TestTokenIsReadAgain(t *testing.T) {
	o := options{tokenFile: filepath.Join(t.TempDir(), "token")}
	replace(t, o.tokenFile, []byte("first1"))
	tables, err := catalog.Open([]string{tables(t)}, catalog.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer tables.Close()
	s := server.New(server.Options{Catalog: tables, Limits: server.DefaultLimits()})
	var said bytes.Buffer
	files := &reload.Files{Log: slog.New(slog.NewTextHandler(&said, nil))}
	if err := files.Tokens(o.tokenFile, s.SetTokens); err != nil {
		t.Fatal(err)
	}
	want := func(token string) {
		t.Helper()
		files.Look(false)
		for _, sent := range []string{"first1", "second", "third3"} {
			r := httptest.NewRequest("GET", "/metrics", nil)
			r.Header.Set("Authorization", "Bearer "+sent)
			w := httptest.NewRecorder()
			s.ServeHTTP(w, r)
			if got := w.Code != http.StatusUnauthorized; got != (sent == token) {
				t.Errorf("the token %s has status %d, where %s is wanted", sent, w.Code, token)
			}
		}
	}
	want("first1")
	file, err := os.Stat(o.tokenFile)
	if err != nil {
		t.Fatal(err)
	}
	time.Sleep(10 * time.Millisecond) // the clock of a filesystem goes in ticks
	if err := errors.Join(os.WriteFile(o.tokenFile, []byte("second"), 0), os.Chtimes(o.tokenFile, time.Time{}, file.ModTime())); err != nil {
		t.Fatal(err)
	}
	want("second")
	replace(t, o.tokenFile, nil)
	want("second")
	if !strings.Contains(said.String(), "keeping the old tokens") {
		t.Error(said.String())
	}
	replace(t, o.tokenFile, []byte("third3\n"))
	want("third3")
	if strings.Contains(said.String(), "third3") {
		t.Error("the token is logged")
	}
}

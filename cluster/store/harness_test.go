package store

import (
	"bytes"
	"context"
	"errors"
	"io"
	"io/fs"
	"log"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/johannesboyne/gofakes3"
	"github.com/johannesboyne/gofakes3/backend/s3mem"
	"github.com/minio/minio-go/v7"
)

// testStore is a store with access to its files.
type testStore struct {
	store Store
	// files returns the contents of all files by name, also those of no object.
	files func() map[string][]byte
	// writeFile writes a file behind the store's back.
	writeFile func(name string, b []byte)
}

// testStores are the kinds of stores, which all tests of this package run on.
var testStores = map[string]func(*testing.T) *testStore{
	"directory": inDirectory,
	"bucket":    inBucket,
}

// forEachStore runs a test on every kind of store.
func forEachStore(t *testing.T, test func(*testing.T, *testStore)) {
	for name, in := range testStores {
		t.Run(name, func(t *testing.T) { test(t, in(t)) })
	}
}

func open(t *testing.T, address string) Store {
	t.Helper()
	s, err := Open(t.Context(), address)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func inDirectory(t *testing.T) *testStore {
	dir := filepath.Join(t.TempDir(), "below", "store")
	return &testStore{
		store: open(t, dir),
		files: func() map[string][]byte {
			all := map[string][]byte{}
			err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
				if err != nil || d.IsDir() {
					return err
				}
				below, err := filepath.Rel(dir, path)
				if err != nil {
					return err
				}
				all[filepath.ToSlash(below)], err = os.ReadFile(path)
				return err
			})
			if err != nil {
				t.Error(err)
			}
			return all
		},
		writeFile: func(name string, b []byte) {
			path := filepath.Join(dir, filepath.FromSlash(name))
			if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(path, b, 0o644); err != nil {
				t.Fatal(err)
			}
		},
	}
}

// server is an S3 server that fails on demand.
type server struct {
	objects *s3mem.Backend
	copying *copying
	url     string
	// certificate is the server's if it speaks TLS.
	certificate []byte

	mu    sync.Mutex
	fault func(w http.ResponseWriter, r *http.Request) bool // true if it has responded
	calls []string
}

// setFault passes every request to fault first, which may respond to it and return true.
func (s *server) setFault(fault func(http.ResponseWriter, *http.Request) bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.fault, s.calls = fault, nil
}

// requests returns the methods of all requests since setFault.
func (s *server) requests() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.calls)
}

const (
	testBucket = "results"
	testKey    = "AKTESTKEY"
	testSecret = "secret-that-nobody-may-see"
)

// serve starts a server with an empty bucket, and points the environment to it.
func serve(t *testing.T, start func(*httptest.Server)) *server {
	s := &server{objects: s3mem.New()}
	if err := s.objects.CreateBucket(testBucket); err != nil {
		t.Fatal(err)
	}
	s.copying = &copying{objects: s.objects, next: gofakes3.New(s.objects, gofakes3.WithoutVersioning()).Server()}
	listener := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.mu.Lock()
		s.calls = append(s.calls, r.Method)
		fault := s.fault
		s.mu.Unlock()
		if fault == nil || !fault(w, r) {
			s.copying.ServeHTTP(w, r)
		}
	}))
	listener.Config.ErrorLog = log.New(io.Discard, "", 0) // failures are expected
	start(listener)
	t.Cleanup(listener.Close)
	s.url = listener.URL
	if c := listener.Certificate(); c != nil {
		s.certificate = c.Raw
	}
	for _, name := range []string{
		"AWS_ENDPOINT_URL_S3", "AWS_SESSION_TOKEN", "AWS_DEFAULT_REGION", "AWS_CA_BUNDLE", "AWS_PROFILE", "AWS_ACCESS_KEY", "AWS_SECRET_KEY",
	} {
		t.Setenv(name, "")
	}
	t.Setenv("AWS_ENDPOINT_URL", s.url)
	t.Setenv("AWS_ACCESS_KEY_ID", testKey)
	t.Setenv("AWS_SECRET_ACCESS_KEY", testSecret)
	t.Setenv("AWS_REGION", "us-east-1")
	t.Setenv("AWS_CONFIG_FILE", filepath.Join(t.TempDir(), "config"))
	t.Setenv("AWS_SHARED_CREDENTIALS_FILE", filepath.Join(t.TempDir(), "credentials"))
	shortenPauses(t)
	return s
}

// shortenPauses shortens all pauses until the test ends.
func shortenPauses(t *testing.T) {
	unit, most, before := minio.DefaultRetryUnit, minio.DefaultRetryCap, reconnect
	minio.DefaultRetryUnit, minio.DefaultRetryCap, reconnect.pause = 1, 1, 1
	t.Cleanup(func() { minio.DefaultRetryUnit, minio.DefaultRetryCap, reconnect = unit, most, before })
}

// chunk is a length of objects, about which they are shorter and longer.
const chunk = 64 << 10

const testPrefix = "solves/one/"

func inBucket(t *testing.T) *testStore {
	p, _ := inServedBucket(t)
	return p
}

func inServedBucket(t *testing.T) (*testStore, *server) {
	s := serve(t, (*httptest.Server).Start)
	p := &testStore{
		store: open(t, "s3://"+testBucket+"/"+testPrefix),
		files: func() map[string][]byte {
			all := map[string][]byte{}
			list, err := s.objects.ListBucket(testBucket, nil, gofakes3.ListBucketPage{})
			if err != nil {
				t.Fatal(err)
			}
			for _, entry := range list.Contents {
				object, err := s.objects.GetObject(testBucket, entry.Key, nil)
				if err != nil {
					t.Fatal(err)
				}
				name, below := strings.CutPrefix(entry.Key, testPrefix)
				if !below {
					t.Errorf("%s is not below the prefix", entry.Key)
				}
				if all[name], err = io.ReadAll(object.Contents); err != nil {
					t.Fatal(err)
				}
			}
			return all
		},
		writeFile: func(name string, b []byte) {
			meta := map[string]string{"Last-Modified": time.Unix(0, 0).UTC().Format(http.TimeFormat)}
			_, err := s.objects.PutObject(testBucket, testPrefix+name, meta, bytes.NewReader(b), int64(len(b)), nil)
			if err != nil {
				t.Fatal(err)
			}
		},
	}
	return p, s
}

// random returns n bytes, the same each time.
func random(n int) []byte {
	b := make([]byte, n)
	source := rand.NewChaCha8([32]byte{byte(n)})
	source.Read(b)
	return b
}

// put stores an object.
func (p *testStore) put(t *testing.T, name string, b []byte) {
	t.Helper()
	if err := p.store.Put(t.Context(), name, b); err != nil {
		t.Fatal(err)
	}
}

// get reads an object up to its first error.
func (p *testStore) get(ctx context.Context, name string) ([]byte, error) {
	return readAll(p.store.Get(ctx, name))
}

func readAll(r *Reader, err error) ([]byte, error) {
	if err != nil {
		return nil, err
	}
	b, err := io.ReadAll(r)
	return b, errors.Join(err, r.Close())
}

// wantObject fails the test unless an object has that content.
func (p *testStore) wantObject(t *testing.T, name string, want []byte) {
	t.Helper()
	if got, err := p.get(t.Context(), name); err != nil || !bytes.Equal(got, want) {
		t.Errorf("%s: %d bytes, %v; want other %d", name, len(got), err, len(want))
	}
}

// list returns the names of objects, sorted.
func (p *testStore) list(t *testing.T, prefix string) (all []string) {
	t.Helper()
	for name, err := range p.store.List(t.Context(), prefix) {
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, name)
	}
	slices.Sort(all)
	return all
}

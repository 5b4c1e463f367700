package store

import (
	"bytes"
	"context"
	"encoding/pem"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/minio/minio-go/v7"
)

// large is the size of an object that is uploaded in two parts.
const large = minPart + 12_345

// A multipart upload stores the object, and leaves no parts if it fails.
func TestMultipartUpload(t *testing.T) {
	p, s := inServedBucket(t)
	want := random(large)
	p.put(t, "large", want)
	p.wantObject(t, "large", want)
	if err := p.store.Delete(t.Context(), "large"); err != nil {
		t.Fatal(err)
	}
	parts := 0
	s.setFault(func(w http.ResponseWriter, r *http.Request) bool {
		if r.Method != http.MethodPut {
			return false
		}
		if parts++; parts > 1 {
			w.WriteHeader(http.StatusForbidden)
		}
		return parts > 1
	})
	if err := p.store.Put(t.Context(), "large", want); err == nil {
		t.Error("the upload of a part failed, and there is no error")
	}
	if !slices.Contains(s.requests(), http.MethodDelete) {
		t.Error("the upload was not aborted")
	}
	if files := p.files(); len(files) > 0 {
		t.Errorf("%d objects are there", len(files))
	}
}

// The client cuts what put leaves to it as minPart says, into no more parts than S3 allows.
func TestPartSize(t *testing.T) {
	for _, size := range []int64{minPart + 1, 1 << 30, 150 << 30, 5 << 40, 48 << 40} {
		parts, part, _, err := minio.OptimalPartInfo(size, 0)
		if err != nil || part < minPart || parts > 10_000 || size < 10_000*minPart && part > minPart {
			t.Errorf("%d bytes in %d parts of %d: %v", size, parts, part, err)
		}
	}
}

// A request that fails for a moment is sent again, with the same bytes.
func TestTransientErrors(t *testing.T) {
	p, s := inServedBucket(t)
	want := random(3 * chunk)
	for _, status := range []int{http.StatusInternalServerError, http.StatusServiceUnavailable, http.StatusTooManyRequests} {
		left := 3
		s.setFault(func(w http.ResponseWriter, r *http.Request) bool {
			if left--; left < 0 {
				return false
			}
			io.CopyN(io.Discard, r.Body, 1000)
			w.WriteHeader(status)
			return true
		})
		p.put(t, "a", want)
		left = 3
		p.wantObject(t, "a", want)
	}
}

// answerGets lets send write the body of the response to each GET of an object.
func (s *server) answerGets(send func(call int, w http.ResponseWriter, body []byte)) {
	var calls atomic.Int64
	s.setFault(func(w http.ResponseWriter, r *http.Request) bool {
		if r.Method != http.MethodGet || r.Header.Get("Range") == "" && strings.HasSuffix(r.URL.Path, "/") {
			return false
		}
		_, key, _ := strings.Cut(strings.TrimPrefix(r.URL.Path, "/"), "/")
		object, err := s.objects.GetObject(testBucket, key, nil)
		if err != nil {
			return false
		}
		body, _ := io.ReadAll(object.Contents)
		if from, ranged := strings.CutPrefix(r.Header.Get("Range"), "bytes="); ranged {
			first, last, _ := strings.Cut(from, "-")
			start, _ := strconv.Atoi(first)
			end, err := strconv.Atoi(last)
			if err != nil {
				end = len(body) - 1
			}
			end = min(end, len(body)-1)
			w.Header().Set("Content-Range", "bytes "+strconv.Itoa(start)+"-"+strconv.Itoa(end)+"/"+strconv.Itoa(len(body)))
			body = body[start : end+1]
		}
		w.Header().Set("Content-Length", strconv.Itoa(len(body)))
		w.Header().Set("Last-Modified", time.Unix(0, 0).UTC().Format(http.TimeFormat))
		w.Header().Set("ETag", `"one"`)
		if w.Header().Get("Content-Range") != "" {
			w.WriteHeader(http.StatusPartialContent)
		}
		send(int(calls.Add(1))-1, w, body)
		return true
	})
}

// breakConnection ends a connection in the middle of a response.
func breakConnection() { panic(http.ErrAbortHandler) }

// A download resumes after each broken connection. Connections without a byte end in an error,
// which is not damage.
func TestConnectionBreaks(t *testing.T) {
	p, s := inServedBucket(t)
	want := random(5*chunk + 5)
	p.put(t, "a", want)
	step := chunk / 3
	connections := 0
	s.answerGets(func(call int, w http.ResponseWriter, body []byte) {
		connections = call + 1
		if len(body) <= step {
			w.Write(body)
			return
		}
		w.Write(body[:step])
		w.(http.Flusher).Flush()
		breakConnection()
	})
	if got, err := p.get(t.Context(), "a"); err != nil || !bytes.Equal(got, want) {
		t.Errorf("%d bytes, %v", len(got), err)
	}
	if connections < 10 {
		t.Errorf("it took %d connections only", connections)
	}

	s.answerGets(func(call int, w http.ResponseWriter, body []byte) {
		if call == 0 {
			w.Write(body[:chunk])
		}
		w.(http.Flusher).Flush()
		breakConnection()
	})
	_, err := p.get(t.Context(), "a")
	if err == nil || errors.Is(err, ErrDamaged) || errors.Is(err, io.EOF) || !strings.Contains(err.Error(), "broke off") {
		t.Errorf("the error is %v", err)
	}
}

// A stalled download reconnects, and a cancelled one need not wait for that.
func TestStalledDownload(t *testing.T) {
	p, s := inServedBucket(t)
	want := random(3 * chunk)
	p.put(t, "a", want)
	reconnect.stall = 50 * time.Millisecond // until shortenPauses restores it
	release := make(chan struct{})
	t.Cleanup(func() { close(release) })
	silent := func(call int, w http.ResponseWriter, body []byte) {
		if call > 0 {
			w.Write(body)
			return
		}
		w.Write(body[:chunk+chunk/2])
		w.(http.Flusher).Flush()
		<-release
	}
	s.answerGets(silent)
	if got, err := p.get(t.Context(), "a"); err != nil || !bytes.Equal(got, want) {
		t.Errorf("%d bytes, %v", len(got), err)
	}

	reconnect.stall = time.Hour
	s.answerGets(silent)
	ctx, cancel := context.WithCancel(t.Context())
	r, err := p.store.Get(ctx, "a")
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	if _, err := io.ReadFull(r, make([]byte, chunk)); err != nil {
		t.Fatal(err)
	}
	time.AfterFunc(20*time.Millisecond, cancel)
	if _, err := io.ReadAll(r); !errors.Is(err, context.Canceled) {
		t.Errorf("the error is %v", err)
	}
}

// A slow reader gets everything from a slow server.
func TestSlowReads(t *testing.T) {
	p, s := inServedBucket(t)
	want := random(2 * chunk)
	p.put(t, "a", want)
	s.answerGets(func(_ int, w http.ResponseWriter, body []byte) {
		for len(body) > 0 {
			n := min(len(body), 9000)
			w.Write(body[:n])
			w.(http.Flusher).Flush()
			body = body[n:]
			time.Sleep(time.Millisecond)
		}
	})
	r, err := p.store.Get(t.Context(), "a")
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	var got []byte
	buffer := make([]byte, 10_000)
	for {
		n, err := r.Read(buffer)
		got = append(got, buffer[:n]...)
		if err == io.EOF {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Millisecond)
	}
	if !bytes.Equal(got, want) {
		t.Errorf("%d bytes", len(got))
	}
}

// Reading an object that is replaced meanwhile never mixes old bytes and new ones.
func TestReplacedWhileRead(t *testing.T) {
	p, s := inServedBucket(t)
	p.put(t, "a", random(5*chunk))
	calls := 0
	s.setFault(func(w http.ResponseWriter, r *http.Request) bool {
		if r.Method != http.MethodGet {
			return false
		}
		if calls++; calls == 1 {
			w.Header().Set("Content-Length", strconv.Itoa(5*chunk))
			w.Header().Set("Last-Modified", time.Unix(0, 0).UTC().Format(http.TimeFormat))
			w.Header().Set("ETag", `"old"`)
			w.Write(random(5 * chunk)[:chunk])
			w.(http.Flusher).Flush()
			breakConnection()
		}
		if r.Header.Get("If-Match") == `"old"` {
			w.WriteHeader(http.StatusPreconditionFailed)
			return true
		}
		return false
	})
	got, err := p.get(t.Context(), "a")
	if !errors.Is(err, ErrDamaged) || len(got) != chunk {
		t.Errorf("%d bytes, %v", len(got), err)
	}
}

// Errors of the server name a remedy, and no secret.
func TestServerErrors(t *testing.T) {
	p, s := inServedBucket(t)
	for _, c := range []struct {
		status int
		code   string
		is     error // nil: none of this package's
		says   string
	}{
		{http.StatusInsufficientStorage, "XMinioStorageFull", ErrFull, "make room"},
		{http.StatusBadRequest, "QuotaExceeded", ErrFull, "quota"},
		{http.StatusForbidden, "AccessDenied", nil, "credentials"},
		{http.StatusNotFound, "NoSuchBucket", nil, "has no bucket " + testBucket},
		{http.StatusNotImplemented, "NotImplemented", nil, "answers: "},
	} {
		s.setFault(func(w http.ResponseWriter, r *http.Request) bool {
			io.Copy(io.Discard, r.Body)
			w.Header().Set("Content-Type", "application/xml")
			w.WriteHeader(c.status)
			io.WriteString(w, "<Error><Code>"+c.code+"</Code><Message>because of "+c.code+"</Message></Error>")
			return true
		})
		err := p.store.Put(t.Context(), "a", []byte("x"))
		if err == nil || c.is != nil && !errors.Is(err, c.is) || c.is == nil && (errors.Is(err, ErrFull) || errors.Is(err, ErrNotFound)) ||
			!strings.Contains(err.Error(), c.says) || strings.Contains(err.Error(), testSecret) {
			t.Errorf("%s: %v", c.code, err)
		}
	}
}

// Open reports a wrong address or environment, without the secrets in it.
func TestOpenBucketErrors(t *testing.T) {
	s := serve(t, (*httptest.Server).Start)
	for _, c := range []struct {
		name, address string
		set           map[string]string
		says          string
	}{
		{"credentials in it", "s3://" + testKey + ":" + testSecret + "@results/x", nil, "AWS_ACCESS_KEY_ID"},
		{"unreadable", "s3://" + testKey + ":" + testSecret + "%@results/x", nil, "cannot be read"},
		{"query", "s3://results/x?secret=" + testSecret, nil, "AWS_ENDPOINT_URL"},
		{"port", "s3://results:9000/x", nil, "AWS_ENDPOINT_URL"},
		{"no bucket", "s3:///x", nil, "is not a bucket"},
		{"bad bucket", "s3://RE_SULTS/x", nil, "is not a bucket"},
		{"bad prefix", "s3://results/a//b", nil, "prefix"},
		{"prefix that leaves", "s3://results/../b", nil, "prefix"},
		{"other bucket", "s3://others/x", nil, "has no bucket others"},
		{"half of the credentials", "s3://results", map[string]string{"AWS_ACCESS_KEY_ID": ""}, "set both"},
		{"no credentials", "s3://results", map[string]string{"AWS_ACCESS_KEY_ID": "", "AWS_SECRET_ACCESS_KEY": ""}, "no credentials"},
		{"no URL", "s3://results", map[string]string{"AWS_ENDPOINT_URL": "results.example.org"}, "AWS_ENDPOINT_URL is not"},
		{"server with a path", "s3://results", map[string]string{"AWS_ENDPOINT_URL_S3": s.url + "/path"}, "AWS_ENDPOINT_URL_S3 is not"},
		{"bundle missing", "s3://results", map[string]string{"AWS_ENDPOINT_URL": "https://127.0.0.1:1", "AWS_CA_BUNDLE": "/none"}, "AWS_CA_BUNDLE"},
		{"nobody there", "s3://results", map[string]string{"AWS_ENDPOINT_URL": "http://127.0.0.1:1"}, "cannot be opened"},
	} {
		t.Run(c.name, func(t *testing.T) {
			for name, value := range c.set {
				t.Setenv(name, value)
			}
			_, err := Open(t.Context(), c.address)
			if err == nil || !strings.Contains(err.Error(), c.says) || strings.Contains(err.Error(), testSecret) {
				t.Errorf("the error is %v", err)
			}
		})
	}
}

// Without credentials in the environment, Open reads the shared files.
func TestSharedCredentials(t *testing.T) {
	s := serve(t, (*httptest.Server).Start)
	t.Setenv("AWS_ACCESS_KEY_ID", "")
	t.Setenv("AWS_SECRET_ACCESS_KEY", "")
	t.Setenv("AWS_PROFILE", "solver")
	file := filepath.Join(t.TempDir(), "credentials")
	text := "[solver]\naws_access_key_id = " + testKey + "\naws_secret_access_key = " + testSecret + "\n"
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	t.Setenv("AWS_SHARED_CREDENTIALS_FILE", file)
	var signed string
	s.setFault(func(_ http.ResponseWriter, r *http.Request) bool {
		signed = r.Header.Get("Authorization")
		return false
	})
	open(t, "s3://"+testBucket)
	if !strings.Contains(signed, testKey) || strings.Contains(signed, testSecret) {
		t.Errorf("the request was signed %q", signed)
	}

	if err := os.WriteFile(file, []byte("[solver]\n"+testSecret+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := Open(t.Context(), "s3://"+testBucket); err == nil || strings.Contains(err.Error(), testSecret) || !strings.Contains(err.Error(), "solver") {
		t.Errorf("a damaged file: %v", err)
	}
}

// Over TLS the server's certificate must be trusted, for example by AWS_CA_BUNDLE.
func TestTLS(t *testing.T) {
	s := serve(t, (*httptest.Server).StartTLS)
	if _, err := Open(t.Context(), "s3://"+testBucket); err == nil || !strings.Contains(err.Error(), "certificate") {
		t.Errorf("without the certificate: %v", err)
	}
	bundle := filepath.Join(t.TempDir(), "bundle.pem")
	text := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: s.certificate})
	if err := os.WriteFile(bundle, text, 0o644); err != nil {
		t.Fatal(err)
	}
	t.Setenv("AWS_CA_BUNDLE", bundle)
	p := &testStore{store: open(t, "s3://"+testBucket+"/over/tls/")}
	p.put(t, "a", random(chunk+9))
	p.wantObject(t, "a", random(chunk+9))
	if got := p.store.String(); got != "s3://results/over/tls/" {
		t.Errorf("it is named %s", got)
	}

	if err := os.WriteFile(bundle, []byte("no certificate"), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := Open(t.Context(), "s3://"+testBucket); err == nil || !strings.Contains(err.Error(), "AWS_CA_BUNDLE") {
		t.Errorf("with an empty bundle: %v", err)
	}
}

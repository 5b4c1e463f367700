package main

import (
	"bytes"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/johannesboyne/gofakes3"
	"github.com/johannesboyne/gofakes3/backend/s3mem"
)

const (
	s3Bucket = "results"
	s3Store  = "s3://" + s3Bucket + "/solves"
	s3Key    = "AKTESTKEY"
	s3Secret = "secret-that-nobody-may-see"
)

// bucket is a bucket on an S3 server.
type bucket struct {
	objects *s3mem.Backend
	puts    atomic.Int64
	leaked  atomic.Bool // the secret came with a request
}

// startS3 starts an S3 server that accepts only the right key, and points the environment to it.
func startS3(t *testing.T) *bucket {
	t.Helper()
	b := &bucket{objects: s3mem.New()}
	if err := b.objects.CreateBucket(s3Bucket); err != nil {
		t.Fatal(err)
	}
	fake := gofakes3.New(b.objects, gofakes3.WithoutVersioning()).Server()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		signed := r.Header.Get("Authorization")
		if strings.Contains(signed+r.URL.String(), s3Secret) {
			b.leaked.Store(true)
		}
		if !strings.Contains(signed, "Credential="+s3Key+"/") {
			w.WriteHeader(http.StatusForbidden)
			return
		}
		if r.Method == http.MethodPut {
			b.puts.Add(1)
		}
		fake.ServeHTTP(w, r)
	}))
	t.Cleanup(server.Close)
	nowhere := filepath.Join(t.TempDir(), "none")
	for name, value := range map[string]string{
		"AWS_ACCESS_KEY_ID": s3Key, "AWS_SECRET_ACCESS_KEY": s3Secret, "AWS_ENDPOINT_URL_S3": server.URL, "AWS_REGION": "us-east-1",
		"AWS_SESSION_TOKEN": "", "AWS_ENDPOINT_URL": "", "AWS_DEFAULT_REGION": "", "AWS_CA_BUNDLE": "", "AWS_PROFILE": "",
		"AWS_ACCESS_KEY": "", "AWS_SECRET_KEY": "", "AWS_CONFIG_FILE": nowhere, "AWS_SHARED_CREDENTIALS_FILE": nowhere,
	} {
		t.Setenv(name, value)
	}
	return b
}

// each calls do with the key and the bytes of every object, and replaces the object unless do
// returns nil. It returns the number of objects.
func (b *bucket) each(t *testing.T, do func(key string, body []byte) []byte) int {
	t.Helper()
	list, err := b.objects.ListBucket(s3Bucket, nil, gofakes3.ListBucketPage{})
	if err != nil {
		t.Fatal(err)
	}
	for _, entry := range list.Contents {
		object, err := b.objects.GetObject(s3Bucket, entry.Key, nil)
		if err != nil {
			t.Fatal(err)
		}
		body, err := io.ReadAll(object.Contents)
		if err != nil {
			t.Fatal(err)
		}
		changed := do(entry.Key, body)
		if changed == nil {
			continue
		}
		meta := map[string]string{"Last-Modified": time.Now().UTC().Format(http.TimeFormat)}
		if _, err := b.objects.PutObject(s3Bucket, entry.Key, meta, bytes.NewReader(changed), int64(len(changed)), nil); err != nil {
			t.Fatal(err)
		}
	}
	return len(list.Contents)
}

// said runs tbcluster and returns all its output.
func said(t *testing.T, args ...string) (text string, err error) {
	t.Helper()
	out, err := tbcluster(t, args...).CombinedOutput()
	if strings.Contains(string(out), s3Secret) {
		t.Errorf("tbcluster %s reveals the secret:\n%s", strings.Join(args, " "), out)
	}
	return string(out), err
}

// With a store in S3 the table has the same bytes, wherever the workers run, and nothing is left.
// Damage there is detected. Credentials come from the environment, and appear nowhere.
func TestS3(t *testing.T) {
	b := startS3(t)
	plain, shared := t.TempDir(), t.TempDir()
	byOne(t, solveNotakto5(plain)[1:]...)

	solve := []string{"solve", "notakto", "5", "--steps", "--dir", shared, "--workers", "2", "--store", s3Store}
	if text, err := said(t, append(solve, "--down-to-class", "2")...); err != nil {
		t.Fatalf("%v: %s", err, text)
	}
	flipped := 0
	b.each(t, func(key string, body []byte) []byte {
		if !strings.HasPrefix(key, "solves/notakto-5-steps/") {
			t.Errorf("there is %s", key)
		}
		if !strings.Contains(key, "/class-02/") {
			return nil
		}
		flipped++
		body[len(body)/2] ^= 4
		return body
	})
	if flipped == 0 {
		t.Error("class 2 is not in the bucket")
	}
	text, err := said(t, solve...)
	if err != nil || !strings.Contains(text, "class-02") || !strings.Contains(text, "written again") {
		t.Errorf("after the damage: %v: %s", err, text)
	}
	if !bytes.Equal(tableOf(t, shared), tableOf(t, plain)) {
		t.Error("the table differs")
	}
	wantEmpty(t, b)

	// Over a cluster.
	flags := append(startNATS(t)[:2], "--store", s3Store)
	worker, stderr := begin(t, append([]string{"work", "--threads", "1"}, flags...)...)
	elsewhere := t.TempDir()
	if text, err := said(t, append([]string{"solve", "notakto", "5", "--steps", "--dir", elsewhere}, flags...)...); err != nil {
		t.Fatalf("%v: %s", err, text)
	}
	if !bytes.Equal(tableOf(t, elsewhere), tableOf(t, plain)) {
		t.Error("by a cluster the table differs")
	}
	wantEmpty(t, b)
	endWorker(t, worker)
	if text := stderr.String(); !strings.Contains(text, "working on notakto 5×5 with steps") || strings.Contains(text, s3Secret) || strings.Contains(text, os.Getenv("NATS_PASSWORD")) {
		t.Errorf("the worker says %q", text)
	}
	if b.leaked.Load() || b.puts.Load() == 0 {
		t.Errorf("the secret went over the network: %v; %d requests have put something", b.leaked.Load(), b.puts.Load())
	}
}

// With --table-in-bucket workers write the table into the bucket, with the same bytes, and it stays
// there. An interrupted solve resumes. What is damaged meanwhile is solved again.
func TestTableInBucket(t *testing.T) {
	b := startS3(t)
	for _, board := range []struct{ name, size, downTo string }{{"notakto", "5", "2"}, {"quixo", "3", "4"}} {
		plain, shared := t.TempDir(), t.TempDir()
		byOne(t, board.name, board.size, "--steps", "--dir", plain)
		solve := []string{"solve", board.name, board.size, "--steps", "--dir", shared, "--workers", "2", "--store", s3Store, "--table-in-bucket"}
		if text, err := said(t, append(solve, "--down-to-class", board.downTo)...); err != nil {
			t.Fatalf("%v: %s", err, text)
		}
		flipped := 0
		b.each(t, func(key string, body []byte) []byte {
			if flipped > 0 || !strings.Contains(key, "pieces/") {
				return nil
			}
			flipped++
			body[len(body)/2] ^= 4
			return body
		})
		text, err := said(t, solve...)
		if err != nil || flipped == 0 || !strings.Contains(text, "solved again") || !strings.Contains(text, s3Store+"/"+board.name) {
			t.Fatalf("%d damaged: %v: %s", flipped, err, text)
		}
		want, err := os.ReadFile(filepath.Join(plain, board.name+"-"+board.size+"x"+board.size+".tb"))
		if err != nil {
			t.Fatal(err)
		}
		n := b.each(t, func(key string, body []byte) []byte {
			if !bytes.Equal(body, want) || !strings.HasPrefix(key, "solves/"+board.name) {
				t.Errorf("%s is another table", key)
			}
			return nil
		})
		left, err := os.ReadDir(shared)
		if n != 1 || err != nil || len(left) > 1 {
			t.Errorf("%d objects are in the bucket, and %v is left: %v", n, left, err)
		}
		if text, err := said(t, solve...); err != nil || !strings.Contains(text, "solved          before") {
			t.Errorf("again: %v: %s", err, text)
		}
		b.remove(t)
	}
	for _, c := range []struct{ says, size, flags string }{
		{"needs a bucket", "4", "--store " + t.TempDir()},
		{"that is not packed", "4", "--packed --store " + s3Store},
		{"ten thousand parts", "7", "--memory 1TiB --keep table --store " + s3Store},
	} {
		args := append([]string{"solve", "notakto", c.size, "--workers", "1", "--table-in-bucket", "--dir", t.TempDir()}, strings.Fields(c.flags)...)
		if text, err := said(t, args...); err == nil || !strings.Contains(text, c.says) {
			t.Errorf("%s: %v: %s", c.says, err, text)
		}
	}
}

// remove empties the bucket.
func (b *bucket) remove(t *testing.T) {
	t.Helper()
	b.each(t, func(key string, _ []byte) []byte {
		if _, err := b.objects.DeleteObject(s3Bucket, key); err != nil {
			t.Error(err)
		}
		return nil
	})
}

// wantEmpty fails the test unless the bucket is empty.
func wantEmpty(t *testing.T, b *bucket) {
	t.Helper()
	b.each(t, func(key string, _ []byte) []byte {
		t.Errorf("%s is left", key)
		return nil
	})
}

// endWorker ends a process. After that its output can be read.
func endWorker(t *testing.T, cmd *exec.Cmd) {
	t.Helper()
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	cmd.Wait()
}

// Wrong credentials are refused before anything is solved, and the error reveals no secret.
func TestS3Refuses(t *testing.T) {
	startS3(t)
	dir := t.TempDir()
	solve := []string{"solve", "notakto", "4", "--dir", dir, "--workers", "1", "--store"}
	for _, c := range []struct{ key, secret, address, says string }{
		{"AKOTHERKEY", s3Secret, s3Store, "check that the credentials are right"},
		{s3Key, "", s3Store, "AWS_SECRET_ACCESS_KEY is set without the other"},
		{"", "", s3Store, "there are no credentials for S3 in the environment"},
		{s3Key, s3Secret, "s3://" + s3Key + ":" + s3Secret + "@" + s3Bucket, "has credentials in it"},
		{s3Key, s3Secret, "s3://others/x", "has no bucket others"},
	} {
		t.Setenv("AWS_ACCESS_KEY_ID", c.key)
		t.Setenv("AWS_SECRET_ACCESS_KEY", c.secret)
		cmd := tbcluster(t, append(solve, c.address)...)
		out, err := cmd.CombinedOutput()
		if err == nil || !strings.Contains(string(out), c.says) || strings.Contains(string(out), s3Secret) {
			t.Errorf("%s: %v: %s", c.says, err, out)
		}
	}
}

// So does a solve that keeps no table.
func TestS3Stream(t *testing.T) {
	b := startS3(t)
	plain, shared := t.TempDir(), t.TempDir()
	args := []string{"solve", "notakto", "5", "--after", "c3", "--keep", "result", "--quiet", "--dir"}
	byOne(t, append(args[1:], plain)...)
	if text, err := said(t, append(args, shared, "--workers", "2", "--store", s3Store)...); err != nil {
		t.Fatalf("%v: %s", err, text)
	}
	const name = "notakto-5x5-after-c3.json"
	got, err := os.ReadFile(filepath.Join(shared, name))
	want, err2 := os.ReadFile(filepath.Join(plain, name))
	if err != nil || err2 != nil || !bytes.Equal(got, want) {
		t.Errorf("the result differs: %v, %v", err, err2)
	}
	if n := b.each(t, func(key string, _ []byte) []byte { t.Logf("%s is left", key); return nil }); n > 0 {
		t.Errorf("%d objects are left", n)
	}
}

package store

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"net/http"
	"strings"
	"testing"

	"backsolve/tablebase/format"
)

// putPieces puts runs of a file, given as where they begin and end.
func putPieces(t *testing.T, p *Pieces, file []byte, runs ...[2]int) {
	t.Helper()
	for _, run := range runs {
		if err := p.Put(int64(run[0]), file[run[0]:run[1]]); err != nil {
			t.Fatal(err)
		}
	}
}

// A file in pieces, short and long, some of which overlap, becomes an object of the same bytes. The
// server copies the long ones. The pieces are gone then.
func TestPieces(t *testing.T) {
	const mib = 1 << 20
	p, s := inServedBucket(t)
	file := random(40*mib + 12345)
	runs := []format.Extent{{Offset: 4096, Length: 18 * mib}, {Offset: 20 * mib, Length: 15*mib + 77}, {Offset: 36 * mib, Length: mib}}
	of := PiecesOf(t.Context(), p.store, "a.tb")
	if _, err := of.Open(); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("before it is completed: %v", err)
	}
	putPieces(t, of, file, [2]int{4096, 4096 + 8*mib}, [2]int{4096 + 8*mib, 4096 + 18*mib}, // long
		[2]int{20 * mib, 21 * mib}, [2]int{21 * mib, 21*mib + 9}, [2]int{20*mib + 5, 24 * mib}, // one inside another
		[2]int{24 * mib, 35*mib + 77}, [2]int{36 * mib, 37 * mib}, [2]int{38 * mib, 39 * mib}) // the last one in no run
	got := make([]byte, 5*mib)
	if n, err := of.ReadAt(got, 20*mib); n != len(got) || err != nil || !bytes.Equal(got, file[20*mib:][:len(got)]) {
		t.Errorf("read %d bytes: %v", n, err)
	}
	if err := of.Complete(bytes.NewReader(file), runs, int64(len(file))); err != nil {
		t.Fatal(err)
	}
	files := p.files()
	if !bytes.Equal(files["a.tb"], file) || len(files) != 1 {
		t.Errorf("the file differs, or of %d objects one is left", len(files))
	}
	if s.copying.copied < 20*mib {
		t.Errorf("the server copied %d bytes", s.copying.copied)
	}
	in, err := of.Open()
	if err != nil {
		t.Fatal(err)
	}
	size, err := in.Size()
	n, err2 := in.ReadAt(got[:100], 20*mib)
	if size != int64(len(file)) || n != 100 || err != nil || err2 != nil || !bytes.Equal(got[:100], file[20*mib:][:100]) {
		t.Errorf("%d bytes: %v, %v", size, err, err2)
	}
}

// Where pieces are missing, or the server fails, the file stays as it was, and so do the pieces.
func TestPiecesFail(t *testing.T) {
	p, s := inServedBucket(t)
	file := random(12 << 20)
	of := PiecesOf(t.Context(), p.store, "a.tb")
	p.writeFile("a.tb", []byte("old"))
	putPieces(t, of, file, [2]int{0, 3 << 20}, [2]int{4 << 20, 10 << 20})
	whole := []format.Extent{{Length: 10 << 20}}
	if err := of.Complete(bytes.NewReader(file), whole, int64(len(file))); !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Errorf("with a gap: %v", err)
	}
	putPieces(t, of, file, [2]int{3 << 20, 4 << 20})
	for _, fails := range []func(r *http.Request) bool{
		func(r *http.Request) bool { return r.Header.Get("X-Amz-Copy-Source") != "" },
		func(r *http.Request) bool { return r.Method == http.MethodPut },
		func(r *http.Request) bool { return r.Method == http.MethodPost && r.URL.Query().Has("uploadId") },
	} {
		s.setFault(func(w http.ResponseWriter, r *http.Request) bool {
			if fails(r) {
				http.Error(w, "<Error><Code>AccessDenied</Code></Error>", http.StatusForbidden)
			}
			return fails(r)
		})
		err := of.Complete(bytes.NewReader(file), whole, int64(len(file)))
		if err == nil || !strings.Contains(err.Error(), "a.tb") || !strings.Contains(err.Error(), "check that the credentials are right") {
			t.Errorf("refused: %v", err)
		}
		if requests := s.requests(); requests[len(requests)-1] != http.MethodDelete {
			t.Errorf("the upload is not aborted: %v", requests)
		}
	}
	s.setFault(nil)
	if files := p.files(); string(files["a.tb"]) != "old" || len(files) != 4 {
		t.Errorf("%d objects; the file has %d bytes", len(files), len(files["a.tb"]))
	}
	if err := of.Truncate(3 << 20); err != nil {
		t.Fatal(err)
	}
	b := make([]byte, 2)
	if n, err := of.ReadAt(b, 3<<20-1); n != 1 || !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Errorf("cut off: %d bytes, %v", n, err)
	}
	if err := of.Complete(bytes.NewReader(file), whole[:0], int64(len(file))); err != nil || !bytes.Equal(p.files()["a.tb"], file) {
		t.Errorf("without pieces: %v", err)
	}
}

// Only a bucket has pieces.
func TestPiecesOfDirectory(t *testing.T) {
	if of := PiecesOf(t.Context(), inDirectory(t).store, "a.tb"); of != nil {
		t.Errorf("%v", of)
	}
	if !IsBucket("S3://a/b") || IsBucket("/s3") || IsBucket("http://a") {
		t.Error("what a bucket is")
	}
}

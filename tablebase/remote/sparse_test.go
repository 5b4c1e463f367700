//go:build !js

package remote_test

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"iter"
	"os"
	"path/filepath"
	"testing"

	"backsolve/game"
	"backsolve/tablebase"
	"backsolve/tablebase/remote"
	"backsolve/tablebase/sparse"
	"backsolve/tablebase/writer"
)

// writeSparse writes a table of 400,000 states, packed as well, and returns the directory.
func writeSparse(t *testing.T, steps int) string {
	t.Helper()
	dir := t.TempDir()
	path := filepath.Join(dir, "game.tb")
	err := sparse.Write(path, sparse.Header{Game: "game"}, 1, func(int) iter.Seq2[uint64, sparse.Value] {
		return func(yield func(uint64, sparse.Value) bool) {
			for i := uint64(0); i < 400000 && yield(i*i, sparse.Value{Outcome: game.Win, Steps: int(i) % steps}); i++ {
			}
		}
	})
	if err == nil {
		_, err = writer.Pack(context.Background(), path, false, nil)
	}
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

// A sparse table on a server is that of the file, and few requests answer for a position.
func TestSparse(t *testing.T) {
	dir := writeSparse(t, 7)
	site := serve(t, files(dir))
	for _, name := range []string{"game.tb", "game.tb.zst"} {
		site.traffic()
		table, err := remote.OpenSparse(t.Context(), site.URL+"/"+name)
		if err != nil {
			t.Fatal(err)
		}
		defer table.Close()
		if requests, bytes := site.traffic(); requests > 6 || bytes > 200<<10 {
			t.Errorf("%s: opening took %d requests, %d bytes", name, requests, bytes)
		}
		var refs []sparse.Ref
		for i := range uint64(8) {
			refs = append(refs, sparse.Ref{Key: (50000*i + 3) * (50000*i + 3)})
		}
		values := make([]sparse.Value, len(refs))
		if err := table.LookupAll(refs, values); err != nil {
			t.Fatal(err)
		}
		for i, v := range values {
			if want := (50000*i + 3) % 7; v.Steps != want {
				t.Errorf("%s: state %d is %v, want %d", name, i, v, want)
			}
		}
		if requests, bytes := site.traffic(); requests > 16 || bytes > 1<<20 {
			t.Errorf("%s: eight states took %d requests, %d bytes", name, requests, bytes)
		}
		if err := table.Verify(t.Context(), 2, nil); err != nil {
			t.Error(err)
		}
	}
	// Damage has the remedy of one on a server.
	path := filepath.Join(dir, "game.tb")
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	b[100] ^= 1
	if err := os.WriteFile(path, b, 0o644); err != nil {
		t.Fatal(err)
	}
	table, err := remote.OpenSparse(t.Context(), site.URL+"/game.tb")
	if err != nil {
		t.Fatal(err)
	}
	defer table.Close()
	var about *tablebase.Error
	if err := table.Verify(t.Context(), 2, nil); !errors.As(err, &about) || about.Err != tablebase.ErrDamaged || about.Remedy != "put the table on the server again" {
		t.Errorf("damaged: %v", err)
	}
	if _, err := remote.OpenSparse(t.Context(), site.URL+"/none.tb"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a file that is not there: %v", err)
	}
	if _, err := remote.Open(t.Context(), site.URL+"/game.tb"); !errors.Is(err, tablebase.ErrSparse) {
		t.Errorf("opened as the table of a board: %v", err)
	}
}

// A file that becomes another one on the server is never answered from.
func TestSparseChanges(t *testing.T) {
	dir := writeSparse(t, 7)
	site := serve(t, files(dir))
	table, err := remote.OpenSparse(t.Context(), site.URL+"/game.tb")
	if err != nil {
		t.Fatal(err)
	}
	defer table.Close()
	other, err := os.ReadFile(filepath.Join(writeSparse(t, 6), "game.tb"))
	if err == nil {
		err = os.WriteFile(filepath.Join(dir, "game.tb"), append(bytes.Clone(other), 0), 0o666)
	}
	if err != nil {
		t.Fatal(err)
	}
	if v, err := table.Lookup(0, 123456*123456); !errors.Is(err, remote.ErrChanged) {
		t.Errorf("%v, %v", v, err)
	}
}

package outofcore

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"testing"
	"testing/synctest"

	"backsolve/internal/bitslice"
)

// stop returns once the last slice is written and its memory freed, not before.
func TestStopWaitsForTheLastSlice(t *testing.T) {
	path := filepath.Join(t.TempDir(), "slices")
	synctest.Test(t, func(t *testing.T) {
		file, err := os.Create(path)
		if err != nil {
			t.Fatal(err)
		}
		defer file.Close()
		const slices, words = 3, 8
		w := &stageWriter{files: &Files{sliceBytes: 8 * words}, file: file, queue: make(chan finished, slices)}
		w.table.Sums = make([]uint32, slices)
		w.writers.Go(w.writeQueue)
		free := make(chan []uint64) // nobody takes anything yet
		var want []byte
		for block := range slices {
			slice := bytes.Repeat([]byte{byte(block + 1)}, 8*words)
			want = append(want, slice...)
			held := make([]uint64, words)
			copy(bitslice.Bytes(held), slice)
			w.write(block, bitslice.Bytes(held), func() { free <- held })
		}
		stopped := make(chan error, 1)
		go func() { stopped <- w.stop() }()
		for range slices {
			synctest.Wait()
			if len(stopped) > 0 {
				t.Fatal("it stopped with slices still to be written")
			}
			<-free
		}
		if err := <-stopped; err != nil {
			t.Error(err)
		}
		if got, err := os.ReadFile(path); err != nil || !bytes.Equal(got, want) {
			t.Errorf("the file has %x, want %x: %v", got, want, err)
		}
	})
}

// An abandoned stage leaves no file.
func TestAbandonClosesTheFile(t *testing.T) {
	dir := t.TempDir()
	file, err := os.Create(filepath.Join(dir, "slices"))
	if err != nil {
		t.Fatal(err)
	}
	w := &stageWriter{files: &Files{}, file: file, queue: make(chan finished)}
	w.writers.Go(w.writeQueue)
	w.abandon()
	if _, err := file.Write([]byte{0}); !errors.Is(err, os.ErrClosed) {
		t.Errorf("the file is still open: %v", err)
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
		t.Errorf("left are %v, %v", left, err)
	}
}

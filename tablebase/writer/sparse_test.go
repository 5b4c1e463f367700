package writer_test

import (
	"bytes"
	"context"
	"errors"
	"iter"
	"os"
	"path/filepath"
	"testing"

	"backsolve/game"
	"backsolve/tablebase"
	"backsolve/tablebase/sparse"
	"backsolve/tablebase/writer"
)

// A sparse table is packed and unpacked, byte for byte; a damaged one is not.
func TestPackSparse(t *testing.T) {
	path := filepath.Join(t.TempDir(), "game.tb")
	err := sparse.Write(path, sparse.Header{Game: "game"}, 2, func(tier int) iter.Seq2[uint64, sparse.Value] {
		return func(yield func(uint64, sparse.Value) bool) {
			for i := uint64(0); i < 200000 && yield(3*i, sparse.Value{Outcome: game.Lose, Steps: int(i) % 6}); i++ {
			}
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	content, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	last := tablebase.Event{}
	packed, err := writer.Pack(context.Background(), path, false, func(e tablebase.Event) { last = e })
	if err != nil || packed != path+".zst" || last.Stage != "checking" || last.Total != uint64(len(content)) {
		t.Fatalf("%s, %v, %v", packed, last, err)
	}
	if info, err := os.Stat(packed); err != nil || info.Size() > int64(len(content))*2/3 {
		t.Errorf("%v, %v", info, err)
	}
	if _, err := writer.Pack(context.Background(), path, false, nil); !errors.Is(err, tablebase.ErrExists) {
		t.Errorf("a second time: %v", err)
	}
	if _, err := writer.Pack(context.Background(), packed, false, nil); !errors.Is(err, tablebase.ErrInput) {
		t.Errorf("what is packed: %v", err)
	}
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	if _, err := writer.Unpack(context.Background(), packed, false, nil); err != nil {
		t.Fatal(err)
	}
	if again, err := os.ReadFile(path); err != nil || !bytes.Equal(again, content) {
		t.Errorf("other bytes, %v", err)
	}
	content[100000] ^= 4
	if err := errors.Join(os.WriteFile(path, content, 0o666), os.Remove(packed)); err != nil {
		t.Fatal(err)
	}
	if _, err := writer.Pack(context.Background(), path, false, nil); !errors.Is(err, tablebase.ErrDamaged) {
		t.Errorf("a damaged table: %v", err)
	}
	if entries, err := os.ReadDir(filepath.Dir(path)); err != nil || len(entries) != 1 {
		t.Errorf("%v is left, %v", entries, err)
	}
}

package cluster

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"backsolve/cluster/store"
	"backsolve/partition"
)

// countingStore counts the bytes of the solved blocks that are read.
type countingStore struct {
	store.Store
	place string
	read  atomic.Int64
}

func (s *countingStore) Get(ctx context.Context, name string) (*store.Reader, error) {
	if info, err := os.Stat(filepath.Join(s.place, name+".object")); err == nil && strings.Contains(name, "/class-") && !strings.Contains(name, "sealed/") {
		s.read.Add(info.Size())
	}
	return s.Store.Get(ctx, name)
}

// A coordinator whose workers write the table reads nothing of what they solve. One that writes it
// itself reads all.
func TestCoordinatorOfTableReadsNoObjects(t *testing.T) {
	t.Parallel()
	c := newTestCluster(t)
	c.startWorker(t, nil)
	c.startWorker(t, nil)
	for i, space := range []*partition.Space{newSpace(t, 5), newSpace(t, 5), namedSpace(t, "quixo", 3), namedSpace(t, "quixo", 3)} {
		writes := i%2 == 0
		counting := &countingStore{Store: c.store, place: c.place}
		o := c.options()
		o.Store, o.ShardBytes = counting, 4<<10
		if !writes {
			o.Store = closed{counting} // without files
		}
		path := filepath.Join(t.TempDir(), "table.tb")
		if err := coordinate(t.Context(), path, space, true, o); err != nil {
			t.Fatal(err)
		}
		table := bytesIn(t, path)
		if !bytes.Equal(table, localTable(t, space, true)) {
			t.Error("the table differs")
		}
		read := counting.read.Load()
		t.Logf("workers write %v: %v; the coordinator reads %d bytes for a table of %d", space.Board(), writes, read, len(table))
		if writes != (read == 0) || read > int64(len(table)) { // one pass
			t.Errorf("workers write %v: %v, and the coordinator reads %d bytes", space.Board(), writes, read)
		}
	}
}

// A coordinator that keeps no table reads only the blocks of the first moves, whatever the board.
// The second board has classes of many objects.
func TestCoordinatorReadsNoObjects(t *testing.T) {
	t.Parallel()
	for _, b := range []struct {
		n     int
		taken uint64
		most  int64 // bytes
	}{{5, 1 << 12, 20_000}, {6, 1 | 1<<5 | 1<<30 | 1<<35, 400_000}} {
		if testing.Short() && b.n > 5 {
			continue
		}
		c, space := newTestCluster(t), spaceAfter(t, b.n, b.taken)
		written := &atomic.Int64{}
		for range 2 {
			c.startWorker(t, func(o *WorkOptions) {
				o.Store = &hookedStore{c.store, func(ctx context.Context, name string, data ...[]byte) error {
					for _, piece := range data {
						written.Add(int64(len(piece)))
					}
					return c.store.Put(ctx, name, data...)
				}}
			})
		}
		counting := &countingStore{Store: c.store, place: c.place}
		o := c.options()
		o.Store, o.ShardBytes = counting, 4<<10
		c.wantStream(t, space, 700, false, o)
		t.Logf("notakto %d after %#x: the coordinator reads %d of %d bytes", b.n, b.taken, counting.read.Load(), written.Load())
		if read := counting.read.Load(); read > b.most {
			t.Errorf("notakto %d after %#x: the coordinator reads %d bytes, not at most %d", b.n, b.taken, read, b.most)
		}
	}
}

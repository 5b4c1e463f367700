package cluster

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"backsolve/cluster/store"
)

// countingStore counts the bytes of the solved blocks that are read.
type countingStore struct {
	store.Store
	place string
	read  atomic.Int64
}

func (s *countingStore) Get(ctx context.Context, name string) (*store.Reader, error) {
	if info, err := os.Stat(filepath.Join(s.place, name+".object")); err == nil && strings.Contains(name, "/class-") {
		s.read.Add(info.Size())
	}
	return s.Store.Get(ctx, name)
}

// A coordinator that keeps no table reads only the blocks of the first moves, whatever the board.
// The second board has classes of many parts.
func TestCoordinatorReadsNoParts(t *testing.T) {
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
		o.Store, o.GroupBytes = counting, 4<<10
		c.wantStream(t, space, 700, false, o)
		t.Logf("notakto %d after %#x: the coordinator reads %d of %d bytes", b.n, b.taken, counting.read.Load(), written.Load())
		if read := counting.read.Load(); read > b.most {
			t.Errorf("notakto %d after %#x: the coordinator reads %d bytes, not at most %d", b.n, b.taken, read, b.most)
		}
	}
}

package catalog

import (
	"errors"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"

	"backsolve/internal/probe"
	"backsolve/tablebase"
)

// While files come, go, change and break, whoever asks gets a right answer or an
// error that says what has happened, and in the end no table is left open but
// those that are there.
func TestSwap(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("Windows does not let files be replaced that are open")
	}
	dir := newDir(t)
	duplicate(t, dir, "notakto-3x3.tb", "spare")
	c, _ := open(t, dir)
	const position = "X../.../..."
	first := find(t, c, "notakto", 3, "")
	want, _, err := probe.AppendAsk(first.Answerer(), nil, position)
	first.Release()
	if err != nil {
		t.Fatal(err)
	}
	var stop atomic.Bool
	var answers atomic.Int64
	var seen sync.Map // of all tables that were ever found
	var group sync.WaitGroup
	for range 8 {
		group.Go(func() {
			var got []byte
			for !stop.Load() {
				h, err := c.Find("notakto", 3, "")
				if err == nil {
					seen.LoadOrStore(h.Table(), nil)
					got, _, err = probe.AppendAsk(h.Answerer(), got[:0], position)
					h.Release()
				}
				if err == nil && string(got) != string(want) {
					t.Errorf("%s\nwant %s", got, want)
				}
				if _, missing := errors.AsType[*probe.MissingError](err); err != nil && !missing && !errors.Is(err, tablebase.ErrTruncated) {
					t.Error(err)
				}
				answers.Add(1)
				runtime.Gosched()
			}
		})
	}
	r := rand.New(rand.NewPCG(4, 5))
	for range 200 {
		switch r.IntN(5) {
		case 0:
			remove(t, dir, "notakto-3x3.tb")
		case 1, 2:
			duplicate(t, dir, "spare", "new")
			move(t, dir, "new", "notakto-3x3.tb")
		case 3:
			duplicate(t, dir, "spare", "new")
			truncate(t, dir, "new", int64(1+r.IntN(5000)))
			move(t, dir, "new", "notakto-3x3.tb")
		case 4: // under those who ask
			os.Truncate(filepath.Join(dir, "notakto-3x3.tb"), r.Int64N(5000)) // if it is there
		}
		c.Scan()
		for before := answers.Load(); answers.Load() < before+4; {
			runtime.Gosched()
		}
	}
	stop.Store(true)
	group.Wait()
	now, _ := c.Find("notakto", 3, "")
	defer now.Release()
	for table := range seen.Range {
		_, err := table.(*probe.Table).Value(table.(*probe.Table).Start())
		if isOpen := table == now.Table(); errors.Is(err, tablebase.ErrClosed) == isOpen {
			t.Errorf("%s: %v", filepath.Base(table.(*probe.Table).Stored().Path()), err)
		}
	}
}

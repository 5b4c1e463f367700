package plan

import (
	"math"
	"runtime"
	"testing"

	"backsolve/bitboard"
	"backsolve/partition"
	"backsolve/partition/spacetest"
)

// A plan has the classes, blocks and states of the cut, without making it.
func TestPlanIsTheCut(t *testing.T) {
	for _, b := range []struct {
		game string
		n    int
	}{{"notakto", 1}, {"notakto", 5}, {"quixo", 2}, {"quixo", 4}} {
		_, space := spacetest.New(t, b.game, b.n)
		cut, err := partition.NewCut(space)
		if err != nil {
			t.Fatal(err)
		}
		p := New(space, Options{})
		if len(p.Classes) != space.MaskBits+1 {
			t.Errorf("%s %d: %d classes, want %d", b.game, b.n, len(p.Classes), space.MaskBits+1)
		}
		for i, c := range p.Classes {
			want := cut.Class(space.MaskBits - i)
			if c.Class != want.Class || c.Blocks != int64(len(want.Masks)) || c.States != uint64(len(want.Masks))<<uint(want.IndexBits) {
				t.Errorf("%s %d: planned %+v, the cut has %d blocks in class %d", b.game, b.n, c, len(want.Masks), want.Class)
			}
		}
		if !(p.Seconds() > 0) || math.IsInf(p.Seconds(), 0) {
			t.Errorf("%s %d: %v seconds", b.game, b.n, p.Seconds())
		}
		cut.Free()
	}
}

// The estimated length of a table is that of the file, but for the checksums and counts at
// its end.
func TestTableBytes(t *testing.T) {
	for _, b := range []struct {
		game  string
		n     int
		bytes int64 // of the file without steps
	}{{"notakto", 4, 118_264}, {"quixo", 3, 120_000}, {"quixo", 4, 1_641_452}, {"notakto", 6, 48_186_240}} {
		_, space := spacetest.New(t, b.game, b.n)
		got := New(space, Options{}).Table()
		if ratio := float64(got) / float64(b.bytes); ratio < 0.9 || ratio > 1.1 {
			t.Errorf("%s %d: %d bytes are estimated, the file has %d", b.game, b.n, got, b.bytes)
		}
		if with := New(space, Options{Steps: true}).Table(); with <= got {
			t.Errorf("%s %d: %d bytes with steps, %d without", b.game, b.n, with, got)
		}
	}
}

// The numbers of the engine hold every board of up to 28 cells: those of links and of listed states
// 32 bits, lengths in bytes 63.
func TestNumbersHoldTheLargestBoards(t *testing.T) {
	boards := 0
	for rows := 2; rows <= 12; rows++ {
		for cols := rows; cols <= 12 && rows*cols <= 28; cols++ {
			if rows*cols < 24 {
				continue
			}
			boards++
			for _, name := range []string{"quixo", "tictactoe"} {
				_, space := spacetest.New(t, name, int(bitboard.Sized(rows, cols, 0, 0)))
				for _, o := range []Options{{Threads: 128}, {Threads: 128, Steps: true}, {Threads: 2, Limit: 8 << 30}, {Threads: 128, Steps: true, Limit: 64 << 30}} {
					p := New(space, o)
					for _, c := range p.Classes {
						listed := ListedStates(c.Blocks, c.words())
						if links := c.Blocks * p.moves; links > math.MaxUint32 || listed > math.MaxUint32 || c.words() > math.MaxInt64/64/64 || c.Bytes < 0 {
							t.Errorf("%s %d×%d, class %d: %d links, %d listed states, %d words, %d bytes", name, rows, cols, c.Class, links, listed, c.words(), c.Bytes)
						}
					}
					w := p.ShardWork()
					for what, n := range map[string]int64{"memory": p.Memory(), "disk": p.Disk(), "written": w.Written + 1, "read": w.Read + 1} {
						if n <= 0 || n > 1<<50 {
							t.Errorf("%s %d×%d, %+v: %d bytes of %s", name, rows, cols, o, n, what)
						}
					}
					if most := p.reserved(&Class{Blocks: p.LongestPlane, IndexBits: 0}); most < 0 || most > 1<<40 {
						t.Errorf("%s %d×%d: %d bytes of a plane", name, rows, cols, most)
					}
				}
			}
		}
	}
	if boards < 6 {
		t.Errorf("only %d boards", boards)
	}
}

// Of a plan for another machine, more threads than there are here are as fast as those here.
func TestElsewhere(t *testing.T) {
	_, space := spacetest.New(t, "quixo", 4)
	here := New(space, Options{Threads: runtime.NumCPU()}).Seconds()
	there := New(space, Options{Threads: 64 * runtime.NumCPU(), Elsewhere: true}).Seconds()
	if ratio := here / there; math.Abs(ratio/64-1) > 1e-9 {
		t.Errorf("64 times as many threads are %v times as fast", ratio)
	}
}

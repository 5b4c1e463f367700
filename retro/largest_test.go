package retro

import (
	"bytes"
	"context"
	"fmt"
	"math/bits"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"backsolve/internal/memory"
	"backsolve/internal/parallel"
	"backsolve/partition"
	"backsolve/tablebase"
	"backsolve/tablebase/writer"
)

// The fullest classes of the largest boards are the same in memory, in shards, and with little memory.
func TestFullestClassesOfLargestBoards(t *testing.T) {
	if os.Getenv("BACKSOLVE_LONG") == "" || testing.Short() {
		t.Skip("takes minutes; set BACKSOLVE_LONG=1, without the race detector, to run it")
	}
	for _, c := range []struct {
		board  string
		downTo int
		steps  bool
	}{{"quixo:4x7", 27, false}, {"quixo:4x7", 27, true}, {"quixo:3x9", 26, false}, {"tictactoe:4x7,four", 27, false}} {
		t.Run(fmt.Sprintf("%s/steps=%v", strings.ReplaceAll(c.board, ":", "-"), c.steps), func(t *testing.T) {
			space := newVariant(t, c.board)
			o := Options{Threads: 2, DownTo: c.downTo, Steps: c.steps}
			path, _ := solve(t, space, o)
			want := contents(t, written(path, o))
			o.LogPath = filepath.Join(t.TempDir(), "log")
			path, r := solveBy(t, space, tuned{o, tuning{inShards: 3}})
			if !bytes.Equal(contents(t, written(path, o)), want) {
				t.Error("other bytes in shards")
			}
			if last := r.Classes[len(r.Classes)-1]; last.Shards != 3 || last.Turns <= 3 {
				t.Errorf("%d turns of %d shards", last.Turns, last.Shards)
			}
			if !memory.Releases || c.steps { // with steps of slices so long, shards take no less
				return
			}
			o.Memory = o.Plan(space).Memory() * 3 / 4
			path, r = solve(t, space, o)
			if last := r.Classes[len(r.Classes)-1]; last.Shards < 2 || !bytes.Equal(contents(t, written(path, o)), want) {
				t.Errorf("other bytes with %d bytes of memory, in %d shards", o.Memory, last.Shards)
			}
		})
	}
}

// The fullest class of Quixo 4×7 is what a slow solver finds that looks at each of the 2²⁸ full boards by
// itself, without blocks, symmetries or slices.
func TestFullestClassOfQuixo4x7(t *testing.T) {
	if os.Getenv("BACKSOLVE_LONG") == "" || testing.Short() {
		t.Skip("takes minutes; set BACKSOLVE_LONG=1, without the race detector, to run it")
	}
	space := newVariant(t, "quixo:4x7")
	w, err := writer.Create(filepath.Join(t.TempDir(), "table.tb"), shape(space, false), false)
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	if _, err := Solve(context.Background(), space, w, Options{DownTo: 28}); err != nil {
		t.Fatal(err)
	}
	var planes tablebase.Planes
	if err := w.LoadRun(0, 0, 1, &planes); err != nil {
		t.Fatal(err)
	}
	full := newFullBoards(4, 7)
	passes := full.solve()
	won, lost := 0, 0
	for i := range full.won {
		won, lost = won+bits.OnesCount64(full.won[i].Load()), lost+bits.OnesCount64(full.lost[i].Load())
	}
	t.Logf("%d passes, %d won, %d lost, %d drawn", passes, won, lost, 1<<28-won-lost)
	mask := uint64(1)<<28 - 1
	err = parallel.Each(1<<12, 2, func(next func() (int, bool)) error {
		for task, more := next(); more; task, more = next() {
			for index := task << 16; index < (task+1)<<16; index++ {
				board := uint32(space.Position(partition.State{Class: 28, Mask: mask, Index: uint32(index)}).O)
				word, bit := index>>6, index&63
				if planes.Win[word]>>bit&1 != full.won.has(board) || planes.Lose[word]>>bit&1 != full.lost.has(board) {
					t.Errorf("board %#x: won %d, lost %d in the table, %d and %d one by one", board,
						planes.Win[word]>>bit&1, planes.Lose[word]>>bit&1, full.won.has(board), full.lost.has(board))
					return nil
				}
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// fullBoards are the full boards of Quixo: a bit for each cell, row by row, is set where the player who
// waits has a stone.
type fullBoards struct {
	cells  int
	lines  []uint32
	slides []fullSlide
	won    boardSet
	lost   boardSet
}

// fullSlide takes the stone of a cell out, moves the stones of some cells by a number of places, and puts a
// stone of the mover at the end.
type fullSlide struct {
	from, moved, to uint32
	by              int // places to lower bits, if negative to higher ones
}

type boardSet []atomic.Uint64

func (s boardSet) has(board uint32) uint64 { return s[board>>6].Load() >> (board & 63) & 1 }

func newFullBoards(rows, cols int) *fullBoards {
	f := &fullBoards{cells: rows * cols}
	f.won, f.lost = make(boardSet, 1<<f.cells>>6), make(boardSet, 1<<f.cells>>6)
	// along adds a line of n cells and its slides, from both ends, where they begin on the border.
	along := func(first, stride, n int, onBorder func(i int) bool) {
		line := uint32(0)
		for i := range n {
			line |= 1 << (first + i*stride)
		}
		f.lines = append(f.lines, line)
		for i := range n {
			if !onBorder(i) {
				continue
			}
			from, above := uint32(1)<<(first+i*stride), line>>(first+i*stride+1)<<(first+i*stride+1)
			below := line &^ above &^ from
			if above != 0 { // those above come down, and the stone goes to the upper end
				f.slides = append(f.slides, fullSlide{from, above, 1 << (first + (n-1)*stride), stride})
			}
			if below != 0 {
				f.slides = append(f.slides, fullSlide{from, below, 1 << first, -stride})
			}
		}
	}
	for r := range rows {
		along(r*cols, 1, cols, func(i int) bool { return r == 0 || r == rows-1 || i == 0 || i == cols-1 })
	}
	for c := range cols {
		along(c, cols, rows, func(i int) bool { return c == 0 || c == cols-1 || i == 0 || i == rows-1 })
	}
	return f
}

// over returns whether a board is over, and won by the player to move: with a line of theirs, whatever
// lines the other player has.
func (f *fullBoards) over(waiting uint32) (over, won bool) {
	for _, line := range f.lines {
		if waiting&line == 0 {
			return true, true
		}
		over = over || waiting&line == line
	}
	return over, false
}

// solve finds the won and lost boards, and returns how many passes that took.
func (f *fullBoards) solve() (passes int) {
	for changed := true; changed; passes++ {
		var any atomic.Bool
		_ = parallel.Each(len(f.won)>>10, 2, func(next func() (int, bool)) error {
			for task, more := next(); more; task, more = next() {
				for word := task << 10; word < (task+1)<<10; word++ {
					for rest := ^(f.won[word].Load() | f.lost[word].Load()); rest != 0; rest &= rest - 1 {
						bit := bits.TrailingZeros64(rest)
						if won, lost := f.value(uint32(word<<6|bit), passes == 0); won {
							f.won[word].Or(1 << bit)
							any.Store(true)
						} else if lost {
							f.lost[word].Or(1 << bit)
							any.Store(true)
						}
					}
				}
			}
			return nil
		})
		changed = any.Load()
	}
	return passes
}

// value returns whether a board is won or lost, as far as is known of its children.
func (f *fullBoards) value(waiting uint32, first bool) (won, lost bool) {
	if first {
		if over, won := f.over(waiting); over {
			return won, !won
		}
	}
	all := uint32(1)<<f.cells - 1
	mover := all &^ waiting
	lost = true
	for _, s := range f.slides {
		if mover&s.from == 0 {
			continue
		}
		moved := mover & s.moved
		if s.by > 0 {
			moved >>= s.by
		} else {
			moved <<= -s.by
		}
		child := mover&^(s.moved|s.from) | moved | s.to
		if f.lost.has(child) == 1 {
			return true, false
		}
		lost = lost && f.won.has(child) == 1
	}
	return false, lost
}

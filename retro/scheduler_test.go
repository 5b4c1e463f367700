package retro

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"backsolve/tablebase/format"
	"backsolve/tablebase/writer"
)

// blockWorkers is a scheduler of block workers that solve ranges of any length in any order. They
// exchange blocks.
type blockWorkers struct {
	t       *testing.T
	random  *rand.Rand
	workers []*BlockWorker
	most    int // blocks of a part
	above   []*SolvedBlocks
}

func (h *blockWorkers) Solve(_ context.Context, c *SharedClass) error {
	for _, p := range h.above {
		again, err := c.AboveBlocks(p.First, p.Blocks())
		if err != nil {
			return err
		}
		if !reflect.DeepEqual(p, again) {
			h.t.Errorf("class %d, block %d: the table has another part: got %+v\nwant %+v", p.Class, p.First, again, p)
		}
	}
	var parts []*SolvedBlocks
	counts := new(StateCounts)
	for _, run := range h.runs(len(c.job.class.Masks)) {
		worker := h.workers[h.random.IntN(len(h.workers))]
		p, sum, err := h.solve(worker, c.Class(), run[0], run[1])
		if err == nil {
			err = h.recount(p, sum)
		}
		if err != nil {
			return err
		}
		parts = append(parts, p)
		counts.Add(sum)
		c.Progress(h.random.IntN(len(c.job.class.Masks)))
	}
	h.above = parts
	return h.write(c, counts)
}

// write writes what is solved into the table.
func (h *blockWorkers) write(c *SharedClass, counts *StateCounts) error {
	counts.Trim()
	parts, file, err := c.Layout(max(len(counts.StepsWins), len(counts.StepsLosses)))
	if err != nil {
		return err
	}
	f, err := os.OpenFile(file, os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	defer f.Close()
	slices.SortFunc(h.above, func(a, b *SolvedBlocks) int { return a.First - b.First })
	var words []int64
	pieces := make([][]uint32, len(parts))
	for _, p := range h.above {
		digits := p.Digits
		if len(digits) == 0 && parts[format.Steps].Columns > 0 {
			digits = [][]uint64{make([]uint64, len(p.Win))}
		}
		for i, columns := range [][][]uint64{{p.Win}, digits} {
			sums, err := parts[i].WriteStretch(f, int64(p.First)*int64(p.Words), columns)
			if err != nil {
				return err
			}
			pieces[i] = append(pieces[i], sums...)
		}
		words = append(words, int64(len(p.Win)))
	}
	if err := c.Written(counts, words[1:], pieces); err == nil {
		h.t.Errorf("class %d: the checksums of one run less are taken", c.Class())
	}
	c.job.level.sums = nil
	return c.Written(counts, words, pieces)
}

// recount checks that another worker counts the same, and finds a flipped bit in any plane.
func (h *blockWorkers) recount(p *SolvedBlocks, counts *StateCounts) error {
	worker := h.workers[h.random.IntN(len(h.workers))]
	if again, err := worker.Count(p); err != nil || !again.Equal(counts) {
		return fmt.Errorf("class %d is counted otherwise: %v", p.Class, err)
	}
	wrong := copied(p)
	planes := append(wrong.Digits, wrong.Win)
	plane := planes[h.random.IntN(len(planes))]
	plane[h.random.IntN(len(plane))] ^= 1 << h.random.IntN(min(64, 1<<worker.cut.Class(p.Class).IndexBits))
	if again, err := worker.Count(wrong); err != nil || again.Equal(counts) {
		return fmt.Errorf("class %d: a flipped bit is not found: %v", p.Class, err)
	}
	return nil
}

// runs cuts blocks into runs, first block and length, in random order.
func (h *blockWorkers) runs(blocks int) (all [][2]int) {
	for first := 0; first < blocks; {
		n := min(1+h.random.IntN(h.most), blocks-first)
		all = append(all, [2]int{first, n})
		first += n
	}
	h.random.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
	return all
}

// solve has a block worker solve blocks, and copies them.
func (h *blockWorkers) solve(worker *BlockWorker, class, first, blocks int) (*SolvedBlocks, *StateCounts, error) {
	if worker.Class() != class {
		if err := worker.Begin(class); err != nil {
			return nil, nil, err
		}
	}
	needs, err := worker.Needs(first, blocks)
	if err != nil {
		return nil, nil, err
	}
	if len(needs) > 0 {
		if _, _, err := worker.Solve(first, blocks); err == nil || !strings.Contains(err.Error(), "are missing") {
			h.t.Errorf("class %d is solved without the class above: %v", class, err)
		}
	}
	for _, p := range h.above {
		if slices.ContainsFunc(needs, func(block int) bool { return block >= p.First && block < p.First+p.Blocks() }) {
			if err := worker.Take(p); err != nil {
				return nil, nil, err
			}
		}
	}
	for range h.random.IntN(2) { // as it is when a message has got lost
		if _, _, err := worker.Solve(first, blocks); err != nil {
			return nil, nil, err
		}
	}
	p, counts, err := worker.Solve(first, blocks)
	if err != nil {
		return nil, nil, err
	}
	return copied(p), counts, nil
}

// copied returns a copy of solved blocks.
func copied(p *SolvedBlocks) *SolvedBlocks {
	made := *p
	made.Win, made.Digits = slices.Clone(p.Win), nil
	for _, plane := range p.Digits {
		made.Digits = append(made.Digits, slices.Clone(plane))
	}
	return &made
}

// The bytes of a table do not depend on who solves its blocks.
func TestBlockWorkersSolveWhatThreadsDo(t *testing.T) {
	for _, n := range []int{1, 2, 3, 4, 5} {
		if n == 5 && testing.Short() {
			t.Skip("takes long under the race detector")
		}
		for _, o := range []Options{{}, {Steps: true}, {Nimbers: true}} {
			_, space := newSpace(t, "notakto", n)
			table := func(o Options) []byte {
				path := filepath.Join(t.TempDir(), "table.tb")
				s := shape(space, o.Steps)
				s.Nimbers = o.Nimbers
				w, err := writer.Create(path, s, false)
				if err != nil {
					t.Fatal(err)
				}
				defer w.Close()
				if _, err := Solve(t.Context(), space, w, o); err != nil {
					t.Fatal(err)
				}
				return contents(t, path)
			}
			want := table(o)
			for seed := range uint64(3) {
				scheduler := &blockWorkers{t: t, random: rand.New(rand.NewPCG(seed, uint64(n))), most: 1 + int(seed)*4}
				for i := range 1 + seed {
					limited := o
					limited.Threads = int(i) + 1
					if i%2 == 0 { // the others have memory to keep what they solve
						limited.Memory = Options{Steps: o.Steps, Nimbers: o.Nimbers, Threads: int(i) + 1}.Plan(space).WorkerMemory(1 << 20)
					}
					worker, err := NewBlockWorker(t.Context(), space, limited)
					if err != nil {
						t.Fatal(err)
					}
					defer worker.Close()
					scheduler.workers = append(scheduler.workers, worker)
				}
				shared := o
				shared.Scheduler = scheduler.Solve
				if got := table(shared); !bytes.Equal(got, want) {
					t.Errorf("notakto %d, %+v: %d workers made another table", n, o, len(scheduler.workers))
				}
			}
		}
	}
}

// A block worker keeps the blocks it has solved where memory suffices, and otherwise drops them.
func TestBlockWorkerKeepsWhatItSolves(t *testing.T) {
	_, space := newSpace(t, "notakto", 4)
	o := Options{Steps: true, Threads: 1}
	for _, limit := range []int64{0, o.Plan(space).WorkerMemory(1 << 10)} {
		o.Memory = limit
		worker, err := NewBlockWorker(t.Context(), space, o)
		if err != nil {
			t.Fatal(err)
		}
		defer worker.Close()
		var above []*SolvedBlocks
		asked := 0
		for class := space.MaskBits; class >= 0; class-- {
			if err := worker.Begin(class); err != nil {
				t.Fatal(err)
			}
			needs, err := worker.Needs(0, worker.Len(class))
			if err != nil {
				t.Fatal(err)
			}
			if asked += len(needs); len(needs) > 0 {
				for _, p := range above {
					if err := worker.Take(p); err != nil {
						t.Fatal(err)
					}
				}
			}
			p, _, err := worker.Solve(0, worker.Len(class))
			if err != nil {
				t.Fatal(err)
			}
			above = []*SolvedBlocks{copied(p)}
		}
		if kept := asked == 0; kept != (limit == 0) {
			t.Errorf("with a limit of %d it needs %d blocks that it has solved itself", limit, asked)
		}
	}
}

// meddler is a faulty scheduler.
type meddler func(c *SharedClass, counts *StateCounts) error

func (m meddler) Solve(_ context.Context, c *SharedClass) error {
	counts := new(StateCounts)
	counts.Reset(c.job.class.IndexBits, 0)
	_, _, err := c.Layout(0)
	return errors.Join(err, m(c, counts))
}

// Classes that are not solved, or with impossible counts or checksums, are errors.
func TestSchedulerIsChecked(t *testing.T) {
	_, space := newSpace(t, "notakto", 4)
	for says, do := range map[string]meddler{
		"is not solved":         func(*SharedClass, *StateCounts) error { return nil },
		"are inconsistent":      func(c *SharedClass, n *StateCounts) error { n.Wins[0] = 1 << 40; return c.Written(n, nil, nil) },
		"there are no blocks 0": func(c *SharedClass, _ *StateCounts) error { _, err := c.AboveBlocks(0, 1); return err },
		"the scheduler gave up": func(*SharedClass, *StateCounts) error { return errors.New("the scheduler gave up") },
	} {
		w, err := writer.Create(filepath.Join(t.TempDir(), "table.tb"), shape(space, false), false)
		if err != nil {
			t.Fatal(err)
		}
		_, err = Solve(t.Context(), space, w, Options{Scheduler: do.Solve})
		if err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%q: %v", says, err)
		}
		w.Close()
	}
}

// Blocks that do not fit their class are neither taken nor counted.
func TestBlocksAreChecked(t *testing.T) {
	_, space := newSpace(t, "notakto", 4)
	worker, err := NewBlockWorker(t.Context(), space, Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer worker.Close()
	const class = 8
	if err := worker.Begin(class - 1); err != nil {
		t.Fatal(err)
	}
	words, blocks := worker.cut.Class(class).Words(), worker.Len(class)
	for says, change := range map[string]func(p *SolvedBlocks){
		"does not fit class 8":     func(p *SolvedBlocks) { p.Words++ },
		"class 8 has no":           func(p *SolvedBlocks) { p.Win = append(p.Win, p.Win...) },
		"this solve does not have": func(p *SolvedBlocks) { p.Digits = [][]uint64{p.Win} },
	} {
		p := &SolvedBlocks{Class: class, Words: words, Win: make([]uint64, blocks*words)}
		change(p)
		_, counted := worker.Count(p)
		for _, err := range []error{worker.Take(p), counted} {
			if err == nil || !strings.Contains(err.Error(), says) {
				t.Errorf("%q: %v", says, err)
			}
		}
		if !errors.Is(counted, ErrMiscounted) {
			t.Errorf("it is counted: %v", counted)
		}
	}
}

// A block worker keeps its memory limit, and refuses spaces without fixed slices.
func TestBlockWorkerIsRefused(t *testing.T) {
	_, quixo := newSpace(t, "quixo", 3)
	if _, err := NewBlockWorker(t.Context(), quixo, Options{}); err == nil || !strings.Contains(err.Error(), "the blocks of quixo cannot be solved one by one") {
		t.Errorf("quixo: %v", err)
	}
	_, space := newSpace(t, "notakto", 5)
	if _, err := NewBlockWorker(t.Context(), space, Options{Memory: 1 << 20}); err == nil || !strings.Contains(err.Error(), "memory limit of 1.0 MiB is too small") {
		t.Errorf("1 MiB: %v", err)
	}
	worker, err := NewBlockWorker(t.Context(), space, Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer worker.Close()
	if err := worker.Begin(9); err == nil {
		t.Error("a class that is not there is begun")
	}
	if _, _, err := worker.Solve(0, 1); err == nil {
		t.Error("blocks of no class are solved")
	}
	if err := worker.Begin(8); err != nil {
		t.Fatal(err)
	}
	for _, run := range [][2]int{{-1, 1}, {0, 0}, {0, 2}, {1, 1}} {
		if _, _, err := worker.Solve(run[0], run[1]); err == nil {
			t.Errorf("%d blocks from %d on are solved", run[1], run[0])
		}
	}
	if err := worker.Take(&SolvedBlocks{Class: 9, Words: 1, Win: make([]uint64, 1)}); err == nil {
		t.Error("a class above the fullest is delivered")
	}
}

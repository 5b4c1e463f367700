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

	"backsolve/tablebase"
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
	table   string // its partial file, to which the workers write, "" for none
}

func (h *blockWorkers) Solve(_ context.Context, b *Blocks) error {
	for _, p := range h.above {
		again, err := b.Above(p.First, p.Blocks())
		if err != nil {
			return err
		}
		if !reflect.DeepEqual(p, again) {
			h.t.Errorf("class %d, block %d: what the solve has is another part: got %+v\nwant %+v", p.Class, p.First, again, p)
		}
	}
	var parts []*SolvedBlocks
	for _, run := range h.runs(b.Len()) {
		worker := h.workers[h.random.IntN(len(h.workers))]
		p, err := h.solve(worker, b.Class(), run[0], run[1])
		if err != nil {
			return err
		}
		parts = append(parts, p)
	}
	if h.table != "" {
		h.above = parts
		return h.write(b)
	}
	for _, p := range parts {
		if err := b.Take(p); err != nil {
			return err
		}
		if h.random.IntN(8) == 0 { // as where somebody finds that it was made wrong
			if err := errors.Join(h.miscounts(b, p), b.Count(p), b.Drop(p.First, p.Blocks(), &p.Counts), b.Take(p)); err != nil {
				return err
			}
		}
	}
	h.above = parts
	return nil
}

// write writes what is solved into the table.
func (h *blockWorkers) write(b *Blocks) error {
	for _, p := range h.above {
		if err := errors.Join(b.Accept(p.First, p.Blocks(), &p.Counts), b.Drop(p.First, p.Blocks(), &p.Counts), b.Accept(p.First, p.Blocks(), &p.Counts)); err != nil {
			return err
		}
	}
	parts, err := b.Layout()
	if err != nil {
		return err
	}
	f, err := os.OpenFile(h.table, os.O_WRONLY, 0)
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
	if err := b.Written(words[1:], pieces); err == nil {
		h.t.Errorf("class %d: the checksums of one run less are taken", b.Class())
	}
	return b.Written(words, pieces)
}

// miscounts checks that a flipped bit in any plane is found.
func (h *blockWorkers) miscounts(b *Blocks, p *SolvedBlocks) error {
	wrong := copied(p)
	planes := append(wrong.Digits, wrong.Win)
	plane := planes[h.random.IntN(len(planes))]
	plane[h.random.IntN(len(plane))] ^= 1 << h.random.IntN(min(64, 1<<b.job.class.IndexBits))
	if err := b.Count(wrong); !errors.Is(err, ErrMiscounted) {
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
func (h *blockWorkers) solve(worker *BlockWorker, class, first, blocks int) (*SolvedBlocks, error) {
	if worker.Class() != class {
		if err := worker.Begin(class); err != nil {
			return nil, err
		}
	}
	needs, err := worker.Needs(first, blocks)
	if err != nil {
		return nil, err
	}
	if len(needs) > 0 {
		if _, err := worker.Solve(first, blocks); err == nil || !strings.Contains(err.Error(), "are missing") {
			h.t.Errorf("class %d is solved without the class above: %v", class, err)
		}
	}
	for _, p := range h.above {
		if slices.ContainsFunc(needs, func(block int) bool { return block >= p.First && block < p.First+p.Blocks() }) {
			if err := worker.Take(p); err != nil {
				return nil, err
			}
		}
	}
	for range h.random.IntN(2) { // as it is when a message has got lost
		if _, err := worker.Solve(first, blocks); err != nil {
			return nil, err
		}
	}
	p, err := worker.Solve(first, blocks)
	if err != nil {
		return nil, err
	}
	return copied(p), nil
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
				if o.WrittenElsewhere {
					o.Scheduler.(*blockWorkers).table = path + tablebase.PartialSuffix
				}
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
				shared.Scheduler, shared.WrittenElsewhere = scheduler, seed == 1
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
			p, err := worker.Solve(0, worker.Len(class))
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
type meddler struct {
	do func(b *Blocks, whole *SolvedBlocks) error
}

func (m meddler) Solve(ctx context.Context, b *Blocks) error {
	whole := &SolvedBlocks{Class: b.Class(), Words: b.job.level.words, Win: make([]uint64, b.Len()*b.job.level.words)}
	whole.Counts.Reset(b.job.class.IndexBits, 0)
	whole.Counts.Trim()
	return m.do(b, whole)
}

// Blocks that do not fit the class, come twice or are missing are errors.
func TestSchedulerIsChecked(t *testing.T) {
	_, space := newSpace(t, "notakto", 4)
	for says, do := range map[string]func(b *Blocks, whole *SolvedBlocks) error{
		"are not solved":           func(*Blocks, *SolvedBlocks) error { return nil },
		"1 blocks of class 6":      func(b *Blocks, _ *SolvedBlocks) error { return b.Solve(0, max(1, b.Len()-1)) },
		"is solved twice":          func(b *Blocks, p *SolvedBlocks) error { return errors.Join(b.Solve(0, b.Len()), b.Take(p)) },
		"has no blocks":            func(b *Blocks, p *SolvedBlocks) error { return b.Solve(0, b.Len()+1) },
		"does not fit class 8":     func(b *Blocks, p *SolvedBlocks) error { p.Class = 7; return b.Take(p) },
		"has no 2 blocks":          func(b *Blocks, p *SolvedBlocks) error { p.Win = append(p.Win, p.Win...); return b.Take(p) },
		"this solve does not have": func(b *Blocks, p *SolvedBlocks) error { p.Digits = append(p.Digits, p.Win); return b.Take(p) },
		"counts 3 weights":         func(b *Blocks, p *SolvedBlocks) error { p.Counts.Wins = p.Counts.Wins[:3]; return b.Take(p) },
		"counts numbers of 2":      func(b *Blocks, p *SolvedBlocks) error { p.Counts.StepsWins = []uint64{0, 0, 1}; return b.Take(p) },
		"are inconsistent":         func(b *Blocks, p *SolvedBlocks) error { p.Counts.Wins[0] = 1 << 40; return b.Take(p) },
		"there are no blocks 0":    func(b *Blocks, p *SolvedBlocks) error { _, err := b.Above(0, 1); return err },
		"the scheduler gave up":    func(*Blocks, *SolvedBlocks) error { return errors.New("the scheduler gave up") },
	} {
		w, err := writer.Create(filepath.Join(t.TempDir(), "table.tb"), shape(space, false), false)
		if err != nil {
			t.Fatal(err)
		}
		_, err = Solve(t.Context(), space, w, Options{Scheduler: meddler{do: do}})
		if err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%q: %v", says, err)
		}
		w.Close()
	}
}

// A block worker keeps its memory limit. Block workers, and schedulers of blocks alone, refuse spaces without fixed
// slices.
func TestBlockWorkerIsRefused(t *testing.T) {
	_, quixo := newSpace(t, "quixo", 3)
	if _, err := NewBlockWorker(t.Context(), quixo, Options{}); err == nil || !strings.Contains(err.Error(), "the blocks of quixo cannot be solved one by one") {
		t.Errorf("quixo: %v", err)
	}
	if _, err := Solve(t.Context(), quixo, nil, Options{Scheduler: threads{}}); err == nil || !strings.Contains(err.Error(), "this scheduler cannot distribute them") {
		t.Errorf("quixo by a scheduler: %v", err)
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
	if _, err := worker.Solve(0, 1); err == nil {
		t.Error("blocks of no class are solved")
	}
	if err := worker.Begin(8); err != nil {
		t.Fatal(err)
	}
	for _, run := range [][2]int{{-1, 1}, {0, 0}, {0, 2}, {1, 1}} {
		if _, err := worker.Solve(run[0], run[1]); err == nil {
			t.Errorf("%d blocks from %d on are solved", run[1], run[0])
		}
	}
	if err := worker.Take(&SolvedBlocks{Class: 9, Words: 1, Win: make([]uint64, 1)}); err == nil {
		t.Error("a class above the fullest is delivered")
	}
}

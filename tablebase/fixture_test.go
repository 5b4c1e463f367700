package tablebase

import (
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"backsolve/game"
)

// sealed is a class with all that Seal takes.
type sealed struct {
	class  Class
	planes Planes
	counts Counts
}

// randomClass makes a class of the shape with random outcomes and steps.
func randomClass(r *rand.Rand, s Shape, class, indexBits, blocks, digits int) sealed {
	c := Class{Class: class, IndexBits: indexBits}
	apart := uint64(1) << min(s.Size*s.Size, 40) / uint64(blocks)
	for mask := uint64(0); len(c.Masks) < blocks; {
		mask += 1 + r.Uint64N(apart-1)
		c.Masks = append(c.Masks, mask)
	}
	n := blocks * c.Words()
	valid := ^uint64(0)
	if indexBits < 6 {
		valid = 1<<(1<<indexBits) - 1
	}
	p := Planes{Win: make([]uint64, n)}
	if s.Planes == 2 {
		p.Lose = make([]uint64, n)
	}
	for range digits {
		p.Steps = append(p.Steps, make([]uint64, n))
	}
	for w := range n {
		p.Win[w] = r.Uint64() & valid
		decided := valid
		if s.Planes == 2 {
			p.Lose[w] = r.Uint64() & valid &^ p.Win[w]
			decided = p.Win[w] | p.Lose[w]
		}
		for d := range digits {
			p.Steps[d][w] = r.Uint64() & decided
		}
	}
	return sealed{c, p, randomCounts(r, s, indexBits, blocks, digits)}
}

// randomCounts makes counts that add up, of blocks that stand for more masks than
// they are. They are not those of any planes.
func randomCounts(r *rand.Rand, s Shape, indexBits, blocks, digits int) Counts {
	n := Counts{ByWeight: make([]OutcomeCounts, indexBits+1)}
	masks, binomial := uint64(blocks)+r.Uint64N(1<<40), uint64(1)
	var sum OutcomeCounts
	for i := range n.ByWeight {
		t := &n.ByWeight[i]
		rest := masks * binomial
		t.Wins = r.Uint64N(rest + 1)
		t.Losses = rest - t.Wins
		if s.Planes == 2 {
			t.Draws = r.Uint64N(t.Losses + 1)
			t.Losses -= t.Draws
		}
		t.TerminalWins, t.TerminalLosses = r.Uint64N(t.Wins+1), r.Uint64N(t.Losses+1)
		if digits == 0 && s.Steps { // all ends in 0 steps
			t.TerminalWins, t.TerminalLosses = t.Wins, t.Losses
		}
		sum.add(*t)
		binomial = binomial * uint64(indexBits-i) / uint64(i+1)
	}
	if !s.Steps {
		return n
	}
	n.BySteps = make([]StepCounts, 1+min(digits, 1)+r.IntN(1<<digits)/2)
	n.BySteps[0] = StepCounts{sum.TerminalWins, sum.TerminalLosses}
	if digits > 0 {
		n.BySteps[len(n.BySteps)-1] = StepCounts{sum.Wins - sum.TerminalWins, sum.Losses - sum.TerminalLosses}
	}
	return n
}

// entry is what a table must say of a state.
func (s sealed) entry(shape Shape, block int, index uint64) Entry {
	w, bit := block*s.class.Words()+int(index/64), index%64
	has := func(plane []uint64) bool { return plane[w]>>bit&1 == 1 }
	e := Entry{game.Draw, -1, -1}
	switch {
	case has(s.planes.Win):
		e.Outcome = game.Win
	case shape.Planes == 1 || has(s.planes.Lose):
		e.Outcome = game.Lose
	}
	number := 0
	for d, plane := range s.planes.Steps {
		if has(plane) {
			number += 1 << d
		}
	}
	switch {
	case shape.Steps && e.Outcome != game.Draw:
		e.Steps = number
	case shape.Nimbers && (number > 0 || e.Outcome == game.Lose):
		e.Nimber = number
	}
	return e
}

// sampled calls f for every state of a class, or where it has more than n for n
// random ones.
func (s sealed) sampled(r *rand.Rand, n uint64, f func(block int, index uint64)) {
	states := uint64(s.class.Blocks()) << s.class.IndexBits
	for i := range min(states, n) {
		if states > n {
			i = r.Uint64N(states)
		}
		f(int(i>>s.class.IndexBits), i&(1<<s.class.IndexBits-1))
	}
}

var quixoShape = Shape{Game: "quixo", Size: 4, Planes: 2, Steps: true}
var notaktoShape = Shape{Game: "notakto", Size: 6, Planes: 1}

// digits returns how many digits a class has that is to have n, where states have numbers.
func (s Shape) digits(n int) int {
	if s.numbered() {
		return n
	}
	return 0
}

// smallTable returns the classes of a table that is small and has in it what
// can be odd: slices shorter than a word, no digits, one block, many.
func smallTable(s Shape) []sealed {
	r := rand.New(rand.NewPCG(1, uint64(s.Planes)))
	digits := s.digits
	return []sealed{
		randomClass(r, s, 9, 9, 1, digits(3)),
		randomClass(r, s, 8, 7, 5, digits(5)),
		randomClass(r, s, 5, 5, 7, digits(1)),
		randomClass(r, s, 0, 0, 1, 0),
	}
}

// write makes a table of the classes and returns its path.
func write(t testing.TB, s Shape, classes []sealed) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "small.tb")
	writeAt(t, path, s, classes, false)
	return path
}

// writeAt goes on with the table at path until it is finished.
func writeAt(t testing.TB, path string, s Shape, classes []sealed, overwrite bool) Summary {
	t.Helper()
	w, err := Create(path, s, overwrite)
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	for _, c := range classes[len(w.Sealed()):] {
		if err := w.seal(c.class, c.planes, c.counts); err != nil {
			t.Fatal(err)
		}
	}
	summary, err := w.Finish()
	if err != nil {
		t.Fatal(err)
	}
	return summary
}

// open opens a table for the length of the test.
func open(t testing.TB, path string) *Table {
	t.Helper()
	table, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { table.Close() })
	return table
}

// read returns a file's bytes.
func read(t testing.TB, path string) []byte {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// samePlanes compares planes. reflect.DeepEqual would take seconds for large ones.
func samePlanes(a, b Planes) bool {
	return slices.Equal(a.Win, b.Win) && slices.Equal(a.Lose, b.Lose) &&
		slices.EqualFunc(a.Steps, b.Steps, func(x, y []uint64) bool { return slices.Equal(x, y) })
}

package tabletest

import (
	"context"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"testing"

	"backsolve/internal/bitslice"
	"backsolve/tablebase"
	"backsolve/tablebase/reader"
	"backsolve/tablebase/writer"
)

// Sealed is a class with all that Seal takes.
type Sealed struct {
	Class  tablebase.Class
	Planes tablebase.Planes
	Counts tablebase.Counts
}

// RandomClass makes a class of the shape with random outcomes and steps.
func RandomClass(r *rand.Rand, s tablebase.Shape, class, indexBits, blocks, digits int) Sealed {
	c := tablebase.Class{Class: class, IndexBits: indexBits}
	apart := uint64(1) << min(s.Size*s.Size, 40) / uint64(blocks)
	for mask := uint64(0); len(c.Masks) < blocks; {
		mask += 1 + r.Uint64N(apart-1)
		c.Masks = append(c.Masks, mask)
	}
	n := blocks * bitslice.Words(indexBits)
	valid := bitslice.Valid(indexBits)
	p := tablebase.Planes{Win: make([]uint64, n)}
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
	return Sealed{c, p, RandomCounts(r, s, indexBits, blocks, digits)}
}

// RandomCounts makes counts that add up, of blocks that stand for more masks than
// they are. They are not those of any planes.
func RandomCounts(r *rand.Rand, s tablebase.Shape, indexBits, blocks, digits int) tablebase.Counts {
	n := tablebase.Counts{ByWeight: make([]tablebase.OutcomeCounts, indexBits+1)}
	masks, binomial := uint64(blocks)+r.Uint64N(1<<40), uint64(1)
	var sum tablebase.OutcomeCounts
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
		sum.Wins, sum.TerminalWins = sum.Wins+t.Wins, sum.TerminalWins+t.TerminalWins
		sum.Losses, sum.TerminalLosses = sum.Losses+t.Losses, sum.TerminalLosses+t.TerminalLosses
		binomial = binomial * uint64(indexBits-i) / uint64(i+1)
	}
	if !s.Steps {
		return n
	}
	n.BySteps = make([]tablebase.StepCounts, 1+min(digits, 1)+r.IntN(1<<digits)/2)
	n.BySteps[0] = tablebase.StepCounts{Wins: sum.TerminalWins, Losses: sum.TerminalLosses}
	if digits > 0 {
		n.BySteps[len(n.BySteps)-1] = tablebase.StepCounts{Wins: sum.Wins - sum.TerminalWins, Losses: sum.Losses - sum.TerminalLosses}
	}
	return n
}

var QuixoShape = tablebase.Shape{Game: "quixo", Size: 4, Planes: 2, Steps: true}

func digitsFor(s tablebase.Shape, n int) int {
	if s.Numbered() {
		return n
	}
	return 0
}

// SmallTable returns the classes of a table that is small and has in it what
// can be odd: slices shorter than a word, no digits, one block, many.
func SmallTable(s tablebase.Shape) []Sealed {
	r := rand.New(rand.NewPCG(1, uint64(s.Planes)))
	return []Sealed{
		RandomClass(r, s, 9, 9, 1, digitsFor(s, 3)),
		RandomClass(r, s, 8, 7, 5, digitsFor(s, 5)),
		RandomClass(r, s, 5, 5, 7, digitsFor(s, 1)),
		RandomClass(r, s, 0, 0, 1, 0),
	}
}

// Write makes a table of the classes and returns its path.
func Write(t testing.TB, s tablebase.Shape, classes []Sealed) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "small.tb")
	WriteAt(t, path, s, classes, false)
	return path
}

// WriteAt writes, or resumes, the table at path and finishes it.
func WriteAt(t testing.TB, path string, s tablebase.Shape, classes []Sealed, overwrite bool) tablebase.Summary {
	t.Helper()
	w := Create(t, path, s, overwrite)
	for _, c := range classes[len(w.Sealed()):] {
		if err := w.Seal(c.Class, c.Planes, c.Counts); err != nil {
			t.Fatal(err)
		}
	}
	return must(w.Finish())(t)
}

// must returns a function that ends the test after an error, and else returns the value.
func must[T any](v T, err error) func(t testing.TB) T {
	return func(t testing.TB) T {
		if t.Helper(); err != nil {
			t.Fatal(err)
		}
		return v
	}
}

// Open opens a table for the length of the test.
func Open(t testing.TB, path string) *reader.Table {
	t.Helper()
	table := must(reader.Open(path))(t)
	t.Cleanup(func() { table.Close() })
	return table
}

// ReadFile returns a file's bytes.
func ReadFile(t testing.TB, path string) []byte {
	t.Helper()
	return must(os.ReadFile(path))(t)
}

// SamePlanes compares planes. reflect.DeepEqual would take seconds for large ones.
func SamePlanes(a, b tablebase.Planes) bool {
	return slices.Equal(a.Win, b.Win) && slices.Equal(a.Lose, b.Lose) &&
		slices.EqualFunc(a.Steps, b.Steps, func(x, y []uint64) bool { return slices.Equal(x, y) })
}

// Save puts bytes into a file of the test's own.
func Save(t testing.TB, b []byte) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "changed.tb")
	if err := os.WriteFile(path, b, 0o644); err != nil {
		t.Fatal(err)
	}
	return path
}

// Shapes are all the kinds of table there are.
var Shapes = []tablebase.Shape{
	{Game: "quixo", Size: 4, Planes: 2, Steps: true},
	{Game: "quixo", Size: 4, Planes: 2},
	{Game: "notakto", Size: 6, Planes: 1, Steps: true},
	{Game: "notakto", Size: 6, Planes: 1},
}

// CheckStored compares the classes, masks and planes of a table with what was sealed.
func CheckStored(t testing.TB, table *reader.Table, classes []Sealed) {
	t.Helper()
	var want []tablebase.ClassInfo
	for _, c := range classes {
		want = append(want, tablebase.ClassInfo{Class: c.Class.Class, IndexBits: c.Class.IndexBits, Blocks: len(c.Class.Masks), Digits: len(c.Planes.Steps), Counts: c.Counts})
	}
	if got := table.Classes(); !reflect.DeepEqual(want, got) {
		t.Fatalf("classes: got %+v\nwant %+v", got, want)
	}
	for i, c := range classes {
		if got := must(table.Masks(i))(t); !slices.Equal(c.Class.Masks, got) {
			t.Errorf("masks of class %d: got %+v\nwant %+v", c.Class.Class, got, c.Class.Masks)
		}
		var planes tablebase.Planes
		if err := table.Planes(i, 0, len(c.Class.Masks), &planes); err != nil {
			t.Fatal(err)
		}
		if !SamePlanes(c.Planes, planes) {
			t.Errorf("planes of class %d differ", c.Class.Class)
		}
	}
}

// Create begins a table that is closed at the end of the test.
func Create(t testing.TB, path string, s tablebase.Shape, overwrite bool) *writer.Writer {
	t.Helper()
	w := must(writer.Create(path, s, overwrite))(t)
	t.Cleanup(func() { w.Close() })
	return w
}

// Pack packs a table and returns the path of the copy.
func Pack(t testing.TB, path string) string {
	t.Helper()
	return must(writer.Pack(context.Background(), path, true, nil))(t)
}

// LargeTable returns a table whose parts have several chunks and frames, and
// steps that straddle them.
func LargeTable(s tablebase.Shape) []Sealed {
	r := rand.New(rand.NewPCG(6, 6))
	classes := []Sealed{RandomClass(r, s, 7, 14, 80, 0), RandomClass(r, s, 2, 7, 1, 0)}
	if s.Steps {
		classes[0] = RandomClass(r, s, 7, 14, 80, 3)
	}
	return classes
}

// NumbersTable returns a table whose classes have many digits, in parts of several frames:
// digits whose words lie astride of frames, more of them than have a byte, and as few as
// are still packed as numbers.
func NumbersTable(s tablebase.Shape) []Sealed {
	r := rand.New(rand.NewPCG(8, 8))
	return []Sealed{
		RandomClass(r, s, 9, 12, 70, digitsFor(s, 7)),
		RandomClass(r, s, 8, 11, 50, digitsFor(s, 11)),
		RandomClass(r, s, 7, 11, 70, digitsFor(s, 4)),
		RandomClass(r, s, 6, 4, 900, digitsFor(s, 8)),
		RandomClass(r, s, 5, 5, 7, 0),
	}
}

// Golden returns the path of a file that is kept with the sources.
func Golden(name string) string { return filepath.Join("..", "testdata", name) }

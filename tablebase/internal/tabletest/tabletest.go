package tabletest

import (
	"context"
	"errors"
	"math/bits"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"testing"

	"backsolve/game"
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
	n := blocks * c.Words()
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

// Entry is what a table must say of a state.
func (s Sealed) Entry(shape tablebase.Shape, block int, index uint64) tablebase.Entry {
	w, bit := block*s.Class.Words()+int(index/64), index%64
	has := func(plane []uint64) bool { return plane[w]>>bit&1 == 1 }
	e := tablebase.Entry{Outcome: game.Draw, Steps: -1, Nimber: -1}
	switch {
	case has(s.Planes.Win):
		e.Outcome = game.Win
	case shape.Planes == 1 || has(s.Planes.Lose):
		e.Outcome = game.Lose
	}
	number := 0
	for d, plane := range s.Planes.Steps {
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

// Sampled calls f for every state of a class, or where it has more than n for n
// random ones.
func (s Sealed) Sampled(r *rand.Rand, n uint64, f func(block int, index uint64)) {
	states := uint64(s.Class.Blocks()) << s.Class.IndexBits
	for i := range min(states, n) {
		if states > n {
			i = r.Uint64N(states)
		}
		f(int(i>>s.Class.IndexBits), i&(1<<s.Class.IndexBits-1))
	}
}

var QuixoShape = tablebase.Shape{Game: "quixo", Size: 4, Planes: 2, Steps: true}
var NotaktoShape = tablebase.Shape{Game: "notakto", Size: 6, Planes: 1}

// digits returns how many digits a class has that is to have n, where states have numbers.
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
	digits := func(n int) int { return digitsFor(s, n) }
	return []Sealed{
		RandomClass(r, s, 9, 9, 1, digits(3)),
		RandomClass(r, s, 8, 7, 5, digits(5)),
		RandomClass(r, s, 5, 5, 7, digits(1)),
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
	w, err := writer.Create(path, s, overwrite)
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	for _, c := range classes[len(w.Sealed()):] {
		if err := w.Seal(c.Class, c.Planes, c.Counts); err != nil {
			t.Fatal(err)
		}
	}
	summary, err := w.Finish()
	if err != nil {
		t.Fatal(err)
	}
	return summary
}

// Open opens a table for the length of the test.
func Open(t testing.TB, path string) *reader.Table {
	t.Helper()
	table, err := reader.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { table.Close() })
	return table
}

// ReadFile returns a file's bytes.
func ReadFile(t testing.TB, path string) []byte {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return b
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

// CheckAll compares everything that a table says with what was sealed.
func CheckAll(t testing.TB, table *reader.Table, shape tablebase.Shape, classes []Sealed) {
	t.Helper()
	var want []tablebase.ClassInfo
	for _, c := range classes {
		want = append(want, tablebase.ClassInfo{Class: c.Class.Class, IndexBits: c.Class.IndexBits, Blocks: c.Class.Blocks(), Digits: len(c.Planes.Steps), Counts: c.Counts})
	}
	if got := table.Classes(); !reflect.DeepEqual(want, got) {
		t.Fatalf("classes: got %+v\nwant %+v", got, want)
	}
	checkTogether(t, table, shape, classes)
	checkFound(t, table, classes)
	r := rand.New(rand.NewPCG(7, 7))
	for i, c := range classes {
		got, err := table.Masks(i)
		if err != nil {
			t.Fatal(err)
		}
		if !reflect.DeepEqual(c.Class.Masks, got) {
			t.Errorf("masks of class %d: got %+v\nwant %+v", c.Class.Class, got, c.Class.Masks)
		}
		var planes tablebase.Planes
		if err := table.Planes(i, 0, c.Class.Blocks(), &planes); err != nil {
			t.Fatal(err)
		}
		if !SamePlanes(c.Planes, planes) {
			t.Errorf("planes of class %d differ", c.Class.Class)
		}
		for b, mask := range c.Class.Masks {
			if got, found, err := table.Find(c.Class.Class, mask); got != b || !found || err != nil {
				t.Errorf("Find(%d, %d) = %d, %v, %v, want %d", c.Class.Class, mask, got, found, err, b)
			}
		}
		c.Sampled(r, 1000, func(block int, index uint64) {
			got, err := table.Lookup(c.Class.Class, block, index)
			if want := c.Entry(shape, block, index); err != nil || got != want {
				t.Errorf("Lookup(%d, %d, %d) = %v, %v, want %v", c.Class.Class, block, index, got, err, want)
			}
		})
	}
}

// checkTogether looks states of all classes up at once, in any order.
func checkTogether(t testing.TB, table *reader.Table, shape tablebase.Shape, classes []Sealed) {
	t.Helper()
	r := rand.New(rand.NewPCG(8, 8))
	var places []reader.Place
	want := make(map[reader.Place]tablebase.Entry)
	for _, c := range classes {
		c.Sampled(r, 300, func(block int, index uint64) {
			place := reader.Place{Class: c.Class.Class, Block: block, Index: index}
			places, want[place] = append(places, place), c.Entry(shape, block, index)
		})
	}
	r.Shuffle(len(places), func(i, j int) { places[i], places[j] = places[j], places[i] })
	entries := make([]tablebase.Entry, len(places))
	if err := table.LookupAll(places, entries); err != nil {
		t.Fatal(err)
	}
	for i, place := range places {
		if entries[i] != want[place] {
			t.Errorf("LookupAll says %v of %v, want %v", entries[i], place, want[place])
		}
	}
	places[len(places)/2].Index = 1 << 60
	if err := table.LookupAll(places, entries); !errors.Is(err, tablebase.ErrInput) {
		t.Errorf("LookupAll with a state that is not there: %v", err)
	}
}

// checkFound finds states of all classes at once, of which it is believed, rightly or
// not, in which block they are.
func checkFound(t testing.TB, table *reader.Table, classes []Sealed) {
	t.Helper()
	r := rand.New(rand.NewPCG(9, 8))
	var keys []reader.Key
	var want []reader.Place
	for _, c := range classes {
		c.Sampled(r, 100, func(block int, index uint64) {
			for _, near := range []int{-1, block, r.IntN(c.Class.Blocks()), c.Class.Blocks()} {
				keys = append(keys, reader.Key{Class: c.Class.Class, Mask: c.Class.Masks[block], Index: index, Hint: near})
				want = append(want, reader.Place{Class: c.Class.Class, Block: block, Index: index})
			}
		})
	}
	places := make([]reader.Place, len(keys))
	if found, err := table.FindAll(keys, places); found != len(keys) || err != nil || !slices.Equal(places, want) {
		t.Errorf("%d of %d are found, %v: %v, want %v", found, len(keys), err, places, want)
	}
	middle := len(keys) / 2
	keys[middle].Mask = 1 << 63
	if found, err := table.FindAll(keys, places); found != middle || err != nil {
		t.Errorf("%d are found, %v, want %d", found, err, middle)
	}
}

// Create begins a table that is closed at the end of the test.
func Create(t testing.TB, path string, s tablebase.Shape, overwrite bool) *writer.Writer {
	t.Helper()
	w, err := writer.Create(path, s, overwrite)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { w.Close() })
	return w
}

// Pack packs a table and returns the path of the copy.
func Pack(t testing.TB, path string) string {
	t.Helper()
	packed, err := writer.Pack(context.Background(), path, true, nil)
	if err != nil {
		t.Fatal(err)
	}
	return packed
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

// Suffixes are those of the tables that a Writer writes.
var Suffixes = []string{"", tablebase.PackedSuffix}

// Finished returns the path of a table that was written at one go, packed afterwards if
// its name says so.
func Finished(t testing.TB, s tablebase.Shape, classes []Sealed, suffix string) string {
	path := Write(t, s, classes)
	if suffix == tablebase.PackedSuffix {
		return Pack(t, path)
	}
	return path
}

// NumbersTable returns a table whose classes have many digits, in parts of several frames:
// digits whose words lie astride of frames, more of them than have a byte, and as few as
// are still packed as numbers.
func NumbersTable(s tablebase.Shape) []Sealed {
	r := rand.New(rand.NewPCG(8, 8))
	digits := func(n int) int { return digitsFor(s, n) }
	return []Sealed{
		RandomClass(r, s, 9, 12, 70, digits(7)),
		RandomClass(r, s, 8, 11, 50, digits(11)),
		RandomClass(r, s, 7, 11, 70, digits(4)),
		RandomClass(r, s, 6, 4, 900, digits(8)),
		RandomClass(r, s, 5, 5, 7, 0),
	}
}

// ByRuns returns planes whose steps are read by runs, and for runs of less than 2^14 words and
// without steps also the outcomes, as by an engine that does not have them in memory.
func ByRuns(p tablebase.Planes, run int) tablebase.Planes {
	reader := func(planes [][]uint64) *tablebase.RunReader {
		return &tablebase.RunReader{Digits: len(planes), Run: run, Read: func(dst [][]uint64, first int) error {
			for d := range dst {
				copy(dst[d], planes[d][first:])
			}
			return nil
		}}
	}
	steps := reader(p.Steps)
	if p.Lose != nil && (len(p.Steps) == 0 || run < 1<<14) {
		p = tablebase.Planes{Outcomes: reader([][]uint64{p.Win, p.Lose})}
	}
	if p.Steps = nil; steps.Digits > 0 || p.Outcomes == nil {
		p.Reader = steps
	}
	return p
}

// GoldenTable returns the classes of testdata/v1.tb. Its bits follow from a
// formula and not from a generator of random numbers, so that they stay what
// they are.
func GoldenTable() []Sealed {
	next := uint64(0)
	word := func() uint64 {
		next += 0x9e3779b97f4a7c15
		return bits.RotateLeft64(next*next, 32) ^ next
	}
	var classes []Sealed
	for _, c := range []tablebase.Class{{Class: 9, IndexBits: 9, Masks: []uint64{0x1ff}}, {Class: 8, IndexBits: 8, Masks: []uint64{0xff, 0x17f, 0x1ef}}, {Class: 0, IndexBits: 0, Masks: []uint64{0}}} {
		s := Sealed{Class: c, Counts: tablebase.Counts{ByWeight: make([]tablebase.OutcomeCounts, c.IndexBits+1), BySteps: make([]tablebase.StepCounts, 3)}}
		n := c.Blocks() * c.Words()
		s.Planes = tablebase.Planes{Win: make([]uint64, n), Lose: make([]uint64, n), Steps: [][]uint64{make([]uint64, n), make([]uint64, n)}}
		valid := bitslice.Valid(c.IndexBits)
		for w := range n {
			s.Planes.Win[w] = word() & valid
			s.Planes.Lose[w] = word() & valid &^ s.Planes.Win[w]
			for d := range s.Planes.Steps {
				s.Planes.Steps[d][w] = word() & (s.Planes.Win[w] | s.Planes.Lose[w])
			}
		}
		for i := range s.Counts.ByWeight {
			s.Counts.ByWeight[i] = tablebase.OutcomeCounts{Wins: word(), Losses: word(), Draws: word(), TerminalWins: word(), TerminalLosses: word()}
		}
		for i := range s.Counts.BySteps {
			s.Counts.BySteps[i] = tablebase.StepCounts{Wins: word(), Losses: word()}
		}
		classes = append(classes, s)
	}
	return classes
}

// Golden returns the path of a file that is kept with the sources.
func Golden(name string) string { return filepath.Join("..", "testdata", name) }

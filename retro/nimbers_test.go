package retro

import (
	"bytes"
	"context"
	"fmt"
	"maps"
	"math/bits"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"backsolve/bitboard"
	"backsolve/game"
	"backsolve/partition"
	"backsolve/tablebase"
	"backsolve/tablebase/reader"
	"backsolve/tablebase/writer"
)

// solveNimbers solves a board of Notakto for its nimbers.
func solveNimbers(t testing.TB, n int, o Options) (game.Grid, *partition.Space, string) {
	t.Helper()
	rules, space := newSpace(t, "notakto", n)
	path := filepath.Join(t.TempDir(), "nimbers.tb")
	shape := shape(space, false)
	shape.Nimbers = true
	w, err := writer.Create(path, shape, false)
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	o.Nimbers = true
	if _, err := Solve(context.Background(), space, w, o); err != nil {
		t.Fatal(err)
	}
	return rules, space, path
}

// mexes returns the nimbers of all positions that follow from a position by marking some of the
// given empty cells, by the rules alone. Element i is the nimber with cells[b] marked for each bit b
// of i, −1 where the game is over.
func mexes(rules game.Grid, marked uint64) (nimbers []int8, cells []uint) {
	for c := range uint(rules.Rows() * rules.Cols()) {
		if marked>>c&1 == 0 {
			cells = append(cells, c)
		}
	}
	nimbers = make([]int8, 1<<len(cells))
	for i := len(nimbers) - 1; i >= 0; i-- {
		if _, over := rules.Terminal(game.Position{X: marked | deposit(i, cells)}); over {
			nimbers[i] = -1
			continue
		}
		var reached uint64
		for b := range cells {
			if after := nimbers[i|1<<b]; i>>b&1 == 0 && after >= 0 {
				reached |= 1 << uint(after)
			}
		}
		nimbers[i] = int8(bits.TrailingZeros64(^reached))
	}
	return nimbers, cells
}

// deposit returns the mask of the cells whose bits are set in i.
func deposit(i int, cells []uint) (x uint64) {
	for ; i != 0; i &= i - 1 {
		x |= 1 << cells[bits.TrailingZeros(uint(i))]
	}
	return x
}

// nimberOf returns the entry of a position.
func nimberOf(t testing.TB, space *partition.Space, table *reader.Table, x uint64) tablebase.Entry {
	t.Helper()
	s := space.Locate(game.Position{X: x})
	block, found, err := table.Find(s.Class, s.Mask)
	if err != nil || !found {
		t.Fatalf("%x: block found %v, %v", x, found, err)
	}
	e, err := table.Lookup(s.Class, block, uint64(s.Index))
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// checkNimber compares the entry of a position with its nimber.
func checkNimber(t testing.TB, space *partition.Space, table *reader.Table, x uint64, want int8) {
	t.Helper()
	e := nimberOf(t, space, table, x)
	if e.Nimber != int(want) || e.Steps != -1 || (e.Outcome == game.Lose) != (want == 0) {
		t.Fatalf("%x: %+v, want the nimber %d", x, e, want)
	}
}

// Every state of boards that are not square, or whose lines are others, has the nimber of a plain mex.
func TestNimbersOfOtherBoards(t *testing.T) {
	for _, word := range []string{"1x9", "2x9", "2x3", "3x2", "3x5", "4x4,no-diagonals", "3x3,torus", "4x4,torus"} {
		size, _ := game.ParseSize(word)
		if testing.Short() && size.Rows()*size.Cols() > 10 {
			continue // a mex of one thread takes long under the race detector
		}
		rules, space, path := solveNimbers(t, int(size), Options{Threads: 3})
		table := openTable(t, path)
		nimbers, _ := mexes(rules, 0)
		for x, nimber := range nimbers {
			checkNimber(t, space, table, uint64(x), nimber)
		}
	}
}

// Every state of the boards up to 4×4, and thousands of states of 5×5, have the nimber of a plain
// mex.
func TestNimbersAgreeWithPlainMex(t *testing.T) {
	for n := 1; n <= 5; n++ {
		if n == 5 && testing.Short() {
			continue // takes minutes under the race detector
		}
		for _, threads := range []int{1, 5} {
			t.Run(fmt.Sprint(n, "/", threads), func(t *testing.T) {
				rules, space, path := solveNimbers(t, n, Options{Threads: threads})
				table := openTable(t, path)
				marked, step := []uint64{0}, 1
				if n == 5 { // the corners and the middle, a knight's way, the rim
					marked = []uint64{1<<0 | 1<<4 | 1<<12 | 1<<20 | 1<<23, 1<<0 | 1<<7 | 1<<14 | 1<<16 | 1<<23, 1<<1 | 1<<5 | 1<<9 | 1<<15 | 1<<22}
					step = 37
				}
				for _, m := range marked {
					nimbers, cells := mexes(rules, m)
					for i := 0; i < len(nimbers); i += step {
						checkNimber(t, space, table, m|deposit(i, cells), nimbers[i])
					}
				}
			})
		}
	}
}

// On boards up to 5×5 a plain mex of all states gives the counts of the table.
func TestNimbersAreCounted(t *testing.T) {
	for n := 1; n <= 5; n++ {
		if n == 5 && os.Getenv("BACKSOLVE_LONG") == "" {
			continue // takes seconds; TestNimbersOfAtlas has the counts
		}
		rules, _, path := solveNimbers(t, n, Options{})
		want := map[int8]uint64{}
		nimbers, _ := mexes(rules, 0)
		for _, v := range nimbers {
			want[v]++
		}
		got := map[int8]uint64{}
		for _, c := range openTable(t, path).Classes() {
			for nimber, n := range c.Counts.BySteps {
				got[int8(nimber)] += n.Wins + n.Losses
				if nimber == 0 {
					got[-1] += n.Wins
					got[0] -= n.Wins
				}
			}
		}
		maps.DeleteFunc(got, func(_ int8, n uint64) bool { return n == 0 })
		if !maps.Equal(got, want) {
			t.Errorf("%d×%d: %v, want %v", n, n, got, want)
		}
	}
}

// checkRandomNimbers compares random states of 6×6 with up to 16 empty cells with a plain mex, and
// random states with any number of marks with the mex of their children.
func checkRandomNimbers(t *testing.T, rules game.Grid, space *partition.Space, table *reader.Table) {
	t.Helper()
	r := rand.New(rand.NewPCG(6, 6))
	for range 20 {
		var x uint64
		for _, c := range r.Perm(36)[:21+r.IntN(6)] {
			if next := x | 1<<uint(c); !over(rules, next) {
				x = next
			}
		}
		if free := 36 - bits.OnesCount64(x); free > 16 {
			continue
		}
		nimbers, cells := mexes(rules, x)
		for range 200 {
			i := r.IntN(len(nimbers))
			checkNimber(t, space, table, x|deposit(i, cells), nimbers[i])
		}
	}
	for range 10_000 {
		var x, reached uint64
		for _, c := range r.Perm(36)[:r.IntN(27)] {
			x |= 1 << uint(c)
		}
		if over(rules, x) {
			checkNimber(t, space, table, x, -1)
			continue
		}
		for c := range uint(36) {
			if after := nimberOf(t, space, table, x|1<<c).Nimber; x>>c&1 == 0 && after >= 0 {
				reached |= 1 << uint(after)
			}
		}
		checkNimber(t, space, table, x, int8(bits.TrailingZeros64(^reached)))
	}
}

func over(rules game.Grid, x uint64) bool {
	_, over := rules.Terminal(game.Position{X: x})
	return over
}

// The states with nimber 0 are the lost states of Notakto, on the whole board: a player who cannot
// move without completing a line loses both games.
func checkNimber0IsLost(t *testing.T, space *partition.Space, table *reader.Table) {
	t.Helper()
	ordinary, _ := solve(t, space, Options{})
	sameOutcomes(t, table, openTable(t, ordinary))
}

// The bytes of a table with nimbers depend neither on the distribution of work nor on
// interruptions.
func TestBytesOfNimbers(t *testing.T) {
	for n := 3; n <= 5; n++ {
		if n == 5 && testing.Short() {
			continue // takes long under the race detector
		}
		_, space, path := solveNimbers(t, n, Options{Threads: 1, TasksPerThread: 1})
		want := contents(t, path)
		for _, o := range []Options{{Threads: 2}, {Threads: 3, TasksPerThread: 1}, {Threads: 8, TasksPerThread: 100}} {
			if _, _, path := solveNimbers(t, n, o); !bytes.Equal(contents(t, path), want) {
				t.Errorf("%d×%d: other bytes with %+v", n, n, o)
			}
		}
		resumed := filepath.Join(t.TempDir(), "resumed.tb")
		for class := space.MaskBits; class >= 0; class -= 2 { // two classes at a time
			shape := shape(space, false)
			shape.Nimbers = true
			w, err := writer.Create(resumed, shape, false)
			if err != nil {
				t.Fatal(err)
			}
			_, err = Solve(t.Context(), space, w, Options{Nimbers: true, DownTo: max(class-1, 0)})
			w.Close()
			if err != nil {
				t.Fatal(err)
			}
		}
		if _, err := os.Stat(resumed); err != nil || !bytes.Equal(contents(t, resumed), want) {
			t.Errorf("%d×%d: other bytes after interruptions, %v", n, n, err)
		}
	}
}

// Nimbers are refused in games without them, and together with steps.
func TestNimbersAreRefused(t *testing.T) {
	for name, o := range map[string]Options{"quixo": {Nimbers: true}, "tictactoe": {Nimbers: true}, "notakto": {Nimbers: true, Steps: true}} {
		_, space := newSpace(t, name, 3)
		w, err := writer.Create(filepath.Join(t.TempDir(), "t.tb"), shape(space, o.Steps), false)
		if err != nil {
			t.Fatal(err)
		}
		defer w.Close()
		if _, err := Solve(t.Context(), space, w, o); err == nil || !strings.Contains(err.Error(), "nimbers") {
			t.Errorf("%s: %v", name, err)
		}
	}
	rules, space := newSpace(t, "notakto", 3)
	_, flipped, err := outcomeFlipped(rules, space)
	if err != nil {
		t.Fatal(err)
	}
	ends := shape(flipped, false)
	ends.Nimbers = true
	w, err := writer.Create(filepath.Join(t.TempDir(), "t.tb"), ends, false)
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	if _, err := Solve(t.Context(), flipped, w, Options{Nimbers: true}); err == nil || !strings.Contains(err.Error(), "is lost") {
		t.Errorf("a game whose ends are lost: %v", err)
	}
}

// All images of a state under the symmetries of the lines have the same nimber.
func TestNimbersOfImages(t *testing.T) {
	_, space, path := solveNimbers(t, 4, Options{})
	table := openTable(t, path)
	group := bitboard.LineGroup(4)
	r := rand.New(rand.NewPCG(4, 4))
	for range 500 {
		x := r.Uint64N(1 << 16)
		want := nimberOf(t, space, table, x)
		for _, g := range group {
			if got := nimberOf(t, space, table, g.Apply(x)); got != want {
				t.Fatalf("%x is %+v, its image %x %+v", x, want, g.Apply(x), got)
			}
		}
	}
}

// The tables have the recorded counts by nimber and identities.
func TestNimbersOfAtlas(t *testing.T) {
	tables := 0
	for _, want := range atlas(t, "--grundy") {
		if want.large() {
			continue
		}
		tables++
		rules, space, path := solveNimbers(t, int(want.size), Options{})
		table := openTable(t, path)
		checkNimber0IsLost(t, space, table)
		if want.size == 6 {
			checkRandomNimbers(t, rules, space, table)
		}
		if got := fmt.Sprintf("%x", table.Identity()); table.Bytes() != want.Bytes || got != want.Identity {
			t.Errorf("%s: %d bytes with the identity %s, recorded are %d and %s", want.Solve, table.Bytes(), got, want.Bytes, want.Identity)
		}
		got := make([]uint64, len(want.Nimbers))
		for _, c := range table.Classes() {
			for nimber, n := range c.Counts.BySteps {
				if nimber == 0 {
					got[0] += n.Losses
				} else {
					got[nimber] += n.Wins
				}
			}
		}
		if !slices.Equal(got, want.Nimbers) {
			t.Errorf("%s: %d states by nimber, recorded are %d", want.Solve, got, want.Nimbers)
		}
	}
	if tables < 15 {
		t.Errorf("only %d tables with nimbers are recorded", tables)
	}
}

package probe_test

import (
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"backsolve/game"
	"backsolve/game/custom"
	"backsolve/internal/probe"
	"backsolve/tablebase"
	"backsolve/tablebase/sparse"
)

// subtraction is a heap from which each player takes one or two, in tiers by the heap modulo 2
// from the largest on; who cannot move loses.
type subtraction struct {
	name         string
	start, takes int
}

func (g subtraction) Name() string                      { return g.name }
func (g subtraction) Start() int                        { return g.start }
func (subtraction) Terminal(s int) (game.Outcome, bool) { return game.Lose, s == 0 }
func (subtraction) Key(s int) uint64                    { return uint64(s) }
func (subtraction) FromKey(key uint64) int              { return int(key) }
func (subtraction) Format(s int) string                 { return strconv.Itoa(s) }
func (subtraction) Parse(text string) (int, error)      { return strconv.Atoi(text) }
func (g subtraction) Moves(dst []int, s int) (moves []int) {
	for n := 1; n <= min(s, g.takes); n++ {
		dst = append(dst, s-n)
	}
	return dst
}

// values are those of all heaps, by the rules.
func (g subtraction) values() []probe.Value {
	all := make([]probe.Value, g.start+1)
	for s := range all {
		all[s] = probe.Value{Outcome: game.Lose}
		for i, child := range g.Moves(nil, s) {
			if v := all[child].Before(); i == 0 || v.Compare(all[s]) < 0 {
				all[s] = v
			}
		}
	}
	return all
}

// oneOther is the heap with other moves at one size, which random games do not come near.
type oneOther struct {
	subtraction
	at int
}

func (g oneOther) Moves(dst []int, s int) []int {
	if s == g.at {
		return append(dst, s-1)
	}
	return g.subtraction.Moves(dst, s)
}

// write writes the table of a game into a directory, without one heap.
func (g subtraction) write(t *testing.T, dir string, without int) (path string) {
	t.Helper()
	n := custom.List(g).Numbers()
	path = filepath.Join(dir, g.name+probe.FileSuffix)
	h := sparse.Header{Game: n.Name(), Start: n.Start().Key, StartTier: n.Start().Tier, Rules: custom.ShortFingerprint(n), Fingerprint: custom.Fingerprint(n)}
	err := sparse.Write(path, h, n.Tiers(), func(int) iter.Seq2[uint64, sparse.Value] {
		return func(yield func(uint64, sparse.Value) bool) {
			for s, v := range g.values() {
				if s != without && !yield(uint64(s), sparse.Value(v)) {
					return
				}
			}
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	return path
}

// A table of single positions answers as the rules do, and says where it has none.
func TestSparse(t *testing.T) {
	g := subtraction{"heap", 20, 2}
	rules, want, dir := custom.List(g), g.values(), t.TempDir()
	path := g.write(t, dir, -1)
	root, err := os.OpenRoot(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	for name, open := range map[string]func() (*probe.Sparse, error){
		"path":    func() (*probe.Sparse, error) { return probe.OpenSparse(t.Context(), path, rules) },
		"dir":     func() (*probe.Sparse, error) { return probe.FindSparse(t.Context(), dir, rules) },
		"beneath": func() (*probe.Sparse, error) { return probe.OpenSparseIn(root, filepath.Base(path), rules) },
	} {
		table, err := open()
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if !table.HasSteps() || table.Numbers().Name() != "heap" || table.Stored().States() != 21 || table.Info() != rules.Info() {
			t.Errorf("%s: %v", name, table.Info())
		}
		for s, v := range want {
			state, err := rules.Parse(strconv.Itoa(s))
			if err != nil {
				t.Fatal(err)
			}
			if got, err := table.Value(state); err != nil || got != v {
				t.Errorf("%s: %d is %v, %v, want %v", name, s, got, err, v)
			}
			at, err := table.State(0, uint64(s))
			if text := table.Text(0, uint64(s)); err != nil || text != strconv.Itoa(s) || rules.Format(at) != text {
				t.Errorf("%s: the text of %d is %s, %v", name, s, text, err)
			}
			a, err := table.Ask(strconv.Itoa(s), probe.WholeLine)
			if err != nil {
				t.Fatal(err)
			}
			moves := g.Moves(nil, s)
			if a.Value != v || a.Source != probe.FromTable || a.Terminal != (s == 0) || a.Diagram == "" || a.Diagram != rules.Diagram(state) || len(a.Moves) != len(moves) || len(a.Line.Plies) != v.Steps || a.Line.Repeats != -1 {
				t.Errorf("%s: %d is answered %+v", name, s, a)
			}
			for i, m := range a.Moves {
				after, err := strconv.Atoi(strings.TrimSuffix(m.Position, " o")) // o is the other player
				if err != nil || m.Value != want[after].Before() || !slices.Contains(moves, after) || i > 0 && a.Moves[i-1].Compare(m.Value) > 0 {
					t.Errorf("%s: of %d, move %d is %v to %q", name, s, i, m.Value, m.Position)
				}
			}
			if s > 0 && a.Moves[0].Value != v {
				t.Errorf("%s: %d is %v, its best move %+v", name, s, v, a.Moves[0])
			}
		}
		if _, err := table.Ask("21", probe.NoLine); !errors.Is(err, probe.ErrPosition) || !errors.Is(err, sparse.ErrState) || !strings.HasPrefix(err.Error(), "21: ") {
			t.Errorf("%s: a heap that is not there: %v", name, err)
		}
		if err := table.Close(); err != nil {
			t.Error(err)
		}
		if _, err := table.Ask("3", probe.NoLine); !errors.Is(err, tablebase.ErrClosed) {
			t.Errorf("%s: after Close: %v", name, err)
		}
	}
	lacks, err := probe.OpenSparse(t.Context(), g.write(t, t.TempDir(), 4), rules)
	if err != nil {
		t.Fatal(err)
	}
	defer lacks.Close()
	for text, ok := range map[string]bool{"3": true, "4": false, "5": false, "6": false, "7": true} {
		if _, err := lacks.Ask(text, probe.NoLine); (err == nil) != ok || err != nil && !errors.Is(err, sparse.ErrState) {
			t.Errorf("without the heap of 4, that of %s: %v", text, err)
		}
	}
}

// A table of other rules is refused, and so is one of another game.
func TestSparseRefusesOthers(t *testing.T) {
	g := subtraction{"heap", 20, 2}
	path := g.write(t, t.TempDir(), -1)
	for says, other := range map[string]subtraction{
		"it holds heap, not pile; give it back its name, heap.tb": {"pile", 20, 2},
		"have changed since it was solved; solve the game again":  {"heap", 19, 2},
		"the rules of heap have changed":                          {"heap", 20, 3},
	} {
		table, err := probe.OpenSparse(t.Context(), path, custom.List(other))
		if table != nil || !errors.Is(err, probe.ErrOtherBoard) || !strings.Contains(err.Error(), says) {
			t.Errorf("%+v: %v", other, err)
		}
	}
	long := subtraction{"long", 5000, 2}
	changed := custom.List(oneOther{long, 1234})
	if _, err := probe.OpenSparse(t.Context(), long.write(t, t.TempDir(), -1), changed); !errors.Is(err, probe.ErrOtherBoard) {
		t.Errorf("one of 5,001 positions has other rules: %v", err)
	}
	n := changed.Numbers()
	if !custom.Unchanged(n, 0, custom.ShortFingerprint(custom.NewRules(long))) {
		t.Error("a table of an earlier version does not have its fingerprint")
	}
	if _, err := probe.FindSparse(t.Context(), t.TempDir(), custom.List(g)); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("an empty directory: %v", err)
	}
	if _, err := probe.OpenAny(t.Context(), path+"x"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("nothing: %v", err)
	}
	if _, err := probe.BoardOf(t.Context(), path); !errors.Is(err, probe.ErrOtherBoard) || !strings.Contains(fmt.Sprint(err), "of the game heap, which is not built in") {
		t.Errorf("a game that is not built in: %v", err)
	}
	for _, name := range []string{"heap.tb", "quixo-4x4.tb", "quixo", ""} {
		if probe.ParseSparseName(name) != nil {
			t.Errorf("%s is the name of a table", name)
		}
	}
}

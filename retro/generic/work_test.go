package generic

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"backsolve/game"
	"backsolve/game/custom"
	"backsolve/internal/durable"
	"backsolve/tablebase/sparse"
)

// left interrupts a solve, and returns the directory with its work and the game.
func left(t *testing.T) (dir string, g *graph) {
	t.Helper()
	often(t)
	g = newGraph(rand.New(rand.NewPCG(3, 9)), 3, 600)
	dir = filepath.Join(t.TempDir(), "work")
	s, err := Solve(t.Context(), dir, g, Options{})
	if err == nil {
		err = s.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
	return dir, g
}

// changed returns a game with the same name, start and tiers in which one position ends otherwise.
func changed(g *graph) *graph {
	other := *g
	other.nodes = map[custom.Child]node{}
	maps.Copy(other.nodes, g.nodes)
	child := g.nodes[g.start].children[0]
	other.nodes[child] = node{over: true, outcome: (g.nodes[child].outcome + 1) % 3}
	return &other
}

// Work of changed rules, another start or another number of tiers is refused, though all else is the
// same, and kept; Make with Force starts over.
func TestChangedRules(t *testing.T) {
	dir, g := left(t)
	rules, start, tiers := changed(g), *g, *g
	for at := range g.nodes {
		if at.Tier == g.start.Tier && at != g.start && !g.nodes[at].over {
			start.start = at
		}
	}
	tiers.tiers, tiers.loops = g.tiers+1, append(g.loops, false)
	for what, other := range map[string]*graph{"rules": rules, "start": &start, "tiers": &tiers} {
		if _, err := Solve(t.Context(), dir, other, Options{}); !errors.Is(err, ErrWork) {
			t.Errorf("other %s: %v", what, err)
		}
		// Each is refused for itself, not because the fingerprint differs as well.
		edit(t, dir, func(c *checkpoint) {
			c.Rules, c.Fingerprint = custom.ShortFingerprint(other), custom.Fingerprint(other)
		})
		if _, err := Solve(t.Context(), dir, other, Options{}); what != "rules" && !errors.Is(err, ErrWork) {
			t.Errorf("another %s alone: %v", what, err)
		}
		edit(t, dir, func(c *checkpoint) { c.Rules = custom.ShortFingerprint(g) })
		if _, err := Solve(t.Context(), dir, g, Options{}); what != "tiers" && !errors.Is(err, ErrWork) {
			t.Errorf("the fingerprint alone is that of another %s: %v", what, err)
		}
		edit(t, dir, func(c *checkpoint) { c.Fingerprint = custom.Fingerprint(g) })
	}
	path := strings.TrimSuffix(dir, "work") + "table.tb"
	if err := os.Rename(dir, path+WorkSuffix); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(path+WorkSuffix, "notes"), []byte("mine"), 0o666); err != nil {
		t.Fatal(err)
	}
	if err := Make(t.Context(), path, "", rules, Options{}); !errors.Is(err, ErrWork) {
		t.Errorf("without force: %v", err)
	}
	if err := Make(t.Context(), path, "", rules, Options{Force: true}); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(filepath.Join(path+WorkSuffix, "notes")); err != nil {
		t.Errorf("what somebody else has put there is gone: %v", err)
	}
	table, err := sparse.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer table.Close()
	for at, v := range slowly(rules) {
		if got, err := table.Lookup(at.Tier, at.Key); err != nil || got != v {
			t.Fatalf("%v is %v, %v, want %v", at, got, err, v)
		}
	}
}

// edit changes the checkpoint in a work directory.
func edit(t *testing.T, dir string, change func(c *checkpoint)) {
	t.Helper()
	path := filepath.Join(dir, checkpointName)
	content, err := os.ReadFile(path)
	var c checkpoint
	if err == nil {
		err = json.Unmarshal(content, &c)
	}
	if err != nil {
		t.Fatal(err)
	}
	change(&c)
	if content, err = json.Marshal(c); err == nil {
		err = os.WriteFile(path, content, 0o666)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// No number or name in a checkpoint makes a solve panic, hang or touch other files.
func TestForgedCheckpoint(t *testing.T) {
	dir, g := left(t)
	keep := filepath.Join(filepath.Dir(dir), "00000001.keys")
	if err := os.WriteFile(keep, []byte("keep"), 0o666); err != nil {
		t.Fatal(err)
	}
	whole, err := os.ReadFile(filepath.Join(dir, checkpointName))
	if err != nil {
		t.Fatal(err)
	}
	key := func(c *checkpoint) *file { return &c.Keys[len(c.Keys)-1][0] }
	changes := map[string]func(c *checkpoint){
		"no runs":            func(c *checkpoint) { c.Runs = nil },
		"more tiers of keys": func(c *checkpoint) { c.Keys = append(c.Keys, c.Keys[0]) },
		"fewer":              func(c *checkpoint) { c.Keys = c.Keys[:1] },
		"more values":        func(c *checkpoint) { c.Values = append(c.Values, c.Values[0]) },
		"another file":       func(c *checkpoint) { key(c).Name = "../00000001.keys" },
		"a name of others":   func(c *checkpoint) { key(c).Name = "1.keys" },
		"no name":            func(c *checkpoint) { key(c).Name = "" },
		"a number in use":    func(c *checkpoint) { c.Next = 0 },
		"values of others":   func(c *checkpoint) { c.Values[0], c.Values[2] = c.Values[2], c.Values[0] },
	}
	for _, n := range []int{-1, 0, 1, math.MaxInt, math.MinInt, math.MaxInt / 2, math.MaxInt / 12} {
		changes[fmt.Sprint("keys ", n)] = func(c *checkpoint) { key(c).Keys = n }
		changes[fmt.Sprint("blocks ", n)] = func(c *checkpoint) { key(c).Blocks += n | 1 }
		changes[fmt.Sprint("bytes ", n)] = func(c *checkpoint) { key(c).Bytes = int64(n) }
		if n != 1 {
			changes[fmt.Sprint("next ", n)] = func(c *checkpoint) { c.Next = n }
		}
	}
	for what, change := range changes {
		if err := os.WriteFile(filepath.Join(dir, checkpointName), whole, 0o666); err != nil {
			t.Fatal(err)
		}
		edit(t, dir, change)
		if _, err := Solve(t.Context(), dir, g, Options{}); !errors.Is(err, ErrWork) {
			t.Errorf("%s: %v", what, err)
		}
	}
	if err := os.WriteFile(filepath.Join(dir, checkpointName), whole, 0o666); err != nil {
		t.Fatal(err)
	}
	s, err := Solve(t.Context(), dir, g, Options{})
	if err != nil {
		t.Fatalf("the checkpoint as it was: %v", err)
	}
	if err := s.Remove(); err != nil {
		t.Error(err)
	}
	if b, err := os.ReadFile(keep); err != nil || string(b) != "keep" {
		t.Errorf("a file outside is %q, %v", b, err)
	}
}

// Files that the checkpoint names stay until the next one no longer does.
func TestNamedFilesStay(t *testing.T) {
	w, err := openWork(filepath.Join(t.TempDir(), "work"), checkpoint{Tiers: 1, Runs: make([][]file, 1)})
	if err != nil {
		t.Fatal(err)
	}
	defer w.close()
	write := func(key uint64) file {
		f, err := w.write(encode(segment{}, []uint64{key}))
		if err != nil {
			t.Fatal(err)
		}
		return f
	}
	there := func(f file) bool {
		_, err := os.Stat(filepath.Join(w.dir, f.Name))
		return err == nil
	}
	named, next := write(1), write(2)
	c := w.done
	c.Runs = [][]file{{named}}
	if err := w.save(c); err != nil {
		t.Fatal(err)
	}
	if err := w.drop([]file{named, next}); err != nil || !there(named) || there(next) {
		t.Fatalf("%v; the file that is named is there: %v, the other one: %v", err, there(named), there(next))
	}
	c.Runs = [][]file{{write(3)}}
	if err := w.save(c); err != nil || there(named) {
		t.Errorf("%v; the file is there after a checkpoint without it: %v", err, there(named))
	}
}

// All files that a checkpoint names are on the disk before it is: if one cannot be synced, there is no
// checkpoint.
func TestSyncBeforeCheckpoint(t *testing.T) {
	w, err := openWork(filepath.Join(t.TempDir(), "work"), checkpoint{Tiers: 1, Runs: make([][]file, 1)})
	if err != nil {
		t.Fatal(err)
	}
	defer w.close()
	f, err := w.write(encode(segment{}, []uint64{1}))
	if err != nil {
		t.Fatal(err)
	}
	var synced []string
	defer func(old func(*os.File) error) { syncFile = old }(syncFile)
	syncFile = func(f *os.File) error {
		synced = append(synced, filepath.Base(f.Name()))
		if _, err := os.Stat(filepath.Join(w.dir, checkpointName)); err == nil {
			t.Error("the checkpoint was there before")
		}
		return f.Sync()
	}
	c := w.done
	c.Runs = [][]file{{f}}
	if err := w.save(c); err != nil || len(synced) != 1 || synced[0] != f.Name {
		t.Fatalf("%v: %v", synced, err)
	}
	if err := w.save(c); err != nil || len(synced) != 1 {
		t.Errorf("%v are synced again: %v", synced, err)
	}
	if _, err = w.write(encode(segment{}, []uint64{2})); err != nil {
		t.Fatal(err)
	}
	failed := errors.New("no")
	syncFile = func(*os.File) error { return failed }
	c.Start = 77
	if err := w.save(c); !errors.Is(err, failed) || w.done.Start == 77 {
		t.Errorf("a checkpoint whose files are not on the disk counts: %v", err)
	}
}

// A planted link, hard link or directory in the place of the work directory or of a file in it
// is refused, and nothing behind it is touched.
func TestPlantedWork(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("links need privileges there")
	}
	g := newGraph(rand.New(rand.NewPCG(3, 9)), 3, 600)
	dir := t.TempDir()
	victim := filepath.Join(dir, "victim")
	if err := os.Mkdir(victim, 0o777); err != nil {
		t.Fatal(err)
	}
	keep := filepath.Join(victim, "00000001.keys")
	if err := os.WriteFile(keep, []byte("keep"), 0o666); err != nil {
		t.Fatal(err)
	}
	stays := func(what string) {
		t.Helper()
		if b, err := os.ReadFile(keep); err != nil || string(b) != "keep" {
			t.Errorf("%s: the victim is %q, %v", what, b, err)
		}
	}
	path := filepath.Join(dir, "table.tb")
	if err := os.Symlink(victim, path+WorkSuffix); err != nil {
		t.Fatal(err)
	}
	for _, force := range []bool{false, true} {
		if err := Make(t.Context(), path, "", g, Options{Force: force}); !errors.Is(err, durable.ErrNotOurs) {
			t.Errorf("a link to a directory, force %v: %v", force, err)
		}
		stays("a link to a directory")
	}
	if err := os.Remove(path + WorkSuffix); err != nil {
		t.Fatal(err)
	}
	for what, plant := range map[string]func(string, string) error{"a link": os.Symlink, "a hard link": os.Link} {
		for _, name := range []string{checkpointName, "00000000.keys"} {
			if err := errors.Join(os.Mkdir(path+WorkSuffix, 0o777), plant(keep, filepath.Join(path+WorkSuffix, name))); err != nil {
				t.Fatal(err)
			}
			err := Make(t.Context(), path, "", g, Options{})
			if (name == checkpointName) != errors.Is(err, durable.ErrNotOurs) {
				t.Errorf("%s as %s: %v", what, name, err)
			}
			stays(what)
			if err := errors.Join(os.RemoveAll(path+WorkSuffix), os.RemoveAll(path)); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// Other files in the work directory stay, even those with names much like the solve's.
func TestOthersFilesStay(t *testing.T) {
	dir, g := left(t)
	names := []string{"1.keys", "00000001.keys.bak", "-0000001.keys", "notes.txt", "000000001.values"}
	for _, name := range names {
		if err := os.WriteFile(filepath.Join(dir, name), []byte("mine"), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	s, err := Solve(t.Context(), dir, g, Options{})
	if err == nil {
		err = s.Remove()
	}
	if err != nil {
		t.Fatal(err)
	}
	entries, err := os.ReadDir(dir)
	if err != nil || len(entries) != len(names) {
		t.Errorf("%v, %v are left of %v", entries, err, names)
	}
}

// broken is a heap from which each player takes one to three; how says in which way its rules fail.
type broken struct{ how string }

func (broken) Name() string { return "broken" }
func (broken) Start() int   { return 9 }
func (b broken) Terminal(s int) (game.Outcome, bool) {
	if b.how == "terminal" && s == 2 {
		panic("no such heap")
	}
	return game.Lose, s == 0
}

func (b broken) Moves(dst []int, s int) []int {
	if b.how == "moves" && s == 2 {
		return append(dst, dst[:9][8])
	}
	if b.how == "none" && s == 2 {
		return dst
	}
	for n := 1; n <= min(3, s); n++ {
		dst = append(dst, s-n)
	}
	return dst
}

func (b broken) Key(s int) uint64 {
	if b.how == "collision" && s == 2 {
		return 7
	}
	return uint64(s)
}
func (broken) FromKey(key uint64) int         { return int(key) }
func (broken) Format(s int) string            { return strings.Repeat("*", s+1) }
func (broken) Parse(text string) (int, error) { return len(text) - 1, nil }
func (broken) Tiers() int                     { return 10 }
func (broken) Tier(s int) int                 { return 9 - s }
func (broken) Loops(int) bool                 { return false }

// Solving and planning both say what is wrong with rules, with the text of the position. For a number
// that two positions share, neither's moves are blamed.
func TestBrokenRules(t *testing.T) {
	for how, want := range map[string]string{
		"terminal":  "at ***: the rules panic: no such heap, at work_test.go:",
		"moves":     "at ***: the rules panic: runtime error: ",
		"none":      "at ***: it is not over and has no move",
		"collision": "at ********: its number 7 is also that of a position in tier 7, and it is in tier 2; give them different numbers, or implement FromTierKey",
	} {
		rules := custom.NewRules(broken{how})
		_, err := Solve(t.Context(), filepath.Join(t.TempDir(), "work"), rules, Options{})
		if !errors.Is(err, ErrRules) || !errors.As(err, new(*custom.Fault)) || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", how, err)
		}
		if _, err := Estimate(t.Context(), rules, PlanOptions{}); how != "none" && (!errors.Is(err, ErrRules) || !strings.Contains(err.Error(), want)) {
			t.Errorf("the plan of %s: %v", how, err)
		}
	}
}

package retro

import (
	"reflect"
	"slices"
	"strings"
	"testing"

	"backsolve/partition"
	"backsolve/retro/internal/work"
	"backsolve/tablebase"
)

// stateCountsOf returns state counts with the counts of a class.
func stateCountsOf(c tablebase.ClassInfo) *work.StateCounts {
	t := new(work.StateCounts)
	t.Reset(c.IndexBits, c.Digits)
	for w, n := range c.Counts.ByWeight {
		t.Wins[w], t.Losses[w] = n.Wins, n.Losses
		t.TerminalWins[w], t.TerminalLosses[w] = n.TerminalWins, n.TerminalLosses
	}
	for s, n := range c.Counts.BySteps {
		t.StepsWins[s], t.StepsLosses[s] = n.Wins, n.Losses
	}
	return t
}

// Wrong state counts lead to counts that no class can have, in every game.
func TestWrongTalliesAreFound(t *testing.T) {
	for _, b := range []struct {
		game  string
		n     int
		class int
	}{{"quixo", 3, 6}, {"notakto", 4, 5}} {
		_, space := newSpace(t, b.game, b.n)
		cut, err := partition.NewCut(space)
		if err != nil {
			t.Fatal(err)
		}
		defer cut.Free()
		path, _ := solve(t, space, Options{Steps: true})
		var info tablebase.ClassInfo
		for _, c := range openTable(t, path).Classes() {
			if c.Class == b.class {
				info = c
			}
		}
		class := cut.Class(b.class)
		check := func(t *work.StateCounts) (tablebase.Counts, error) {
			counts := t.TableCounts(class, space.Kind != partition.FixedSlice, true)
			return counts, work.CheckCounts(&space.Facts, class, counts, tablebase.Shape{Steps: true})
		}
		if counts, err := check(stateCountsOf(info)); err != nil || !reflect.DeepEqual(counts, info.Counts) {
			t.Fatalf("%s: the table's own counts: %v", b.game, err)
		}
		for name, plant := range map[string]func(t *work.StateCounts){
			"a win twice":                  func(t *work.StateCounts) { t.Wins[2]++ },
			"a win forgotten":              func(t *work.StateCounts) { t.Wins[2]-- },
			"wins of another weight":       func(t *work.StateCounts) { t.Wins[0], t.Wins[3] = t.Wins[3], t.Wins[0] },
			"all wins twice":               func(t *work.StateCounts) { t.Add(&work.StateCounts{Wins: t.Wins}) },
			"terminal wins that are none":  func(t *work.StateCounts) { t.TerminalWins[2] = t.Wins[2] + 1 },
			"terminal losses too":          func(t *work.StateCounts) { t.TerminalLosses[2] = t.Losses[2] + 1<<40 },
			"a terminal win forgotten":     func(t *work.StateCounts) { t.TerminalWins[len(t.Wins)-1]-- },
			"steps of a win":               func(t *work.StateCounts) { t.StepsWins[len(t.StepsWins)-1]++ },
			"steps of a loss":              func(t *work.StateCounts) { t.StepsLosses[1]-- },
			"a win that ends after a loss": func(t *work.StateCounts) { t.StepsWins[0]--; t.StepsWins[1]++ },
		} {
			wrong := stateCountsOf(info)
			plant(wrong)
			if _, err := check(wrong); err == nil || !strings.Contains(err.Error(), "class") {
				t.Errorf("%s, %s: %v", b.game, name, err)
			}
		}
		for name, images := range map[string][]uint32{
			"a block that is not counted":   class.Images[1:],
			"a block that is counted twice": append(slices.Clone(class.Images), class.Images[0]),
		} {
			other := *class
			other.Images = images
			for _, steps := range []bool{false, true} {
				counts := stateCountsOf(info).TableCounts(&other, space.Kind != partition.FixedSlice, steps)
				if err := work.CheckCounts(&space.Facts, class, counts, tablebase.Shape{Steps: steps}); err == nil {
					t.Errorf("%s, steps %v: %s goes unnoticed", b.game, steps, name)
				}
			}
		}
	}
}

// The classes of a table add up to the states of the game.
func TestTheWholeIsCounted(t *testing.T) {
	_, space := newSpace(t, "quixo", 3)
	path, _ := solve(t, space, Options{})
	var counts []tablebase.Counts
	for _, c := range openTable(t, path).Classes() {
		counts = append(counts, c.Counts)
	}
	if err := work.CheckWhole(space, counts); err != nil {
		t.Fatal(err)
	}
	if work.CheckWhole(space, counts[1:]) == nil {
		t.Error("a class that is missing goes unnoticed")
	}
	if work.CheckWhole(space, append(counts[:9:9], counts[8])) == nil {
		t.Error("a class that stands twice goes unnoticed")
	}
}

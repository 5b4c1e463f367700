package retro

import (
	"reflect"
	"strings"
	"testing"

	"backsolve/partition"
	"backsolve/tablebase"
)

// tallyOf makes the tally that has the counts of a class.
func tallyOf(c tablebase.ClassInfo) *tally {
	t := new(tally)
	t.reset(c.IndexBits, c.Digits)
	for w, n := range c.Counts.ByWeight {
		t.wins[w], t.losses[w] = n.Wins, n.Losses
		t.terminalWins[w], t.terminalLosses[w] = n.TerminalWins, n.TerminalLosses
	}
	for s, n := range c.Counts.BySteps {
		t.stepsWins[s], t.stepsLosses[s] = n.Wins, n.Losses
	}
	return t
}

// A tally that is wrong makes counts that no class can have, whatever the game.
func TestWrongTalliesAreFound(t *testing.T) {
	for _, b := range []struct {
		game  string
		n     int
		class int
	}{{"quixo", 3, 6}, {"notakto", 4, 5}} {
		_, space := newSpace(t, b.game, b.n)
		cut, err := partition.NewCut(space, 1)
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
		check := func(t *tally) (tablebase.Counts, error) {
			counts := t.counts(class, !space.FixedSlice, true)
			return counts, checkCounts(&space.Facts, class, counts, true)
		}
		if counts, err := check(tallyOf(info)); err != nil || !reflect.DeepEqual(counts, info.Counts) {
			t.Fatalf("%s: the table's own counts: %v", b.game, err)
		}
		for name, plant := range map[string]func(t *tally){
			"a win twice":                  func(t *tally) { t.wins[2]++ },
			"a win forgotten":              func(t *tally) { t.wins[2]-- },
			"wins of another weight":       func(t *tally) { t.wins[0], t.wins[3] = t.wins[3], t.wins[0] },
			"all wins twice":               func(t *tally) { t.add(&tally{wins: t.wins}) },
			"terminal wins that are none":  func(t *tally) { t.terminalWins[2] = t.wins[2] + 1 },
			"terminal losses too":          func(t *tally) { t.terminalLosses[2] = t.losses[2] + 1<<40 },
			"a terminal win forgotten":     func(t *tally) { t.terminalWins[len(t.wins)-1]-- },
			"steps of a win":               func(t *tally) { t.stepsWins[len(t.stepsWins)-1]++ },
			"steps of a loss":              func(t *tally) { t.stepsLosses[1]-- },
			"a win that ends after a loss": func(t *tally) { t.stepsWins[0]--; t.stepsWins[1]++ },
		} {
			wrong := tallyOf(info)
			plant(wrong)
			if _, err := check(wrong); err == nil || !strings.Contains(err.Error(), "class") {
				t.Errorf("%s, %s: %v", b.game, name, err)
			}
		}
		fewer := *class
		fewer.Images = class.Images[1:]
		if err := checkCounts(&space.Facts, class, tallyOf(info).counts(&fewer, !space.FixedSlice, true), true); err == nil {
			t.Errorf("%s: a block that is not counted goes unnoticed", b.game)
		}
	}
}

// The classes of a table have the states of the game together.
func TestTheWholeIsCounted(t *testing.T) {
	_, space := newSpace(t, "quixo", 3)
	path, _ := solve(t, space, Options{})
	var counts []tablebase.Counts
	for _, c := range openTable(t, path).Classes() {
		counts = append(counts, c.Counts)
	}
	if err := checkWhole(space, counts); err != nil {
		t.Fatal(err)
	}
	if checkWhole(space, counts[1:]) == nil {
		t.Error("a class that is missing goes unnoticed")
	}
	if checkWhole(space, append(counts[:9:9], counts[8])) == nil {
		t.Error("a class that stands twice goes unnoticed")
	}
}

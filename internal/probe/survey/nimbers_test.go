package survey

import (
	"errors"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"backsolve/game"
	"backsolve/internal/probe"
	"backsolve/internal/probe/probetest"
	"backsolve/tablebase"
)

// openNimbers opens the table with the nimbers of a board of Notakto until the test ends.
func openNimbers(t *testing.T, n int) *probe.Table {
	t.Helper()
	dir, rules := t.TempDir(), newRules(t, "notakto", n)
	probetest.SolveNimbers(t, dir, rules)
	table, err := probe.OpenFile(filepath.Join(dir, probe.NimbersFileName(rules.Info())))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { table.Close() })
	return table
}

// TestVerifyNimbers verifies a table with nimbers: all states, loaded and looked up, and
// samples.
func TestVerifyNimbers(t *testing.T) {
	for n := 1; n <= 4; n++ {
		table := openNimbers(t, n)
		for _, o := range []VerifyOptions{{}, {Threads: 3}, {Sample: 5000}} {
			if verified, found, err := verify(table, o); err != nil || found != nil || verified.States == 0 {
				t.Errorf("%d×%d, %+v: %+v, %v, %v", n, n, o, verified, found, err)
			}
		}
		v := newVerification(table, VerifyOptions{Threads: 1}, nil, func(d Difference) { t.Errorf("looked up: %+v", d) })
		usual := maxLoaded
		maxLoaded = 0
		err := (grid{table}).deriveAll(t.Context(), v)
		if maxLoaded = usual; err != nil {
			t.Error(err)
		}
	}
}

// TestVerifyFindsWrongNimbers stores a wrong nimber, which is found in its place, in the
// positions before it and in the counts, or an outcome that does not fit it.
func TestVerifyFindsWrongNimbers(t *testing.T) {
	table := openNimbers(t, 2)
	// On 2×2 the second mark completes a line: after one the nimber is 0, before it 1.
	for name, c := range map[string]struct {
		change func(p *tablebase.Planes, n *tablebase.Counts)
		want   []string
	}{
		"outcome":  {func(p *tablebase.Planes, _ *tablebase.Counts) { p.Win[0] &^= 1; p.Steps[0][0] &^= 1 }, []string{"../..: lose with the nimber 0, win with the nimber 1"}},
		"terminal": {func(p *tablebase.Planes, _ *tablebase.Counts) { p.Steps[0][0] &^= 1 }, []string{"../..: win without a nimber, win with the nimber 1"}},
		"a state before it": {func(p *tablebase.Planes, _ *tablebase.Counts) { p.Win[0] |= 2; p.Steps[0][0] |= 2 }, []string{
			": win with the nimber 1, lose with the nimber 0", "../..: win with the nimber 1, win with the nimber 2",
		}},
		"count": {func(_ *tablebase.Planes, n *tablebase.Counts) {
			n.ByWeight[1].Losses--
			n.ByWeight[1].Wins++
			n.BySteps[0].Losses--
			n.BySteps[1].Wins++
		}, []string{"class 0, nimber 0, losses: 3, 4", "class 0, nimber 1, wins: 2, 1", "class 0, index weight 1, losses: 3, 4"}},
	} {
		_, found, err := verify(altered(t, table, 0, c.change), VerifyOptions{})
		if !errors.Is(err, ErrDiffers) {
			t.Errorf("%s: %v", name, err)
		}
		for _, want := range c.want {
			if !slices.ContainsFunc(found, func(line string) bool { return strings.HasSuffix(line, want) }) {
				t.Errorf("%s: %q is not in %q", name, want, found)
			}
		}
	}
}

func nimberAt(t *testing.T, table *probe.Table, x uint64) probe.Number {
	t.Helper()
	n, err := table.Nimber(game.Position{X: x})
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// TestStatsOfNimbers compares the counts by nimber with the states; there are no steps.
func TestStatsOfNimbers(t *testing.T) {
	for n := 1; n <= 3; n++ {
		table := openNimbers(t, n)
		s, err := Summarize(t.Context(), table)
		if err != nil {
			t.Fatal(err)
		}
		got := make([]uint64, len(s.Nimbers))
		var none uint64
		for x := range uint64(1) << uint(n*n) {
			if v, known := nimberAt(t, table, x).Value(); known {
				got[v]++
			} else {
				none++
			}
		}
		for i, c := range s.Nimbers {
			if c.Nimber != i || c.States != got[i] {
				t.Errorf("%d×%d: %+v, but %d have it", n, n, c, got[i])
			}
		}
		start, _ := nimberAt(t, table, 0).Value()
		if s.Start.Nimber == nil || *s.Start.Nimber != start || none != s.Total.TerminalWins || len(s.Steps) > 0 || s.LongestWin != nil || s.HasSteps {
			t.Errorf("%d×%d: %+v, %d states without a nimber", n, n, s, none)
		}
	}
}

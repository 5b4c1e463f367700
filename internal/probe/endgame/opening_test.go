package endgame

import (
	"errors"
	"testing"
	"time"

	"backsolve/game"
	"backsolve/internal/probe"
	"backsolve/internal/probe/probetest"
)

// TestBehindOpeningTable asks an opening table with a solver behind it: every answer has the
// values of the whole table.
func TestBehindOpeningTable(t *testing.T) {
	whole := tables.Open(t, "notakto", 4, false)
	opening, dir := probetest.Opening(t, whole, 3)
	board, err := probe.NewBoard("notakto", 4, "")
	if err != nil {
		t.Fatal(err)
	}
	from, closeTable, err := board.Open(t.Context(), dir, probe.OnDemand{Solver: New(Limits{Timeout: time.Hour, Threads: 1})})
	if err != nil {
		t.Fatal(err)
	}
	defer closeTable()
	sources := map[probe.Source]int{}
	for x := uint64(0); x < 1<<16; x += 37 {
		p := game.Position{X: x}
		want, err := whole.AskState(nil, p, probe.NoLine)
		if err != nil {
			t.Fatal(err)
		}
		got, err := from.AskState(board.Rules(), p, probe.NoLine)
		if err != nil || got.Value != want.Value {
			t.Fatalf("%#x: %v, %v, not %v", x, got, err, want.Value)
		}
		sources[got.Source]++
		if _, err := opening.AskState(nil, p, probe.NoLine); (err == nil) != (got.Source == probe.FromTable) || err != nil && !errors.Is(err, probe.ErrOutOfTable) {
			t.Fatalf("%#x comes from %s, in the table: %v", x, got.Source, err)
		}
	}
	if sources[probe.FromTable] < 10 || sources[probe.FromSearch] < 10 {
		t.Errorf("answers come from %v", sources)
	}
	a, err := from.AskState(board.Rules(), board.Start(), probe.WholeLine)
	if err != nil {
		t.Fatal(err)
	}
	end, err := board.Rules().Parse(a.Line.Plies[len(a.Line.Plies)-1].Position)
	if _, over := board.Rules().Terminal(end); err != nil || !over || a.Line.Truncated {
		t.Errorf("the main line ends with the table: %+v, %v", a.Line, err)
	}
}

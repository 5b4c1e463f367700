package survey

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"backsolve/game"
	"backsolve/internal/probe"
	"backsolve/tablebase"
)

// TestAfterStats compares the counts of a table after given moves with its positions in the
// whole table.
func TestAfterStats(t *testing.T) {
	eachAfter(t, func(t *testing.T, table, whole *probe.Table) {
		s, n := stats(t, table), table.Rules().Size()
		want := map[int]*Counts{}
		for x := range uint64(1) << uint(n*n) {
			p := game.Position{X: x}
			if p.X&table.Space().Taken != table.Space().Taken {
				continue
			}
			v, err := whole.Value(p)
			if err != nil {
				t.Fatal(err)
			}
			tally := tablebase.OutcomeCounts{Wins: 1}
			if v.Outcome == game.Lose {
				tally = tablebase.OutcomeCounts{Losses: 1}
			}
			if _, over := table.Rules().Terminal(p); over {
				tally.TerminalWins = 1
			}
			marks := strings.Count(table.Rules().Format(p), "X")
			if want[marks] == nil {
				want[marks] = new(Counts)
			}
			want[marks].Add(tally)
		}
		for _, c := range s.Stones {
			if c.Other != 0 || want[c.Mover] == nil || c.Counts != *want[c.Mover] {
				t.Errorf("%+v, want %+v", c, want[c.Mover])
			}
		}
		if len(s.Stones) != len(want) {
			t.Errorf("%d numbers of marks, want %d", len(s.Stones), len(want))
		}
		start, err := whole.Value(table.Start())
		if err != nil || s.Start.Position != table.Rules().Format(table.Start()) || s.Start.Outcome != start.Outcome.String() {
			t.Errorf("the start is %+v, want %v, %v", s.Start, start, err)
		}
	})
}

func TestAfterVerify(t *testing.T) {
	eachAfter(t, func(t *testing.T, table, _ *probe.Table) {
		for _, o := range []VerifyOptions{{}, {Sample: 5000, Threads: 3}} {
			if verified, found, err := verify(table, o); err != nil || found != nil || verified.States < o.Sample || verified.States == 0 {
				t.Errorf("%+v: %+v, %v, %v", o, verified, found, err)
			}
		}
	})
}

// TestAfterVerifyFindsWrongState verifies a sample of a table after given moves with a wrong
// state.
func TestAfterVerifyFindsWrongState(t *testing.T) {
	original := openAfter(t, 2, false, "b1")
	table := altered(t, original, 0, func(p *tablebase.Planes, _ *tablebase.Counts) { p.Win[0] ^= 1 }) // the start
	start := table.Rules().Format(table.Start())
	for _, o := range []VerifyOptions{{}, {Sample: 200}} {
		_, found, err := verify(table, o)
		if !errors.Is(err, ErrDiffers) || !slices.ContainsFunc(found, func(s string) bool { return strings.HasPrefix(s, start) }) {
			t.Errorf("%+v: %q, %v", o, found, err)
		}
	}
}

// TestAfterStatsJSON checks that statistics name the moves that a game begins with, if any.
func TestAfterStatsJSON(t *testing.T) {
	s := stats(t, openAfter(t, 2, true, "b1"))
	if !slices.Equal(s.After, []string{"b1"}) || s.Total.States != 8 {
		t.Errorf("%+v", s)
	}
	if s := stats(t, open(t, "notakto", 2, true)); s.After != nil {
		t.Errorf("after %v", s.After)
	}
}

package survey

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"backsolve/internal/probe"
	"backsolve/tablebase"
)

// verify verifies a table and returns the differences as text, sorted.
func verify(table *probe.Table, o VerifyOptions) (Verified, []string, error) {
	var found []string
	verified, err := Verify(context.Background(), table, o, nil, func(d Difference) {
		found = append(found, fmt.Sprintf("%s: %s, %s", d.Where, d.Stored, d.Derived))
	})
	slices.Sort(found)
	return verified, found, err
}

func TestVerify(t *testing.T) {
	eachBoard(t, func(t *testing.T, table *probe.Table) {
		for _, o := range []VerifyOptions{{}, {Threads: 1}, {Threads: 7}, {Sample: 9000}, {Sample: 1, Threads: 3}} {
			if testing.Short() && o.Threads < 2 {
				continue // looking up takes long under the race detector
			}
			want := o.Sample
			if want == 0 {
				for _, c := range table.Stored().Classes() {
					want += storedStates(c)
				}
			}
			verified, found, err := verify(table, o)
			if err != nil || found != nil || verified != (Verified{States: want}) {
				t.Errorf("%+v: %+v, %v, %v; %d states", o, verified, found, err, want)
			}
		}
	})
}

// TestVerifyWithoutMemory looks up states in the file instead of loading classes.
func TestVerifyWithoutMemory(t *testing.T) {
	table := altered(t, open(t, "quixo", 3, true), 4, func(p *tablebase.Planes, _ *tablebase.Counts) { p.Steps[0][1] ^= 1 })
	differences := func(limit int64) (found []Difference) {
		defer func(usual int64) { maxLoaded = usual }(maxLoaded)
		maxLoaded = limit
		v := newVerification(table, VerifyOptions{Threads: 1}, nil, func(d Difference) { found = append(found, d) })
		if err := (grid{table}).deriveAll(context.Background(), v); err != nil {
			t.Fatal(err)
		}
		return found
	}
	held, looked := differences(maxLoaded), differences(0)
	if !slices.Equal(held, looked) || len(held) == 0 {
		t.Errorf("held: %v\nlooked up: %v", held, looked)
	}
}

// TestVerifyFindsErrors changes one place, which is found there and in the positions before it.
func TestVerifyFindsErrors(t *testing.T) {
	type planes = tablebase.Planes
	type counts = tablebase.Counts
	for _, c := range []struct {
		name   string
		game   string
		n      int
		steps  bool
		class  int
		change func(*planes, *counts)
		want   []string
	}{
		{"outcome", "notakto", 2, false, 0, func(p *planes, _ *counts) { p.Win[0] ^= 1 }, []string{
			"../..: lose, win",
			"class 0, index weight 0, losses: 0, 1",
			"class 0, index weight 0, wins: 1, 0",
		}},
		{"steps", "notakto", 2, true, 0, func(p *planes, _ *counts) { p.Steps[0][0] ^= 1 }, []string{
			"../..: win in 3, win in 2",
			"class 0, 2 steps, wins: 1, 0",
			"class 0, 3 steps, wins: 0, 1",
		}},
		{"terminal outcome", "notakto", 2, false, 0, func(p *planes, _ *counts) { p.Win[0] ^= 1 << 15 }, []string{
			"XX/XX: lose, win",
			"class 0, index weight 4, losses: 0, 1",
			"class 0, index weight 4, wins: 1, 0",
		}},
		{"count", "notakto", 3, false, 0, func(_ *planes, n *counts) {
			n.ByWeight[2].Wins--
			n.ByWeight[2].Losses++
		}, []string{
			"class 0, index weight 2, losses: 9, 8",
			"class 0, index weight 2, wins: 27, 28",
		}},
		{"draws", "quixo", 2, false, 2, func(_ *planes, n *counts) {
			n.ByWeight[1].Wins--
			n.ByWeight[1].Draws++
		}, []string{
			"class 2, index weight 1, draws: 1, 0",
			"class 2, index weight 1, wins: 11, 12",
		}},
		{"steps count", "notakto", 2, true, 0, func(_ *planes, n *counts) {
			n.BySteps[1].Losses--
			n.BySteps[2].Losses++
		}, []string{
			"class 0, 1 steps, losses: 3, 4",
			"class 0, 2 steps, losses: 1, 0",
		}},
		{"terminal count", "notakto", 2, false, 0, func(_ *planes, n *counts) {
			n.ByWeight[2].TerminalWins--
			n.ByWeight[1].TerminalLosses++
		}, []string{
			"class 0, index weight 2, terminal wins: 5, 6",
			"class 0, index weight 1, terminal losses: 1, 0",
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			slices.Sort(c.want)
			table := altered(t, open(t, c.game, c.n, c.steps), c.class, c.change)
			verified, found, err := verify(table, VerifyOptions{})
			if !slices.Equal(found, c.want) || !errors.Is(err, ErrDiffers) || verified.Differences != uint64(len(c.want)) {
				t.Errorf("%+v, %v\nfound %q\nwant  %q", verified, err, found, c.want)
			}
		})
	}
}

// TestVerifySample finds a wrong state in a large enough sample, which is the same for any
// number of threads.
func TestVerifySample(t *testing.T) {
	table := altered(t, open(t, "quixo", 2, true), 2, func(p *tablebase.Planes, _ *tablebase.Counts) {
		p.Win[0], p.Lose[0] = p.Lose[0], p.Win[0]
	})
	o := VerifyOptions{Sample: 1000, Seed: 1, Threads: 1}
	one, first, err := verify(table, o)
	if !errors.Is(err, ErrDiffers) || !slices.ContainsFunc(first, func(s string) bool { return strings.Contains(s, " x: ") }) {
		t.Fatalf("%+v, %v: %q", one, err, first)
	}
	o.Threads = 5
	if again, found, _ := verify(table, o); again != one || len(found) != len(first) {
		t.Errorf("%+v with five threads, %+v with one", again, one)
	}
	o.Seed = 2
	if other, _, _ := verify(table, o); other == one {
		t.Errorf("another seed gives the same %+v", other)
	}
}

// TestVerifyReportsSome checks that a hundred differences are reported, and all are counted.
func TestVerifyReportsSome(t *testing.T) {
	table := altered(t, open(t, "quixo", 3, false), 5, func(p *tablebase.Planes, _ *tablebase.Counts) {
		p.Win, p.Lose = p.Lose, p.Win
	})
	verified, found, err := verify(table, VerifyOptions{})
	if !errors.Is(err, ErrDiffers) || len(found) != maxReported || verified.Differences <= maxReported {
		t.Errorf("%+v, %d reported, %v", verified, len(found), err)
	}
}

func TestVerifyRefusesWrongChecksum(t *testing.T) {
	table := altered(t, open(t, "quixo", 3, true), 0, func(*tablebase.Planes, *tablebase.Counts) {})
	f, err := os.OpenFile(table.Stored().Path(), os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if _, err := f.WriteAt([]byte{0x55}, 4096); err != nil {
		t.Fatal(err)
	}
	verified, found, err := verify(table, VerifyOptions{})
	if !errors.Is(err, tablebase.ErrDamaged) || found != nil || verified.States != 0 {
		t.Errorf("%+v, %v, %v", verified, found, err)
	}
}

// TestVerifyProgressAndCancel checks that progress never decreases and ends with the total of
// each stage, and that the context ends a verification.
func TestVerifyProgressAndCancel(t *testing.T) {
	table := open(t, "quixo", 3, true)
	var events []tablebase.Event
	if _, err := Verify(context.Background(), table, VerifyOptions{}, func(e tablebase.Event) { events = append(events, e) }, nil); err != nil {
		t.Fatal(err)
	}
	last := map[string]tablebase.Event{}
	for _, e := range events {
		if e.Done < last[e.Stage].Done || e.Done > e.Total {
			t.Errorf("%+v after %+v", e, last[e.Stage])
		}
		last[e.Stage] = e
	}
	for _, stage := range []string{Recount, Derive} {
		if e := last[stage]; e.Done != e.Total || e.Done == 0 {
			t.Errorf("%s ends at %+v", stage, e)
		}
		ctx, cancel := context.WithCancelCause(context.Background())
		enough := errors.New("enough")
		_, err := Verify(ctx, table, VerifyOptions{}, func(e tablebase.Event) {
			if e.Stage == stage {
				cancel(enough)
			}
		}, nil)
		if !errors.Is(err, enough) {
			t.Errorf("%s: %v", stage, err)
		}
	}
}

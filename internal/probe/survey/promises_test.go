package survey

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"iter"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"backsolve/game"
	"backsolve/game/custom"
	"backsolve/internal/probe"
	"backsolve/internal/probe/probetest"
	"backsolve/retro/generic"
	"backsolve/tablebase"
	"backsolve/tablebase/sparse"
)

// The summary of a table of single positions is that of its states, counted one by one.
func TestOfSparse(t *testing.T) {
	for seed := range uint64(5) {
		g := custom.List(newLot(seed, 300))
		solution, err := generic.Solve(t.Context(), filepath.Join(t.TempDir(), "work"), g.Numbers(), generic.Options{})
		if err != nil {
			t.Fatal(err)
		}
		defer solution.Close()
		table := written(t, g, solution.Tier)
		got, err := Summarize(t.Context(), table)
		if err != nil {
			t.Fatal(err)
		}
		var total Counts
		bySteps := map[int]*StepsStats{}
		longest := map[game.Outcome]*Longest{}
		for tier := range g.Numbers().Tiers() {
			var here Counts
			steps := map[int]StepsStats{}
			for key, v := range solution.Tier(tier) {
				here.States++
				if v.Outcome == game.Draw {
					here.Draws++
					continue
				}
				if bySteps[v.Steps] == nil {
					bySteps[v.Steps] = &StepsStats{Steps: v.Steps}
				}
				own := steps[v.Steps]
				if v.Outcome == game.Win {
					here.Wins++
					own.Wins++
					bySteps[v.Steps].Wins++
				} else {
					here.Losses++
					own.Losses++
					bySteps[v.Steps].Losses++
				}
				steps[v.Steps] = own
				if v.Steps == 0 && v.Outcome == game.Win {
					here.TerminalWins++
				} else if v.Steps == 0 {
					here.TerminalLosses++
				}
				if l := longest[v.Outcome]; l == nil || v.Steps > l.Steps {
					longest[v.Outcome] = &Longest{Steps: v.Steps, Count: 1, Position: fmt.Sprint(key)}
				} else if v.Steps == l.Steps {
					l.Count++
				}
			}
			c := got.Classes[tier]
			if c.Class != tier || uint64(c.Blocks) != here.States || c.BlockStates != 1 || c.Counts != here {
				t.Errorf("seed %d: tier %d is %+v, want %+v", seed, tier, c, here)
			}
			for n, s := range c.Steps {
				if s.Steps != n || s.Wins != steps[n].Wins || s.Losses != steps[n].Losses {
					t.Errorf("seed %d: tier %d has %+v, want %+v", seed, tier, s, steps[n])
				}
			}
			total.States, total.Wins, total.Losses, total.Draws = total.States+here.States, total.Wins+here.Wins, total.Losses+here.Losses, total.Draws+here.Draws
			total.TerminalWins, total.TerminalLosses = total.TerminalWins+here.TerminalWins, total.TerminalLosses+here.TerminalLosses
		}
		if got.Total != total || got.Stored != total.States || got.Game != "lot" || !got.HasSteps || got.Bytes != table.Stored().Bytes() || len(got.Identity) != 64 {
			t.Errorf("seed %d: %+v, want %+v", seed, got, total)
		}
		for n, s := range got.Steps {
			if want := bySteps[n]; s.Steps != n || want == nil && s != (StepsStats{Steps: n}) || want != nil && s != *want {
				t.Errorf("seed %d: %+v, want %+v", seed, s, want)
			}
		}
		for _, l := range []struct{ got, want *Longest }{{got.LongestWin, longest[game.Win]}, {got.LongestLoss, longest[game.Lose]}} {
			if (l.got == nil) != (l.want == nil) || l.got != nil && (l.got.Steps != l.want.Steps || l.got.Count != l.want.Count) {
				t.Errorf("seed %d: the longest is %+v, want %+v", seed, l.got, l.want)
			}
			if l.got == nil {
				continue
			}
			if a, err := table.Ask(l.got.Position, probe.NoLine); err != nil || a.Steps != l.got.Steps {
				t.Errorf("seed %d: %+v is %+v, %v", seed, l.got, a, err)
			}
		}
		start, err := table.Ask("0", probe.NoLine)
		if err != nil || got.Start.Outcome != start.Outcome.String() || (got.Start.Steps == nil) != (start.Steps < 0) || got.Start.Steps != nil && *got.Start.Steps != start.Steps || got.Start.Position != "0" {
			t.Errorf("seed %d: it starts with %+v, %v, want %+v", seed, got.Start, err, start)
		}
	}
}

// A sample has as many states as were asked for, whatever the sizes of tasks and batches.
func TestSampleSizes(t *testing.T) {
	table := open(t, "notakto", 2, true)
	for _, sample := range []uint64{1, sampleTask - 1, sampleTask, sampleTask + 1, batchTasks * sampleTask, batchTasks*sampleTask + 1, batchTasks*sampleTask + 2*sampleTask} {
		last := tablebase.Event{}
		v, err := Verify(t.Context(), table, VerifyOptions{Sample: sample, Seed: 2}, func(p tablebase.Event) { last = p }, nil)
		if err != nil || v.States != sample || v.Blocks != 0 || v.AllBlocks != 0 || v.Differences != 0 || last != (tablebase.Event{Stage: Derive, Unit: "states", Done: sample, Total: sample}) {
			t.Errorf("a sample of %d: %+v, %+v, %v", sample, v, last, err)
		}
	}
	for seed := range uint64(20) {
		for n := range uint64(6) {
			if drawn := selectAll(t, table, Selection{Sample: n + 1, Seed: seed}); uint64(len(drawn)) != n+1 {
				t.Errorf("a selection of %d has %d states", n+1, len(drawn))
			}
		}
	}
	for _, blocks := range []uint64{1, 2, 1000} {
		v, err := Verify(t.Context(), table, VerifyOptions{Blocks: blocks, Sample: 5}, nil, nil)
		var all uint64
		for _, c := range table.Stored().Classes() {
			all += uint64(c.Blocks)
		}
		if err != nil || v.Blocks != min(blocks, all) || v.AllBlocks != all || blocks > all && v.States != 5+StoredStates(table) {
			t.Errorf("%d blocks: %+v, %v", blocks, v, err)
		}
	}
}

// readers read a table, all of it or a part.
var readers = map[string]func(ctx context.Context, table *probe.Table) error{
	"All": func(_ context.Context, table *probe.Table) (err error) {
		for _, err = range All(table) {
		}
		return err
	},
	"Read": func(_ context.Context, table *probe.Table) error {
		_, err := Read(table, 0, make([]Stored, StoredStates(table)))
		return err
	},
	"Select": func(ctx context.Context, table *probe.Table) error {
		return Select(ctx, table, Selection{}, func([]Selected) error { return nil })
	},
	"Select a sample": func(ctx context.Context, table *probe.Table) error {
		return Select(ctx, table, Selection{Sample: 9}, func([]Selected) error { return nil })
	},
	"Random": func(ctx context.Context, table *probe.Table) error {
		_, err := Random(ctx, table, Filter{Outcome: new(game.Win)}, rand.New(rand.NewPCG(1, 1)))
		return err
	},
	"Summarize": func(ctx context.Context, table *probe.Table) error {
		_, err := Summarize(ctx, table)
		return err
	},
	"Walk": func(ctx context.Context, table *probe.Table) error {
		return Walk(ctx, table, WalkOptions{}, func(visits iter.Seq[*Visit]) error {
			for range visits {
			}
			return nil
		})
	},
	"Walk through a sample": func(ctx context.Context, table *probe.Table) error {
		return Walk(ctx, table, WalkOptions{Sample: 3}, func(visits iter.Seq[*Visit]) error {
			for range visits {
			}
			return nil
		})
	},
	"Mine": func(ctx context.Context, table *probe.Table) error {
		_, err := Mine(ctx, table, WalkOptions{}, 2)
		return err
	},
	"Verify": func(ctx context.Context, table *probe.Table) error {
		_, err := Verify(ctx, table, VerifyOptions{}, nil, nil)
		return err
	},
	"Verify blocks": func(ctx context.Context, table *probe.Table) error {
		_, err := Verify(ctx, table, VerifyOptions{Blocks: 9}, nil, nil)
		return err
	},
	"Verify a sample": func(ctx context.Context, table *probe.Table) error {
		_, err := Verify(ctx, table, VerifyOptions{Sample: 9}, nil, nil)
		return err
	},
}

// Whatever reads a table says that it is closed, and ends with its context.
func TestAllReadersFail(t *testing.T) {
	cause := errors.New("enough")
	ended, cancel := context.WithCancelCause(t.Context())
	cancel(cause)
	for name, read := range readers {
		table := altered(t, open(t, "notakto", 3, true), 99, nil)
		if err := read(t.Context(), table); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if err := read(ended, table); name != "All" && name != "Read" && !errors.Is(err, cause) {
			t.Errorf("%s after the end: %v", name, err)
		}
		table.Close()
		if err := read(t.Context(), table); !errors.Is(err, tablebase.ErrClosed) {
			t.Errorf("%s of a closed table: %v", name, err)
		}
	}
}

// Whatever reads all of a table finds each byte of its parts that is damaged. What reads a part
// finds it, too, or does not need it.
func TestAllReadersFindDamage(t *testing.T) {
	for _, board := range []string{"notakto", "quixo"} {
		original := altered(t, open(t, board, 2, true), 99, nil)
		path := original.Stored().Path()
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		_, records := original.Stored().Layout()
		for _, r := range records {
			for i, p := range r.Parts {
				if p.Words*int64(p.Columns) == 0 {
					continue
				}
				at := p.Offset + (p.Words*int64(p.Columns)-1)*8
				data[at] ^= 1
				damaged := filepath.Join(t.TempDir(), filepath.Base(path))
				if err := os.WriteFile(damaged, data, 0o644); err != nil {
					t.Fatal(err)
				}
				data[at] ^= 1
				for name, read := range readers {
					table, err := probe.OpenFile(damaged)
					if err != nil {
						t.Fatal(err)
					}
					err = read(t.Context(), table)
					partly := name == "Random" || name == "Summarize" || strings.HasSuffix(name, "a sample") && !strings.HasPrefix(name, "Verify")
					if !errors.Is(err, tablebase.ErrDamaged) && (err != nil || !partly) {
						t.Errorf("%s, class %d, %s: %s: %v", board, r.Class, r.Names[i], name, err)
					}
					table.Close()
				}
			}
		}
	}
}

// Verifying a table of single positions reports its stages, and ends with its context.
func TestVerifySparseStages(t *testing.T) {
	table := written(t, custom.List(ring(5)), func(int) iter.Seq2[uint64, sparse.Value] {
		return func(yield func(uint64, sparse.Value) bool) {
			for s := range uint64(5) {
				if !yield(s, sparse.Value{Outcome: game.Draw, Steps: -1}) {
					return
				}
			}
		}
	})
	var stages []tablebase.Event
	v, err := Verify(t.Context(), table, VerifyOptions{Threads: 1}, func(p tablebase.Event) { stages = append(stages, p) }, nil)
	if err != nil || v != (Verified{States: 5}) {
		t.Errorf("%+v: %v", v, err)
	}
	for _, want := range []tablebase.Event{{Stage: Recount, Unit: "states", Done: 5, Total: 5}, {Stage: Derive, Unit: "states", Done: 5, Total: 5}} {
		if !slices.Contains(stages, want) {
			t.Errorf("the progress is %v, without %v", stages, want)
		}
	}
	cause := errors.New("enough")
	ended, cancel := context.WithCancelCause(t.Context())
	cancel(cause)
	if _, err := Verify(ended, table, VerifyOptions{}, nil, nil); !errors.Is(err, cause) {
		t.Errorf("after the end: %v", err)
	}
	if _, err := Random(t.Context(), table, Filter{Steps: new(3)}, rand.New(rand.NewPCG(1, 1))); !errors.Is(err, ErrNoSuchState) {
		t.Errorf("a state with steps: %v", err)
	}
	table.Close()
	if _, err := Verify(t.Context(), table, VerifyOptions{}, nil, nil); !errors.Is(err, tablebase.ErrClosed) {
		t.Errorf("of a closed table: %v", err)
	}
}

// A table whose ends are overwritten while it is open is damaged, though all states are there.
func TestVerifyReadsTheEndsAgain(t *testing.T) {
	content, err := os.ReadFile(open(t, "quixo", 2, true).Stored().Path())
	if err != nil {
		t.Fatal(err)
	}
	for _, at := range []int{3000, len(content) - 1, len(content) - 20} {
		f := newTorn(content, 1<<30, true)
		table, err := probe.OpenStorage("shelf", f)
		if err != nil {
			t.Fatal(err)
		}
		changed := slices.Clone(content)
		changed[at] ^= 1
		f.Reader = bytes.NewReader(changed)
		if _, err := Verify(t.Context(), table, VerifyOptions{}, nil, nil); !errors.Is(err, tablebase.ErrDamaged) {
			t.Errorf("byte %d of %d: %v", at, len(content), err)
		}
	}
}

// A random state of an opening table is of each class as often as the class has states.
func TestRandomStatesOfAnOpening(t *testing.T) {
	const draws = 4000
	table, _ := probetest.Opening(t, open(t, "notakto", 4, false), 3)
	r := rand.New(rand.NewPCG(1, 1))
	drawn := map[int]float64{}
	for range draws {
		drawn[table.Space().Locate(randomState(table, r)).Class]++
	}
	all := float64(table.Space().StatesOf(3))
	for class := range 3 {
		p := float64(table.Space().StatesOf(class+1)-table.Space().StatesOf(class)) / all
		if math.Abs(drawn[class]-draws*p) > 5*math.Sqrt(draws*p*(1-p)) || len(drawn) != 3 {
			t.Errorf("class %d comes %v times of %d, want about %.0f", class, drawn[class], draws, draws*p)
		}
	}
}

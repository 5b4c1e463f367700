package survey

import (
	"errors"
	"fmt"
	"iter"
	"math/rand/v2"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"

	"backsolve/game"
	"backsolve/game/custom"
	"backsolve/internal/probe"
	"backsolve/retro/generic"
	"backsolve/tablebase/sparse"
)

// lot is a game drawn by lot: numbered positions with moves, some of which end the game. A
// position is in the tier of its last digit, and no move leads to a lower one.
type lot struct{ moves [][]int }

func newLot(seed uint64, positions int) lot {
	r := rand.New(rand.NewPCG(seed, 4))
	l := lot{make([][]int, positions)}
	for s := range l.moves {
		for range r.IntN(6) {
			if to := r.IntN(positions); to%10 > s%10 || to%10 == s%10 && l.Loops(s%10) {
				l.moves[s] = append(l.moves[s], to)
			}
		}
	}
	l.moves[0] = []int{1, 10, 20, 11, 12, 13, 31}
	return l
}

func (lot) Name() string                           { return "lot" }
func (lot) Start() int                             { return 0 }
func (lot) Tiers() int                             { return 10 }
func (lot) Tier(s int) int                         { return s % 10 }
func (lot) Loops(tier int) bool                    { return tier%3 == 0 }
func (l lot) Terminal(s int) (game.Outcome, bool)  { return game.Outcome(s % 3), len(l.moves[s]) == 0 }
func (l lot) Moves(dst []int, s int) []int         { return append(dst, l.moves[s]...) }
func (lot) Key(s int) uint64                       { return uint64(s) }
func (lot) FromKey(key uint64) int                 { return int(key) }
func (lot) Format(s int) string                    { return strconv.Itoa(s) }
func (l lot) Parse(text string) (s int, err error) { return strconv.Atoi(text) }

// written writes the table of a game with states changed, and opens it.
func written(t testing.TB, g custom.Listed, states func(tier int) iter.Seq2[uint64, sparse.Value]) *probe.Sparse {
	t.Helper()
	return writtenIn(t, g, nil, states)
}

// writtenIn is written, with the ranks of some tiers.
func writtenIn(t testing.TB, g custom.Listed, tiers []sparse.Tier, states func(tier int) iter.Seq2[uint64, sparse.Value]) *probe.Sparse {
	t.Helper()
	n := g.Numbers()
	path := filepath.Join(t.TempDir(), n.Name()+".tb")
	h := sparse.Header{Game: n.Name(), Start: n.Start().Key, StartTier: n.Start().Tier, Rules: custom.ShortFingerprint(n), Fingerprint: custom.Fingerprint(n), Tiers: tiers}
	if err := sparse.Write(path, h, n.Tiers(), states); err != nil {
		t.Fatal(err)
	}
	table, err := probe.OpenSparse(t.Context(), path, g)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { table.Close() })
	return table
}

// Right tables are right, however few moves fit into memory. A state that is wrong or missing
// is found among all and in a sample, and so are wrong counts.
func TestVerifySparse(t *testing.T) {
	defer func(old int) { maxMoves = old }(maxMoves)
	seeds := uint64(6)
	if testing.Short() {
		seeds = 2 // each takes seconds under the race detector
	}
	for seed := range seeds {
		g := custom.List(newLot(seed, 300))
		maxMoves = []int{1, 15, 1 << 20}[seed%3]
		solution, err := generic.Solve(t.Context(), filepath.Join(t.TempDir(), "work"), g.Numbers(), generic.Options{})
		if err != nil {
			t.Fatal(err)
		}
		defer solution.Close()
		verify := func(table *probe.Sparse, sample uint64) (Verified, string, error) {
			var found []string
			v, err := Verify(t.Context(), table, VerifyOptions{Sample: sample, Seed: seed, Threads: 1 + int(seed%4)}, nil, func(d Difference) {
				found = append(found, fmt.Sprintf("%s: %s, %s", d.Where, d.Stored, d.Derived))
			})
			return v, strings.Join(found, "\n"), err
		}
		n := uint64(solution.States())
		var tiers []sparse.Tier
		if seed%2 == 1 { // by ranks
			tiers = slices.Repeat([]sparse.Tier{{Ranks: 300}}, 10)
		}
		right := writtenIn(t, g, tiers, solution.Tier)
		for _, sample := range []uint64{0, 1, 100, 8 * n} {
			if v, found, err := verify(right, sample); err != nil || found != "" || v.States != max(n, sample) && v.States != sample {
				t.Errorf("seed %d: a sample of %d: %v of %d states, %s, %v", seed, sample, v, n, found, err)
			}
		}
		r := rand.New(rand.NewPCG(seed, 5))
		var decided []sparse.Ref
		for tier := 1; tier < 10; tier++ {
			for key, v := range solution.Tier(tier) {
				if v.Outcome != game.Draw {
					decided = append(decided, sparse.Ref{Tier: tier, Key: key})
				}
			}
		}
		at := decided[r.IntN(len(decided))]
		for _, drop := range []bool{false, true} {
			wrong := writtenIn(t, g, tiers, func(tier int) iter.Seq2[uint64, sparse.Value] {
				return func(yield func(uint64, sparse.Value) bool) {
					for key, v := range solution.Tier(tier) {
						switch {
						case at != sparse.Ref{Tier: tier, Key: key}:
						case drop:
							continue
						case seed%2 == 0:
							v = sparse.Value{Outcome: game.Draw, Steps: -1}
						default:
							v.Steps += 2
						}
						if !yield(key, v) {
							return
						}
					}
				}
			})
			if _, err := Verify(t.Context(), wrong, VerifyOptions{Blocks: 1 << 40}, nil, nil); !errors.Is(err, ErrDiffers) {
				t.Errorf("seed %d: state %d is dropped %v, and all blocks end with %v", seed, at.Key, drop, err)
			}
			for _, sample := range []uint64{0, 8 * n} {
				_, found, err := verify(wrong, sample)
				want := fmt.Sprintf("%d: ", at.Key)
				if drop {
					want += "nothing, a value"
				}
				if !errors.Is(err, ErrDiffers) || !slices.ContainsFunc(strings.Split(found, "\n"), func(line string) bool { return strings.HasPrefix(line, want) }) {
					t.Errorf("seed %d: state %d is dropped %v, and a sample of %d finds %s, %v", seed, at.Key, drop, sample, found, err)
				}
			}
		}
		right.Stored().Header().Tiers[at.Tier].Values[0].First++
		if _, found, err := verify(right, 1); !errors.Is(err, ErrDiffers) || !strings.Contains(found, fmt.Sprintf("the counts of tier %d", at.Tier)) {
			t.Errorf("seed %d: wrong counts: %s, %v", seed, found, err)
		}
	}
}

// ring is a game without an end: each position has one move, to the next.
type ring int

func (ring) Name() string                      { return "ring" }
func (ring) Start() int                        { return 0 }
func (ring) Terminal(int) (game.Outcome, bool) { return 0, false }
func (r ring) Moves(dst []int, s int) []int    { return append(dst, (s+1)%int(r)) }
func (ring) Key(s int) uint64                  { return uint64(s) }
func (ring) FromKey(key uint64) int            { return int(key) }
func (ring) Format(s int) string               { return strconv.Itoa(s) }
func (ring) Parse(text string) (int, error)    { return strconv.Atoi(text) }

// quiet is a ring whose texts are there already.
type quiet struct {
	ring
	texts []string
}

func (q quiet) Format(s int) string { return q.texts[s] }

// A state that is missing is named once for each move that leads to it, and for the start. Those
// before it are not called wrong, as nothing is known of them.
func TestVerifySparseMissing(t *testing.T) {
	for _, drop := range []uint64{0, 1, 2} {
		table := written(t, custom.List(ring(3)), func(int) iter.Seq2[uint64, sparse.Value] {
			return func(yield func(uint64, sparse.Value) bool) {
				for s := range uint64(3) {
					if s != drop && !yield(s, sparse.Value{Outcome: game.Draw, Steps: -1}) {
						return
					}
				}
			}
		})
		var found []Difference
		v, err := Verify(t.Context(), table, VerifyOptions{Threads: 1}, nil, func(d Difference) { found = append(found, d) })
		want := []Difference{{fmt.Sprint(drop), "nothing", "a value"}}
		if drop == 0 {
			want = append(want, want[0])
		}
		if !errors.Is(err, ErrDiffers) || !slices.Equal(found, want) || v.States != 2 || v.Differences != uint64(len(want)) {
			t.Errorf("without %d: %v, %+v: %v", drop, found, v, err)
		}
	}
}

// Verifying takes memory for some moves and not for the table: here one or two buffers of 1 MiB, where
// the moves of all states would take 32 bytes each.
func TestVerifySparseMemory(t *testing.T) {
	if testing.Short() {
		t.Skip("pools give away what they have under the race detector")
	}
	defer func(old int) { maxMoves = old }(maxMoves)
	maxMoves = 1 << 12
	const states = 5 << 18
	texts := make([]string, states)
	for s := range texts {
		texts[s] = strconv.Itoa(s)
	}
	table := written(t, custom.List(quiet{ring(states), texts}), func(int) iter.Seq2[uint64, sparse.Value] {
		return func(yield func(uint64, sparse.Value) bool) {
			for s := range uint64(states) {
				if !yield(s, sparse.Value{Outcome: game.Draw, Steps: -1}) {
					return
				}
			}
		}
	})
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	if v, err := Verify(t.Context(), table, VerifyOptions{Threads: 1}, nil, nil); err != nil || v.States != states {
		t.Errorf("%v: %v", v, err)
	}
	runtime.ReadMemStats(&after)
	if taken := after.TotalAlloc - before.TotalAlloc; taken > 3*states {
		t.Errorf("%d bytes for %d states", taken, states)
	}
}

// A random state matches the filter, also if a search of the tier alone finds it.
func TestRandomOfListed(t *testing.T) {
	const states, odd = 1 << 14, 12_345
	table := written(t, custom.List(ring(states)), func(int) iter.Seq2[uint64, sparse.Value] {
		return func(yield func(uint64, sparse.Value) bool) {
			for s := range uint64(states) {
				v := sparse.Value{Outcome: game.Draw, Steps: -1}
				if s == odd {
					v = sparse.Value{Outcome: game.Lose}
				}
				if !yield(s, v) {
					return
				}
			}
		}
	})
	lost, drawn, won := game.Lose, game.Draw, game.Win
	seen := map[string]bool{}
	for seed := range uint64(20) {
		r := rand.New(rand.NewPCG(seed, 1))
		s, err := Random(t.Context(), table, Filter{Outcome: &lost}, r)
		if err != nil || table.Rules.Format(s) != strconv.Itoa(odd) {
			t.Fatalf("seed %d: %v: %v", seed, s, err)
		}
		if s, err = Random(t.Context(), table, Filter{Outcome: &drawn}, r); err != nil {
			t.Fatal(err)
		}
		seen[table.Rules.Format(s)] = true
	}
	if len(seen) < 19 || seen[strconv.Itoa(odd)] {
		t.Errorf("twenty draws are %v", seen)
	}
	if _, err := Random(t.Context(), table, Filter{Outcome: &won}, rand.New(rand.NewPCG(1, 1))); !errors.Is(err, ErrNoSuchState) {
		t.Errorf("a state that is not there: %v", err)
	}
}

package generic

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"backsolve/game"
	"backsolve/game/custom"
	"backsolve/game/examples/morris"
	"backsolve/tablebase"
	"backsolve/tablebase/sparse"
)

// ring is a random game on rings of places, one for each unit, and their mirror images. Some places
// are mirrored onto themselves, some are of no position, and some positions are over in no unit.
type ring struct {
	places, units int
	seed          uint64
	wrong         string // what the rules do wrong
	falls         bool   // no move stays in a unit
}

type place struct{ unit, x int }

func (r ring) hash(values ...int) uint64 {
	h := r.seed*0x9e3779b97f4a7c15 + 1
	for _, v := range values {
		h = (h ^ uint64(v)) * 0xff51afd7ed558ccd
		h ^= h >> 32
	}
	return h
}

func (r ring) mirror(x int) int  { return (r.places - x) % r.places }
func (r ring) least(s place) int { return min(s.x, r.mirror(s.x)) }
func (r ring) Name() string      { return "ring" }
func (r ring) Start() place      { return place{r.units - 1, 0} }
func (r ring) hole(unit, x int) bool {
	return x > 0 && r.hash(1, unit, r.least(place{unit, x}))%7 == 0
}

func (r ring) Terminal(s place) (game.Outcome, bool) {
	if s.unit < 0 {
		return game.Lose, true
	}
	h := r.hash(2, s.unit, r.least(s))
	return game.Outcome(h >> 8 % 3), h%9 == 0 || len(r.Moves(nil, s)) == 0
}

// Moves appends moves by chance and, as images have the same ones, their mirror images.
func (r ring) Moves(dst []place, s place) []place {
	for k := range 4 {
		for mirrored, from := range []int{s.x, r.mirror(s.x)} {
			h := r.hash(3, s.unit, from, k)
			to := place{s.unit - int(h>>8%5)/4, int(h >> 16 % uint64(r.places))}
			if r.falls {
				to.unit = s.unit - 1 - int(h>>8%2)
			}
			to.unit = max(to.unit, -1)
			if to.unit >= 0 && r.hole(to.unit, to.x) {
				continue
			}
			if mirrored == 1 {
				to.x = r.mirror(to.x)
			}
			dst = append(dst, to)
		}
	}
	return dst
}

func (r ring) Key(s place) uint64 { return uint64((s.unit+1)*r.places + r.least(s)) }
func (r ring) FromKey(key uint64) place {
	return place{int(key)/r.places - 1, int(key) % r.places}
}
func (r ring) Tiers() int            { return r.units + 1 }
func (r ring) Tier(s place) int      { return r.units - 1 - s.unit }
func (r ring) Loops(tier int) bool   { return tier < r.units }
func (r ring) Format(s place) string { return fmt.Sprintf("%d.%d", s.unit, s.x) }
func (r ring) Parse(text string) (s place, err error) {
	_, err = fmt.Sscanf(text, "%d.%d", &s.unit, &s.x)
	return s, err
}

// ranks are a ring with its ranks.
type ranks struct{ ring }

func (r ranks) Units() int           { return r.units + 1 } // the first where the game is over
func (r ranks) Size(unit int) uint64 { return uint64(r.places/2 + 1) }
func (r ranks) Stays(int) bool       { return !r.falls }
func (r ranks) Home(s place) int     { return s.unit + 1 }

func (r ranks) Rank(s place) (rank uint64, symmetries int) {
	return uint64(r.least(s)), map[bool]int{false: 1, true: 2}[s.x == r.mirror(s.x)]
}

func (r ranks) Unrank(unit int, rank uint64) (place, bool) {
	return place{unit - 1, int(rank)}, unit == 0 || !r.hole(unit-1, int(rank))
}

func (r ranks) Unmoves(dst []place, s place) []place {
	for x := range r.places {
		before := place{s.unit, x}
		if _, over := r.Terminal(before); over || r.hole(s.unit, x) {
			continue
		}
		for _, to := range r.Moves(nil, before) {
			if to == s {
				dst = append(dst, before)
				if r.wrong == "twice" {
					dst = append(dst, before)
				}
			}
		}
	}
	if r.wrong == "unit" && len(dst) > 0 {
		dst[0].unit++
	}
	return dst
}

// unranked hides that a game has ranks.
type unranked struct{ morris.Game }

func (unranked) Units() int { return 0 }

// byNumber solves a game and returns the values by the texts of all stored positions.
func byNumber(t *testing.T, rules custom.Rules, o Options) map[string]sparse.Value {
	t.Helper()
	s, err := Solve(t.Context(), filepath.Join(t.TempDir(), "w"), rules, o)
	if err != nil {
		t.Fatal(err)
	}
	values := map[string]sparse.Value{}
	for tier := range rules.Tiers() {
		for key, v := range s.Tier(tier) {
			text, err := rules.Text(custom.Child{Key: key, Tier: tier})
			if err != nil {
				t.Fatal(err)
			}
			values[text] = v
		}
	}
	if err := s.Remove(); err != nil {
		t.Error(err)
	}
	return values
}

// By ranks all states have the values that they have by numbers, and others are there too.
func TestRankedAgrees(t *testing.T) {
	compared := 0
	agree := func(name string, numbered, ranked custom.Rules, image func(text string) string) {
		want := byNumber(t, numbered, Options{Threads: 1})
		for _, outcomes := range []bool{false, true} {
			got := byNumber(t, ranked, Options{Threads: 3, Outcomes: outcomes})
			for text, v := range want {
				if outcomes {
					v.Steps = -1
				}
				if got[image(text)] != v {
					t.Errorf("%s: %s is %+v, by ranks %+v", name, text, v, got[image(text)])
				}
			}
		}
		compared += len(want)
	}
	for seed := range uint64(24) {
		r := ring{places: 90 + int(seed), units: 3, seed: seed, falls: seed%4 == 3}
		agree(fmt.Sprint("ring ", seed), custom.NewRules(r), custom.NewRules(ranks{r}), func(text string) string { return text })
	}
	g := morris.Game{Men: 3}
	agree("morris", custom.NewRules(unranked{g}), custom.NewRules(g), func(text string) string {
		s, err := g.Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		at := custom.NumberOf(g)(s)
		text, err = custom.NewRules(g).Text(at)
		if err != nil {
			t.Fatal(err)
		}
		return text
	})
	if compared < 4000 {
		t.Errorf("only %d states are compared", compared)
	}
}

// stopping are rules that fail after a number of calls, as if the process were killed.
type failing struct {
	custom.Ranked
	left *atomic.Int64
}

type stoppingRanker struct {
	custom.Ranker
	left *atomic.Int64
}

var errStopped = errors.New("stopped")

func (s failing) NewRanker() custom.Ranker { return stoppingRanker{s.Ranked.NewRanker(), s.left} }

func (s stoppingRanker) Look(seen *custom.Seen, at custom.Child) error {
	if s.left.Add(-1) < 0 {
		return errStopped
	}
	return s.Ranker.Look(seen, at)
}

func (s stoppingRanker) Before(dst []custom.Parent, at custom.Child) ([]custom.Parent, error) {
	if s.left.Add(-1) < 0 {
		return nil, errStopped
	}
	return s.Ranker.Before(dst, at)
}

// The table has the same bytes for any number of threads, and after interruptions anywhere, each of
// which costs little.
func TestRankedBytes(t *testing.T) {
	defer func(after, cells time.Duration, marked, pass, stretch uint64) {
		saveEvery, cellsEvery, markedCells, passCells, stretchCells = after, cells, marked, pass, stretch
	}(saveEvery, cellsEvery, markedCells, passCells, stretchCells)
	saveEvery, cellsEvery, markedCells, passCells, stretchCells = 0, 0, 4, 16, 48
	for _, falls := range []bool{false, true} {
		for _, outcomes := range []bool{false, true} {
			rules := custom.NewRules(ranks{ring{places: 201, units: 3, seed: 5, falls: falls}}).(custom.Ranked)
			var want []byte
			for threads := 1; threads <= 4; threads++ {
				path, runs := filepath.Join(t.TempDir(), "t"), 0
				stopped := failing{rules, new(atomic.Int64)}
				for err := errStopped; err != nil; runs++ {
					calls := int64(110) // a unit has 101 ranks
					if falls {
						calls = 90
					}
					if threads == 1 {
						calls = 1 << 40
					}
					stopped.left.Store(calls)
					if err = Make(t.Context(), path, "test", stopped, Options{Threads: threads, Outcomes: outcomes}); err != nil && !errors.Is(err, errStopped) || runs > 100 {
						t.Fatal(runs, err)
					}
				}
				got, err := os.ReadFile(path)
				if want == nil {
					want = got
				}
				if err != nil || !bytes.Equal(got, want) || threads > 1 && runs < 3 {
					t.Errorf("%d threads, %d runs: %v, %d bytes", threads, runs, err, len(got))
				}
			}
		}
	}
}

// Rules whose moves back are not those forward are found out.
func TestRankedFaults(t *testing.T) {
	for wrong, want := range map[string]string{"twice": "more often than Moves leads from there", "unit": "whose unit is"} {
		_, err := Solve(t.Context(), filepath.Join(t.TempDir(), "w"), custom.NewRules(ranks{ring{places: 200, units: 2, seed: 1, wrong: wrong}}), Options{Threads: 2})
		if fault := (*custom.Fault)(nil); !errors.As(err, &fault) || !strings.Contains(fault.What, want) || fault.Position == "" {
			t.Errorf("%s: %v", wrong, err)
		}
	}
	_, err := Solve(t.Context(), filepath.Join(t.TempDir(), "w"), custom.NewRules(ranks{ring{places: 200, units: 2, seed: 1}}), Options{Memory: 100})
	if !errors.Is(err, ErrMemory) {
		t.Error(err)
	}
}

// The plan of a game with ranks counts the states of small units, and bounds those of large ones.
func TestRankedPlan(t *testing.T) {
	for _, places := range []int{300, 100_000} {
		r := ranks{ring{places: places, units: 2, seed: 3}}
		p, err := Estimate(t.Context(), custom.NewRules(r), PlanOptions{})
		if err != nil {
			t.Fatal(err)
		}
		states := int64(0)
		for unit := range r.Units() {
			for rank := range r.Size(unit) {
				if _, ok := r.Unrank(unit, rank); ok {
					states++
				}
			}
		}
		small, err := Estimate(t.Context(), custom.NewRules(r), PlanOptions{Outcomes: true})
		if saved := p.MinMemory - small.MinMemory; err != nil || saved < int64(r.Size(0))-4 || saved > int64(r.Size(0))+4 {
			t.Errorf("%d places: outcomes alone save %d bytes of memory, not a byte a rank; %v", places, saved, err)
		}
		exact := places == 300
		if p.Low > states || p.High < states || exact != (p.Low == p.High) || p.Memory < int64(2*r.Size(0)) || p.Disk < 2*states {
			t.Errorf("%d places: %d states, %+v", places, states, p)
		}
	}
}

// chain is a game of one line: its only moves lead from each number to the one below.
type chain int

func (c chain) Name() string                        { return "chain" }
func (c chain) Start() int                          { return int(c) }
func (c chain) Terminal(s int) (game.Outcome, bool) { return game.Lose, s == 0 }
func (c chain) Moves(dst []int, s int) []int        { return append(dst, s-1) }
func (c chain) Key(s int) uint64                    { return uint64(s) }
func (c chain) FromKey(key uint64) int              { return int(key) }
func (c chain) Format(s int) string                 { return strconv.Itoa(s) }
func (c chain) Parse(text string) (int, error)      { return strconv.Atoi(text) }
func (c chain) Units() int                          { return 1 }
func (c chain) Size(int) uint64                     { return uint64(c) + 1 }
func (c chain) Stays(int) bool                      { return true }
func (c chain) Home(int) int                        { return 0 }
func (c chain) Rank(s int) (uint64, int)            { return uint64(s), 1 }
func (c chain) Unrank(_ int, i uint64) (int, bool)  { return int(i), true }
func (c chain) Unmoves(dst []int, s int) []int {
	if s == int(c) {
		return dst
	}
	return append(dst, s+1)
}

// A third of a unit is done once its moves are looked at, and each step does some more; a solve that goes
// on begins where the last one ended.
func TestRankedProgress(t *testing.T) {
	defer func(after, cells time.Duration) { saveEvery, cellsEvery = after, cells }(saveEvery, cellsEvery)
	saveEvery, cellsEvery = 0, 0
	const ranks, stop = 300, 200
	dir, done, seen := filepath.Join(t.TempDir(), "w"), uint64(0), 0
	o := Options{Threads: 1, Progress: func(e tablebase.Event) {
		if e.Stage == tablebase.Solving {
			if e.Done > done {
				seen++
			}
			done = e.Done
		}
	}}
	rules := failing{custom.NewRules(chain(ranks - 1)).(custom.Ranked), new(atomic.Int64)}
	rules.left.Store(ranks + stop) // a call for each rank, and one for each step
	if _, err := Solve(t.Context(), dir, rules, o); !errors.Is(err, errStopped) || done != ranks/3+stop*2/3 || seen < stop/2 {
		t.Errorf("stopped by %v, %d states are done in %d events", err, done, seen)
	}
	rules.left.Store(ranks)
	s, err := Solve(t.Context(), dir, rules, o)
	if err != nil || done != ranks {
		t.Fatalf("%v, %d states are done", err, done)
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
}

// Lines that are too long for steps are refused, and solved for outcomes alone, from what is there.
func TestRankedTooLong(t *testing.T) {
	for length, long := range map[chain]bool{MostRankedPlies - 1: false, MostRankedPlies: true, 20_000: true} {
		rules, dir := custom.NewRules(length), filepath.Join(t.TempDir(), "w")
		s, err := Solve(t.Context(), dir, rules, Options{})
		if errors.Is(err, ErrTooLong) != long || !long && err != nil {
			t.Fatalf("%d plies: %v", length, err)
		}
		if long {
			if s, err = Solve(t.Context(), dir, rules, Options{Outcomes: true}); err != nil {
				t.Fatal(err)
			}
		}
		for rank, v := range s.Tier(0) {
			if want := []game.Outcome{game.Lose, game.Win}[rank%2]; v.Outcome != want || !long && v.Steps != int(rank) {
				t.Fatalf("%d of %d: %v", rank, length, v)
			}
		}
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	}
}

// fan is a game in which one position has moves to many, all to the last.
type fan struct{ chain }

func (f fan) Moves(dst []int, s int) []int {
	for to := 1; s == int(f.chain) && to < s; to++ {
		dst = append(dst, to)
	}
	if len(dst) == 0 {
		return append(dst, 0)
	}
	return dst
}

func (f fan) Unmoves(dst []int, s int) []int {
	for from := 1; s == 0 && from < int(f.chain); from++ {
		dst = append(dst, from)
	}
	if s > 0 && s < int(f.chain) {
		dst = append(dst, int(f.chain))
	}
	return dst
}

// For outcomes alone a cell takes a byte, or two where too many moves stay for one.
func TestRankedManyMoves(t *testing.T) {
	for _, moves := range []int{mostOpenByte, mostOpenByte + 1, 3000} {
		rules, wide := custom.NewRules(fan{chain(moves + 1)}), moves > mostOpenByte
		o := Options{Outcomes: true, Memory: rankedMemory(uint64(moves+2), 8)}
		_, err := Solve(t.Context(), filepath.Join(t.TempDir(), "w"), rules, o)
		if wide != errors.Is(err, ErrMemory) || !wide && err != nil {
			t.Fatalf("%d moves in %d bytes: %v", moves, o.Memory, err)
		}
		o.Memory = 0
		s, err := Solve(t.Context(), filepath.Join(t.TempDir(), "w"), rules, o)
		if err != nil {
			t.Fatal(err)
		}
		for rank, v := range s.Tier(0) {
			if won := rank > 0 && rank <= uint64(moves); won != (v.Outcome == game.Win) || !won && v.Outcome != game.Lose {
				t.Fatalf("%d moves: %d is %v", moves, rank, v)
			}
		}
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	}
}

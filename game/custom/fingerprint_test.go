package custom

import (
	"slices"
	"testing"

	"backsolve/game"
)

// heap is a game with one heap from which one to three are taken, in tiers by tens or in one
// tier; one position may have other rules.
type heap struct {
	start, other int
	reversed     bool
	met          *[]int
}

func (heap) Name() string                        { return "heap" }
func (h heap) Start() int                        { return h.start }
func (heap) Terminal(s int) (game.Outcome, bool) { return game.Lose, s == 0 }
func (heap) Key(s int) uint64                    { return uint64(s) }
func (heap) FromKey(key uint64) int              { return int(key) }
func (heap) Format(int) string                   { return "heap" }
func (heap) Parse(string) (int, error)           { return 0, nil }
func (h heap) Tiers() int                        { return h.start/10 + 1 }
func (h heap) Tier(s int) int                    { return (h.start - s) / 10 }
func (h heap) Loops(int) bool                    { return true }

func (h heap) Moves(dst []int, s int) []int {
	if h.met != nil {
		*h.met = append(*h.met, s)
	}
	for n := 1; n <= 3 && n <= s && (n == 1 || s != h.other); n++ {
		dst = append(dst, s-n)
	}
	if h.reversed {
		slices.Reverse(dst)
	}
	return dst
}

// untiered is the heap in one tier.
type untiered struct{ Game[int] }

// A change in any position of a small game, even deep in it, changes the fingerprint but not the
// short one; the order of moves changes neither.
func TestFingerprint(t *testing.T) {
	for _, make := range []func(h heap) Rules{
		func(h heap) Rules { return NewRules[int](h) },
		func(h heap) Rules { return NewRules[int](untiered{h}) },
	} {
		all := map[uint64]int{}
		for _, other := range []int{0, 5000, 4321, 1234, 777, 40, 2} {
			r := make(heap{start: 5000, other: other})
			if before, ok := all[Fingerprint(r)]; ok {
				t.Errorf("a change at %d has the fingerprint of one at %d", other, before)
			}
			all[Fingerprint(r)] = other
			if short := ShortFingerprint(make(heap{start: 5000})); other > 0 && other < 4800 && (ShortFingerprint(r) != short || Unchanged(r, Fingerprint(make(heap{start: 5000})), short)) || !Unchanged(r, 0, 0) {
				t.Errorf("a change at %d is told from the start of the game", other)
			}
		}
		if r := make(heap{start: 5000, reversed: true}); all[Fingerprint(r)] != 0 || !Unchanged(r, Fingerprint(make(heap{start: 5000})), 0) {
			t.Error("the order of moves matters")
		}
	}
}

// Positions come from all tiers, up to each tier's share; a single tier is also sampled deep down.
func TestSpread(t *testing.T) {
	var met []int
	sampleHash(NewRules[int](heap{start: 5000, met: &met}), 10_000)
	tiers := map[int]int{}
	for _, s := range met {
		tiers[s/10]++
	}
	if len(met) > 10_000 || len(tiers) < 501 {
		t.Errorf("%d positions in %d tiers", len(met), len(tiers))
	}
	met = nil
	if sampleHash(NewRules[int](untiered{heap{start: 5000, met: &met}}), 100); len(met) != 100 || slices.Min(met) > 4900 {
		t.Errorf("of one tier: %v", met)
	}
}

// known is a game with a fingerprint of its own.
type known struct{ heap }

func (known) Fingerprint() uint64 { return 7 }

func TestFingerprintOfItsOwn(t *testing.T) {
	if r := NewRules[int](known{heap{start: 9}}); Fingerprint(r) != 7 || Unchanged(r, 8, 0) || !Unchanged(r, 7, ShortFingerprint(r)) {
		t.Errorf("it is %d", Fingerprint(r))
	}
}

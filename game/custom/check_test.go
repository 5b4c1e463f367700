package custom

import (
	"fmt"
	"strings"
	"testing"

	"backsolve/game"
)

// subtraction is a game with one heap of up to 20 from which one to three are taken; whoever
// takes the last one wins. Each field breaks it in one way.
type subtraction struct {
	name                                     string
	tiers                                    int
	noMoves, overwrites, otherText, twoLines bool
	halfKey, otherBack, wrongTier, sameNames bool
	wrongImage, wrongOutcome, loops          bool
}

func (g subtraction) Name() string {
	if g.name != "" {
		return g.name
	}
	return "subtraction"
}
func (g subtraction) Start() int { return 20 }
func (g subtraction) Terminal(s int) (game.Outcome, bool) {
	if g.wrongOutcome && s == 0 {
		return 3, true
	}
	return game.Lose, s == 0
}

func (g subtraction) Moves(dst []int, s int) []int {
	if g.overwrites {
		dst = dst[:0]
	}
	if g.noMoves && s == 5 {
		return dst
	}
	if g.loops && s == 7 {
		dst = append(dst, s)
	}
	for n := 1; n <= min(3, s); n++ {
		dst = append(dst, s-n)
	}
	return dst
}

func (g subtraction) Key(s int) uint64 {
	if g.halfKey {
		return uint64(s / 2)
	}
	return uint64(s)
}

func (g subtraction) FromKey(key uint64) int {
	if g.halfKey {
		return int(2 * key)
	}
	if g.otherBack && key == 9 {
		return 8
	}
	return int(key)
}

func (g subtraction) Format(s int) string {
	if g.twoLines {
		return fmt.Sprintf("%d\n", s)
	}
	return fmt.Sprint(s)
}

func (g subtraction) Parse(text string) (s int, err error) {
	_, err = fmt.Sscan(text, &s)
	if g.otherText && s == 3 {
		s = 4
	}
	return s, err
}

func (g subtraction) Tiers() int {
	if g.tiers != 0 {
		return g.tiers
	}
	return 21
}

func (g subtraction) Tier(s int) int {
	if g.wrongTier && s == 6 {
		return 3
	}
	return 20 - s
}
func (g subtraction) Loops(int) bool { return false }

func (g subtraction) MoveName(from, to int) string {
	if g.sameNames {
		return "take"
	}
	return fmt.Sprintf("-%d", from-to)
}

func (g subtraction) Images(dst []int, s int) []int {
	if g.wrongImage && s == 4 {
		return append(dst, 8)
	}
	return append(dst, s)
}

// Each way to break the contract is found and named.
func TestCheck(t *testing.T) {
	if err := Check(subtraction{}, 100, 1); err != nil {
		t.Error(err)
	}
	for want, g := range map[string]subtraction{
		"the name":                  {name: "Sub traction"},
		"Tiers returns":             {tiers: -1},
		"in tier 20 of 20":          {tiers: 20},
		"has 0 moves":               {noMoves: true},
		"must append":               {overwrites: true},
		"another position":          {otherText: true},
		"several lines":             {twoLines: true},
		"it has the same number as": {halfKey: true},
		"FromKey returns":           {otherBack: true},
		"a move leads to":           {wrongTier: true},
		"are both called":           {sameNames: true},
		"but its image":             {wrongImage: true},
		"which is not an outcome":   {wrongOutcome: true},
		"leads to 7 in tier 13":     {loops: true},
	} {
		if err := Check(g, 100, 1); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("want %q, got %v", want, err)
		}
	}
}

// perTier is a game whose positions all have the same number, one in each tier.
type perTier struct {
	subtraction
	otherTier bool
}

func (perTier) Key(int) uint64     { return 7 }
func (perTier) FromKey(uint64) int { panic("FromTierKey takes its place") }
func (g perTier) FromTierKey(tier int, _ uint64) int {
	if g.otherTier && tier == 16 {
		tier--
	}
	return 20 - tier
}

// Numbers may be unique only within a tier: positions are distinguished by tier and number, and
// read back from both.
func TestTierKeyed(t *testing.T) {
	if err := Check(perTier{}, 100, 1); err != nil {
		t.Error(err)
	}
	if err := Check(perTier{otherTier: true}, 100, 1); err == nil || !strings.Contains(err.Error(), "which is in tier") {
		t.Errorf("a position of another tier is read back: %v", err)
	}
	r := NewRules(perTier{})
	at := Child{Key: 7, Tier: 4}
	children, _, over, err := r.NewExpander().Expand(nil, at)
	if err != nil || over || len(children) != 3 || children[2] != (Child{Key: 7, Tier: 7}) || r.Start() != (Child{Key: 7}) {
		t.Errorf("from %v to %v, over is %t, %v; the start is %v", at, children, over, err, r.Start())
	}
}

// textless is a game that panics when it formats positions from some number on.
type textless struct{ subtraction }

func (g textless) Format(s int) string {
	if s < 3 {
		panic("no text")
	}
	return g.subtraction.Format(s)
}

// A number without a position and a panic of the rules are faults that name the position, by its
// text if it has one.
func TestFaults(t *testing.T) {
	for want, err := range map[string]error{
		"at 8: FromKey returns it for the number 9, but its own number is 8":                                                                   fault(subtraction{otherBack: true}, Child{Key: 9, Tier: 11}),
		"at 9: its number 9 is also that of a position in tier 4, and it is in tier 11; give them different numbers, or implement FromTierKey": fault(subtraction{}, Child{Key: 9, Tier: 4}),
		"at the number 2 of tier 18: the rules panic: no text, at check_test.go:":                                                              fault(textless{}, Child{Key: 2, Tier: 18}),
		"at 9: it is wrong":              fault(subtraction{}, Child{Key: 9, Tier: 11}),
		"at 2: the rules panic: no text": Check(textless{}, 10, 1),
	} {
		if err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
}

func fault(g Game[int], at Child) error { return FaultAt(NewRules(g), at, "it is wrong") }

package survey

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"backsolve/game"
	"backsolve/game/custom"
	"backsolve/retro/generic"
)

// heaps are two heaps, from one of which a player takes one to three; who cannot loses. A position
// has an image that differs in a bit, and at one of 3,721 the rules for the image are wrong.
type heaps struct{ a, b, image int }

var wrongHeaps = heaps{57, 0, 1}

// twoHeaps is the game. Its moves lead to images if it has them, and otherwise FromKey returns one at
// the wrong position alone.
type twoHeaps struct{ images bool }

func (twoHeaps) Name() string { return "two-heaps" }
func (twoHeaps) Start() heaps { return heaps{60, 60, 0} }
func (twoHeaps) Terminal(s heaps) (game.Outcome, bool) {
	return game.Lose, s.a+s.b == 0 || s == wrongHeaps
}

func (g twoHeaps) Moves(dst []heaps, s heaps) []heaps {
	image := s.image
	if g.images {
		image = 1 - image
	}
	for n := 1; n <= 3; n++ {
		if n <= s.a {
			dst = append(dst, heaps{s.a - n, s.b, image})
		}
		if n <= s.b {
			dst = append(dst, heaps{s.a, s.b - n, image})
		}
	}
	return dst
}

func (twoHeaps) Key(s heaps) uint64 { return uint64(s.a*61 + s.b) }

func (g twoHeaps) FromKey(key uint64) heaps {
	s := heaps{int(key / 61), int(key % 61), 0}
	if !g.images && s.a == wrongHeaps.a && s.b == wrongHeaps.b {
		return wrongHeaps
	}
	return s
}

func (twoHeaps) Format(s heaps) string { return fmt.Sprintf("%d,%d,%d", s.a, s.b, s.image) }

func (twoHeaps) Parse(text string) (s heaps, err error) {
	_, err = fmt.Sscanf(text, "%d,%d,%d", &s.a, &s.b, &s.image)
	return s, err
}

// imaged is the game where it names images.
type imaged struct{ twoHeaps }

func (imaged) Images(dst []heaps, s heaps) []heaps {
	return append(dst, heaps{s.a, s.b, 1 - s.image})
}

// Rules that are wrong in one state of 3,721 pass random games and a solve. Verifying all states names
// the one, and so do random ones that have it.
func TestContractOfAllStates(t *testing.T) {
	for what, g := range map[string]custom.Listed{
		"an image":             custom.List(imaged{twoHeaps{true}}),
		"an image, not named":  custom.List(twoHeaps{true}),
		"what FromKey returns": custom.List(twoHeaps{}),
	} {
		if err := g.Check(20, 1); err != nil {
			t.Errorf("%s: random games find %v", what, err)
		}
		solved := solveGame(t, g)
		table, _ := solved.moved(t, nil)
		for _, sample := range []uint64{0, 30_000} {
			var found []string
			v, err := Verify(t.Context(), table, VerifyOptions{Sample: sample}, nil, func(d Difference) { found = append(found, d.Where) })
			if !errors.Is(err, ErrDiffers) || v.States != max(sample, 3721) || !strings.Contains(strings.Join(found, "\n"), "57,0,") {
				t.Errorf("%s, %d states: %q, %v", what, v.States, found, err)
			}
		}
		var fault *custom.Fault
		if _, err := generic.Check(t.Context(), g.Numbers(), generic.Options{}); !errors.As(err, &fault) || !strings.HasPrefix(fault.Position, "57,0,") {
			t.Errorf("%s: all states have the fault %v", what, err)
		}
	}
}

// Package heaps has impartial games of heaps, octal games and others alike: a move takes counters from a
// heap and may break what is left into two. A player who cannot move loses.
package heaps

import (
	_ "embed" // the board
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"backsolve/game"
)

// kind says what a move may leave of a heap after it takes a number of counters, as a digit of octal
// games does: 1 for nothing, 2 for a heap, 4 for two heaps, or a sum of these.
type kind struct {
	title, rules  string
	digits        string
	squares       bool // the digit of each square is 3
	breaks        bool // a heap breaks into two unequal ones
	period, first int  // of the nimbers, and the heap from which it holds; 0 where none is known
}

// kinds are the games by their names.
var kinds = map[string]kind{
	"kayles":           {"Kayles", "A move takes one or two counters from a heap, and may break the rest into two heaps.", "77", false, false, 12, 71},
	"dawsons-kayles":   {"Dawson's Kayles", "A move takes two counters from a heap, and may break the rest into two heaps.", "07", false, false, 34, 53},
	"guiles":           {"Guiles", "A move takes a heap of one or two counters, or takes two and breaks the rest into two heaps.", "15", false, false, 10, 1},
	"treblecross":      {"Treblecross", "A move takes three counters from a heap, and may break the rest into two heaps; a row of n cells is a heap of n + 2.", "007", false, false, 0, 0},
	"subtraction":      {"Subtraction", "A move takes one to three counters.", "333", false, false, 4, 0},
	"subtract-squares": {"Subtract a square", "A move takes a square number of counters: 1, 4, 9 or 16.", "", true, false, 0, 0},
	"grundys-game":     {"Grundy's game", "A move breaks a heap into two unequal ones.", "", false, true, 0, 0},
}

// Kinds returns the names of the games.
func Kinds() []string { return slices.Sorted(maps.Keys(kinds)) }

func (k *kind) digit(taken int) int {
	root := 0
	for root*root < taken {
		root++
	}
	switch {
	case k.squares && taken > 0 && root*root == taken:
		return 3
	case k.breaks && taken == 0:
		return 4
	case taken > 0 && taken <= len(k.digits):
		return int(k.digits[taken-1] - '0')
	}
	return 0
}

// moves returns what a heap may become, two heaps of which the second, or both, may be empty.
func (k *kind) moves(heap int) (all [][2]int) {
	for taken := range heap + 1 {
		digit, rest := k.digit(taken), heap-taken
		if rest == 0 && digit&1 != 0 || rest > 0 && digit&2 != 0 {
			all = append(all, [2]int{rest, 0})
		}
		for b := 1; digit&4 != 0 && 2*b <= rest; b++ {
			if a := rest - b; a != b || !k.breaks {
				all = append(all, [2]int{a, b})
			}
		}
	}
	return all
}

// Game begins with a heap of N counters, at most MaxN.
type Game struct {
	Kind string
	N    int
}

// State has the heaps in which a move can be made, each in five bits, the largest first.
type State uint64

// MaxN is the largest heap: those that it is broken into fit into a state.
const MaxN = 22

// Name returns kayles-20.
func (g Game) Name() string { return fmt.Sprintf("%s-%d", g.Kind, g.N) }

// Describe returns the title, and the rules with what is known of the nimbers.
func (g Game) Describe() (title, rules string) {
	k := kinds[g.Kind]
	rules = k.rules + " A player who cannot move loses. No period of the nimbers is known."
	if k.period > 0 {
		rules = fmt.Sprintf("%s A player who cannot move loses. From heaps of %d on, the nimbers have the period %d.", k.rules, k.first, k.period)
	}
	return fmt.Sprintf("%s %d", k.title, g.N), rules
}

//go:embed board.json
var board string

// Board says what it is played on.
func (Game) Board() string { return board }

// Start returns the heap.
func (g Game) Start() State { return g.stateOf(g.N) }

func (g Game) stateOf(heaps ...int) (s State) {
	k := kinds[g.Kind]
	slices.Sort(heaps)
	for _, heap := range slices.Backward(heaps) {
		if len(k.moves(heap)) > 0 {
			s = s<<5 | State(heap)
		}
	}
	return s
}

// heaps returns those of a state, the largest last.
func (s State) heaps() (all []int) {
	for ; s > 0; s >>= 5 {
		all = append(all, int(s&31))
	}
	return all
}

// Terminal reports a loss where no move can be made.
func (g Game) Terminal(s State) (game.Outcome, bool) { return game.Lose, s == 0 }

// Moves makes each move in each heap.
func (g Game) Moves(dst []State, s State) []State {
	k, heaps := kinds[g.Kind], s.heaps()
	for i, heap := range heaps {
		if i > 0 && heap == heaps[i-1] {
			continue
		}
		for _, m := range k.moves(heap) {
			if after := g.stateOf(append(slices.Delete(slices.Clone(heaps), i, i+1), m[0], m[1])...); !slices.Contains(dst, after) {
				dst = append(dst, after)
			}
		}
	}
	return dst
}

// Key returns the state itself.
func (g Game) Key(s State) uint64 { return uint64(s) }

// FromKey returns the state again.
func (g Game) FromKey(key uint64) State { return State(key) }

// Format writes the heaps, the smallest first: 1/3/5.
func (g Game) Format(s State) string {
	return strings.Trim(strings.ReplaceAll(fmt.Sprint(s.heaps()), " ", "/"), "[]") + map[bool]string{true: "0"}[s == 0]
}

// Parse reads what Format writes.
func (g Game) Parse(text string) (s State, err error) {
	var heaps []int
	for part := range strings.SplitSeq(text, "/") {
		heap, err := strconv.Atoi(part)
		if err != nil || heap < 0 || heap > MaxN {
			return 0, fmt.Errorf("%.20q is not a heap of 0 to %d counters", part, MaxN)
		}
		heaps = append(heaps, heap)
	}
	const most = 12 // that a state holds
	if len(heaps) > most {
		return 0, fmt.Errorf("%d heaps are more than %d", len(heaps), most)
	}
	if s = g.stateOf(heaps...); g.Format(s) != text {
		err = fmt.Errorf("write the heaps in which a move can be made, the smallest first: %s", g.Format(s))
	}
	return s, err
}

// Package heaps has impartial games of heaps, such as octal games: a move takes counters from a
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

// kind says what a move may leave of a heap after it takes none, one, two and so on counters,
// like the digits of octal games: 1 for nothing, 2 for a heap, 4 for two heaps, or a sum of
// these.
type kind struct {
	title, rules, digits string
	unequal, both        bool // heaps that a move leaves are unequal; it may take the same number from two heaps
	period, first        int  // of the nimbers, and the heap from which it holds; 0 if none is known, -1 if it does not matter
	boards               [][]int
	left                 [MaxN + 1][][2]int
}

// MaxN is the largest heap, and MaxHeaps how many a state holds.
const (
	MaxN      = 22
	MaxHeaps  = 12
	anyNumber = "03333333333333333333333" // of counters may be taken
)

// six heaps have 3,876 states in each game that leaves at most one heap of one
var six = []int{1, 3, 5, 7, 9, 11}

var kinds = map[string]*kind{
	"kayles":           {title: "Kayles", rules: "A move takes one or two counters from a heap, and may break the rest into two heaps.", digits: "077", period: 12, first: 71, boards: [][]int{{20}, {5, 7, 9}}},
	"dawsons-kayles":   {title: "Dawson's Kayles", rules: "A move takes two counters from a heap, and may break the rest into two heaps.", digits: "007", period: 34, first: 53, boards: [][]int{{20}, {11, 11, 11}}},
	"guiles":           {title: "Guiles", rules: "A move takes a heap of one or two counters, or takes two and breaks the rest into two heaps.", digits: "015", period: 10, first: 1, boards: [][]int{{20}, {12, 12, 12}}},
	"treblecross":      {title: "Treblecross", rules: "A move takes three counters from a heap, and may break the rest into two heaps; a row of n cells is a heap of n + 2.", digits: "0007", boards: [][]int{{20}, {13, 13, 13}}},
	"subtraction":      {title: "Subtraction", rules: "A move takes one to three counters.", digits: "0333", period: 4, boards: [][]int{{20}, six}},
	"subtract-squares": {title: "Subtract a square", rules: "A move takes a square number of counters: 1, 4, 9 or 16.", digits: "03003000030000003", boards: [][]int{{20}, six}},
	"grundys-game":     {title: "Grundy's game", rules: "A move breaks a heap into two unequal ones.", digits: "4", unequal: true, boards: [][]int{{20}, {11, 11, 11}}},
	"take-any":         {title: "Take any number", rules: "A move takes any number of counters from a heap.", digits: anyNumber, period: -1, boards: [][]int{six}},
	"wythoffs-queens":  {title: "Wythoff's queens", rules: "A move takes any number of counters from a heap, or the same number from two.", digits: anyNumber, both: true, period: -1, boards: [][]int{{20, 20}, six}},
}

func init() {
	for _, k := range kinds {
		for heap := range k.left {
			k.left[heap] = k.moves(heap)
		}
	}
}

// Games returns the boards that are listed.
func Games() (all []Game) {
	for _, kind := range slices.Sorted(maps.Keys(kinds)) {
		for _, heaps := range kinds[kind].boards {
			all = append(all, Game{kind, heaps})
		}
	}
	return all
}

// moves returns what a heap may become: two heaps, of which the second or both may be empty.
func (k *kind) moves(heap int) (all [][2]int) {
	for taken := range min(heap+1, len(k.digits)) {
		digit, rest := k.digits[taken]-'0', heap-taken
		if rest == 0 && digit&1 != 0 || rest > 0 && digit&2 != 0 {
			all = append(all, [2]int{rest, 0})
		}
		for b := 1; digit&4 != 0 && 2*b <= rest; b++ {
			if a := rest - b; a != b || !k.unequal {
				all = append(all, [2]int{a, b})
			}
		}
	}
	return all
}

// Game begins with heaps of at most MaxN counters, which break into at most MaxHeaps.
type Game struct {
	Kind  string
	Heaps []int
}

// State has the heaps in which a move can be made, each in five bits, the smallest in the lowest.
type State uint64

func join(heaps []int, separator string) string {
	return strings.ReplaceAll(strings.Trim(fmt.Sprint(heaps), "[]"), " ", separator)
}

// Name returns kayles-5-7-9.
func (g Game) Name() string { return g.Kind + "-" + join(g.Heaps, "-") }

// Describe returns the title, and the rules with what is known of the nimbers.
func (g Game) Describe() (title, rules string) {
	k := kinds[g.Kind]
	rules = k.rules + " A player who cannot move loses."
	if k.period > 0 {
		rules += fmt.Sprintf(" From heaps of %d on, the nimbers have the period %d.", k.first, k.period)
	} else if k.period == 0 {
		rules += " No period of the nimbers is known."
	}
	return k.title + " " + join(g.Heaps, "-"), rules
}

//go:embed board.json
var board string

// Board describes the board for drawing.
func (Game) Board() string { return board }

// Start returns the heaps.
func (g Game) Start() (s State) {
	for _, heap := range g.Heaps {
		s = kinds[g.Kind].addHeap(s, heap)
	}
	return s
}

// with adds a heap, in its order, if a move can be made in it.
func (k *kind) addHeap(s State, heap int) State {
	if len(k.left[heap]) == 0 {
		return s
	}
	at := 0
	for s>>at > 0 && int(s>>at&31) < heap {
		at += 5
	}
	return s>>at<<(at+5) | State(heap)<<at | s&(1<<at-1)
}

func (s State) without(i int) State { return s>>(5*i+5)<<(5*i) | s&(1<<(5*i)-1) }

// heaps returns the heaps of a state, the largest last.
func (s State) heaps() (all []int) {
	for ; s > 0; s >>= 5 {
		all = append(all, int(s&31))
	}
	return all
}

// Terminal reports a loss if no move can be made.
func (g Game) Terminal(s State) (game.Outcome, bool) { return game.Lose, s == 0 }

// Moves makes each move in each heap.
func (g Game) Moves(dst []State, s State) []State {
	k := kinds[g.Kind]
	add := func(rest State, a, b int) {
		if after := k.addHeap(k.addHeap(rest, a), b); !slices.Contains(dst, after) {
			dst = append(dst, after)
		}
	}
	for i, heap := range s.heaps() {
		rest := s.without(i)
		for _, m := range k.left[heap] {
			add(rest, m[0], m[1])
		}
		for j := i; k.both && rest>>(5*j) > 0; j++ {
			for taken := range heap {
				add(rest.without(j), heap-taken-1, int(rest>>(5*j)&31)-taken-1)
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
	if s == 0 {
		return "0"
	}
	return join(s.heaps(), "/")
}

// Parse reads the output of Format.
func (g Game) Parse(text string) (s State, err error) {
	for part := range strings.SplitSeq(text, "/") {
		heap, err := strconv.Atoi(part)
		if err != nil || heap < 0 || heap > MaxN || s>>(5*MaxHeaps-5) > 0 {
			return 0, fmt.Errorf("%.20q is not one of at most %d heaps of 0 to %d counters", part, MaxHeaps, MaxN)
		}
		s = kinds[g.Kind].addHeap(s, heap)
	}
	if g.Format(s) != text {
		err = fmt.Errorf("write the heaps in which a move can be made, the smallest first: %s", g.Format(s))
	}
	return s, err
}

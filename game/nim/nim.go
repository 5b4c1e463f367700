// Package nim has the rules of Nim: a move takes any number of counters from one heap.
// The player who takes the last counter wins or, in misère play, loses.
package nim

import (
	"slices"
	"strconv"
	"strings"

	"backsolve/game"
)

// MaxHeaps is the largest number of heaps, and MaxCounters the largest number of counters in one.
const (
	MaxHeaps    = 20
	MaxCounters = 2*MaxHeaps - 1
)

// keyed is the number of heaps up to which positions have keys, and keyedBits the bits of a heap
// in them.
const (
	keyed     = 8
	keyedBits = 4
)

// Game and Misere are the entries in the list of games. On the board of size n the
// heaps start with 1, 3, 5, … counters.
var (
	Game = define(rules{name: "nim", title: "Nim",
		summary: "Each player in turn takes any number of counters from one heap; whoever takes the last counter wins."}, nil)
	Misere = define(rules{name: "nim-misere", title: "Nim, misère", misere: true,
		summary: "Each player in turn takes any number of counters from one heap; whoever takes the last counter loses."},
		map[string]string{"de": "Misère-Nim", "fr": "Nim misère"})
)

func define(r rules, titles map[string]string) game.Game {
	return game.Game{
		Name: r.name, Title: r.title, Titles: titles, Summary: r.summary, MinSize: 1, MaxSize: MaxHeaps,
		New: func(n int) game.Rules {
			board := r
			board.n = n
			return game.Opaque[position](&board)
		},
	}
}

// position is the counters of heap a, heap b and so on, and the side to move.
type position struct {
	heaps [MaxHeaps]uint8
	turn  game.Side
}

func (p position) counters(heap int) int { return int(p.heaps[heap]) }

// Counters returns the counters of heap a, heap b and so on in a state of one of the games; heaps
// that the board does not have are empty. It panics on states of other games.
func Counters(s game.State) (counters [MaxHeaps]uint8) { return s.(position).heaps }

// rules are one of the games with n heaps. Any n heaps of at most maxCounters() counters are a
// position.
type rules struct {
	name, title, summary string
	misere               bool
	n                    int
}

var _ game.ExactRules[position] = (*rules)(nil)

// maxCounters returns the largest number of counters of a heap: at least as many as the last one starts
// with.
func (r *rules) maxCounters() int { return max(2*r.n-1, 1<<keyedBits-1) }

// Info describes the board.
func (r *rules) Info() game.Info {
	heaps := make([]string, r.n)
	for heap := range heaps {
		heaps[heap] = strconv.Itoa(2*heap + 1)
	}
	return game.Info{
		Name: r.name, Title: r.title, Size: r.n, Variant: strings.Join(heaps, "-"), Board: game.OfHeaps, Summary: r.summary,
		MoveForm: "the letter of a heap and the number of counters that are taken from it", LastMove: game.LastMove(r.misere),
	}
}

func (r *rules) Start() position {
	var p position
	for heap := range r.n {
		p.heaps[heap] = uint8(2*heap + 1)
	}
	return p
}

func (*rules) Turn(p position) game.Side { return p.turn }

// Terminal: the player who is not to move took the last counter.
func (r *rules) Terminal(p position) (game.Outcome, bool) {
	if !p.empty() {
		return game.Draw, false
	}
	return game.WinIf(r.misere), true
}

func (p position) empty() bool { return p.heaps == [MaxHeaps]uint8{} }

// byText lists the numbers of counters that a move may take, in the order of their texts.
var byText = func() (numbers []uint8) {
	for n := range uint8(MaxCounters) {
		numbers = append(numbers, n+1)
	}
	slices.SortFunc(numbers, func(a, b uint8) int { return strings.Compare(strconv.Itoa(int(a)), strconv.Itoa(int(b))) })
	return numbers
}()

// A move has the heap in From and the counters in To.

func (r *rules) Moves(buf []game.Move, p position) []game.Move {
	for heap := range r.n {
		for _, taken := range byText {
			if int(taken) <= p.counters(heap) {
				buf = append(buf, game.Move{From: uint8(heap), To: taken})
			}
		}
	}
	return buf
}

func (*rules) Play(p position, m game.Move) position {
	p.heaps[m.From] -= m.To
	p.turn = p.turn.Other()
	return p
}

// Exact says how all positions are known: by Bouton's theory of the game (Nim, a game with a
// complete mathematical theory, 1901–02). The steps depend on the heaps alone, in any order: up
// to eight heaps come in at most 490,314 different ways.
func (r *rules) Exact() game.Exact[position] {
	e := game.Exact[position]{Outcome: r.outcome}
	if r.n <= keyed {
		e.Key = sorted
	}
	if !r.misere {
		e.Nimber = nimSum
	}
	return e
}

// outcome is a loss for the player to move if the nim-sum is 0. In misère play this holds
// while some heap has two or more counters. Otherwise the players take whole heaps in
// turn, and an odd number of heaps loses.
func (r *rules) outcome(p position) game.Outcome {
	reversed := r.misere && allSmall(p)
	return game.WinIf((nimSum(p) != 0) != reversed)
}

func nimSum(p position) int {
	sum := uint8(0)
	for _, counters := range p.heaps {
		sum ^= counters
	}
	return int(sum)
}

// allSmall reports whether no heap has more than one counter. Then the nim-sum is 1 for an odd
// number of heaps, and 0 for an even one.
func allSmall(p position) bool { return slices.Max(p.heaps[:]) <= 1 }

func sorted(p position) (key uint64) {
	heaps := p.heaps[:keyed]
	slices.Sort(heaps)
	for _, counters := range heaps {
		key = key<<keyedBits | uint64(counters)
	}
	return key
}

// Package nim has the rules of Nim: a move takes any number of counters from one heap.
// The player who takes the last counter wins or, in misère play, loses.
package nim

import (
	"math/bits"
	"slices"
	"strconv"
	"strings"

	"backsolve/game"
)

// MaxHeaps is the largest number of heaps, and MaxCounters that of the counters of one.
const (
	MaxHeaps    = 8
	MaxCounters = 1<<heapBits - 1
)

const heapBits = 4

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

// position is the heaps and the side to move.
type position struct {
	heaps uint32 // the counters of heap a in the lowest heapBits bits, and so on
	turn  game.Side
}

// counters returns the number of counters of a heap.
func (p position) counters(heap int) int {
	return int(p.heaps >> uint(heapBits*heap) & MaxCounters)
}

// Counters returns the counters of heap a, heap b and so on in a state of one of the games;
// heaps that the board does not have are empty. It panics on states of other games.
func Counters(s game.State) (counters [MaxHeaps]uint8) {
	p := s.(position)
	for heap := range counters {
		counters[heap] = uint8(p.counters(heap))
	}
	return counters
}

// rules are one of the games with n heaps. Any n heaps of at most MaxCounters counters
// are a position.
type rules struct {
	name, title, summary string
	misere               bool
	n                    int
}

var _ game.ExactRules[position] = (*rules)(nil)

// Info describes the board.
func (r *rules) Info() game.Info {
	heaps := make([]string, r.n)
	for heap := range heaps {
		heaps[heap] = strconv.Itoa(2*heap + 1)
	}
	return game.Info{
		Name: r.name, Title: r.title, Size: r.n, Variant: strings.Join(heaps, "-"), Board: game.OfHeaps, Summary: r.summary,
		MoveForm: "the letter of a heap and the number of counters that are taken from it", LastMove: r.lastMove(),
	}
}

// lastMove returns what the last move decides.
func (r *rules) lastMove() game.LastMoveRule {
	if r.misere {
		return game.LastLoses
	}
	return game.LastWins
}

func (r *rules) Start() position {
	var p position
	for heap := range r.n {
		p.heaps |= uint32(2*heap+1) << uint(heapBits*heap)
	}
	return p
}

func (*rules) Turn(p position) game.Side { return p.turn }

// Terminal: the player who is not to move took the last counter.
func (r *rules) Terminal(p position) (game.Outcome, bool) {
	switch {
	case p.heaps != 0:
		return game.Draw, false
	case r.misere:
		return game.Win, true
	}
	return game.Lose, true
}

// byText are the numbers of counters that a move may take, as their texts are ordered.
var byText = [MaxCounters]uint8{1, 10, 11, 12, 13, 14, 15, 2, 3, 4, 5, 6, 7, 8, 9}

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
	return position{p.heaps - uint32(m.To)<<(heapBits*m.From), p.turn.Other()}
}

// Exact says how all positions are known: by Bouton's theory of the game (Nim, a game
// with a complete mathematical theory, 1901–02). The steps depend on the heaps alone,
// in whatever order: at most 490,314 of them are different.
func (r *rules) Exact() game.Exact[position] {
	e := game.Exact[position]{Outcome: r.outcome, Key: sorted}
	if !r.misere {
		e.Nimber = nimSum
	}
	return e
}

// outcome is a loss for the player to move if the nim-sum is 0. In misère play this holds
// while some heap has two or more counters. Otherwise the players take whole heaps in
// turn, and an odd number of heaps loses.
func (r *rules) outcome(p position) game.Outcome {
	wins := nimSum(p) != 0
	if r.misere && allSmall(p) {
		wins = !wins
	}
	if wins {
		return game.Win
	}
	return game.Lose
}

// nimSum returns the heaps added without carry.
func nimSum(p position) int {
	sum := p.heaps ^ p.heaps>>16
	sum ^= sum >> 8
	return int((sum ^ sum>>heapBits) & MaxCounters)
}

// allSmall reports whether no heap has more than one counter. The nim-sum is 1 then for
// an odd number of heaps, and 0 for an even one.
func allSmall(p position) bool { return p.heaps&0xeeee_eeee == 0 }

// sorted returns the heaps in the order of their counters.
func sorted(p position) uint64 {
	var heaps [MaxHeaps]uint32
	n := (bits.Len32(p.heaps) + heapBits - 1) / heapBits
	for heap := range n {
		heaps[heap] = p.heaps >> uint(heapBits*heap) & MaxCounters
	}
	slices.Sort(heaps[:n])
	key := uint64(0)
	for _, counters := range heaps[:n] {
		key = key<<heapBits | uint64(counters)
	}
	return key
}

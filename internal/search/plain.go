package search

import (
	"hash/fnv"

	"backsolve/game"
)

// Plain returns rules that use a grid's own rules for everything: right for any game in which
// both sides may do the same, and the standard against which the fast ones are compared.
func Plain(rules game.Grid) Rules[Masks] { return plain{rules: rules} }

type plain struct {
	grids
	rules game.Grid
}

func (r plain) Terminal(s Masks) (game.Outcome, bool) { return r.rules.Terminal(s.position()) }

func (r plain) Moves(buf []game.Move, s Masks) []game.Move {
	return r.rules.Moves(buf, s.position())
}

func (r plain) Play(s Masks, m game.Move) Masks {
	return MasksOf(r.rules.Play(s.position(), m))
}

func (r plain) Playout(s Masks, rand *Rand) game.Outcome { return playout(r, s, rand) }

// Opaque returns rules of any game, over its own states.
func Opaque(rules game.Rules) Rules[game.State] { return opaque{rules} }

type opaque struct{ game.Rules }

func (opaque) Of(p game.State) game.State { return p }

// Hash hashes the position's text, the only part of a state that is known.
func (r opaque) Hash(s game.State) uint64 {
	var buf [128]byte
	h := fnv.New64a()
	h.Write(r.AppendFormat(buf[:0], s))
	return h.Sum64() * 0x9fb21c651e98df25 // texts that differ at their end differ in the upper bits
}

func (r opaque) Playout(s game.State, rand *Rand) game.Outcome { return playout(r, s, rand) }

// playout is Rules.Playout by the other methods.
func playout[S comparable](r Rules[S], s S, rand *Rand) game.Outcome {
	var buf [128]game.Move // more than the moves of nearly all positions
	for ply := 0; ; ply++ {
		switch outcome, over := r.Terminal(s); {
		case over:
			return asAtStart(outcome, ply)
		case ply == MaxPlies:
			return game.Draw
		}
		moves := r.Moves(buf[:0], s)
		s = r.Play(s, moves[rand.Below(len(moves))])
	}
}

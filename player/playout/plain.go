package playout

import "backsolve/game"

// Plain returns rules that ask those of the game for everything: right for any
// game, and what the fast ones are compared with.
func Plain(rules game.Rules) Rules { return plain{rules} }

type plain struct{ rules game.Rules }

func (r plain) Terminal(s State) (game.Outcome, bool) { return r.rules.Terminal(s.position()) }

func (r plain) Moves(buf []game.Move, s State) []game.Move {
	return r.rules.Moves(buf, s.position())
}

func (r plain) Play(s State, m game.Move) State {
	return StateOf(r.rules.Play(s.position(), m))
}

func (r plain) Playout(s State, rand *Rand) game.Outcome {
	var buf [128]game.Move // more than the moves of any position on 8×8
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

// asAtStart returns an outcome after some plies as the player sees it who made the
// first of them.
func asAtStart(outcome game.Outcome, plies int) game.Outcome {
	if plies%2 == 1 {
		return outcome.Flip()
	}
	return outcome
}

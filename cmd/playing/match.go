package playing

import (
	"backsolve/game"
	"backsolve/internal/player"
)

// match is a game of the user against the opponent.
type match struct {
	*opponent
	user      [2]bool       // the sides of the user
	positions []game.State  // those since the start or the set-up position
	player    player.Player // the opponent in this game, nil until it moves
	shown     bool          // whether the position has been shown
}

// plies is how many there were since the first position.
func (m *match) plies() int { return len(m.positions) - 1 }

// position is the current position.
func (m *match) position() game.State { return m.positions[len(m.positions)-1] }

func (m *match) turn() game.Side { return m.rules.Turn(m.position()) }

func (m *match) over() bool {
	_, over := m.rules.Terminal(m.position())
	return over
}

// opponentMoves reports whether the opponent is to move.
func (m *match) opponentMoves() bool { return !m.over() && !m.user[m.turn()] }

// setUp starts a game from a position.
func (m *match) setUp(p game.State) {
	m.dropPlayer()
	m.positions, m.shown = []game.State{p}, false
}

// dropPlayer ends the game for the opponent.
func (m *match) dropPlayer() {
	if m.player != nil {
		m.player.Close()
		m.player = nil
	}
}

// play makes a legal move.
func (m *match) play(move game.Move) {
	m.positions = append(m.positions, m.rules.Play(m.position(), move))
	m.shown = false
}

// goBack returns to the position after n plies.
func (m *match) goBack(n int) {
	m.dropPlayer()
	m.positions, m.shown = m.positions[:n+1], false
}

// result says who won.
func (m *match) result() string {
	winner, won := game.Winner(m.rules, m.position())
	switch {
	case !won:
		return "nobody won"
	case m.user[game.X] == m.user[game.O]:
		return sideName(m.rules, winner) + " won"
	case m.user[winner]:
		return "you won"
	}
	return "I won"
}

// sides names the sides of the user.
func (m *match) sides() string {
	switch m.user {
	case [2]bool{true, true}:
		return "both"
	case [2]bool{}:
		return "none"
	case [2]bool{game.X: true}:
		return sideName(m.rules, game.X)
	}
	return sideName(m.rules, game.O)
}

// exampleMove returns a move at the start, as text.
func (m *match) exampleMove() string {
	return game.MoveText(m.rules, m.start, m.rules.Moves(nil, m.start)[0])
}

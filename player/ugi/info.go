package ugi

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"backsolve/probe"
)

// maxLines bounds MultiPV. It exceeds the number of moves on any board.
const maxLines = 1000

// setLines sets MultiPV.
func (s *session) setLines(value string) error {
	n, err := strconv.Atoi(value)
	if err != nil || n < 1 || n > maxLines {
		return fmt.Errorf("%.40q is no number of moves; write one from 1 to %d", value, maxLines)
	}
	s.lines = n
	return nil
}

// writeInfo reports the value, main line and resulting nimber of the move played or,
// with MultiPV, of the best moves. The nimber of the position comes first, if it has
// one.
func (s *session) writeInfo(played string, took time.Duration) {
	// An answer evaluates all moves.
	nodes := len(s.Rules.Moves(nil, s.position))
	clock := fmt.Sprintf("nodes %d time %d nps %d", nodes, took.Milliseconds(), int64(float64(nodes)/max(took, 1).Seconds()))
	var known []probe.Move
	if a, err := s.ask(s.position); err == nil {
		known = a.Moves
		if n, ok := a.Nimber.Value(); ok {
			s.say("info string nimber %d", n)
		}
	}
	if s.lines > 1 && len(known) > 0 {
		for i, m := range known[:min(s.lines, len(known))] {
			s.say("info depth 1 multipv %d %s %s pv %s", i+1, score(m.Value), clock, s.mainLine(m.Move))
			if n, ok := m.Nimber.Value(); ok {
				s.say("info string nimber %d after %s", n, m.Move)
			}
		}
		return
	}
	i := slices.IndexFunc(known, func(m probe.Move) bool { return m.Move == played })
	if i < 0 {
		s.say("info depth 1 %s pv %s", clock, played)
		return
	}
	s.say("info depth 1 %s %s pv %s", score(known[i].Value), clock, s.mainLine(played))
}

// mainLine returns a move and the best play after it, as far as that is known: to the
// end of the game, or to a repetition.
func (s *session) mainLine(move string) string {
	words := []string{move}
	m, err := s.Rules.ParseMove(s.position, move)
	if err != nil {
		return move
	}
	after, err := s.Answers.AskState(s.Rules, s.Rules.Play(s.position, m), probe.WholeLine)
	if err != nil || after.Line == nil {
		return move
	}
	for _, p := range after.Line.Plies {
		words = append(words, p.Move)
	}
	return strings.Join(words, " ")
}

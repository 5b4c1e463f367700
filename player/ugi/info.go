package ugi

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"backsolve/probe"
)

// maxLines is the greatest number of moves that can be told of before one is played:
// all of them on any board.
const maxLines = 1000

// setLines takes the number of moves that are told of.
func (s *session) setLines(value string) error {
	n, err := strconv.Atoi(value)
	if err != nil || n < 1 || n > maxLines {
		return fmt.Errorf("%.40q is no number of moves; write one from 1 to %d", value, maxLines)
	}
	s.lines = n
	return nil
}

// tell writes what is known of the move that is played or, where more of them are
// wanted, of so many of the best: the value, the main line that begins with it, and the
// nimber that it leaves. The nimber of the position comes first, where it has one.
func (s *session) tell(played string, took time.Duration) {
	// All moves were looked at.
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

// mainLine returns a move with the best play that follows it, as far as that is known:
// until the game is over, or a position stands again.
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

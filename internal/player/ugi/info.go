package ugi

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"backsolve/internal/player"
	"backsolve/internal/probe"
)

// maxLines bounds MultiPV. It exceeds the number of moves on any board.
const maxLines = 1000

func (s *session) setLines(value string) error {
	n, err := strconv.Atoi(value)
	if err != nil || n < 1 || n > maxLines {
		return fmt.Errorf("%.40q is not a number of moves; write one from 1 to %d", value, maxLines)
	}
	s.lines = n
	return nil
}

// writeInfo reports the position's nimber, the move played and, with MultiPV, the best others. If the search
// was stopped, only what takes no search is reported.
func (s *session) writeInfo(ctx context.Context, played string, searched player.Searched, begun time.Time) {
	var known []probe.Move
	answers := probe.WithContext(ctx, s.Answers)
	if a, err := answers.AskState(s.Rules, s.position, probe.NoLine); err == nil {
		known = a.Moves
		if n, ok := a.Nimber.Value(); ok {
			s.print("info string nimber %d", n)
		}
	}
	clock := counted(searched, time.Since(begun))
	i := slices.IndexFunc(known, func(m probe.Move) bool { return m.Move == played })
	switch {
	case i < 0:
		s.print("info depth %d %s pv %s", searched.Depth, clock, played)
		return
	case s.lines == 1:
		s.print("info depth %d %s %s pv %s", searched.Depth, score(known[i].Value), clock, s.mainLine(answers, played))
		return
	}
	best := slices.Concat(known[i:i+1], known[:i], known[i+1:])
	for i, m := range best[:min(s.lines, len(best))] {
		s.print("info depth %d multipv %d %s %s pv %s", searched.Depth, i+1, score(m.Value), clock, s.mainLine(answers, m.Move))
		if n, ok := m.Nimber.Value(); ok {
			s.print("info string nimber %d after %s", n, m.Move)
		}
	}
}

// mainLine returns a move and the best play after it, to the end of the game or a repetition.
func (s *session) mainLine(answers probe.Answerer, move string) string {
	words := []string{move}
	m, err := s.Rules.ParseMove(s.position, move)
	if err != nil {
		return move
	}
	after, err := answers.AskState(s.Rules, s.Rules.Play(s.position, m), probe.WholeLine)
	if err != nil || after.Line == nil {
		return move
	}
	for _, p := range after.Line.Plies {
		words = append(words, p.Move)
	}
	return strings.Join(words, " ")
}

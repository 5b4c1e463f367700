package ugi

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"time"

	"backsolve/game"
	"backsolve/internal/player"
)

// limits are what go allows a search; 0 means no limit.
type limits struct {
	nodes, depth int
	time         time.Duration
}

// How a move's share of the clock is computed.
const (
	movesLeft = 30                    // are assumed, as the length of games is not known
	overhead  = 10 * time.Millisecond // of passing lines between two programs
)

// readLimits ignores unknown words, as the protocol may grow, and infinite, which sets no limit.
func (s *session) readLimits(args []string) (l limits, err error) {
	given := map[string]int{}
	for i, name := range args {
		if !slices.Contains([]string{"p1time", "p2time", "p1inc", "p2inc", "movetime", "depth", "nodes"}, name) {
			continue
		}
		n := -1
		if i+1 < len(args) {
			n, err = strconv.Atoi(args[i+1])
		}
		if err != nil || n < 0 || n > min(1<<40, math.MaxInt) {
			return l, fmt.Errorf("go is not understood: a number, 0 or more, must follow %s", name)
		}
		given[name] = n
	}
	if depth, ok := given["depth"]; ok {
		l.depth = max(depth, 1)
	}
	if nodes, ok := given["nodes"]; ok {
		l.nodes = max(nodes, 1)
	}
	clock, increment := "p1time", "p1inc"
	if s.Rules.Turn(s.position) != game.X {
		clock, increment = "p2time", "p2inc"
	}
	ms := func(name string) time.Duration { return time.Duration(given[name]) * time.Millisecond }
	if _, ok := given[clock]; ok {
		l.time = max(min(ms(clock)/movesLeft+ms(increment)*3/4, ms(clock)/2), time.Millisecond)
	}
	if _, ok := given["movetime"]; ok {
		l.time = max(ms("movetime")-min(ms("movetime")/10, overhead), time.Millisecond)
	}
	return l, nil
}

func (s *session) begin(ctx context.Context, args []string) {
	l, err := s.readLimits(args)
	if err != nil {
		s.fail(err)
		s.print("bestmove %s", noMove)
		return
	}
	var cancel context.CancelFunc
	if l.time > 0 {
		ctx, cancel = context.WithTimeout(ctx, l.time)
	} else {
		ctx, cancel = context.WithCancel(ctx)
	}
	s.stop, s.endless, s.searched = cancel, slices.Contains(args, "infinite"), make(chan struct{})
	go func(done chan struct{}) {
		defer close(done)
		defer cancel()
		s.move(ctx, l)
	}(s.searched)
}

// infoEvery is the time between two reports of a search.
const infoEvery = time.Second

// move answers go, with what is known of the moves and the one to play.
func (s *session) move(ctx context.Context, l limits) {
	begun := time.Now()
	said := begun
	search := &player.Search{MaxNodes: l.nodes, MaxDepth: l.depth, Report: func(now player.Searched) {
		if time.Since(said) >= infoEvery {
			said = time.Now()
			s.print("info depth %d %s pv %s", now.Depth, counted(now, said.Sub(begun)), game.MoveText(s.Rules, s.position, now.Best))
		}
	}}
	m, err := s.choose(ctx, search)
	if err != nil {
		s.fail(err)
		m = noMove
	} else {
		s.writeInfo(ctx, m, search.Searched, begun)
	}
	if s.endless { // the runner wants bestmove after stop, however soon all is known
		<-ctx.Done()
	}
	s.print("bestmove %s", m)
}

// choose takes any move if the search was stopped before it found one.
func (s *session) choose(ctx context.Context, search *player.Search) (string, error) {
	if s.refused {
		return "", errRefused
	}
	if _, over := s.Rules.Terminal(s.position); over {
		return "", errors.New("the game is over in this position; there is no move")
	}
	if s.player == nil {
		begun, err := s.Begin()
		if err != nil {
			return "", err
		}
		s.player = begun
	}
	m, err := s.player.Think(ctx, s.position, search)
	moves := s.Rules.Moves(nil, s.position)
	switch {
	case err != nil && errors.Is(err, context.Cause(ctx)):
		m = moves[0]
	case err != nil:
		return "", err
	case search.Nodes == 0: // the moves were looked up
		search.Searched = player.Searched{Depth: 1, Nodes: len(moves)}
	}
	return game.MoveText(s.Rules, s.position, m), nil
}

// counted returns the words of info for how much was searched, and how fast.
func counted(now player.Searched, took time.Duration) string {
	return fmt.Sprintf("nodes %d time %d nps %d", now.Nodes, took.Milliseconds(), int64(float64(now.Nodes)/max(took, 1).Seconds()))
}

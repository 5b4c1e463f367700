package search

import (
	"context"
	"errors"
	"fmt"
	"math/bits"
	"testing"

	"pgregory.net/rapid"

	"backsolve/game"
	"backsolve/game/games"
)

// endingIn returns the rules of a board, and what solves its endings.
func endingIn(t testing.TB, name string, n int) (game.Rules, Ending) {
	t.Helper()
	rules, err := games.New(name, n)
	if err != nil {
		t.Fatal(err)
	}
	e, ok := NewEnding(rules)
	if !ok {
		t.Fatalf("the endings of %v cannot be solved", rules.Info())
	}
	return rules, e
}

// slowScore returns the score of a position by exhaustive search with the plain rules.
// final returns the score of a finished game.
func slowScore(rules game.Rules, s game.State, known map[game.State]int, final func(s game.State) int) int {
	if score, ok := known[s]; ok {
		return score
	}
	score := -100
	for _, m := range rules.Moves(nil, s) {
		score = max(score, -slowScore(rules, rules.Play(s, m), known, final))
	}
	if score == -100 {
		score = final(s)
	}
	known[s] = score
	return score
}

// finalDiscs returns the score of a finished game of Othello, cell by cell: an empty cell counts for
// the winner.
func finalDiscs(cells int, s Masks) int {
	own, other := bits.OnesCount64(s.Mover), bits.OnesCount64(s.Waiting)
	switch {
	case own > other:
		own = cells - other
	case own < other:
		other = cells - own
	}
	return own - other
}

// discsAtEnd is finalDiscs of a position.
func discsAtEnd(n int) func(s game.State) int {
	return func(s game.State) int { return finalDiscs(n*n, MasksOf(s.(game.Position))) }
}

// outcome is 1 for a win, 0 for a draw and −1 for a loss.
func outcome(rules game.Rules) func(s game.State) int {
	return func(s game.State) int {
		switch o, _ := rules.Terminal(s); o {
		case game.Win:
			return 1
		case game.Lose:
			return -1
		}
		return 0
	}
}

// checkEnding compares a solved ending with full search.
func checkEnding(t *rapid.T, rules game.Rules, e Ending, s game.State, bytes int64, final func(s game.State) int) {
	known := map[game.State]int{}
	score, moves, err := e.Solve(context.Background(), s, EndingOptions{2, bytes})
	if want := slowScore(rules, s, known, final); err != nil || score != want {
		t.Fatalf("%s: %d, %v, want %d", rules.Format(s), score, err, want)
	}
	legal := rules.Moves(nil, s)
	if len(moves) != len(legal) {
		t.Fatalf("%s: %d moves are solved, want %d", rules.Format(s), len(moves), len(legal))
	}
	for i, m := range moves {
		if want := -known[rules.Play(s, legal[i])]; m.Move != legal[i] || m.Score != want {
			t.Fatalf("%s: %s is worth %d, want %s with %d", rules.Format(s), rules.FormatMove(m.Move), m.Score, rules.FormatMove(legal[i]), want)
		}
	}
}

// Positions near the end of games of Othello, with much memory and next to none, are
// worth what looking at everything finds.
func TestEndingsOfOthello(t *testing.T) {
	passes := 0
	for n, most := range map[int]int{4: 10, 6: 8, 8: 7} {
		rules, e := endingIn(t, "othello", n)
		rapid.Check(t, func(t *rapid.T) {
			s := rules.Start()
			r := NewRand(rapid.Uint64().Draw(t, "seed"))
			left := rapid.IntRange(1, most).Draw(t, "cells left")
			for e.Left(s) > left {
				moves := rules.Moves(nil, s)
				if len(moves) == 0 {
					return
				}
				s = rules.Play(s, moves[r.Below(len(moves))])
			}
			if moves := rules.Moves(nil, s); len(moves) == 0 {
				if e.Score(s) != discsAtEnd(n)(s) {
					t.Fatalf("%s ends with %d", rules.Format(s), e.Score(s))
				}
				return
			} else if moves[0] == game.Pass {
				passes++
			}
			checkEnding(t, rules, e, s, rapid.SampledFrom([]int64{1 << 30, 0}).Draw(t, "bytes"), discsAtEnd(n))
		})
		if !e.Scored() {
			t.Error("games of Othello end with a score")
		}
	}
	if passes == 0 && !testing.Short() {
		t.Error("nobody had to pass")
	}
}

// Boards that games do not lead to are solved as well.
func TestEndingsOfDrawnOthello(t *testing.T) {
	rules, e := endingIn(t, "othello", 4)
	grid, _ := game.GridOf(rules)
	rapid.Check(t, func(t *rapid.T) {
		s := drawState(t, grid)
		if _, over := New(grid).Terminal(s); over || e.Left(s.position()) > 9 {
			return
		}
		checkEnding(t, rules, e, s.position(), 1<<20, discsAtEnd(4))
	})
}

// The 4×4 board is solved: as published, white, the second player, wins by 11 discs to 3; the two empty
// cells also count for white.
func TestOthello4(t *testing.T) {
	rules, e := endingIn(t, "othello", 4)
	score, moves, err := e.Solve(t.Context(), rules.Start(), EndingOptions{2, 1 << 30})
	if err != nil || score != -10 {
		t.Errorf("black ends with %d, %v; want -10", score, err)
	}
	for _, m := range moves { // which are images of each other
		if m.Score != -10 {
			t.Errorf("after %s black ends with %d", rules.FormatMove(m.Move), m.Score)
		}
	}
}

// Endings of Ultimate Tic-Tac-Toe are won, drawn and lost as looking at everything finds.
func TestEndingsOfUltimate(t *testing.T) {
	rules, e := endingIn(t, "uttt", 9)
	final := outcome(rules)
	// ending plays at random until a number of cells are left, or the game is over.
	ending := func(seed uint64, left int) (s game.State, over bool) {
		s = rules.Start()
		r := NewRand(seed)
		for {
			moves := rules.Moves(nil, s)
			if len(moves) == 0 || e.Left(s) <= left {
				return s, len(moves) == 0
			}
			s = rules.Play(s, moves[r.Below(len(moves))])
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		s, over := ending(rapid.Uint64().Draw(t, "seed"), rapid.IntRange(1, 12).Draw(t, "cells left"))
		if over {
			if e.Score(s) != final(s) {
				t.Fatalf("%s ends with %d", rules.Format(s), e.Score(s))
			}
			return
		}
		checkEnding(t, rules, e, s, rapid.SampledFrom([]int64{1 << 30, 0}).Draw(t, "bytes"), final)
	})
	kinds := map[int]int{}
	for seed := range uint64(40) {
		if s, over := ending(seed, 12); !over {
			score, _, _ := e.Solve(t.Context(), s, EndingOptions{2, 1 << 20})
			kinds[score]++
		}
	}
	if len(kinds) != 3 || e.Scored() {
		t.Errorf("only these scores were seen: %v", kinds)
	}
}

// A search that is cancelled says why, soon.
func TestEndingIsCancelled(t *testing.T) {
	cause := errors.New("enough")
	for name, n := range map[string]int{"othello": 8, "uttt": 9} {
		rules, e := endingIn(t, name, n)
		before, cancel := context.WithCancelCause(t.Context())
		cancel(cause)
		if _, _, err := e.Solve(before, rules.Start(), EndingOptions{2, 1 << 20}); !errors.Is(err, cause) {
			t.Errorf("%s: %v", name, err)
		}
		ctx, cancel := context.WithCancelCause(t.Context())
		done := make(chan error)
		go func() {
			_, _, err := e.Solve(ctx, rules.Start(), EndingOptions{2, 1 << 20})
			done <- err
		}()
		cancel(cause)
		if err := <-done; !errors.Is(err, cause) {
			t.Errorf("%s, while it searches: %v", name, err)
		}
	}
}

// What takes longer is said to, and takes no more memory than is useful.
func TestEndingsAreReckoned(t *testing.T) {
	for name, n := range map[string]int{"othello": 6, "uttt": 9} {
		_, e := endingIn(t, name, n)
		for left := 1; left < 81; left++ {
			if e.Seconds(left, 2) <= e.Seconds(left-1, 2) || e.Bytes(left) < e.Bytes(left-1) || e.Bytes(left) > 1<<32 {
				t.Errorf("%s with %d cells left: %v seconds and %d bytes", name, left, e.Seconds(left, 2), e.Bytes(left))
			}
		}
	}
	if _, ok := NewEnding(game.Opaque[game.Position](newRules(t, "quixo", 3))); ok {
		t.Error("Quixo, which can go round, is said to be solved to its end")
	}
}

// BenchmarkEnding solves positions of random games by the number of cells left.
func BenchmarkEnding(b *testing.B) {
	for _, c := range []struct {
		name    string
		n, left int
	}{{"othello", 6, 10}, {"othello", 6, 12}, {"othello", 6, 14}, {"othello", 8, 12}, {"uttt", 9, 20}, {"uttt", 9, 25}, {"uttt", 9, 30}} {
		b.Run(rulesName(c.name, c.n, c.left), func(b *testing.B) {
			rules, e := endingIn(b, c.name, c.n)
			seed := uint64(0)
			for b.Loop() {
				seed++
				s, ok := playedTo(rules, e, c.left, seed)
				if !ok {
					continue
				}
				if _, _, err := e.Solve(b.Context(), s, EndingOptions{2, 1 << 30}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func rulesName(name string, n, left int) string { return fmt.Sprintf("%s-%d-%d", name, n, left) }

// playedTo returns the first position of a random game with that number of cells left, or false
// if the game is over before.
func playedTo(rules game.Rules, e Ending, left int, seed uint64) (s game.State, ok bool) {
	r := NewRand(seed)
	for s = rules.Start(); e.Left(s) > left; {
		moves := rules.Moves(nil, s)
		if len(moves) == 0 {
			return nil, false
		}
		s = rules.Play(s, moves[r.Below(len(moves))])
	}
	_, over := rules.Terminal(s)
	return s, !over
}

// If time runs out once the score is found, a best move is returned all the same.
func TestBestMoveOfOthello(t *testing.T) {
	for size, left := range map[int]int{4: 9, 6: 10, 8: 9} {
		rules := newRules(t, "othello", size)
		g := New(rules).(*reversi)
		e := othelloEnding{g}
		stopped := &split{}
		stopped.stop.Store(true)
		for seed := range uint64(30) {
			s := randomDiscs(g, MasksOf(rules.Start()), left, seed)
			n := newNullSearch(size, 1, 1<<16)
			score := value(n, discsOf(s, size), 0)
			for _, hash := range []*nullSearch{n, newNullSearch(size, 1, 0)} {
				moves := e.scoreMoves(hash, s, score, stopped)
				if len(moves) == 0 || moves[0].Score != score {
					t.Fatalf("%+v is worth %d: %v", s, score, moves)
				}
				if got := -slowDiscs(g, g.Play(s, moves[0].Move), noScore, -noScore); got != score {
					t.Errorf("%+v is worth %d, and its best move %d", s, score, got)
				}
			}
		}
	}
}

package arena

import (
	"context"
	"errors"
	"os"
	"testing"

	"go.uber.org/goleak"

	"backsolve/game"
	"backsolve/game/games"
	"backsolve/internal/player"
	"backsolve/internal/probe"
	"backsolve/internal/probe/probetest"
)

// The test binary also serves as the external engine.
func TestMain(m *testing.M) {
	if mode := os.Getenv(engineMode); mode != "" {
		beEngine(mode)
		return
	}
	goleak.VerifyTestMain(m)
}

func newRules(t testing.TB, name string, n int) game.Rules {
	t.Helper()
	rules, err := games.New(name, n)
	if err != nil {
		t.Fatal(err)
	}
	return rules
}

func opaque(rules game.Grid) game.Rules { return game.Opaque[game.Position](rules) }

// solve returns the table of a board.
func solve(t testing.TB, name string, n int, steps bool) *probe.Table {
	t.Helper()
	return probetest.Open(t, probetest.Rules(t, name, n), 0, steps)
}

// perfect returns the agent that plays by a table.
func perfect(t testing.TB, table *probe.Table, s player.Strength) player.Agent {
	t.Helper()
	a, err := player.Perfect(opaque(table.Rules()), table, s)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// fake is an agent whose players move as a function says; each gets the seed and
// the number of its move from 0 on.
type fake struct {
	name  string
	begin error
	move  func(ctx context.Context, seed uint64, number int, p game.State) (game.Move, error)
}

func (f *fake) Name() string { return f.name }
func (f *fake) Close() error { return nil } // of its players

func (f *fake) Begin(seed uint64) (player.Player, error) {
	return &fakePlayer{fake: f, seed: seed}, f.begin
}

type fakePlayer struct {
	*fake
	seed   uint64
	number int
}

func (p *fakePlayer) Think(ctx context.Context, at game.State, _ *player.Search) (game.Move, error) {
	p.number++
	return p.move(ctx, p.seed, p.number-1, at)
}

var errBroken = errors.New("it is broken")

// failing returns an agent that makes a number of legal moves, and then calls a function.
func failing(name string, rules game.Rules, legal int, then func(ctx context.Context, p game.State) (game.Move, error)) *fake {
	return &fake{name: name, move: func(ctx context.Context, _ uint64, number int, p game.State) (game.Move, error) {
		if number >= legal {
			return then(ctx, p)
		}
		return rules.Moves(nil, p)[0], nil
	}}
}

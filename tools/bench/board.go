package main

import (
	"fmt"
	"strings"

	"github.com/dustin/go-humanize"

	"backsolve/cmd/cli"
	"backsolve/game"
	"backsolve/game/games"
	"backsolve/internal/machine"
	"backsolve/internal/plan"
	"backsolve/partition"
)

type board struct {
	name  string // quixo-4-steps
	rules game.Grid
	space *partition.Space
	steps bool
}

// parseBoard reads notakto-6, quixo-5x5,both-win or quixo-4-steps. The error is a *cli.UsageError.
func parseBoard(name string) (board, error) {
	plain, steps := strings.CutSuffix(name, "-steps")
	of, word, found := game.CutBoard(plain)
	size, ok := game.ParseSize(word)
	if !found || !ok {
		return board{}, cli.Usagef("%.40q is not a board; give a game and a size like notakto-6, or with steps like quixo-4-steps", name)
	}
	rules, err := games.NewGrid(of, int(size))
	if err != nil {
		return board{}, &cli.UsageError{Err: err}
	}
	space, err := partition.New(rules)
	if err != nil {
		return board{}, &cli.UsageError{Err: err}
	}
	return board{name, rules, space, steps}, nil
}

func (b board) states() float64 {
	states, _ := game.StateCount(b.rules.Info()).Float64()
	return states
}

func (b board) checkMemory(o plan.Options) error {
	o.Steps = b.steps
	need := plan.New(b.space, o).Memory()
	if available := machine.AvailableMemory(); available != machine.Unknown && need > available {
		return fmt.Errorf("%s takes some %s of memory, and %s are available; choose a smaller board",
			b.name, humanize.IBytes(uint64(need)), humanize.IBytes(uint64(available)))
	}
	return nil
}

// The most states of a baseline, for a second or for some minutes and 200 MB.
const (
	quickOracle = 1e5
	fullOracle  = 1e8
)

// baseline returns the board on which the one-state-at-a-time solver is measured for comparison with b: b, or the largest of
// its game that has no more than most states. That solver always finds the steps.
func (b board) baseline(most float64) (board, error) {
	for n := b.rules.Size(); n > 0; n-- {
		smaller, err := parseBoard(fmt.Sprintf("%s-%d", b.rules.Name(), n))
		if err != nil || smaller.states() <= most {
			return smaller, err
		}
	}
	return board{}, fmt.Errorf("%s has no board of at most %.0f states", b.rules.Name(), most)
}

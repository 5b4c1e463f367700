package main

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"strconv"

	"github.com/spf13/pflag"

	"backsolve/cmd/cli"
	"backsolve/game"
	"backsolve/game/games"
	"backsolve/player"
	"backsolve/probe"
)

// opponent is who plays: by a table, or by the pairing where there can be none.
type opponent struct {
	rules   game.Rules
	start   game.Position
	answers probe.Answerer
	// table is nil where the pairing plays; then there is no strength to choose.
	table    *probe.Table
	strength player.Strength
	seeds    seeds
}

// newOpponent returns who plays on the board that the arguments name.
func newOpponent(o *options, name, size string) (*opponent, error) {
	board, err := cli.ParseBoard(name, size, o.after)
	if err != nil {
		return nil, err
	}
	if pairing := board.Pairing(); pairing != nil {
		rules, err := games.New(name, pairing.Size())
		if err != nil {
			return nil, cli.Usagef("%w; tbquery answers from the pairing on larger ones", err)
		}
		return &opponent{rules: rules, start: rules.Start(), answers: pairing}, nil
	}
	table, err := probe.OpenAfter(*o.dir, board.Rules(), board.Taken())
	if err != nil {
		return nil, err
	}
	return &opponent{
		rules: table.Rules(), start: table.Start(), answers: table, table: table,
		strength: player.Strength{Policy: player.Optimal},
	}, nil
}

// configure obeys the flags that were given.
func (o *opponent) configure(flags *pflag.FlagSet, given *options) error {
	if flags.Changed("seed") {
		o.seeds = seeds{fixed: true, next: given.seed}
	}
	if flags.Changed("policy") || flags.Changed("blunder") {
		if err := o.setStrength(player.Strength{Policy: player.Policy(given.policy), Blunder: given.blunder}); err != nil {
			return &cli.UsageError{Err: err}
		}
	}
	return nil
}

func (o *opponent) close() {
	if o.table != nil {
		o.table.Close()
	}
}

// begin returns the player of the next game.
func (o *opponent) begin() (player.Player, error) {
	var agent player.Agent
	var err error
	if o.table != nil {
		agent, err = player.Perfect(o.table, o.strength)
	} else {
		agent, err = player.Pairing(o.rules)
	}
	if err != nil {
		return nil, err
	}
	return agent.Begin(o.seeds.draw())
}

// setStrength chooses how well it plays from the next game on.
func (o *opponent) setStrength(s player.Strength) error {
	if o.table == nil {
		return fmt.Errorf("%s is played by the pairing, which has neither policies nor blunders", o.board())
	}
	err := s.Check(o.table.HasSteps())
	if errors.Is(err, player.ErrNoSteps) {
		return fmt.Errorf("%w; choose %s, or make the table again with --steps", err, player.Optimal)
	}
	if err == nil {
		o.strength = s
	}
	return err
}

// setBlunder chooses the probability that text has, which the policy keeps.
func (o *opponent) setBlunder(policy player.Policy, text string) error {
	p, err := strconv.ParseFloat(text, 64)
	if err != nil {
		return fmt.Errorf("%.40q is not a probability; blunder is from 0 to 1", text)
	}
	return o.setStrength(player.Strength{Policy: policy, Blunder: p})
}

// randomSeed is what stands for a seed that is another one for each game.
const randomSeed = "random"

// setSeed chooses the seed of the next game.
func (o *opponent) setSeed(text string) error {
	if text == randomSeed {
		o.seeds = seeds{}
		return nil
	}
	n, err := strconv.ParseUint(text, 10, 64)
	if err != nil {
		return fmt.Errorf("%.40q is not a seed; write a number from 0 to 2^64-1, or %s", text, randomSeed)
	}
	o.seeds = seeds{fixed: true, next: n}
	return nil
}

// board names the board: quixo 4×4.
func (o *opponent) board() string {
	if o.table == nil {
		return fmt.Sprintf("%s %d×%d", o.rules.Name(), o.rules.Size(), o.rules.Size())
	}
	return o.table.Board()
}

// String names it: optimal:blunder=0.05, or the pairing.
func (o *opponent) String() string {
	if o.table == nil {
		return "the pairing"
	}
	return o.strength.String()
}

// seeds are the seeds of one game after another: those from a number on, so that
// a row of games can be played again, or any.
type seeds struct {
	fixed bool
	next  uint64
}

func (s *seeds) draw() uint64 {
	if !s.fixed {
		return rand.Uint64()
	}
	s.next++
	return s.next - 1
}

// String returns what setSeed takes.
func (s seeds) String() string {
	if !s.fixed {
		return randomSeed
	}
	return strconv.FormatUint(s.next, 10)
}

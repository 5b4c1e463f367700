package playing

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"

	"backsolve/cmd/cli"
	"backsolve/game"
	"backsolve/game/games"
	"backsolve/internal/player"
	"backsolve/internal/player/agents"
	"backsolve/internal/player/ugi"
	"backsolve/internal/probe"
	"backsolve/partition"
	"backsolve/tablebase"
)

// opponent plays by a table, by a formula of the game where there is no table, or as --agent says.
type opponent struct {
	name    string // of the board: quixo 4×4
	rules   game.Rules
	start   game.State
	answers probe.Answerer
	close   func() error
	// formula and agent are nil if a table plays; otherwise there is no strength to choose.
	formula  *game.Formula
	searches bool // for positions that the formula does not cover
	agent    player.Agent
	strength player.Strength
	seed     *uint64 // of the next game, nil for a random one; each further game adds 1
}

func newOpponent(ctx context.Context, o *options, board *probe.Board) (*opponent, error) {
	search, err := o.search.OnDemand(1, 0)
	if err != nil {
		return nil, err
	}
	if o.agent != "" && !o.thinks {
		search.Solver = nil // its moves need no values
	}
	answers, closing, err := board.Open(ctx, *o.dir, search)
	if o.agent != "" && (isMissing(err) || partition.HasNone(err)) {
		answers, closing, err = board.ByRules(err), func() error { return nil }, nil
	}
	if err != nil {
		return nil, err
	}
	p := &opponent{
		name: board.String(), rules: board.Rules(), start: board.Start(), answers: answers, close: closing,
		strength: player.Strength{Policy: player.Optimal},
	}
	if o.agent == "" {
		p.formula, p.searches = formulaOf(board), search.Solver != nil
		return p, nil
	}
	env := &agents.Env{Rules: p.rules, Board: board, Dir: *o.dir, OnDemand: search}
	p.close = func() error { return errors.Join(env.Close(), closing()) }
	if p.agent, err = agents.Parse(ctx, o.agent, env); err == nil {
		return p, nil
	}
	if !isMissing(err) && !errors.As(err, new(*tablebase.Error)) {
		err = &cli.UsageError{Err: fmt.Errorf("--agent: %w", err)}
	}
	return nil, errors.Join(err, p.close())
}

func isMissing(err error) bool { return errors.As(err, new(*probe.MissingError)) }

func formulaOf(board *probe.Board) *game.Formula {
	g, err := games.Lookup(board.Info().Name)
	if err != nil || board.Strategy() == nil {
		return nil
	}
	for i := range g.Formulas {
		if _, ok := g.Formulas[i].New(board.Rules()); ok {
			return &g.Formulas[i]
		}
	}
	return nil
}

func (o *opponent) begin() (player.Player, error) {
	agent := o.agent
	var err error
	switch {
	case agent != nil:
	case o.formula == nil:
		agent, err = player.Perfect(o.rules, o.answers, o.strength)
	default:
		if agent, err = player.ByFormula(o.rules, *o.formula); err == nil && o.searches {
			agent = player.WinsOr(o.rules, o.answers, agent)
		}
	}
	if err != nil {
		return nil, err
	}
	seed := rand.Uint64()
	if o.seed != nil {
		seed = *o.seed
		*o.seed++
	}
	return agent.Begin(seed)
}

// setStrength sets the strength from the next game on.
func (o *opponent) setStrength(s player.Strength) error {
	if o.formula != nil {
		return fmt.Errorf("the %[2]s plays %[1]s, without policies and blunders", o.name, o.formula.Name)
	}
	if o.agent != nil {
		return fmt.Errorf("%[2]s plays %[1]s, without policies and blunders; leave out --agent, or give an agent that has them", o.name, o.agent.Name())
	}
	err := s.Check(o.answers.HasSteps())
	if errors.Is(err, player.ErrNoSteps) {
		return fmt.Errorf("%w; choose %s, or solve the table again with --steps", err, player.Optimal)
	}
	if err == nil {
		o.strength = s
	}
	return err
}

func (o *opponent) setBlunder(policy player.Policy, text string) error {
	p, err := strconv.ParseFloat(text, 64)
	if err != nil {
		return fmt.Errorf("%.40q is not a probability; blunder is from 0 to 1", text)
	}
	return o.setStrength(player.Strength{Policy: policy, Blunder: p})
}

// randomSeed stands for a new random seed in each game.
const randomSeed = "random"

func (o *opponent) setSeed(text string) error {
	if text == randomSeed {
		o.seed = nil
		return nil
	}
	n, err := strconv.ParseUint(text, 10, 64)
	if err != nil {
		return fmt.Errorf("%.40q is not a seed; give a number from 0 to 2^64-1, or %s", text, randomSeed)
	}
	o.seed = &n
	return nil
}

// String returns the name: optimal:blunder=0.05, the pairing, or mcts:1000.
func (o *opponent) String() string {
	switch {
	case o.formula != nil:
		return "the " + o.formula.Name
	case o.agent != nil:
		return o.agent.Name()
	}
	return o.strength.String()
}

func (o *opponent) host() *ugi.Host {
	h := &ugi.Host{
		Name:    strings.TrimSpace(fmt.Sprintf("backsolve %s %s", o.rules.Info().Name, o.rules.Info().Variant)),
		Author:  "the backsolve authors",
		Rules:   o.rules,
		Start:   o.start,
		Begin:   o.begin,
		Answers: o.answers,
	}
	if o.agent != nil {
		h.Name += " " + o.agent.Name()
	}
	if o.formula == nil && o.agent == nil {
		h.Options = []ugi.Option{
			{
				Name: "Policy",
				Type: fmt.Sprintf("combo default %s var %s var %s var %s", o.strength.Policy, player.Optimal, player.Shortest, player.Trap),
				Set: func(value string) error {
					return o.setStrength(player.Strength{Policy: player.Policy(value), Blunder: o.strength.Blunder})
				},
			},
			{
				Name: "Blunder",
				Type: fmt.Sprintf("string default %v", o.strength.Blunder),
				Set:  func(value string) error { return o.setBlunder(o.strength.Policy, value) },
			},
		}
	}
	seed := randomSeed
	if o.seed != nil {
		seed = strconv.FormatUint(*o.seed, 10)
	}
	h.Options = append(h.Options, ugi.Option{Name: "Seed", Type: "string default " + seed, Set: o.setSeed})
	return h
}

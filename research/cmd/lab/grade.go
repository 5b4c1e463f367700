package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"backsolve/cmd/cli"
	"backsolve/game"
	"backsolve/game/games"
	"backsolve/internal/player"
	"backsolve/internal/player/agents"
	"backsolve/internal/player/arena"
	"backsolve/internal/player/zero"
	"backsolve/internal/probe"
	"backsolve/internal/probe/endgame"
	"backsolve/internal/search"
	"backsolve/research/grade"
	"backsolve/research/selfplay"
)

type grading struct {
	measures
	from    string // the first position, "" for the start of the game
	left    int    // most cells left in drawn positions, 0 for the default
	visits  []int  // numbers of simulations
	measure *cli.Choice
}

type measures struct {
	*shared
	expert, walks bool
	control       bool // also measure the same search with a network of zeros
	states        int  // for expert, 0 for all
	games         int  // against each opponent
	seed          uint64
}

const (
	expertMeasure   = "expert"
	championMeasure = "champion"
)

func gradeCommand(s *shared) *cobra.Command {
	g := &grading{measures: measures{shared: s}, measure: cli.NewChoice("both", expertMeasure, championMeasure)}
	cmd := &cobra.Command{
		Use:   "grade BOARD AGENT",
		Short: "Measure an agent with the exact values of all states",
		Long: `Measure an agent by the exact values of a board, in two ways.

expert: the share of states in which its move keeps the value and, with a table with
steps, also wins soonest or loses latest (strict), beside the exact share of a random
player. For a network also the share in which its own move keeps the value (policy) and
its value has the right sign. Won states, those not lost where draws occur, and those
held out of training are also shown separately: in a lost state no move errs.

champion: whether, from the start and on the winning side (both sides in a draw), the
agent gets the value against every opponent. All replies are tried, each state once. If
an opponent beats it, the shortest such game is shown.

In both, a new player with the same seed makes each move, so it depends on the position
alone. Where only endgames are known, as in Othello, --states N draws positions of random
games with few empty cells.

--control also measures the same search with a network of zeros; the difference is the
network's. --from POSITION measures from there. --games N also plays N games against each
of random, greedy and the formula of the board, if any, and two against the agent itself;
it moves first in half of them.

For a network, --visits shows the start and the three positions in which it most
confidently gives away a win or a draw, with the share of visits of the moves that keep
the value after each number of simulations in one tree.

Networks of other programs are graded in Python, and play here as engines: see
docs/howto/python.md.

` + cli.TableHelp + ``,
		Example: `  lab grade notakto 4 zero:weights=notakto-4x4/0040.weights,sims=100
  lab grade notakto 5 zero:weights=notakto-5x5/0040.weights,sims=0 --states 10000 --measure expert
  lab grade notakto 4 zero:weights=notakto-4x4/0040.weights,sims=100 --control
  lab grade nim 5 zero:weights=nim-5/0040.weights,sims=0 --visits 64,4194304
  lab grade nim 8 greedy --from 1/2/1/1/1/1/1/1
  lab grade othello 6 mcts:100 --measure expert --states 200 --left 10`,
		Args: cli.BoardArgs(1, 1),
		RunE: g.run,
	}
	f := cmd.Flags()
	f.StringVar(&g.from, "from", "", "`POSITION` measure from this position (default the start of the game)")
	f.IntVar(&g.states, "states", 0, "number of random states for expert, 0 for all reachable ones")
	f.IntVar(&g.left, "left", 0, fmt.Sprintf("most empty cells of positions drawn from endgames (default %d)", usedLeft))
	f.IntVar(&g.games, "games", 0, "number of games against each opponent, an even number; 0 for none")
	g.measure.Register(cmd, "measure", "what to measure: expert, champion or both")
	f.BoolVar(&g.control, "control", false, "also measure the same search with a network of zeros")
	f.IntSliceVar(&g.visits, "visits", nil, "`LIST` numbers of simulations; a million take half a gigabyte")
	seedFlag(cmd, &g.seed)
	cmd.ValidArgsFunction = cli.CompleteBoard(cli.TableSizes(g.dir), completeAgents)
	cli.JSONFlag(cmd.Flags())
	return cmd
}

func (g *grading) run(cmd *cobra.Command, args []string) error {
	bounded := []number{{"states", g.states, 0, maxStates}, {"left", g.left, 0, mostLeft}, {"games", g.games, 0, maxGames}}
	for _, n := range g.visits {
		bounded = append(bounded, number{"visits", n, 1, zero.MaxSimulations})
	}
	if err := checkNumbers(bounded...); err != nil {
		return err
	}
	if g.games%2 != 0 {
		return cli.Usagef("--games %d: give an even number, as each side begins half of them", g.games)
	}
	if err := cli.LocalDir(*g.dir); err != nil {
		return err
	}
	board, others, err := cli.Board(cmd, args, "")
	if err != nil {
		return err
	}
	rules := board.Rules()
	if g.left > 0 && !endsAlone(rules) {
		return cli.Usagef("--left %d: states of %v are drawn from all; leave it out", g.left, rules.Info())
	}
	var from game.State
	if g.from != "" {
		if from, err = openPosition(board, "--from", g.from); err != nil {
			return err
		}
	}
	env := newEnv(rules, *g.dir, *g.threads)
	env.Board = board
	defer env.Close()
	agent, err := parseAgent(cmd.Context(), others[0], env)
	if err != nil {
		return err
	}
	if _, ok := agent.(*zero.Agent); !ok && (g.control || g.visits != nil) {
		return cli.Usagef("--control and --visits look at the network of a zero agent, and %s is not one; leave them out", agent.Name())
	}
	g.expert, g.walks = g.measure.String() != championMeasure, g.measure.String() != expertMeasure
	s, err := newSubject(cmd.Context(), env, true, *g.threads)
	if err != nil {
		return err
	}
	s.Agent, s.Seed, s.From = agent, g.seed, from
	if g.left > 0 {
		s.Late = g.left
	}
	out, err := g.evaluate(cmd, s)
	if err == nil && g.visits != nil {
		slices.Sort(g.visits)
		out.Visits, err = visits(cmd.Context(), s, slices.Compact(g.visits), g.states)
	}
	if err != nil {
		return err
	}
	return writeOut(cmd, "result", out, tabwriter.AlignRight)
}

func (m *measures) evaluate(cmd *cobra.Command, s *grade.Subject) (*result, error) {
	board := s.Rules.Info()
	out := &result{Game: board.Name, Size: board.Size, Agent: s.Agent.Name(), From: fromText(s), Seed: m.seed}
	sides, err := m.sides(s)
	if err != nil {
		return nil, err
	}
	if m.expert {
		report, stop := m.show(cmd, s, expertMeasure)
		x, err := s.Expert(cmd.Context(), m.states, report)
		stop()
		if err != nil {
			return nil, err
		}
		out.Expert = newExpert(s, x)
	}
	for _, side := range sides {
		w, err := m.champion(cmd, s, side)
		if err != nil {
			return nil, err
		}
		out.Champion = append(out.Champion, w)
	}
	if out.Games, err = m.play(cmd.Context(), s); err != nil {
		return nil, err
	}
	if agent, ok := s.Agent.(*zero.Agent); ok && m.control {
		alone, zeros := *m, *s
		alone.control, zeros.Agent = false, agent.Zeros()
		out.Control, err = alone.evaluate(cmd, &zeros)
	}
	return out, err
}

func (m *shared) champion(cmd *cobra.Command, s *grade.Subject, side game.Side) (*grade.Walk, error) {
	report, stop := m.show(cmd, s, championMeasure)
	defer stop()
	return s.Champion(cmd.Context(), side, report)
}

func (m *shared) show(cmd *cobra.Command, s *grade.Subject, measure string) (report func(done, total int), stop func()) {
	p, stop := m.watch(cmd, "grading", s.Agent.Name(), "states", 0, 1) // at least
	return func(done, total int) {
		p.Grow(float64(total))
		p.Update(measure, float64(done))
	}, stop
}

// itself is the name of an agent as its own opponent.
const itself = "itself"

func (m *measures) play(ctx context.Context, s *grade.Subject) (all []gamesResult, err error) {
	if m.games == 0 {
		return nil, nil
	}
	known, err := games.Lookup(s.Rules.Info().Name)
	if err != nil {
		return nil, err
	}
	names, opponents := []string{"random", "greedy"}, []player.Agent{player.Random(s.Rules), player.Greedy(s.Rules)}
	for _, f := range known.Formulas {
		if agent, err := player.ByFormula(s.Rules, f); err == nil { // it plays this board
			names, opponents = append(names, f.Name), append(opponents, agent)
		}
	}
	names, opponents = append(names, itself), append(opponents, s.Agent)
	for i, opponent := range opponents {
		match := &arena.Match{
			Rules: s.Rules, Start: s.Start(), Agents: [2]player.Agent{s.Agent, opponent},
			Games: m.games, Turns: grade.MostTurns, Seed: m.seed, Threads: s.Threads,
		}
		if names[i] == itself {
			match.Games = 2
		}
		g, err := playGames(ctx, names[i], match)
		if err != nil {
			return nil, err
		}
		all = append(all, g)
	}
	return all, nil
}

// The most cells left in positions drawn from games whose ends alone are known: the
// default, and the largest that takes no hours.
const (
	usedLeft = 12
	mostLeft = 20
)

// endsAlone reports whether only the ends of games are known, by search.
func endsAlone(rules game.Rules) bool {
	_, ok := search.NewEnding(rules)
	return ok
}

// newEnv returns the environment for agents and exact answers, with at most atOnce questions at a time.
func newEnv(rules game.Rules, dir string, atOnce int) *agents.Env {
	env := &agents.Env{Rules: rules, Dir: dir}
	if endsAlone(rules) {
		env.OnDemand.Solver = endgame.New(endgame.Limits{Timeout: time.Minute, Memory: 1 << 30, Threads: 1, Concurrency: atOnce})
	}
	return env
}

// network is a trained network with its board and the first position of its training.
type network struct {
	*zero.Weights
	rules game.Rules
	start game.State
}

func loadNetwork(path string) (*network, error) {
	w, err := zero.Load(path)
	if err != nil {
		return nil, err
	}
	rules, err := parseBoard(w.Game, w.Size)
	if err != nil {
		return nil, err
	}
	start, err := selfplay.StartOf(&w.Made)
	return &network{w, rules, start}, err
}

func newSubject(ctx context.Context, env *agents.Env, steps bool, threads int) (*grade.Subject, error) {
	answers, err := env.Answerer(ctx, steps)
	if err != nil {
		return nil, err
	}
	s := &grade.Subject{Rules: env.Rules, Answers: answers, Seed: 1, Threads: threads}
	if endsAlone(env.Rules) {
		s.Late = usedLeft
	}
	return s, nil
}

// fromText returns the first position, "" if it is the start of the game.
func fromText(s *grade.Subject) string {
	start := s.Start()
	if start == s.Rules.Start() {
		return ""
	}
	return s.Rules.Format(start)
}

// boardText names the board, and the first position if it is not the start of the game.
func boardText(s *grade.Subject) string {
	board := s.Rules.Info().String()
	if from := fromText(s); from != "" {
		board += " from " + from
	}
	return board
}

// sides returns those that a champion has to play. It fails if it needs the start's unknown value.
func (m *measures) sides(s *grade.Subject) ([]game.Side, error) {
	whole := m.expert && m.states == 0 && s.Late > 0
	if !m.walks && !whole {
		return nil, nil
	}
	sides, err := s.Sides()
	switch {
	case err != nil && errors.Is(err, probe.ErrUnknown) && m.walks:
		return nil, cli.Usagef("nobody knows here who wins %s, so that it has no champion yet; ask for --measure expert and some --states", boardText(s))
	case err != nil && errors.Is(err, probe.ErrUnknown):
		return nil, cli.Usagef("of %v only positions with few cells left are known; draw some of them with --states", s.Rules.Info())
	case err != nil || !m.walks:
		return nil, err
	}
	return sides, nil
}

package main

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"backsolve/cmd/cli"
	"backsolve/cmd/cli/progress"
	"backsolve/game"
	"backsolve/game/games"
	"backsolve/internal/player"
	"backsolve/internal/player/agents"
	"backsolve/internal/player/arena"
	"backsolve/internal/player/zero"
	"backsolve/research/grade"
)

// grading holds the command line of learn grade.
type grading struct {
	measures
	from    string // the first position, "" for the start of the game
	left    int    // most cells left in drawn positions, 0 for the default
	measure *cli.Choice
	threads *int
	dir     *string
	format  *cli.Format
	display *progress.Display
}

// measures says what is measured of an agent.
type measures struct {
	expert, champion bool
	control          bool // also measure the same search with a network of zeros
	states           int  // for expert, 0 for all
	games            int  // against each opponent
	seed             uint64
}

const (
	expertMeasure   = "expert"
	championMeasure = "champion"
)

func gradeCommand() *cobra.Command {
	g := &grading{measure: cli.NewChoice("both", expertMeasure, championMeasure)}
	cmd := &cobra.Command{
		Use:   "grade BOARD AGENT",
		Short: "Measure an agent with the exact values of all states",
		Long: `Measure an agent with the table of a board, in two ways.

expert: the share of states in which its move keeps the value and, with a table with
steps, also wins soonest or loses latest (strict), beside the exact share of a random
player. For agents with a network also the share in which the network's own move keeps
the value (policy) and the sign of its value is right. Won states, and those not lost
where draws occur, are also shown separately, as no move harms a lost one.

champion: whether, from the start position and on the winning side (both sides in a
draw), the agent gets the value against every opponent. All replies are tried, each
state once. If an opponent beats it, the shortest such game is shown.

For games without tables, such as Othello, only endgames are known: --states N draws
positions of random games with few empty cells. States held out of the training of an
agent are shown separately.

With --control the same search with a network of zeros is measured, too. The difference
is what the network adds.

With --from POSITION everything is measured from there. With --games N the agent also
plays N games against each of random, greedy and the formula of the board, if any, and
two against itself. It moves first in half of them.

For expert and champion each move is asked of a new player with the same seed, so it
depends on the position alone.

onnx:FILE names a network in an ONNX file, from learn export or any other program. It
needs onnxruntime, whose library $BACKSOLVE_ONNXRUNTIME names. docs/howto/python.md has
its input and outputs.

` + cli.TableHelp + ``,
		Example: `  learn grade notakto 4 zero:weights=notakto-4x4/0040.weights,sims=100
  learn grade notakto 5 zero:weights=notakto-5x5/0040.weights,sims=0 --states 10000 --measure expert
  learn grade notakto 4 zero:weights=notakto-4x4/0040.weights,sims=100 --control
  learn grade tictactoe 3 mcts:1000 --dir tables --json
  learn grade quixo 4 onnx:quixo.onnx --states 10000 --measure expert
  learn grade nim 5 greedy --games 100
  learn grade nim 8 greedy --from 1/2/1/1/1/1/1/1
  learn grade othello 6 mcts:100 --measure expert --states 200 --left 10`,
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
	f.Uint64Var(&g.seed, "seed", 1, "seed of the states and the agent")
	cli.NoCompletion(cmd, "from", "states", "left", "seed", "games")
	g.threads = threadsFlag(cmd)
	g.dir = cli.DirFlag(f)
	cmd.ValidArgsFunction = cli.CompleteBoard(cli.TableSizes(g.dir), func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
		return agents.Complete(), cobra.ShellCompDirectiveNoSpace
	})
	g.format = cli.FormatFlags(cmd, cli.Text, cli.JSON)
	g.display = progress.Flags(cmd)
	cli.Advanced(cmd, "seed", "threads", "progress", "quiet")
	return cmd
}

const (
	maxStates = 100_000_000
	maxGames  = 1_000_000
)

func (g *grading) run(cmd *cobra.Command, args []string) error {
	err := checkNumbers(number{"states", g.states, 0, maxStates}, number{"left", g.left, 0, mostLeft}, number{"games", g.games, 0, maxGames})
	if err != nil {
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
	from, err := g.parseFrom(rules)
	if err != nil {
		return err
	}
	env := newEnv(rules, *g.dir, *g.threads)
	env.Board = board
	defer env.Close()
	agent, err := parseAgent(cmd.Context(), others[0], env)
	if err != nil {
		return cli.UsageUnlessTable(err)
	}
	defer agent.Close()
	if _, ok := agent.(*zero.Agent); g.control && !ok {
		return cli.Usagef("--control replaces the network of a zero agent, and %s is none; leave it out", agent.Name())
	}
	g.expert, g.champion = g.measure.String() != championMeasure, g.measure.String() != expertMeasure
	s, err := newSubject(cmd.Context(), env, true, *g.threads)
	if err != nil {
		return err
	}
	s.Agent, s.Seed, s.From = agent, g.seed, from
	if g.left > 0 {
		s.Late = g.left
	}
	out, err := g.of(cmd, s, g.display)
	if err != nil {
		return err
	}
	return writeOut(cmd, g.format, "result", out)
}

// parseAgent is agents.Parse with networks in ONNX files.
func parseAgent(ctx context.Context, name string, env *agents.Env) (player.Agent, error) {
	if path, ok := strings.CutPrefix(name, "onnx:"); ok {
		return grade.NewONNX(env.Rules, path)
	}
	return agents.Parse(ctx, name, env)
}

// parseFrom parses --from, nil if it is not given.
func (g *grading) parseFrom(rules game.Rules) (game.State, error) {
	if g.from == "" {
		return nil, nil
	}
	s, err := game.ParsePosition(rules, rules.Start(), g.from)
	if err != nil {
		return nil, cli.Usagef("--from: %w", err)
	}
	if _, over := rules.Terminal(s); over {
		return nil, cli.Usagef("--from %s: the game is over there; give a position in which a move can be made", g.from)
	}
	return s, nil
}

func (m *measures) of(cmd *cobra.Command, s *grade.Subject, display *progress.Display) (*result, error) {
	board := s.Rules.Info()
	out := &result{Game: board.Name, Size: board.Size, Agent: s.Agent.Name(), Seed: m.seed}
	out.From = fromText(s)
	sides, err := m.sides(s)
	if err != nil {
		return nil, err
	}
	if m.expert {
		report, stop := show(cmd, s, display, expertMeasure)
		x, err := s.Expert(cmd.Context(), m.states, report)
		stop()
		if err != nil {
			return nil, err
		}
		out.Expert = newExpert(s, x)
	}
	for _, side := range sides {
		report, stop := show(cmd, s, display, championMeasure)
		w, err := s.Champion(cmd.Context(), side, report)
		stop()
		if err != nil {
			return nil, err
		}
		out.Champion = append(out.Champion, newWalk(s.Rules, w))
	}
	if out.Games, err = m.play(cmd.Context(), s); err != nil {
		return nil, err
	}
	if agent, ok := s.Agent.(*zero.Agent); ok && m.control {
		alone, zeros := *m, *s
		alone.control, zeros.Agent = false, agent.Zeros()
		out.Control, err = alone.of(cmd, &zeros, display)
	}
	return out, err
}

// show shows the reported progress of a measure until stop is called.
func show(cmd *cobra.Command, s *grade.Subject, display *progress.Display, measure string) (report func(done, total int), stop func()) {
	p := progress.New("grading", s.Agent.Name())
	p.Begin("states", 0, 1) // at least
	return func(done, total int) {
		p.Grow(float64(total))
		p.Update(measure, float64(done))
	}, display.Show(cmd, p)
}

type opponent struct {
	name  string
	agent player.Agent
	games int
}

// itself is the name of an agent as its own opponent.
const itself = "itself"

// opponents returns the opponents, the agent itself last.
func (m *measures) opponents(s *grade.Subject) ([]opponent, error) {
	all := []opponent{{"random", player.Random(s.Rules), m.games}, {"greedy", player.Greedy(s.Rules), m.games}}
	g, err := games.Lookup(s.Rules.Info().Name)
	if err != nil {
		return nil, err
	}
	for _, f := range g.Formulas {
		if agent, err := player.ByFormula(s.Rules, f); err == nil { // it plays this board
			all = append(all, opponent{f.Name, agent, m.games})
		}
	}
	return append(all, opponent{itself, s.Agent, 2}), nil
}

func (m *measures) play(ctx context.Context, s *grade.Subject) (all []gamesResult, err error) {
	if m.games == 0 {
		return nil, nil
	}
	opponents, err := m.opponents(s)
	if err != nil {
		return nil, err
	}
	for _, o := range opponents {
		match := arena.Match{
			Rules: s.Rules, Start: s.Start(), Agents: [2]player.Agent{s.Agent, o.agent},
			Games: o.games, Turns: grade.MostTurns, Seed: m.seed, Threads: s.Threads,
		}
		summary, err := match.Play(ctx, nil)
		if err != nil {
			return nil, err
		}
		all = append(all, gamesResult{Opponent: o.name, First: summary.Began, Second: summary.Replied})
	}
	return all, nil
}

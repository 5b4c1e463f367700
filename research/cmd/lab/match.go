package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"backsolve/cmd/cli"
	"backsolve/game"
	"backsolve/internal/durable"
	"backsolve/internal/player"
	"backsolve/internal/player/agents"
	"backsolve/internal/player/arena"
	"backsolve/internal/player/ugi"
	"backsolve/internal/probe"
)

type matcher struct {
	*shared
	board        *probe.Board
	seed         uint64
	games, turns cli.CountValue
	format       *cli.Format
	save         string
	start        string
	starts       string
	after        *string
	search       cli.SearchFlags
	read         []string
}

const matchLong = `Play agents A and B against each other. They take turns to move first. Print the wins,
draws and losses of A as first and as second player, with exact 95 % intervals.

The strength is the score for 100 games, 100·(wins + draws/2)/games; equal agents
score 50. The Elo difference is 400·log10(m/(1 - m)) for a mean score m. Their 95 %
intervals take the games as first and as second player apart, and draws as draws.

A turn is a move of each side. A game is drawn after --turn-limit turns. An agent that
makes an illegal move, exits or times out loses the game, and the reason is recorded.
If it fails before its first move, or in each of its first games, the match ends with
an error.

With --think, agents that play by the table solve endgames that the table does not
cover, so games that start late enough need no table.

--save writes the games to a file, one line of JSON each. --read replays such files by
the rules instead of playing, and sums them up as the matches did, but for times.`

func matchCommand(s *shared) *cobra.Command {
	m := &matcher{shared: s, games: cli.NewCount(200, maxGames), turns: cli.NewCount(200, maxTurns)}
	cmd := &cobra.Command{
		Use:   "match BOARD A B",
		Short: "Play two agents against each other",
		Long:  matchLong,
		Example: `  lab match quixo 3 mcts:1000 optimal
  lab match quixo 5 mcts:1000 minimax:depth=4 --games 50 --turn-limit 100
  lab match notakto 5 'engine:./mine --fast,move-time=200ms' optimal:blunder=0.1 --save games.jsonl
  lab match notakto 7 optimal greedy --think 10s --start XX.X.XX/X.XX.X./.XX.XX./XXX.X.X/X.X..XX/.XX.X../X..XX.X
  lab match notakto 4 greedy random --json | jq .strength
  lab match --read games.jsonl,more.jsonl`,
		Args: func(cmd *cobra.Command, args []string) error {
			if m.read != nil {
				return cli.Args(0)(cmd, args)
			}
			return cli.BoardArgs(2, 2)(cmd, args)
		},
		ValidArgsFunction: cli.CompleteBoard(game.Game.Sizes, completeAgents, completeAgents),
		RunE:              m.run,
	}
	f := cmd.Flags()
	f.Var(&m.games, "games", "number of games")
	f.Var(&m.turns, "turn-limit", "number of turns after which a game is drawn")
	seedFlag(cmd, &m.seed)
	m.format = cli.FormatFlags(cmd, cli.Text, cli.JSON)
	f.StringVar(&m.start, "start", "", "`POSITION` start all games from this position")
	f.StringVar(&m.starts, "starts", "", "`FILE` play a game from each position of this file, one a line; A begins all")
	m.after = cli.AfterFlag(cmd)
	m.search.Register(cmd, 0, "memory", "scratch")
	f.StringVar(&m.save, "save", "", "`FILE` new file to write the games to, one a line")
	f.StringSliceVar(&m.read, "read", nil, "`FILE` sum up games that --save has written, of one pair of agents; may be repeated")
	cli.Advanced(cmd, "turn-limit", "start", "starts", "after", "think", "memory", "scratch")
	return cmd
}

func (m *matcher) run(cmd *cobra.Command, args []string) error {
	if m.read != nil {
		o, err := readGames(m.read, m.format.Word() == cli.JSON)
		if err != nil {
			return err
		}
		return o.write(cmd.OutOrStdout(), m.format.Word())
	}
	var names []string
	var err error
	if m.board, names, err = cli.Board(cmd, args, *m.after); err != nil {
		return err
	}
	env := &agents.Env{Rules: m.board.Rules(), Board: m.board, Dir: *m.dir}
	defer env.Close()
	start := m.board.Start()
	if m.start != "" {
		if start, err = openPosition(m.board, "--start", m.start); err != nil {
			return err
		}
	}
	// Games that are played at once may search at once.
	if env.OnDemand, err = m.search.OnDemand(*m.threads, 1); err != nil {
		return err
	}
	match := &arena.Match{
		Rules: env.Rules, Start: start,
		Games: m.games.Count, Turns: m.turns.Count, Seed: m.seed, Threads: *m.threads,
	}
	if m.starts != "" {
		if cmd.Flags().Changed("games") || m.start != "" {
			return cli.Usagef("--starts says where each game begins; leave --games and --start out")
		}
		if match.Starts, err = m.readStarts(); err != nil {
			return err
		}
		match.Games = len(match.Starts)
	}
	if err := seat(cmd.Context(), env, match, [2]string(names)); err != nil {
		return err
	}
	o := &outcome{
		Game: env.Rules.Info().Name, Size: env.Rules.Info().Size, TurnLimit: m.turns.Count, Seed: &m.seed, Version: cli.Version(),
	}
	save, closeSave, err := m.saver()
	if err != nil {
		return err
	}
	p, stop := m.watch(cmd, "match", env.Rules.Info().String())
	p.Begin("games", 0, float64(match.Games))
	s, err := match.Play(cmd.Context(), func(r *arena.Record) error {
		p.Update(fmt.Sprintf("game %d", r.Number), float64(r.Number))
		o.keep(r, m.format.Word() == cli.JSON)
		return save(r)
	})
	stop()
	if err := errors.Join(err, closeSave()); err != nil {
		return withRemedy(err)
	}
	o.sum(s)
	o.time(s)
	return o.write(cmd.OutOrStdout(), m.format.Word())
}

func seat(ctx context.Context, env *agents.Env, m *arena.Match, names [2]string) (err error) {
	for i, name := range names {
		if m.Agents[i], err = parseAgent(ctx, name, env); err != nil {
			return err
		}
	}
	return nil
}

func openPosition(board *probe.Board, what, text string) (game.State, error) {
	s, err := board.Parse(text)
	if err != nil {
		return nil, cli.Usagef("%s: %w", what, err)
	}
	if _, over := board.Rules().Terminal(s); over {
		return nil, cli.Usagef("%s: the game is over in this position; give another one", what)
	}
	return s, nil
}

func (m *matcher) readStarts() (starts []game.State, err error) {
	text, err := os.ReadFile(m.starts)
	if err != nil {
		return nil, cli.Usagef("--starts: %w", err)
	}
	for i, line := range strings.Split(strings.TrimSpace(string(text)), "\n") {
		s, err := openPosition(m.board, fmt.Sprintf("--starts, line %d", i+1), line)
		if err != nil {
			return nil, err
		}
		starts = append(starts, s)
	}
	return starts, nil
}

// saver returns functions that write a game to the file of --save and close it.
func (m *matcher) saver() (save func(*arena.Record) error, closeFile func() error, err error) {
	if m.save == "" {
		return func(*arena.Record) error { return nil }, func() error { return nil }, nil
	}
	if err := durable.MkdirAll(filepath.Dir(m.save), 0o755); err != nil {
		return nil, nil, fmt.Errorf("the games cannot be saved: %w", err)
	}
	f, err := durable.Open(m.save, os.O_WRONLY|os.O_CREATE|os.O_EXCL)
	if errors.Is(err, fs.ErrExist) {
		return nil, nil, cli.Usagef("the games cannot be saved: %s is there already; name a file that is not", m.save)
	} else if err != nil {
		return nil, nil, fmt.Errorf("the games cannot be saved: %w", err)
	}
	return func(r *arena.Record) error { return cli.WriteJSON(f, r) }, f.Close, nil
}

// try has an external engine make a move, so that a broken one is found before all work.
func try(ctx context.Context, env *agents.Env, a player.Agent) error {
	if !strings.HasPrefix(a.Name(), "engine:") {
		return nil
	}
	err := moveOnce(ctx, a, env.Rules.Start(), 0)
	switch {
	case ctx.Err() != nil:
		return context.Cause(ctx)
	case err != nil:
		return withRemedy(&arena.UnableError{Agent: a.Name(), Err: err})
	}
	return nil
}

func withRemedy(err error) error {
	if unable := (*arena.UnableError)(nil); errors.As(err, &unable) && errors.Is(err, ugi.ErrEngine) {
		return fmt.Errorf("%w; run the engine by itself and type ugi, which it must answer by ugiok", err)
	}
	return err
}

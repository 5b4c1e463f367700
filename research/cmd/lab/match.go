package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"backsolve/cmd/cli"
	"backsolve/game"
	"backsolve/game/games"
	"backsolve/internal/durable"
	"backsolve/internal/player"
	"backsolve/internal/player/agents"
	"backsolve/internal/player/arena"
	"backsolve/internal/player/ugi"
	"backsolve/internal/probe"
	"backsolve/research/grade"
	"backsolve/research/internal/interval"
)

type matcher struct {
	*shared
	seed         uint64
	games, turns cli.CountValue
	save         string
	start        string
	starts       string
	after        *string
	search       cli.SearchFlags
	read         []string
}

func matchCommand(s *shared) *cobra.Command {
	m := &matcher{shared: s, games: cli.NewCount(200, maxGames), turns: cli.NewCount(200, maxTurns)}
	cmd := &cobra.Command{
		Use:   "match BOARD A B",
		Short: "Play two agents against each other",
		Long: `Play agents A and B against each other, who take turns to move first. Print the wins,
draws and losses of A as first and as second player, with exact 95 % intervals.

The strength is the score for 100 games, 100·(wins + draws/2)/games; equal agents
score 50. The Elo difference is 400·log10(m/(1 - m)) for a mean score m. Their 95 %
intervals take the games as first and as second player apart, and draws as draws.

A game is drawn after --turn-limit turns, each a move of both sides. An agent that makes
an illegal move, exits or times out loses the game, and the reason is recorded. If it
fails before its first move, or in each of its first games, the match ends with an error.

With --think, agents that play by the table solve endgames that the table does not
cover, so games that start late enough need no table.

--save writes the games to a file, one line of JSON each. --read replays such files by
the rules instead of playing, and summarizes them like the matches, without times.`,
		Example: `  lab match quixo 3 mcts:1000 optimal
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
	cli.JSONFlag(cmd.Flags())
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
		o, err := readGames(m.read, cli.WantsJSON(cmd))
		if err != nil {
			return err
		}
		return writeOut(cmd, "match", o, 0)
	}
	board, names, err := cli.Board(cmd, args, *m.after)
	if err != nil {
		return err
	}
	env := &agents.Env{Rules: board.Rules(), Board: board, Dir: *m.dir}
	defer env.Close()
	// Games that are played at once may search at once.
	if env.OnDemand, err = m.search.OnDemand(*m.threads, 1); err != nil {
		return err
	}
	match := &arena.Match{
		Rules: env.Rules, Start: board.Start(), Games: m.games.Count, Turns: m.turns.Count, Seed: m.seed, Threads: *m.threads,
	}
	switch {
	case m.starts != "" && (cmd.Flags().Changed("games") || m.start != ""):
		err = cli.Usagef("--starts says where each game begins; leave --games and --start out")
	case m.starts != "":
		match.Starts, err = m.readStarts(board)
		match.Games = len(match.Starts)
	case m.start != "":
		match.Start, err = openPosition(board, "--start", m.start)
	}
	if err != nil {
		return err
	}
	for i, name := range names {
		if match.Agents[i], err = parseAgent(cmd.Context(), name, env); err != nil {
			return err
		}
	}
	info := env.Rules.Info()
	o := &outcome{Board: info.String(), Game: info.Name, Size: info.Size, TurnLimit: m.turns.Count, Seed: &m.seed, Version: cli.Version(), seen: map[string]bool{}}
	save, closeSave, err := m.saver()
	if err != nil {
		return err
	}
	p, stop := m.watch(cmd, "match", info.String(), "games", 0, float64(match.Games))
	s, err := match.Play(cmd.Context(), func(r *arena.Record) error {
		p.Update(fmt.Sprintf("game %d", r.Number), float64(r.Number))
		o.keep(r, cli.WantsJSON(cmd))
		return save(r)
	})
	stop()
	if err := errors.Join(err, closeSave()); err != nil {
		return withRemedy(err)
	}
	o.summarize(s)
	o.time(s)
	return writeOut(cmd, "match", o, 0)
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

func (m *matcher) readStarts(board *probe.Board) (starts []game.State, err error) {
	text, err := os.ReadFile(m.starts)
	if err != nil {
		return nil, cli.Usagef("--starts: %w", err)
	}
	for i, line := range strings.Split(strings.TrimSpace(string(text)), "\n") {
		s, err := openPosition(board, fmt.Sprintf("--starts, line %d", i+1), line)
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
	_, _, err := (&grade.Subject{Agent: a}).Timed(ctx, env.Rules.Start(), 0)
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

// outcome is the result of a match for the first agent, without Seed and Times of saved games.
type outcome struct {
	Board     string          `json:"-"`
	Game      string          `json:"game"`
	Size      int             `json:"size"`
	TurnLimit int             `json:"turn_limit"`
	Seed      *uint64         `json:"seed,omitempty"`
	Version   string          `json:"version"`
	Agents    [2]string       `json:"agents"`
	Began     results         `json:"began"`   // as first player
	Replied   results         `json:"replied"` // as second player
	All       results         `json:"all"`
	Different int             `json:"different"` // games, as deterministic agents repeat them
	Strength  arena.Estimate  `json:"strength"`
	Elo       arena.Estimate  `json:"elo"`
	Failures  [2]int          `json:"failures"`          // games lost by failing
	Failure   string          `json:"failure,omitempty"` // the first one
	Times     *[2]thinking    `json:"times,omitempty"`
	Games     []*arena.Record `json:"games"`

	seen    map[string]bool
	summary *arena.Summary  // of saved games
	ids     map[string]bool // of saved games, their first players and seeds: none must count twice
}

type results struct {
	arena.Tally
	Games     int            `json:"games"`
	WinShare  arena.Estimate `json:"win_share"`
	DrawShare arena.Estimate `json:"draw_share"`
	LossShare arena.Estimate `json:"loss_share"`
}

type thinking struct {
	Moves   int     `json:"moves"`
	Seconds float64 `json:"seconds"`
	PerMove float64 `json:"seconds_per_move"`
	Longest float64 `json:"longest_seconds"`
}

func newResults(t arena.Tally) results {
	n := t.Games()
	return results{t, n, interval.Share(t.Wins, n), interval.Share(t.Draws, n), interval.Share(t.Losses, n)}
}

// keep counts a game among the different ones, and keeps the first failure and, if asked, the game.
func (o *outcome) keep(r *arena.Record, all bool) {
	o.seen[grade.GameText(r)] = true
	o.Different = len(o.seen)
	if o.Failure == "" && r.Failure != "" {
		o.Failure = fmt.Sprintf("game %d: %s", r.Number, r.Failure)
	}
	if all {
		o.Games = append(o.Games, r)
	}
}

func (o *outcome) summarize(s *arena.Summary) {
	o.Agents, o.Failures = s.Agents, s.Failures
	o.Began, o.Replied, o.All = newResults(s.Began), newResults(s.Replied), newResults(s.Began.Plus(s.Replied))
	o.Strength, o.Elo = arena.Strength(s.Began, s.Replied), arena.Elo(s.Began, s.Replied)
}

func (o *outcome) time(s *arena.Summary) {
	o.Times = &[2]thinking{}
	for i := range o.Times {
		o.Times[i] = thinking{s.Moves[i], s.Thinking[i].Seconds(), perMove(s.Thinking[i], s.Moves[i]), s.Longest[i].Seconds()}
	}
}

// perMove returns the mean seconds of a move, 0 if there was none.
func perMove(t time.Duration, moves int) float64 { return t.Seconds() / float64(max(1, moves)) }

func shareText(count int, share arena.Estimate) string {
	if math.IsNaN(share.Value) {
		return "-"
	}
	return fmt.Sprintf("%d  %.1f %% (%.1f to %.1f)", count, 100*share.Value, 100*share.Low, 100*share.High)
}

// estimateText formats an estimate with its interval, infinities as ±∞.
func estimateText(e arena.Estimate, format string) string {
	text := func(x float64) string {
		if math.IsInf(x, 0) {
			return strings.Replace(fmt.Sprintf("%+v", x), "Inf", "∞", 1)
		}
		return fmt.Sprintf(format, x)
	}
	return fmt.Sprintf("%s (%s to %s)", text(e.Value), text(e.Low), text(e.High))
}

// readGames sums saved games up, and keeps them if asked.
func readGames(paths []string, keep bool) (*outcome, error) {
	o := &outcome{Version: cli.Version(), seen: map[string]bool{}, ids: map[string]bool{}}
	for _, path := range paths {
		if err := o.readFile(path, keep); err != nil {
			return nil, cli.Usagef("%s: %w", path, err)
		}
	}
	if o.summary == nil {
		return nil, cli.Usagef("there is no game in %s", paths[0])
	}
	o.summarize(o.summary)
	return o, nil
}

func (o *outcome) readFile(path string, keep bool) error {
	f, err := os.Open(path)
	if at := (*fs.PathError)(nil); errors.As(err, &at) {
		return fmt.Errorf("it cannot be read: %w; name a file that lab match --save has written", at.Err)
	}
	defer f.Close()
	line := 0
	for record, err := range arena.ReadRecords(f) {
		if err != nil {
			return err // which names the line
		}
		line++
		if err := o.add(record, keep); err != nil {
			return fmt.Errorf("line %d: %w", line, err)
		}
	}
	return nil
}

func (o *outcome) add(g *arena.Record, keep bool) error {
	rules, err := games.New(g.Game, g.Size)
	if err != nil {
		return err
	}
	if err := g.Check(rules); err != nil {
		return fmt.Errorf("the game is not one by the rules: %w", err)
	}
	if o.summary == nil {
		o.Board, o.Game, o.Size, o.TurnLimit = rules.Info().String(), g.Game, g.Size, g.Turns
		o.summary = &arena.Summary{Agents: [2]string{g.First, g.Second}}
	}
	if g.Game != o.Game || g.Size != o.Size || g.Turns != o.TurnLimit {
		return fmt.Errorf("the game is one of %s with a limit of %d turns, the ones before are of %s with %d",
			boardWord(g.Game, g.Size), g.Turns, boardWord(o.Game, o.Size), o.TurnLimit)
	}
	id := fmt.Sprint(g.First, g.Seeds)
	if o.ids[id] {
		return fmt.Errorf("the game with the seeds %d and %d was there before", g.Seeds[0], g.Seeds[1])
	}
	o.ids[id] = true
	o.keep(g, keep)
	return o.summary.Add(g)
}

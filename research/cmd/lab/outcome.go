package main

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"
	"strings"
	"time"

	"backsolve/cmd/cli"
	"backsolve/game"
	"backsolve/game/games"
	"backsolve/internal/player/arena"
	"backsolve/research/grade"
	"backsolve/research/internal/interval"
)

// outcome is the result of a match for the first agent, as --json prints it. Seed and
// Times are unknown for saved games.
type outcome struct {
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
	ids     map[gameID]bool // of saved games
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
	share := func(count int) arena.Estimate { return interval.Share(count, n) }
	return results{t, n, share(t.Wins), share(t.Draws), share(t.Losses)}
}

// keep counts a game among the different ones, and keeps the first failure and, if asked, the game.
func (o *outcome) keep(r *arena.Record, all bool) {
	if o.seen == nil {
		o.seen = map[string]bool{}
	}
	o.seen[grade.GameText(r)] = true
	o.Different = len(o.seen)
	if o.Failure == "" && r.Failure != "" {
		o.Failure = fmt.Sprintf("game %d: %s", r.Number, r.Failure)
	}
	if all {
		o.Games = append(o.Games, r)
	}
}

func (o *outcome) sum(s *arena.Summary) {
	o.Agents, o.Failures = s.Agents, s.Failures
	o.Began, o.Replied, o.All = newResults(s.Began), newResults(s.Replied), newResults(s.Began.Plus(s.Replied))
	o.Strength, o.Elo = arena.Strength(s.Began, s.Replied), arena.Elo(s.Began, s.Replied)
}

func (o *outcome) time(s *arena.Summary) {
	o.Times = &[2]thinking{}
	for i := range o.Times {
		seconds := s.Thinking[i].Seconds()
		o.Times[i] = thinking{s.Moves[i], seconds, perMove(s.Thinking[i], s.Moves[i]), s.Longest[i].Seconds()}
	}
}

// perMove returns the mean seconds of a move, 0 if there was none.
func perMove(t time.Duration, moves int) float64 { return t.Seconds() / float64(max(1, moves)) }

func (o *outcome) write(w io.Writer, format string) error {
	if format == cli.JSON {
		return cli.WriteJSON(w, o)
	}
	return writeText(w, "match", o, 0)
}

// Board returns the name of the board.
func (o *outcome) Board() (game.Info, error) {
	rules, err := games.New(o.Game, o.Size)
	if err != nil {
		return game.Info{}, err
	}
	return rules.Info(), nil
}

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
	o := &outcome{Version: cli.Version(), ids: map[gameID]bool{}}
	for _, path := range paths {
		if err := o.readFile(path, keep); err != nil {
			return nil, cli.Usagef("%s: %w", path, err)
		}
	}
	if o.summary == nil {
		return nil, cli.Usagef("there is no game in %s", paths[0])
	}
	o.sum(o.summary)
	return o, nil
}

// gameID tells games apart by the first player and the seeds: none must count twice.
type gameID struct {
	first string
	seeds [2]uint64
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
		o.Game, o.Size, o.TurnLimit = g.Game, g.Size, g.Turns
		o.summary = &arena.Summary{Agents: [2]string{g.First, g.Second}}
	}
	if g.Game != o.Game || g.Size != o.Size || g.Turns != o.TurnLimit {
		return fmt.Errorf("the game is one of %s with a limit of %d turns, the ones before are of %s with %d",
			boardWord(g.Game, g.Size), g.Turns, boardWord(o.Game, o.Size), o.TurnLimit)
	}
	id := gameID{g.First, g.Seeds}
	if o.ids[id] {
		return fmt.Errorf("the game with the seeds %d and %d was there before", g.Seeds[0], g.Seeds[1])
	}
	o.ids[id] = true
	o.keep(g, keep)
	return o.summary.Add(g)
}

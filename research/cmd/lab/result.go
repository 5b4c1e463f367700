package main

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"text/tabwriter"
	"text/template"

	"github.com/spf13/cobra"

	"backsolve/cmd/cli"
	"backsolve/game"
	"backsolve/internal/player/arena"
	"backsolve/internal/probe"
	"backsolve/research/grade"
)

//go:embed text.tmpl
var texts string

var templates = template.Must(template.New("text").Funcs(template.FuncMap{
	"percent": percent, "tenths": func(share float64) string { return fmt.Sprintf("%.1f", 100*share) },
	"wins": wins, "noun": noun, "plural": cli.Plural, "join": strings.Join,
	"seconds": cli.SecondsText, "estimate": estimateText, "share": shareText,
}).Parse(texts))

func writeText(to io.Writer, name string, data any, flags uint) error {
	w := tabwriter.NewWriter(to, 0, 0, 2, ' ', flags)
	if err := templates.ExecuteTemplate(w, name, data); err != nil {
		return err
	}
	return w.Flush()
}

func writeOut(cmd *cobra.Command, name string, data any, flags uint) error {
	if cli.WantsJSON(cmd) {
		return cli.WriteJSON(cmd.OutOrStdout(), data)
	}
	return writeText(cmd.OutOrStdout(), name, data, flags)
}

type result struct {
	Game     string        `json:"game"`
	Size     int           `json:"size"`
	Agent    string        `json:"agent"`
	From     string        `json:"from,omitempty"` // the first position, if not the start of the game
	Seed     uint64        `json:"seed"`
	Expert   *expertResult `json:"expert,omitempty"`
	Champion []*grade.Walk `json:"champion,omitempty"`
	Games    []gamesResult `json:"games,omitempty"`
	Visits   []visited     `json:"visits,omitempty"`
	Control  *result       `json:"control,omitempty"` // of the same search with a network of zeros
}

type expertResult struct {
	Whole      bool    `json:"whole"`          // all reachable states
	Left       int     `json:"left,omitempty"` // most cells left, in positions of random games
	All        *shares `json:"all"`
	Won        *shares `json:"won"`
	NotLost    *shares `json:"not_lost"` // won and drawn
	HeldOut    *shares `json:"held_out"` // of training; null if none were
	HeldOutWon *shares `json:"held_out_won"`
	Progress   string  `json:"progress"` // what By groups by: marks, empty, counters, moves
	By         []by    `json:"by"`
}

// Safe returns the won and drawn states as a row, nil if none is drawn.
func (e *expertResult) Safe() *by {
	if e.NotLost == nil || e.Won != nil && e.NotLost.States == e.Won.States {
		return nil
	}
	return &by{All: e.NotLost, Won: e.Won}
}

// Held returns the states held out of training as a row.
func (e *expertResult) Held() by { return by{All: e.HeldOut, Won: e.HeldOutWon} }

type by struct {
	Number int     `json:"number"`
	All    *shares `json:"all"`
	Won    *shares `json:"won"` // null where none is won
}

func newExpert(s *grade.Subject, x *grade.Expertise) *expertResult {
	e := &expertResult{
		Whole: x.Whole, All: newShares(x, x.All), Won: newShares(x, x.Won), NotLost: newShares(x, x.NotLost),
		HeldOut: newShares(x, x.HeldOut), HeldOutWon: newShares(x, x.HeldOutWon),
	}
	e.Progress, _ = s.Progress(s.Start())
	if !x.Whole {
		e.Left = s.Late
	}
	for _, n := range slices.Sorted(maps.Keys(x.AllBy)) {
		e.By = append(e.By, by{n, newShares(x, x.AllBy[n]), newShares(x, x.WonBy[n])})
	}
	return e
}

// shares are from 0 to 1, null if unknown.
type shares struct {
	States       int      `json:"states"`
	Different    int      `json:"different"` // to the agent
	Keep         float64  `json:"keep"`
	Random       float64  `json:"random"`
	Strict       *float64 `json:"strict"`
	RandomStrict *float64 `json:"random_strict"`
	Policy       *float64 `json:"policy"`
	Sign         *float64 `json:"sign"`
}

func newShares(x *grade.Expertise, s *grade.Shares) *shares {
	if s == nil || s.States == 0 {
		return nil
	}
	keep, strict := s.Random()
	r := &shares{States: s.States, Different: s.Different, Keep: shareOf(s.Keep, s.States), Random: keep}
	if x.HasSteps {
		r.Strict, r.RandomStrict = new(shareOf(s.Strict, s.States)), &strict
	}
	if x.Estimate {
		r.Policy = new(shareOf(s.Policy, s.States))
		if s.Signed > 0 {
			r.Sign = new(shareOf(s.Sign, s.Signed))
		}
	}
	return r
}

type gamesResult struct {
	Opponent  string         `json:"opponent"`
	First     arena.Tally    `json:"first"`
	Second    arena.Tally    `json:"second"`
	Different [2]arena.Tally `json:"different"` // of the games that differ
}

// Differing returns the number of games that differ.
func (g gamesResult) Differing() int { return g.Different[0].Games() + g.Different[1].Games() }

func playGames(ctx context.Context, opponent string, m *arena.Match) (gamesResult, error) {
	s, different, err := grade.Play(ctx, m, nil)
	if err != nil {
		return gamesResult{}, err
	}
	return gamesResult{opponent, s.Began, s.Replied, different}, nil
}

func wins(t arena.Tally) string { return percent(new(shareOf(t.Wins, t.Games()))) }

// noun returns a value as a noun: win in 6, loss in 13, draw.
func noun(value string) string {
	if rest, lost := strings.CutPrefix(value, game.Lose.String()); lost {
		return "loss" + rest
	}
	return value
}

func percent(share *float64) string {
	if share == nil {
		return "-"
	}
	return fmt.Sprintf("%.2f", 100**share)
}

// mostMisled is how many positions in which a network is misled are shown besides the start.
const mostMisled = 3

// visits reports on the start and on where the network is misled in a number of states, 0 for all.
func visits(ctx context.Context, s *grade.Subject, numbers []int, states int) (all []visited, err error) {
	start, err := s.Opinion(s.Start())
	if errors.Is(err, probe.ErrUnknown) {
		return nil, cli.Usagef("nobody knows here what the start of %s is worth, which visits are looked at from; name a network of another board", boardText(s))
	}
	if err != nil {
		return nil, err
	}
	misled, err := s.Misled(ctx, states, mostMisled)
	if err != nil {
		return nil, err
	}
	for _, o := range append([]*grade.Opinion{start}, misled...) {
		snapshots, err := s.Follow(ctx, o, numbers)
		if err != nil {
			return nil, err
		}
		v := visited{
			Position: s.Rules.Format(o.State), Worth: o.Worth.String(), Value: float64(o.Value),
			Favourite: game.MoveText(s.Rules, o.State, o.Favourite.Move), Probability: float64(o.Favourite.Fraction), Right: o.Right,
			Keeping: []string{}, Prior: o.Kept(), Visits: snapshots,
		}
		for _, m := range o.Keeping {
			v.Keeping = append(v.Keeping, game.MoveText(s.Rules, o.State, m.Move))
		}
		all = append(all, v)
	}
	return all, nil
}

// visited is the report on a position. Probabilities and shares are from 0 to 1.
type visited struct {
	Position    string           `json:"position"`
	Worth       string           `json:"worth"`
	Value       float64          `json:"value"`     // the network's, from −1 to 1
	Favourite   string           `json:"favourite"` // its most probable move
	Probability float64          `json:"probability"`
	Right       bool             `json:"right"`   // it keeps the position's value
	Keeping     []string         `json:"keeping"` // the moves that keep the value
	Prior       float64          `json:"prior"`   // their probability
	Visits      []grade.Snapshot `json:"visits"`
}

const mostKeeping = 4

func (v *visited) keeping() string {
	switch {
	case v.Worth == game.Lose.String():
		return "any, as it is lost"
	case len(v.Keeping) > mostKeeping:
		return fmt.Sprintf("%s and %d more", strings.Join(v.Keeping[:mostKeeping], ", "), len(v.Keeping)-mostKeeping)
	}
	return strings.Join(v.Keeping, ", ")
}

// Row returns the cells of the table.
func (v *visited) Row() []string {
	row := []string{v.Position, noun(v.Worth), fmt.Sprintf("%.3f", v.Value), v.Favourite, percent(&v.Probability), v.keeping(), percent(&v.Prior)}
	for i := range v.Visits {
		text := percent(&v.Visits[i].Kept)
		if v.Visits[i].Proved {
			text += "*"
		}
		row = append(row, text)
	}
	return row
}

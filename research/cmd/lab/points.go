package main

import (
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"backsolve/cmd/cli"
	"backsolve/internal/player/arena"
	"backsolve/research/grade"
	"backsolve/research/internal/files"
	"backsolve/research/internal/interval"
)

// noIterations is the number of iterations of an agent that has none.
const noIterations = -1

// iterationsOf returns the iterations of an mcts agent, else noIterations.
func iterationsOf(agent string) int {
	rest, ok := strings.CutPrefix(agent, "mcts:")
	number, _, _ := strings.Cut(rest, ",")
	if n, err := strconv.Atoi(number); ok && err == nil {
		return n
	}
	return noIterations
}

type point interface {
	matchPoint | accuracyPoint
	sample() sample // without the value
}

// timePoint is the processor time of a move in fixed positions, used wherever a time is shown.
type timePoint struct {
	Agent          string  `json:"agent"`
	Positions      int     `json:"positions"`
	SecondsPerMove float64 `json:"seconds_per_move"`
}

func (p matchPoint) sample() sample {
	return sample{agent: p.Agent, iterations: p.Iterations, seconds: p.SecondsPerMove}
}

func (p accuracyPoint) sample() sample {
	return sample{agent: p.Agent, iterations: p.Iterations, seconds: p.SecondsPerMove}
}

// matchPoint is a match. Wins and losses are the agent's. The strength follows from the counts,
// also in data that earlier versions have written.
type matchPoint struct {
	Agent            string  `json:"agent"`
	Iterations       int     `json:"iterations"` // -1 where the agent has none
	Opponent         string  `json:"opponent"`
	BeganWins        int     `json:"began_wins"`
	BeganDraws       int     `json:"began_draws"`
	BeganLosses      int     `json:"began_losses"`
	RepliedWins      int     `json:"replied_wins"`
	RepliedDraws     int     `json:"replied_draws"`
	RepliedLosses    int     `json:"replied_losses"`
	Different        int     `json:"different,omitempty"` // games; older data do not know
	Failures         int     `json:"failures"`            // of the agent
	Strength         float64 `json:"strength"`            // of 100
	StrengthLow      float64 `json:"strength_low"`
	StrengthHigh     float64 `json:"strength_high"`
	Lost             int     `json:"lost"`       // by the rules
	LostPlies        int     `json:"lost_plies"` // the sum, and that of squares
	LostPliesSquared int     `json:"lost_plies_squared"`
	Results          string  `json:"results,omitempty"` // a letter for each game, for arena.Difference; older data have none
	Moves            int     `json:"moves"`             // of the agent
	SecondsPerMove   float64 `json:"seconds_per_move"`
}

func newMatchPoint(agent, opponent string, s *arena.Summary, different [2]arena.Tally) matchPoint {
	p := matchPoint{
		Agent: agent, Iterations: iterationsOf(agent), Opponent: opponent,
		BeganWins: s.Began.Wins, BeganDraws: s.Began.Draws, BeganLosses: s.Began.Losses,
		RepliedWins: s.Replied.Wins, RepliedDraws: s.Replied.Draws, RepliedLosses: s.Replied.Losses,
		Different: different[0].Games() + different[1].Games(), Failures: s.Failures[0],
		Lost: s.Lost, LostPlies: s.LostPlies, LostPliesSquared: s.LostPliesSquared,
		Results: string(s.Results), Moves: s.Moves[0], SecondsPerMove: perMove(s.Thinking[0], s.Moves[0]),
	}
	p.rate()
	return p
}

func (p *matchPoint) rate() {
	if gameCount(*p) == 0 {
		return
	}
	e := arena.Strength(p.began(), p.replied())
	p.Strength, p.StrengthLow, p.StrengthHigh = e.Value, e.Low, e.High
}

func (p matchPoint) began() arena.Tally {
	return arena.Tally{Wins: p.BeganWins, Draws: p.BeganDraws, Losses: p.BeganLosses}
}

func (p matchPoint) replied() arena.Tally {
	return arena.Tally{Wins: p.RepliedWins, Draws: p.RepliedDraws, Losses: p.RepliedLosses}
}

func (p matchPoint) strength() arena.Estimate {
	return arena.Estimate{Value: p.Strength, Low: p.StrengthLow, High: p.StrengthHigh}
}

// length returns the mean plies of the lost games with a normal interval, false if none was lost.
func (p matchPoint) length() (arena.Estimate, bool) {
	return meanLength(float64(p.Lost), float64(p.LostPlies), float64(p.LostPliesSquared))
}

// turns returns the mean turns of games not won, as published: a draw counts as limit turns.
func (p matchPoint) turns(limit int) (arena.Estimate, bool) {
	draws, plies := float64(p.BeganDraws+p.RepliedDraws), float64(2*limit)
	e, ok := meanLength(float64(p.Lost)+draws, float64(p.LostPlies)+draws*plies, float64(p.LostPliesSquared)+draws*plies*plies)
	return arena.Estimate{Value: e.Value / 2, Low: e.Low / 2, High: e.High / 2}, ok
}

func meanLength(n, sum, squares float64) (arena.Estimate, bool) {
	if n == 0 {
		return arena.Estimate{}, false
	}
	mean, half := sum/n, 0.0
	if n > 1 {
		half = arena.Normal95 * math.Sqrt(max(0, squares-n*mean*mean)/(n-1)/n)
	}
	return arena.Estimate{Value: mean, Low: mean - half, High: mean + half}, true
}

type accuracyPoint struct {
	Agent      string `json:"agent"`
	Iterations int    `json:"iterations"` // -1 where the agent has none
	States     int    `json:"states"`
	// Strict also win soonest or lose latest; -1 if the table has no steps.
	Lenient        int     `json:"lenient"`
	Strict         int     `json:"strict"`
	LenientShare   float64 `json:"lenient_share"`
	LenientLow     float64 `json:"lenient_low"`
	LenientHigh    float64 `json:"lenient_high"`
	StrictShare    float64 `json:"strict_share"` // or -1
	StrictLow      float64 `json:"strict_low"`
	StrictHigh     float64 `json:"strict_high"`
	Failures       int     `json:"failures"`
	SecondsPerMove float64 `json:"seconds_per_move"`
}

func newAccuracyPoint(agent string, a *grade.Marks) accuracyPoint {
	p := accuracyPoint{
		Agent: agent, Iterations: iterationsOf(agent), States: a.States, Lenient: a.Lenient, Strict: a.Strict,
		Failures: a.Failures, SecondsPerMove: perMove(a.Thinking, a.States),
	}
	p.rate()
	return p
}

func (p *accuracyPoint) rate() {
	if p.States == 0 {
		return
	}
	lenient, strict := interval.Share(p.Lenient, p.States), arena.Estimate{Value: -1, Low: -1, High: -1}
	if p.Strict >= 0 {
		strict = interval.Share(p.Strict, p.States)
	}
	p.LenientShare, p.LenientLow, p.LenientHigh = lenient.Value, lenient.Low, lenient.High
	p.StrictShare, p.StrictLow, p.StrictHigh = strict.Value, strict.Low, strict.High
}

func (p accuracyPoint) lenient() arena.Estimate {
	return arena.Estimate{Value: p.LenientShare, Low: p.LenientLow, High: p.LenientHigh}
}

// strict returns false if the table has no steps.
func (p accuracyPoint) strict() (arena.Estimate, bool) {
	return arena.Estimate{Value: p.StrictShare, Low: p.StrictLow, High: p.StrictHigh}, p.Strict >= 0
}

func gameCount(p matchPoint) int { return p.began().Games() + p.replied().Games() }

// print writes the points as CSV, the whole file as JSON, or a table.
func (st *store[P]) print(w io.Writer, format string) error {
	switch format {
	case cli.JSON:
		return cli.WriteJSON(w, st.data)
	case cli.CSV:
		return files.WriteCSV(w, st.Points)
	}
	var rows [][]string
	switch points := any(st.Points).(type) {
	case []accuracyPoint:
		rows = accuracyRows(points)
	case []matchPoint:
		if rows = strengthRows(points); st.Settings.Measure == lengthMeasure {
			rows = lengthRows(points)
		}
	}
	return cli.WriteGrid(w, 0, rows)
}

// strengthRows has the differences from the first agent against the same opponent, game by game.
func strengthRows(points []matchPoint) [][]string {
	rows := [][]string{{"agent", "opponent", "games", "different", "strength", "Elo", "time of a move", "failures", "difference from the first"}}
	first := map[string]string{}
	for _, p := range points {
		difference := "-"
		if results, ok := first[p.Opponent]; !ok {
			first[p.Opponent] = p.Results
		} else if e, ok := arena.Difference(p.Results, results); ok {
			difference = estimateText(e, "%+.1f")
		}
		rows = append(rows, []string{p.Agent, p.Opponent, fmt.Sprint(gameCount(p)), fmt.Sprint(p.Different), estimateText(p.strength(), "%.1f"),
			estimateText(arena.Elo(p.began(), p.replied()), "%+.0f"), cli.SecondsText(p.SecondsPerMove), fmt.Sprint(p.Failures), difference})
	}
	return rows
}

func lengthRows(points []matchPoint) [][]string {
	rows := [][]string{{"agent", "opponent", "games lost", "plies of a lost game", fmt.Sprintf("of those of mcts:%d", fullIterations), "time of a move"}}
	for _, p := range points {
		length, share := "-", "-"
		if e, ok := p.length(); ok {
			length = estimateText(e, "%.1f")
		}
		if e, ok := shareOfFull(points, p); ok {
			share = estimateText(e, "%.2f")
		}
		rows = append(rows, []string{p.Agent, p.Opponent, fmt.Sprint(p.Lost), length, share, cli.SecondsText(p.SecondsPerMove)})
	}
	return rows
}

func accuracyRows(points []accuracyPoint) [][]string {
	rows := [][]string{{"agent", "positions", "lenient", "strict", "time of a move", "failures"}}
	for _, p := range points {
		strict := "-"
		if e, ok := p.strict(); ok {
			strict = percentText(e)
		}
		rows = append(rows, []string{p.Agent, fmt.Sprint(p.States), percentText(p.lenient()), strict, cli.SecondsText(p.SecondsPerMove), fmt.Sprint(p.Failures)})
	}
	return rows
}

func percentText(e arena.Estimate) string { return estimateText(inPercent(e), "%.1f") + " %" }

func inPercent(e arena.Estimate) arena.Estimate {
	return arena.Estimate{Value: 100 * e.Value, Low: 100 * e.Low, High: 100 * e.High}
}

// fullIterations are the iterations whose length the others are divided by, as published.
const fullIterations = 10_000

// shareOfFull divides the length of a point by that with fullIterations, if both are known.
func shareOfFull(points []matchPoint, p matchPoint) (arena.Estimate, bool) {
	i := slices.IndexFunc(points, func(q matchPoint) bool { return q.Iterations == fullIterations && q.Opponent == p.Opponent })
	if i < 0 {
		return arena.Estimate{}, false
	}
	whole, known := points[i].length()
	length, lost := p.length()
	if !known || !lost {
		return arena.Estimate{}, false
	}
	share := length.Value / whole.Value
	if p.Iterations == fullIterations {
		return arena.Estimate{Value: share, Low: share, High: share}, true
	}
	// The relative errors of independent numbers add as squares.
	half := share * math.Hypot((length.High-length.Value)/length.Value, (whole.High-whole.Value)/whole.Value)
	return arena.Estimate{Value: share, Low: share - half, High: share + half}, true
}

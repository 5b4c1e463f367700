package main

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"backsolve/player"
	"backsolve/player/arena"
)

// noIterations is the number of iterations of an agent that has none.
const noIterations = -1

// iterationsOf returns the number of iterations in the name of an mcts agent.
func iterationsOf(agent string) int {
	rest, ok := strings.CutPrefix(agent, "mcts:")
	number, _, _ := strings.Cut(rest, ",")
	if n, err := strconv.Atoi(number); ok && err == nil {
		return n
	}
	return noIterations
}

// point is a point of a series, of an agent with some iterations or noIterations.
type point interface{ iterations() int }

func (p matchPoint) iterations() int    { return p.Iterations }
func (p accuracyPoint) iterations() int { return p.Iterations }

// matchPoint is a match of an agent against an opponent. Wins and losses are those
// of the agent.
type matchPoint struct {
	Agent         string  `json:"agent"`
	Iterations    int     `json:"iterations"` // -1 where the agent has none
	Opponent      string  `json:"opponent"`
	BeganWins     int     `json:"began_wins"`
	BeganDraws    int     `json:"began_draws"`
	BeganLosses   int     `json:"began_losses"`
	RepliedWins   int     `json:"replied_wins"`
	RepliedDraws  int     `json:"replied_draws"`
	RepliedLosses int     `json:"replied_losses"`
	Failures      int     `json:"failures"` // of the agent
	Strength      float64 `json:"strength"` // of 100
	StrengthLow   float64 `json:"strength_low"`
	StrengthHigh  float64 `json:"strength_high"`
	// Lost are the games lost by the rules, with the sum of their plies and of the
	// squares of these.
	Lost             int     `json:"lost"`
	LostPlies        int     `json:"lost_plies"`
	LostPliesSquared int     `json:"lost_plies_squared"`
	Moves            int     `json:"moves"` // of the agent
	SecondsPerMove   float64 `json:"seconds_per_move"`
}

// newMatchPoint returns the point of a match, in which the agent is A.
func newMatchPoint(agent, opponent string, s *arena.Summary) matchPoint {
	strength := s.Total().Strength()
	return matchPoint{
		Agent: agent, Iterations: iterationsOf(agent), Opponent: opponent,
		BeganWins: s.Began.Wins, BeganDraws: s.Began.Draws, BeganLosses: s.Began.Losses,
		RepliedWins: s.Replied.Wins, RepliedDraws: s.Replied.Draws, RepliedLosses: s.Replied.Losses,
		Failures: s.Failures[0],
		Strength: strength.Value, StrengthLow: strength.Low, StrengthHigh: strength.High,
		Lost: s.Lost, LostPlies: s.LostPlies, LostPliesSquared: s.LostPliesSquared,
		Moves: s.Moves[0], SecondsPerMove: perMove(s.Thinking[0], s.Moves[0]),
	}
}

func (p *matchPoint) began() arena.Tally {
	return arena.Tally{Wins: p.BeganWins, Draws: p.BeganDraws, Losses: p.BeganLosses}
}

func (p *matchPoint) replied() arena.Tally {
	return arena.Tally{Wins: p.RepliedWins, Draws: p.RepliedDraws, Losses: p.RepliedLosses}
}

func (p *matchPoint) strength() arena.Estimate {
	return arena.Estimate{Value: p.Strength, Low: p.StrengthLow, High: p.StrengthHigh}
}

// length returns the mean number of plies of the lost games, with an interval of the
// normal distribution; false where no game was lost.
func (p *matchPoint) length() (arena.Estimate, bool) {
	if p.Lost == 0 {
		return arena.Estimate{}, false
	}
	n := float64(p.Lost)
	mean := float64(p.LostPlies) / n
	half := 0.0
	if p.Lost > 1 {
		variance := max(0, float64(p.LostPliesSquared)-n*mean*mean) / (n - 1)
		half = arena.Normal95 * math.Sqrt(variance/n)
	}
	return arena.Estimate{Value: mean, Low: mean - half, High: mean + half}, true
}

// accuracyPoint is an exam of an agent.
type accuracyPoint struct {
	Agent      string `json:"agent"`
	Iterations int    `json:"iterations"` // -1 where the agent has none
	States     int    `json:"states"`
	// Lenient is the number of moves that keep the outcome, Strict that of those that
	// also win as soon or lose as late as can be, -1 where the table has no steps.
	Lenient        int     `json:"lenient"`
	Strict         int     `json:"strict"`
	LenientShare   float64 `json:"lenient_share"`
	LenientLow     float64 `json:"lenient_low"`
	LenientHigh    float64 `json:"lenient_high"`
	StrictShare    float64 `json:"strict_share"` // -1 as well
	StrictLow      float64 `json:"strict_low"`
	StrictHigh     float64 `json:"strict_high"`
	Failures       int     `json:"failures"`
	SecondsPerMove float64 `json:"seconds_per_move"`
}

func newAccuracyPoint(agent string, a *arena.Accuracy) accuracyPoint {
	share := func(count int) arena.Estimate {
		if count < 0 {
			return arena.Estimate{Value: -1, Low: -1, High: -1}
		}
		return arena.Share(float64(count)/float64(a.States), a.States)
	}
	lenient, strict := share(a.Lenient), share(a.Strict)
	return accuracyPoint{
		Agent: agent, Iterations: iterationsOf(agent), States: a.States, Lenient: a.Lenient, Strict: a.Strict,
		LenientShare: lenient.Value, LenientLow: lenient.Low, LenientHigh: lenient.High,
		StrictShare: strict.Value, StrictLow: strict.Low, StrictHigh: strict.High,
		Failures: a.Failures, SecondsPerMove: perMove(a.Thinking, a.States),
	}
}

func (p *accuracyPoint) lenient() arena.Estimate {
	return arena.Estimate{Value: p.LenientShare, Low: p.LenientLow, High: p.LenientHigh}
}

// strict is false where nothing is known of it.
func (p *accuracyPoint) strict() (arena.Estimate, bool) {
	return arena.Estimate{Value: p.StrictShare, Low: p.StrictLow, High: p.StrictHigh}, p.Strict >= 0
}

// parseStrength reads the name of a player who knows all values: optimal,
// shortest:blunder=0.05.
func parseStrength(opponent string) (s player.Strength, err error) {
	policy, rest, blunders := strings.Cut(opponent, ":blunder=")
	s.Policy = player.Policy(policy)
	if blunders {
		s.Blunder, err = strconv.ParseFloat(rest, 64)
	}
	if err == nil {
		err = s.Check(true)
	}
	if err != nil {
		return s, fmt.Errorf("%.40q is no player who knows all values", opponent)
	}
	return s, nil
}

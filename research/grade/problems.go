package grade

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"maps"
	"math"
	"slices"

	"backsolve/bitboard"
	"backsolve/game"
	"backsolve/internal/player/arena"
	"backsolve/internal/player/zero"
	"backsolve/internal/probe"
)

// Problem is an open position of a benchmark with its exact value, as a line of JSON.
type Problem struct {
	Position string `json:"position"`
	// Outcome is for the player to move: win, draw or lose.
	Outcome string `json:"outcome"`
	// Steps are the plies to the end, nil for a draw.
	Steps *int `json:"steps"`
	// Moves are all legal moves. Right ones keep the outcome; Strict ones also win soonest or
	// lose latest.
	Moves  []string `json:"moves"`
	Right  []string `json:"right_moves"`
	Strict []string `json:"strict_moves"`
}

// Answer is what an agent says of a problem, as a line of JSON.
type Answer struct {
	Board    string `json:"board"`
	Position string `json:"position"`
	Move     string `json:"move"`
	// Outcome is that of the agent's evaluation, "" if it has none.
	Outcome string `json:"outcome,omitempty"`
}

// Ratio counts the good ones of all.
type Ratio struct{ Good, All int }

// Share returns Good/All, 0 of none.
func (r Ratio) Share() float64 { return float64(r.Good) / float64(max(1, r.All)) }

func (r *Ratio) add(good bool) {
	if r.All++; good {
		r.Good++
	}
}

// Score counts an agent's answers.
type Score struct {
	// Right counts the moves that keep the outcome where some do not, Strict those that also
	// win soonest or lose latest where some do not.
	Right, Strict Ratio
	Outcomes      Ratio   // the right ones of all
	Chance        float64 // the expected Right.Good of random moves
}

// Add counts an answer.
func (s *Score) Add(p *Problem, a *Answer) {
	if len(p.Right) < len(p.Moves) {
		s.Right.add(slices.Contains(p.Right, a.Move))
		s.Chance += float64(len(p.Right)) / float64(len(p.Moves))
	}
	if len(p.Strict) < len(p.Moves) {
		s.Strict.add(slices.Contains(p.Strict, a.Move))
	}
	s.Outcomes.add(a.Outcome == p.Outcome)
}

// Splits are the parts of a benchmark, and splitEnds where they end in the order of hashes.
var (
	Splits    = []string{"train", "validation", "test"}
	splitEnds = []float64{0.6, 0.8, 1}
)

// Drawn reports whether problems are drawn from all states, not from those that play can reach.
func (a *Subject) Drawn() bool {
	states := game.StateCount(a.Rules.Info())
	return drawer(a.Rules, nil) != nil && (!states.IsUint64() || states.Uint64() > MaxReached)
}

// Problems returns at most n problems by split, one of each class of positions that are alike
// by symmetry. A hash of the class decides the split and the order. name is hashed, too.
func (a *Subject) Problems(ctx context.Context, name string, n int) (splits [][]Problem, err error) {
	found, err := a.classes(ctx, n)
	if err != nil {
		return nil, err
	}
	states := map[uint64]game.State{}
	for class, s := range found {
		key := fmt.Appendf(nil, "%s %v\n", name, a.Rules.Info())
		for _, word := range class {
			key = binary.BigEndian.AppendUint64(key, word)
		}
		sum := sha256.Sum256(key)
		states[binary.BigEndian.Uint64(sum[:])] = s
	}
	hashes := slices.Sorted(maps.Keys(states))
	problems := make([]Problem, min(n, len(hashes)))
	err = a.each(ctx, len(problems), func(i int) (err error) {
		problems[i], err = a.problem(states[hashes[i]])
		return err
	})
	splits = make([][]Problem, len(Splits))
	for i, p := range problems {
		// The low bits are uniform, also where the least hashes were taken.
		share := float64(uint32(hashes[i])) / (1 << 32)
		at := slices.IndexFunc(splitEnds, func(end float64) bool { return share < end })
		splits[at] = append(splits[at], p)
	}
	return splits, err
}

// classes returns the first position that is met of each class: of all that play can reach or
// of at most n classes that are drawn.
func (a *Subject) classes(ctx context.Context, n int) (map[zero.State]game.State, error) {
	states := 0 // all
	if a.Drawn() {
		states = 4 * n
	}
	open, err := a.positions(ctx, states)
	if err != nil {
		return nil, err
	}
	classOf, err := classify(a.Rules)
	found := map[zero.State]game.State{}
	for i := 0; err == nil && i < len(open) && (states == 0 || len(found) < n); i++ {
		if class := classOf(open[i]); found[class] == nil {
			found[class] = open[i]
		}
	}
	return found, err
}

// classify returns a function with the same result for positions that are alike: by a
// symmetry of the board, by exchanging the players and, in Nim and Dawson's chess, by the order
// of the parts.
func classify(rules game.Rules) (func(s game.State) zero.State, error) {
	info := rules.Info()
	if _, ok := game.GridOf(rules); !ok {
		view, err := zero.NewView(rules, zero.Finest(info))
		return func(s game.State) zero.State {
			state, _ := view.Of(s)
			return state
		}, err
	}
	groups := map[game.Symmetries]func(int) []bitboard.Perm{game.OfSquare: bitboard.SquareGroup, game.OfLines: bitboard.LineGroup}
	if groups[info.Symmetries] == nil {
		return nil, fmt.Errorf("the symmetries of %v are not listed; leave it out of the benchmark", info)
	}
	group := groups[info.Symmetries](info.Size)
	return func(s game.State) zero.State {
		p := s.(game.Position)
		images := make([]zero.State, len(group))
		for i, g := range group {
			images[i] = zero.State{g.Apply(p.Mover()), g.Apply(p.Waiting())}
		}
		return slices.MinFunc(images, func(x, y zero.State) int { return slices.Compare(x[:], y[:]) })
	}, nil
}

// problem rates a position.
func (a *Subject) problem(s game.State) (Problem, error) {
	value, rated, err := a.Answers.Rate(a.Rules, s, nil)
	if err != nil {
		return Problem{}, err
	}
	p := Problem{Position: a.Rules.Format(s), Outcome: value.Outcome.String()}
	if value.Steps >= 0 {
		p.Steps = &value.Steps
	}
	for _, m := range a.Rules.Moves(nil, s) {
		text, at := game.MoveText(a.Rules, s, m), place(rated, m)
		if at < 0 {
			return p, fmt.Errorf("%w: the move %s of %s", probe.ErrUnknown, text, p.Position)
		}
		p.Moves = append(p.Moves, text)
		if rated[at].Outcome == value.Outcome {
			p.Right = append(p.Right, text)
		}
		if rated[at].Value == value {
			p.Strict = append(p.Strict, text)
		}
	}
	return p, nil
}

// Solve asks the agent for its moves in problems, each of a player with a seed of its own.
func (a *Subject) Solve(ctx context.Context, board string, problems []Problem) ([]Answer, error) {
	answers := make([]Answer, len(problems))
	draws := slices.ContainsFunc(problems, func(p Problem) bool { return p.Outcome == game.Draw.String() })
	err := a.each(ctx, len(problems), func(i int) error {
		s, err := a.Rules.Parse(problems[i].Position)
		if err != nil {
			return err
		}
		m, err := a.move(ctx, s, arena.Seed(a.Seed, i, 0))
		if err != nil {
			return err
		}
		answers[i] = Answer{Board: board, Position: problems[i].Position, Move: game.MoveText(a.Rules, s, m)}
		if e, ok := a.Agent.(Estimator); ok {
			value, _ := e.Estimate(s)
			answers[i].Outcome = nearest(float64(value), draws)
		}
		return nil
	})
	return answers, err
}

// nearest returns the outcome whose value, −1, 0 or 1, is the nearest.
func nearest(value float64, draws bool) string {
	if draws {
		value = math.Round(value)
	}
	return []game.Outcome{game.Lose, game.Draw, game.Win}[1+cmp.Compare(value, 0)].String()
}

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
	"strings"

	"backsolve/bitboard"
	"backsolve/game"
	"backsolve/game/nim"
	"backsolve/internal/player/arena"
	"backsolve/internal/player/zero"
	"backsolve/internal/probe"
)

// Problem is an open position of a benchmark with its exact value, as a line of JSON.
type Problem struct {
	Position string   `json:"position"`
	Outcome  string   `json:"outcome"`      // win, draw or lose for the player to move
	Steps    *int     `json:"steps"`        // plies to the end, nil for a draw
	Moves    []string `json:"moves"`        // all legal ones
	Right    []string `json:"right_moves"`  // those that keep the outcome
	Strict   []string `json:"strict_moves"` // those that also win soonest or lose latest
	// Values has a letter for each of Moves, its outcome for the player: w, d or l.
	Values   string `json:"values"`
	Balanced bool   `json:"balanced"` // as many positions of each outcome in a split
}

// Answer is an agent's answer to a problem, as a line of JSON.
type Answer struct {
	Board    string `json:"board"`
	Position string `json:"position"`
	Move     string `json:"move"`
	Outcome  string `json:"outcome,omitempty"` // by the agent's evaluation, "" if it has none
}

// Ratio counts the good ones of all.
type Ratio struct {
	Good int `json:"good"`
	All  int `json:"all"`
}

// Share returns Good/All, 0 if All is 0.
func (r Ratio) Share() float64 { return float64(r.Good) / float64(max(1, r.All)) }

func (r *Ratio) add(good bool) {
	if r.All++; good {
		r.Good++
	}
}

// Score counts an agent's answers.
type Score struct {
	// Right counts moves that keep the outcome, in problems where some do not; Strict counts moves that also
	// win soonest or lose latest where some do not.
	Right    Ratio   `json:"right"`
	Strict   Ratio   `json:"strict"`
	Outcomes Ratio   `json:"outcomes"` // the right ones of balanced problems
	Chance   float64 `json:"chance"`   // the expected Right.Good of random moves
	// Regret sums what the moves give away: 1 for a draw instead of a win or a loss instead
	// of a draw, 2 for a loss instead of a win.
	Regret int `json:"regret"`
}

// byValue are the letters of Problem.Values, the worst first.
const byValue = "ldw"

// Add counts an answer.
func (s *Score) Add(p *Problem, a *Answer) {
	if len(p.Right) < len(p.Moves) {
		s.Right.add(slices.Contains(p.Right, a.Move))
		s.Chance += float64(len(p.Right)) / float64(len(p.Moves))
		s.Regret += strings.IndexByte(byValue, p.Outcome[0])
		if at := slices.Index(p.Moves, a.Move); at >= 0 {
			s.Regret -= strings.IndexByte(byValue, p.Values[at])
		}
	}
	if len(p.Strict) < len(p.Moves) {
		s.Strict.add(slices.Contains(p.Strict, a.Move))
	}
	if p.Balanced {
		s.Outcomes.add(a.Outcome == p.Outcome)
	}
}

// Splits are the parts of a benchmark.
var Splits = []string{"train", "validation", "test"}

// A move leaves the level of a position or changes it by 1, so none leads from one split to another
// if the levels between them are left out. Of cycle levels the first learned ones are train and
// validation, and those from tested to testedEnd are test.
const (
	cycle             = 7
	learned           = 3
	tested, testedEnd = 4, 6
	testShare         = 0.25 // about, of the positions in splits
	validationShare   = 0.25 // of those that are not tested
)

// level counts the heaps that are left, else it is the progress.
func (a *Subject) level(s game.State) (n int) {
	if a.Rules.Info().Board != game.OfHeaps {
		_, n = a.Progress(s)
		return n
	}
	for _, counters := range nim.Counters(s) {
		if counters > 0 {
			n++
		}
	}
	return n
}

// firstLevel returns where the cycle begins so that the share of the tested positions is the
// nearest to testShare. number counts the positions by level.
func firstLevel(number map[int]int) (first int) {
	nearest := math.Inf(1)
	for begin := range cycle {
		var learn, test int
		for level, n := range number {
			switch at := (level + begin) % cycle; {
			case at < learned:
				learn += n
			case at >= tested && at < testedEnd:
				test += n
			}
		}
		if distance := math.Abs(float64(test)/float64(max(1, learn+test)) - testShare); distance < nearest {
			first, nearest = begin, distance
		}
	}
	return first
}

// Drawn reports whether problems are drawn from all states, not from those that play can reach.
func (a *Subject) Drawn() bool {
	states := game.StateCount(a.Rules.Info())
	return drawer(a.Rules, nil) != nil && (!states.IsUint64() || states.Uint64() > MaxReached)
}

// Problems returns at most n problems by split, one of each class of positions that are alike
// by symmetry. A hash of the class, and of name, decides the order and what is validation.
func (a *Subject) Problems(ctx context.Context, name string, n int) (splits [][]Problem, err error) {
	found, err := a.classes(ctx, 2*n) // as some levels are left out
	if err != nil {
		return nil, err
	}
	states, number := map[uint64]game.State{}, map[int]int{}
	for class, s := range found {
		key := fmt.Appendf(nil, "%s %v\n", name, a.Rules.Info())
		for _, word := range class {
			key = binary.BigEndian.AppendUint64(key, word)
		}
		sum := sha256.Sum256(key)
		states[binary.BigEndian.Uint64(sum[:])] = s
		number[a.level(s)]++
	}
	first := firstLevel(number)
	var chosen [][2]uint64 // hashes with their splits
	for _, hash := range slices.Sorted(maps.Keys(states)) {
		at, split := (a.level(states[hash])+first)%cycle, uint64(0)
		if at >= tested && at < testedEnd {
			split = 2
		} else if float64(uint32(hash))/(1<<32) < validationShare { // the low bits are uniform
			split = 1
		}
		if (split == 2 || at < learned) && len(chosen) < n {
			chosen = append(chosen, [2]uint64{hash, split})
		}
	}
	problems := make([]Problem, len(chosen))
	err = a.each(ctx, len(problems), func(i int) (err error) {
		problems[i], err = a.problem(states[chosen[i][0]])
		return err
	})
	splits = make([][]Problem, len(Splits))
	for i, p := range problems {
		splits[chosen[i][1]] = append(splits[chosen[i][1]], p)
	}
	for _, split := range splits {
		balance(split)
	}
	return splits, err
}

// balance marks the first problems of each outcome, as many as there are of the rarest.
func balance(problems []Problem) {
	number := map[string]int{}
	for _, p := range problems {
		number[p.Outcome]++
	}
	least := len(problems)
	for _, n := range number {
		least = min(least, n)
	}
	marked := map[string]int{}
	for i := range problems {
		p := &problems[i]
		p.Balanced = marked[p.Outcome] < least
		marked[p.Outcome]++
	}
}

// classes returns a position of each class: of all that play can reach, or of at most n drawn ones.
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

// classify returns a function with the same result for positions that are alike: by a symmetry, by
// exchanging the players and, in Nim and Dawson's chess, by the order of the parts.
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
		p.Moves, p.Values = append(p.Moves, text), p.Values+rated[at].Outcome.String()[:1]
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
		if agent := a.network(); agent != nil {
			value, _ := agent.Estimate(s)
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
	return game.Compared(cmp.Compare(value, 0), 0).String()
}

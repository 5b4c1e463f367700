package endgame

import (
	"context"
	"fmt"
	"math"
	"slices"

	"backsolve/bitboard"
	"backsolve/game"
	"backsolve/game/notakto"
	"backsolve/partition"
	"backsolve/probe"
	"backsolve/retro"
	"backsolve/search"
)

// notaktoBoard is a board of Notakto of any size.
type notaktoBoard struct {
	rules game.Rules
	info  game.Info
}

func (b notaktoBoard) problem(s game.State, steps bool) (problem, error) {
	w, err := b.wide(s)
	if err != nil {
		return nil, err
	}
	rest, ok := notakto.RestOf(w)
	if !ok {
		return nil, unknown(fmt.Sprintf("more than %d cells are left on lines that can still be completed, too many to solve the rest of the game now", notakto.MaxOpen))
	}
	return &notaktoProblem{notaktoBoard: b, root: s, marks: w, rest: rest, steps: steps}, nil
}

// wide returns a state of either of the forms that boards have as a position.
func (b notaktoBoard) wide(s game.State) (notakto.Wide, error) {
	switch s := s.(type) {
	case notakto.Wide:
		return s, nil
	case game.Position:
		return notakto.WideOf(b.info.Size, s.X), nil
	}
	return notakto.Wide{}, probe.ErrPosition
}

// notaktoProblem is the rest of a game of Notakto.
type notaktoProblem struct {
	notaktoBoard
	root  game.State
	marks notakto.Wide
	rest  notakto.Rest
	steps bool
}

// searched is up to how many open cells a rest is searched rather than swept: where
// the two cross, as docs/reports/results.md has it.
const searched = 12

// few reports whether the rest is searched.
func (p *notaktoProblem) few() bool { return !p.steps && len(p.rest.Open) <= searched }

// spare returns how many cells on no line take part in the sweep. Without steps only
// their number modulo two counts: one cell that is marked when it is even.
func (p *notaktoProblem) spare() int {
	if p.steps {
		return len(p.rest.Free)
	}
	return min(len(p.rest.Free), 1)
}

func (p *notaktoProblem) cost(l Limits) cost {
	if p.few() || len(p.rest.Lines) == 0 {
		return cost{}
	}
	cells := len(p.rest.Open) + p.spare()
	if cells > partition.MaxRest {
		return cost{seconds: math.Ldexp(secondsPerState(p.steps), cells), bytes: math.MaxInt64}
	}
	space, err := p.space()
	if err != nil {
		return cost{seconds: math.Inf(1), bytes: math.MaxInt64}
	}
	plan := p.options(l).Plan(space)
	_, states := plan.Total()
	inMemory := cost{seconds: float64(states) * secondsPerState(p.steps), bytes: plan.Memory()}
	if p.steps || l.Scratch == "" || l.share() == 0 || inMemory.bytes <= l.share() {
		return inMemory
	}
	return p.streamed(space, l, inMemory.seconds)
}

func (p *notaktoProblem) options(l Limits) retro.Options {
	return retro.Options{Steps: p.steps, Threads: l.Threads, Memory: l.Memory, TasksPerThread: tasks}
}

// space returns the cut of the rest: the open cells, and after them the spare ones.
func (p *notaktoProblem) space() (*partition.Space, error) {
	return partition.NewRest(partition.MarkingGame{
		Name: p.info.Name, Size: p.info.Size,
		Cells: len(p.rest.Open) + p.spare(), Lines: p.rest.Lines,
		Marked: p.markedIn(after{-1, 0}), Symmetries: p.symmetries(),
	})
}

// symmetries returns those of the board that leave the marks in place, as they act on
// the cells of the space.
func (p *notaktoProblem) symmetries() (perms []bitboard.Perm) {
	if p.info.Size > notakto.MaxGrid {
		return nil
	}
	marks := p.marks.Marks()
	number := map[int]uint8{}
	for i, cell := range p.rest.Open {
		number[cell] = uint8(i)
	}
	for _, g := range lineGroup(p.info.Size) {
		if g.Apply(marks) != marks {
			continue
		}
		perm := bitboard.Identity(len(p.rest.Open) + p.spare())
		for i, cell := range p.rest.Open {
			perm[i] = number[int(g[cell])]
		}
		perms = append(perms, perm)
	}
	return perms
}

func (p *notaktoProblem) solve(ctx context.Context, l Limits) (probe.Value, []probe.Rated, error) {
	switch {
	case len(p.rest.Lines) == 0:
		return p.rated(p.withoutLines)
	case p.few():
		return p.search(ctx)
	}
	return p.sweep(ctx, l)
}

// after is the rest of the game after a move, or before any: the number of the open
// cell that is marked, −1 for none, and of the free cells that are.
type after struct{ open, free int }

// rated rates the root and its moves by what tells the value of a rest. Moves of one
// kind are worth the same: those on free cells, and those that complete a line.
func (p *notaktoProblem) rated(value func(after) (probe.Value, error)) (root probe.Value, moves []probe.Rated, err error) {
	if root, err = value(after{-1, 0}); err != nil {
		return root, nil, err
	}
	var onFree probe.Value
	if len(p.rest.Free) > 0 {
		if onFree, err = value(after{-1, 1}); err != nil {
			return root, nil, err
		}
	}
	for _, m := range p.rules.Moves(nil, p.root) {
		cell := p.cellOf(m)
		v := onFree
		if i, isOpen := slices.BinarySearch(p.rest.Open, cell); isOpen {
			if v, err = value(after{i, 0}); err != nil {
				return root, nil, err
			}
		} else if slices.Contains(p.rest.Forbidden, cell) {
			v = p.withSteps(game.Win, 0)
		}
		moves = append(moves, probe.Rated{Move: m, Value: v.Before()})
	}
	return root, moves, nil
}

// cellOf returns the cell that a move marks, of either form of rules.
func (p *notaktoProblem) cellOf(m game.Move) int {
	if p.info.Size > notakto.MaxGrid {
		return int(m.From)*p.info.Size + int(m.To)
	}
	return int(m.To)
}

// withSteps is a value with the steps if they are asked for.
func (p *notaktoProblem) withSteps(outcome game.Outcome, steps int) probe.Value {
	if !p.steps {
		steps = -1
	}
	return probe.Value{Outcome: outcome, Steps: steps}
}

// withoutLines is the value where no line is live: the players mark the free cells
// in turn, and then who has to completes a line.
func (p *notaktoProblem) withoutLines(a after) (probe.Value, error) {
	left := len(p.rest.Free) - a.free
	if left%2 == 1 {
		return p.withSteps(game.Win, left+1), nil
	}
	return p.withSteps(game.Lose, left+1), nil
}

// sweep solves the rest by the engine.
func (p *notaktoProblem) sweep(ctx context.Context, l Limits) (root probe.Value, moves []probe.Rated, err error) {
	space, err := p.space()
	if err != nil {
		return root, nil, err
	}
	if l.Scratch != "" && p.cost(l).disk > 0 {
		return p.stream(ctx, space, l)
	}
	last, err := retro.SolveRootClasses(ctx, space, 0, p.options(l))
	if err != nil {
		return root, nil, err
	}
	defer last.Close()
	return p.rated(func(a after) (v probe.Value, err error) {
		v.Outcome, v.Steps = last.Lookup(game.Position{X: p.markedIn(a)})
		return v, nil
	})
}

// markedIn returns the marked cells of the space.
func (p *notaktoProblem) markedIn(a after) (marks uint64) {
	spare := uint64(1) << uint(len(p.rest.Open))
	if p.steps {
		marks = uint64(a.free) * spare
	} else if free := len(p.rest.Free); free > 0 && (free-a.free)%2 == 0 {
		marks = spare
	}
	if a.open >= 0 {
		marks |= 1 << uint(a.open)
	}
	return marks
}

// searchPositions is how many positions a search keeps at most.
const searchPositions = 1 << 20

// search solves the rest by depth-first search.
func (p *notaktoProblem) search(ctx context.Context) (probe.Value, []probe.Rated, error) {
	m := search.NewMarking(searchPositions)
	return p.rated(func(a after) (probe.Value, error) {
		lines, free := p.rest.Lines, len(p.rest.Free)-a.free
		if a.open >= 0 {
			var more int
			lines, more = search.Mark(lines, 1<<uint(a.open))
			free += more
		}
		lost, err := m.Lost(ctx, lines, free)
		if lost {
			return p.withSteps(game.Lose, 0), err
		}
		return p.withSteps(game.Win, 0), err
	})
}

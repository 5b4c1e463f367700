package endgame

import (
	"context"
	"math"
	"slices"
	"sync"

	"backsolve/bitboard"
	"backsolve/game"
	"backsolve/game/notakto"
	"backsolve/internal/probe"
	"backsolve/partition"
	"backsolve/retro"
)

// notaktoEndgame is a board of Notakto of any size, and an endgame on it.
type notaktoEndgame struct {
	rules game.Rules
	info  game.Info
	root  game.State
	marks notakto.Wide
	left  notakto.Endgame
	steps bool
}

func (e notaktoEndgame) endgame(s game.State, steps bool) (endgame, error) {
	marks, ok := notakto.AsWide(e.info.Size, s)
	if !ok {
		return nil, probe.ErrPosition
	}
	left, ok := notakto.EndgameOf(marks)
	if !ok {
		return nil, unknown("more than %d cells are left on lines that can still be completed, too many to solve the rest of the game", notakto.MaxOpen)
	}
	return &notaktoEndgame{e.rules, e.info, s, marks, left, steps}, nil
}

// spare returns how many free cells, which are on no live line, the space has. Without steps
// only their parity counts: one cell, marked if their number is even.
func (e *notaktoEndgame) spare() int {
	if e.steps {
		return len(e.left.Free)
	}
	return min(len(e.left.Free), 1)
}

func (e *notaktoEndgame) cost(l Limits) cost {
	if len(e.left.Lines) == 0 {
		return cost{}
	}
	cells := len(e.left.Open) + e.spare()
	if cells > partition.MaxEndgame {
		const perState = 2e-10
		return cost{seconds: math.Ldexp(perState, cells), bytes: math.MaxInt64}
	}
	space, err := e.space()
	if err != nil {
		return cost{seconds: math.Inf(1), bytes: math.MaxInt64}
	}
	o := e.options(l)
	inMemory := cost{bytes: o.Plan(space).Memory()}
	o.Threads = 1
	if inMemory.seconds = o.Plan(space).Seconds(); !e.steps {
		inMemory.seconds *= uncounted
	}
	if e.steps || l.Scratch == "" || l.memoryPerQuestion() == 0 || inMemory.bytes <= l.memoryPerQuestion() {
		return inMemory
	}
	return e.streamCost(space, l, inMemory.seconds)
}

// uncounted is the share of a planned time that outcomes take which are not counted or written.
const uncounted = 0.15

func (e *notaktoEndgame) options(l Limits) retro.Options {
	return retro.Options{Steps: e.steps, Threads: l.Threads, Memory: l.Memory, TasksPerThread: tasksPerThread}
}

// space returns the space of the endgame: the open cells, and after them the spare ones.
func (e *notaktoEndgame) space() (*partition.Space, error) {
	return partition.NewEndgame(partition.MarkingGame{
		Name: e.info.Name, Size: e.info.Size,
		Cells: len(e.left.Open) + e.spare(), Lines: e.left.Lines,
		Marked: e.markedIn(child{-1, 0}), Symmetries: e.symmetries(),
	})
}

// symmetries permute the cells of the space and keep the marks.
func (e *notaktoEndgame) symmetries() (perms []bitboard.Perm) {
	if e.info.Size > notakto.MaxGrid {
		return nil
	}
	marks := e.marks.Marks()
	number := map[int]uint8{}
	for i, cell := range e.left.Open {
		number[cell] = uint8(i)
	}
	for _, g := range lineGroup(e.info.Size) {
		if g.Apply(marks) != marks {
			continue
		}
		perm := bitboard.Identity(len(e.left.Open) + e.spare())
		for i, cell := range e.left.Open {
			perm[i] = number[int(g[cell])]
		}
		perms = append(perms, perm)
	}
	return perms
}

var lineGroups sync.Map

func lineGroup(n int) []bitboard.Perm {
	group, ok := lineGroups.Load(n)
	if !ok {
		group, _ = lineGroups.LoadOrStore(n, bitboard.LineGroup(n))
	}
	return group.([]bitboard.Perm)
}

func (e *notaktoEndgame) solve(ctx context.Context, l Limits) (root probe.Value, moves []probe.Rated, err error) {
	if len(e.left.Lines) == 0 {
		root, moves = e.rated(e.withoutLines)
		return root, moves, nil
	}
	space, err := e.space()
	if err != nil {
		return root, nil, err
	}
	if l.Scratch != "" && e.cost(l).disk > 0 {
		return e.stream(ctx, space, l)
	}
	last, err := retro.SolveRootClasses(ctx, space, 0, e.options(l))
	if err != nil {
		return root, nil, err
	}
	defer last.Close()
	root, moves = e.rated(func(c child) (v probe.Value) {
		v.Outcome, v.Steps = last.Lookup(game.Position{X: e.markedIn(c)})
		return v
	})
	return root, moves, nil
}

// child is the root or a state after a move: the open cell that is marked, −1 for none, and
// the number of free cells that are.
type child struct{ open, free int }

// rated rates the root and its moves by the values of children. All moves on free cells have
// one value, and so have all that complete a line.
func (e *notaktoEndgame) rated(value func(child) probe.Value) (root probe.Value, moves []probe.Rated) {
	var onFree probe.Value
	if len(e.left.Free) > 0 {
		onFree = value(child{-1, 1})
	}
	for _, m := range e.rules.Moves(nil, e.root) {
		cell := notakto.Cell(e.info.Size, m)
		v := onFree
		if i, isOpen := slices.BinarySearch(e.left.Open, cell); isOpen {
			v = value(child{i, 0})
		} else if slices.Contains(e.left.Forbidden, cell) {
			v = e.withSteps(game.Win, 0)
		}
		moves = append(moves, probe.Rated{Move: m, Value: v.Before()})
	}
	return value(child{-1, 0}), moves
}

func (e *notaktoEndgame) withSteps(outcome game.Outcome, steps int) probe.Value {
	if !e.steps {
		steps = -1
	}
	return probe.Value{Outcome: outcome, Steps: steps}
}

// withoutLines returns the value if no line is live: the players mark the free cells in turn,
// and then the player to move must complete a line.
func (e *notaktoEndgame) withoutLines(c child) probe.Value {
	left := len(e.left.Free) - c.free
	if left%2 == 1 {
		return e.withSteps(game.Win, left+1)
	}
	return e.withSteps(game.Lose, left+1)
}

func (e *notaktoEndgame) markedIn(c child) (marks uint64) {
	spare := uint64(1) << uint(len(e.left.Open))
	if e.steps {
		marks = uint64(c.free) * spare
	} else if free := len(e.left.Free); free > 0 && (free-c.free)%2 == 0 {
		marks = spare
	}
	if c.open >= 0 {
		marks |= 1 << uint(c.open)
	}
	return marks
}

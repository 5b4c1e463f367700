package retro

import (
	"backsolve/internal/bitslice"
	"backsolve/retro/internal/work"
)

// solveSlices solves a class of fixed slices. Moves set an index bit or lead to the class above, so
// one pass over the blocks decides all.
func (j *job) solveSlices() (err error) {
	c := j.class
	if j.level.win, err = j.ledger.Plane(j.level.words * len(c.Masks)); err != nil {
		return err
	}
	c.ResetCounts(j.mostDigits())
	if err = j.level.addDigits(j.mostDigits()); err != nil {
		return err
	}
	u := work.WholeBlocks(c.Class)
	err = c.Pool.Run(0, len(c.Masks), func(w *work.Worker, i int) { j.solveBlock(w, u, i) }, func(blocks int) {
		j.progress.Advance(uint64(blocks) << uint(c.IndexBits))
	})
	if err == nil && !j.uncounted {
		j.level.trim(c.Sum().MostDigits())
	}
	return err
}

// mostDigits returns how many binary digits the steps or nimbers of the class can have. Play
// ends at the latest when all cells are marked, and no nimber exceeds the number of moves.
func (j *job) mostDigits() int {
	if !j.o.numbered() {
		return 0
	}
	return work.DigitsFor(j.class.Cut.MaskBits - j.class.Class.Class + j.class.IndexBits)
}

// solveBlock solves a block from the finished blocks of the class above.
func (j *job) solveBlock(w *work.Worker, u work.Units, block int) {
	c := j.class
	part := bitslice.Whole(u.K)
	win := j.level.slice(j.level.win, block)
	if j.uncounted && !j.o.numbered() && j.sweepBlock(w, u, block, win) {
		return
	}
	t := c.Terminals(w, block, w.Buffer(work.WonBuffer, u.Words), part)
	c.ListLinks(w, block)
	switch {
	case j.o.Steps:
		w.CountSteps(u, c.Images[block], win, nil, j.solveSteps(w, u, block, t, win))
	case j.o.Nimbers:
		w.CountSteps(u, c.Images[block], win, nil, j.solveNimbers(w, u, block, t, win))
	default:
		copy(win, t.Won)
		for _, l := range w.Links {
			w.Fold(bitslice.OrNot, l.Plan, win, part, j.above.slice(j.above.win, int(l.Block)), nil)
		}
		bitslice.SolveSliceExcept(win, t.Lost, u.K)
	}
	w.Count(u, block, c.Images[block], win, nil, t)
}

// sweepBlock is solveBlock without steps and counts. It returns false where terminal states are lost.
func (j *job) sweepBlock(w *work.Worker, u work.Units, block int, win []uint64) bool {
	c := j.class
	if !c.List(w, block) || len(w.Cubes.Lose) > 0 {
		return false
	}
	c.ListLinks(w, block)
	known := bitslice.Known{Fresh: true, Won: w.Cubes.Win}
	w.From = w.From[:0]
	for _, l := range w.Links {
		child := j.above.slice(j.above.win, int(l.Block))
		if l.Plan.Straight() {
			w.From = append(w.From, child)
			continue
		}
		if known.Fresh {
			clear(win)
			known.Fresh = false
		}
		w.Fold(bitslice.OrNot, l.Plan, win, bitslice.Whole(u.K), child, nil)
	}
	known.Children = w.From
	bitslice.SolveSliceFrom(win, known, u.K)
	return true
}

func (j *job) solveSteps(w *work.Worker, u work.Units, block int, t work.Terminals, win []uint64) bitslice.Numbers {
	digits, steps := len(j.level.digits), j.digitsOf(w, block)
	s := bitslice.StepsSlice{
		Won: t.Won, Lost: t.Lost,
		HasLost:  w.Buffer(hasBuffer, u.Words),
		Least:    scratchNumbers(w, leastDigits, digits, u.Words),
		Greatest: scratchNumbers(w, greatestDigits, digits, u.Words),
	}
	for i := range w.Links {
		childWin, _, v := j.above.gather(w, u, i, bitslice.Whole(u.K))
		for i, won := range childWin {
			s.Least.KeepLeast(i, &s.HasLost[i], ^won, v, i)
			s.Greatest.KeepGreatest(i, won, v, i)
		}
	}
	s.Solve(win, steps, u.K)
	return steps
}

func (j *job) digitsOf(w *work.Worker, block int) bitslice.Numbers {
	digits := w.Sets[unitDigits][:0]
	for _, plane := range j.level.digits {
		digits = append(digits, j.level.slice(plane, block))
	}
	w.Sets[unitDigits] = digits
	return digits
}

// solveNimbers is solveBlock with nimbers. Terminal states are won and no move leads to them. A
// state whose moves all complete a line thus has no moves and is lost, as in the game in which
// completing a line loses.
func (j *job) solveNimbers(w *work.Worker, u work.Units, block int, t work.Terminals, win []uint64) bitslice.Numbers {
	j.class.CheckNoneLost(block, t)
	nimbers, above := j.digitsOf(w, block), 0
	if j.above != nil {
		above = 1 << len(j.above.digits)
	}
	// Each move inside the slice adds at most one to the greatest nimber above.
	most := min(1<<len(nimbers)-1, above+u.K)
	s := bitslice.MexSlice{Over: t.Won, Stride: 1 << work.DigitsFor(most)}
	s.Rows = w.Buffer(rowsBuffer, u.Words*s.Stride)
	for i := range w.Links {
		childWin, _, v := j.above.gather(w, u, i, bitslice.Whole(u.K))
		s.Reach(childWin, v)
	}
	s.Solve(win, nimbers, u.K)
	return nimbers
}

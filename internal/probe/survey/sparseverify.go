package survey

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"math/rand/v2"
	"slices"

	"backsolve/game"
	"backsolve/game/custom"
	"backsolve/internal/probe"
	"backsolve/internal/radix"
	"backsolve/tablebase"
	"backsolve/tablebase/sparse"
)

// maxMoves is how many moves all threads together hold. A move takes 32 bytes, half of them to
// sort it, and a table has many more.
var maxMoves = 1 << 21

// VerifySparse is Verify for a table of single positions. A sample is uniform over the stored
// states. Agreement proves the table: by the number of steps, no state can be the first whose
// value is wrong. The table itself is not held in memory.
func VerifySparse(ctx context.Context, t *probe.Sparse, o VerifyOptions, progress func(VerifyProgress), report func(Difference)) (Verified, error) {
	o.Threads = threadsOrAll(o.Threads)
	v := &sparseVerification{verification{options: o, progress: progress, report: report}, t, t.Stored()}
	return v.finish(ctx, v.run(ctx))
}

// CheckSparse is a VerifySparse that derives no values: it checks what a table of single positions
// says of itself, and that every key is that of a position.
func CheckSparse(ctx context.Context, t *probe.Sparse, report func(Difference)) error {
	v := &sparseVerification{verification{options: VerifyOptions{Threads: threadsOrAll(0)}, report: report}, t, t.Stored()}
	err := v.recount(ctx)
	for tier := range v.stored.Header().Tiers {
		if err == nil {
			err = v.checkKeys(ctx, tier)
		}
	}
	_, err = v.finish(ctx, err)
	return err
}

// finish returns the result of a verification that ended with err, which may be nil.
func (v *sparseVerification) finish(ctx context.Context, err error) (Verified, error) {
	switch {
	case ctx.Err() != nil:
		err = context.Cause(ctx)
	case err == nil && v.result.Differences > 0:
		err = &tablebase.Error{Path: v.stored.Path(), Err: ErrDiffers, Detail: fmt.Sprintf("%d differences in %d states and the counts", v.result.Differences, v.result.States)}
	}
	return v.result, err
}

// sparseVerification is a verification of a table of single positions.
type sparseVerification struct {
	verification
	table  *probe.Sparse
	stored *sparse.Table
}

// run goes through the stages.
func (v *sparseVerification) run(ctx context.Context) error {
	err := v.stored.Verify(ctx, v.options.Threads, func(done, total int64) { v.notify(Checksums, uint64(done), uint64(total)) })
	if err != nil {
		return err
	}
	if err := v.recount(ctx); err != nil {
		return err
	}
	h := v.stored.Header()
	if _, err := v.stored.Lookup(h.StartTier, h.Start); errors.Is(err, sparse.ErrState) {
		v.missing(custom.Child{Key: h.Start, Tier: h.StartTier})
	} else if err != nil {
		return err
	}
	if v.options.Sample > 0 {
		return v.deriveSample(ctx)
	}
	for tier := range h.Tiers {
		if err := v.derive(ctx, parents{tier: tier, n: h.Tiers[tier].States}); err != nil {
			return err
		}
	}
	return nil
}

// missing reports a state that play can reach and the table lacks.
func (v *sparseVerification) missing(s custom.Child) {
	v.differ(v.table.Text(s.Tier, s.Key), "nothing", "a value")
}

// recount counts the states of all tiers by value again, and sees that their keys ascend.
func (v *sparseVerification) recount(ctx context.Context) error {
	tiers, done := v.stored.Header().Tiers, uint64(0)
	return eachTask(ctx, v.options.Threads, uint64(len(tiers)), func(tasks iter.Seq[uint64]) error {
		for tier := range tasks {
			tally, last, first := sparse.Tally{}, sparse.State{}, true
			for s, err := range v.stored.Tier(int(tier)) {
				if err == nil {
					err = ctx.Err()
				}
				if err != nil {
					return err
				}
				if !first && s.Key <= last.Key {
					v.differ(fmt.Sprintf("the state after %s", v.table.Text(int(tier), last.Key)), s.Key, "a greater key")
				}
				tally.Add(s.Key, s.Value)
				last, first = s, false
			}
			if !slices.Equal(tally.Counts(), tiers[tier].Values) {
				v.differ(fmt.Sprintf("the counts of tier %d", tier), tiers[tier].Values, tally.Counts())
			}
			v.lock.Lock()
			done += uint64(tiers[tier].States)
			v.notify(Recount, done, uint64(v.stored.States()))
			v.lock.Unlock()
		}
		return nil
	})
}

// checkKeys checks that all keys of a tier are those of positions.
func (v *sparseVerification) checkKeys(ctx context.Context, tier int) error {
	const run = 64 // blocks of a task
	blocks := v.stored.Header().Tiers[tier].Blocks()
	return eachTask(ctx, v.options.Threads, uint64((blocks+run-1)/run), func(tasks iter.Seq[uint64]) error {
		var block []sparse.State
		for i := range tasks {
			for b := int64(i) * run; b < min(int64(i+1)*run, blocks); b++ {
				var err error
				if block, err = v.stored.Block(block[:0], tier, b); err != nil {
					return err
				}
				for _, s := range block {
					v.isPosition(tier, s)
				}
			}
		}
		return nil
	})
}

// isPosition returns whether the key of a state is that of a position; if not, it reports a difference.
func (v *sparseVerification) isPosition(tier int, s sparse.State) bool {
	err := v.table.Numbers().Check(custom.Child{Key: s.Key, Tier: tier})
	if err != nil {
		v.noPosition(tier, s, err)
	}
	return err == nil
}

// noPosition reports a key that is not that of a position, with the reason that the rules give.
func (v *sparseVerification) noPosition(tier int, s sparse.State, err error) {
	var fault *custom.Fault
	errors.As(err, &fault)
	v.differ(fmt.Sprintf("%s (%s)", custom.Child{Key: s.Key, Tier: tier}, fault.What), probe.Value(s.Value), "nothing")
}

// sampleBatchStates is the number of random states that are derived together, in the order of
// the file.
const sampleBatchStates = 1 << 20

// deriveSample derives random states.
func (v *sparseVerification) deriveSample(ctx context.Context) error {
	o := v.options
	for batch := uint64(0); batch*sampleBatchStates < o.Sample && v.stored.States() > 0; batch++ {
		r := rand.New(rand.NewPCG(o.Seed, batch))
		numbers := make([]int64, min(sampleBatchStates, o.Sample-batch*sampleBatchStates))
		for i := range numbers {
			numbers[i] = r.Int64N(v.stored.States())
		}
		slices.Sort(numbers)
		for tier, info := range v.stored.Header().Tiers {
			n, _ := slices.BinarySearch(numbers, info.States)
			if err := v.derive(ctx, parents{tier, int64(n), numbers[:n]}); err != nil {
				return err
			}
			for i := range numbers[n:] {
				numbers[n+i] -= info.States
			}
			numbers = numbers[n:]
		}
	}
	return nil
}

// parents are the first n states of a tier, or those with some numbers, which ascend.
type parents struct {
	tier   int
	n      int64
	picked []int64 // nil for all
}

func (p *parents) number(i int64) int64 {
	if p.picked != nil {
		return p.picked[i]
	}
	return i
}

// family is some states of a tier with the moves from them, and the buffers of a thread.
type family struct {
	states   []sparse.State
	derived  []probe.Value   // the best move of each state; missing where one is not in the table
	moves    [][]radix.Entry // by the tier they lead to
	spare    []radix.Entry
	block    []sparse.State
	found    []custom.Child // of the last state
	expander custom.Expander
}

var (
	worst   = probe.Value{Outcome: game.Lose, Steps: -1}
	missing = probe.Value{Outcome: game.Win, Steps: -2}
)

// derive derives states of a tier.
func (v *sparseVerification) derive(ctx context.Context, p parents) error {
	total := v.options.Sample
	if total == 0 {
		total = uint64(v.stored.States())
	}
	task := min(p.n/int64(4*v.options.Threads)+1, 1<<20)
	return eachTask(ctx, v.options.Threads, uint64((p.n+task-1)/task), func(tasks iter.Seq[uint64]) error {
		f := &family{moves: make([][]radix.Entry, len(v.stored.Header().Tiers)), expander: v.table.Numbers().NewExpander()}
		for i := range tasks {
			for first, end := int64(i)*task, min(int64(i+1)*task, p.n); first < end; {
				next, err := v.expand(f, &p, first, end)
				for tier := range f.moves {
					if err == nil {
						err = v.follow(f, tier)
					}
				}
				if err != nil {
					return err
				}
				v.compare(f, p.tier)
				v.addDerived(uint64(next-first), total)
				first = next
			}
		}
		return nil
	})
}

// expand collects the moves from parents, and returns the first that it has left out.
func (v *sparseVerification) expand(f *family, p *parents, first, end int64) (next int64, err error) {
	f.states, f.derived = f.states[:0], f.derived[:0]
	for tier := range f.moves {
		f.moves[tier] = f.moves[tier][:0]
	}
	moves, block := 0, int64(-1)
	for next = first; next < end && moves < max(maxMoves/v.options.Threads, 1); next++ {
		number := p.number(next)
		if b := number / sparse.BlockStates; b != block {
			if f.block, err = v.stored.Block(f.block[:0], p.tier, b); err != nil {
				return next, err
			}
			block = b
		}
		state := f.block[number%sparse.BlockStates]
		f.states, f.derived = append(f.states, state), append(f.derived, v.look(f, p.tier, state))
		moves += len(f.found)
	}
	return next, nil
}

// look collects the moves from a state, and returns its value unless the moves decide it.
func (v *sparseVerification) look(f *family, tier int, s sparse.State) probe.Value {
	f.found = f.found[:0]
	if !v.isPosition(tier, s) {
		return missing
	}
	children, outcome, over, err := f.expander.Expand(f.found, custom.Child{Key: s.Key, Tier: tier})
	if err != nil {
		v.noPosition(tier, s, err)
		return missing
	}
	f.found = children
	if slices.ContainsFunc(children, func(c custom.Child) bool { return c.Tier < 0 || c.Tier >= len(f.moves) }) {
		v.differ(v.table.Text(tier, s.Key), probe.Value(s.Value), "nothing, as a move leads to no tier,")
		return missing
	}
	for _, c := range children {
		f.moves[c.Tier] = append(f.moves[c.Tier], radix.Entry{Key: c.Key, Value: uint32(len(f.states))})
	}
	switch {
	case !over:
		return worst
	case outcome == game.Draw:
		return probe.Value{Outcome: outcome, Steps: -1}
	}
	return probe.Value{Outcome: outcome}
}

// follow looks up where the moves to a tier lead, in the order of the file.
func (v *sparseVerification) follow(f *family, tier int) (err error) {
	f.moves[tier], f.spare = radix.Sort(f.moves[tier], f.spare)
	f.block = f.block[:0]
	i := 0
	for _, move := range f.moves[tier] {
		if len(f.block) == 0 || f.block[len(f.block)-1].Key < move.Key {
			if f.block, err = v.stored.Near(f.block[:0], tier, move.Key); err != nil && !errors.Is(err, sparse.ErrState) {
				return err
			}
			i = 0
		}
		for i < len(f.block) && f.block[i].Key < move.Key {
			i++
		}
		best := &f.derived[move.Value]
		switch {
		case i == len(f.block) || f.block[i].Key != move.Key:
			*best = missing
			v.missing(custom.Child{Key: move.Key, Tier: tier})
		case *best != missing:
			if value := v.comparable(f.block[i].Value).Before(); value.Compare(*best) < 0 {
				*best = value
			}
		}
	}
	return nil
}

// comparable returns a stored value in a form that compares with others: in a table without steps, all
// decided values get the same ones.
func (v *sparseVerification) comparable(s sparse.Value) probe.Value {
	if v.stored.Header().Outcomes && s.Outcome != game.Draw {
		s.Steps = 0
	}
	return probe.Value(s)
}

// compare compares the stored values with the derived ones.
func (v *sparseVerification) compare(f *family, tier int) {
	for i, s := range f.states {
		derived, stored := f.derived[i], v.comparable(s.Value)
		if v.stored.Header().Outcomes {
			stored.Steps = derived.Steps
		}
		if derived != missing && (derived != stored || derived == worst) {
			text := fmt.Sprint(derived)
			if derived == worst {
				text = "no move"
			} else if v.stored.Header().Outcomes {
				text = derived.Outcome.String()
			}
			v.differ(v.table.Text(tier, s.Key), probe.Value(s.Value), text)
		}
	}
}

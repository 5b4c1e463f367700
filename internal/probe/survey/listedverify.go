package survey

import (
	"cmp"
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
	"backsolve/tablebase/sparse"
)

// maxMoves is how many moves all threads together hold. A move takes 32 bytes, half of them to
// sort it, and a table has many more.
var maxMoves = 1 << 21

// Check is a Verify of a table of single positions that derives no values: it checks what the table
// says of itself, and that every key is that of a position.
func Check(ctx context.Context, t *probe.Sparse, report func(Difference)) error {
	v := newVerification(t, VerifyOptions{}, nil, report)
	l := listed{t}
	err := l.recount(ctx, v)
	for tier := range l.tiers() {
		if err == nil {
			err = l.eachRun(ctx, tier, v.options.Threads, func(r *listedRun) (bool, error) {
				for _, s := range r.states {
					l.isPosition(v, tier, s)
				}
				return true, nil
			})
		}
	}
	_, err = v.finish(ctx, err)
	return err
}

func (l listed) deriveAll(ctx context.Context, v *verification) error {
	for tier := range l.tiers() {
		if err := l.derive(ctx, v, parents{tier: tier, n: l.tiers()[tier].States}); err != nil {
			return err
		}
	}
	return nil
}

func (l listed) deriveBlock(v *verification, class int) (func(ctx context.Context, block uint64) error, error) {
	return func(ctx context.Context, block uint64) error {
		first := int64(block) * sparse.BlockStates
		return l.derive(ctx, v, parents{tier: class, first: first, n: min(l.tiers()[class].States-first, sparse.BlockStates)})
	}, nil
}

func (l listed) missing(v *verification, s custom.Child) {
	v.differ(l.table.Text(s.Tier, s.Key), "nothing", "a value")
}

// recount compares the checksums, counts the states of all tiers by value again, and sees that their
// keys ascend and that the start is there.
func (l listed) recount(ctx context.Context, v *verification) error {
	if err := v.checksums(ctx); err != nil {
		return err
	}
	h := l.table.Stored().Header()
	if _, err := l.table.Stored().Lookup(h.StartTier, h.Start); errors.Is(err, sparse.ErrState) {
		l.missing(v, custom.Child{Key: h.Start, Tier: h.StartTier})
	} else if err != nil {
		return err
	}
	tiers, done := h.Tiers, uint64(0)
	return eachTask(ctx, v.options.Threads, uint64(len(tiers)), func(tasks iter.Seq[uint64]) error {
		for tier := range tasks {
			tally, last, first := sparse.Tally{}, sparse.State{}, true
			err := l.eachRun(ctx, int(tier), 1, func(r *listedRun) (bool, error) {
				for _, s := range r.states {
					if !first && s.Key <= last.Key {
						v.differ(fmt.Sprintf("the state after %s", l.table.Text(int(tier), last.Key)), s.Key, "a greater key")
					}
					tally.Add(s.Key, s.Value)
					last, first = s, false
				}
				return true, nil
			})
			if err != nil {
				return err
			}
			if !slices.Equal(tally.Counts(), tiers[tier].Values) {
				v.differ(fmt.Sprintf("the counts of tier %d", tier), tiers[tier].Values, tally.Counts())
			}
			v.lock.Lock()
			done += uint64(tiers[tier].States)
			v.notify(Recount, done, uint64(l.table.Stored().States()))
			v.lock.Unlock()
		}
		return nil
	})
}

// isPosition reports whether the key of a state belongs to a position; if not, it records a difference.
func (l listed) isPosition(v *verification, tier int, s sparse.State) bool {
	at := custom.Child{Key: s.Key, Tier: tier}
	err := l.table.Numbers().Check(at)
	if err != nil {
		differFault(v, at.String(), s, err)
	}
	return err == nil
}

// differFault records a state that is not a position, with the rules' reason.
func differFault(v *verification, where string, s sparse.State, err error) {
	var fault *custom.Fault
	errors.As(err, &fault)
	v.differ(fmt.Sprintf("%s (%s)", cmp.Or(where, fault.Position), fault.What), probe.Value(s.Value), "nothing")
}

// sampleBatchStates is the number of random states that are derived together, in the order of
// the file.
const sampleBatchStates = 1 << 20

func (l listed) deriveSample(ctx context.Context, v *verification) error {
	o, states := v.options, l.table.Stored().States()
	for batch := uint64(0); batch*sampleBatchStates < o.Sample && states > 0; batch++ {
		r := rand.New(rand.NewPCG(o.Seed, batch))
		numbers := make([]int64, min(sampleBatchStates, o.Sample-batch*sampleBatchStates))
		for i := range numbers {
			numbers[i] = r.Int64N(states)
		}
		slices.Sort(numbers)
		for tier, info := range l.tiers() {
			n, _ := slices.BinarySearch(numbers, info.States)
			if err := l.derive(ctx, v, parents{tier: tier, n: int64(n), picked: numbers[:n]}); err != nil {
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

// parents are n states of a tier from the first on, or those with some numbers, which ascend.
type parents struct {
	tier     int
	first, n int64
	picked   []int64 // nil for all
}

func (p *parents) number(i int64) int64 {
	if p.picked != nil {
		return p.picked[i]
	}
	return p.first + i
}

// family is some states of a tier with the moves from them, and the buffers of a thread.
type family struct {
	parents  sparse.Cursor
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

func (l listed) derive(ctx context.Context, v *verification, p parents) error {
	total := v.wanted
	if total == 0 {
		total = uint64(l.table.Stored().States())
	}
	task := min(p.n/int64(4*v.options.Threads)+1, 1<<20)
	return eachTask(ctx, v.options.Threads, uint64((p.n+task-1)/task), func(tasks iter.Seq[uint64]) error {
		f := &family{
			parents: sparse.Cursor{Table: l.table.Stored(), Tier: p.tier},
			moves:   make([][]radix.Entry, len(l.tiers())), expander: l.table.Numbers().NewChecker(),
		}
		for i := range tasks {
			for first, end := int64(i)*task, min(int64(i+1)*task, p.n); first < end; {
				next, err := l.expand(v, f, &p, first, end)
				for tier := range f.moves {
					if err == nil {
						err = l.follow(v, f, tier)
					}
				}
				if err != nil {
					return err
				}
				l.compare(v, f, p.tier)
				v.addDerived(uint64(next-first), total)
				first = next
			}
		}
		return nil
	})
}

// expand collects the moves from parents, and returns the first that it has left out.
func (l listed) expand(v *verification, f *family, p *parents, first, end int64) (next int64, err error) {
	f.states, f.derived = f.states[:0], f.derived[:0]
	for tier := range f.moves {
		f.moves[tier] = f.moves[tier][:0]
	}
	moves := 0
	for next = first; next < end && moves < max(maxMoves/v.options.Threads, 1); next++ {
		state, err := f.parents.At(p.number(next))
		if err != nil {
			return next, err
		}
		f.states, f.derived = append(f.states, state), append(f.derived, l.look(v, f, p.tier, state))
		moves += len(f.found)
	}
	return next, nil
}

// look collects the moves from a state, and returns its value unless the moves decide it.
func (l listed) look(v *verification, f *family, tier int, s sparse.State) probe.Value {
	f.found = f.found[:0]
	children, outcome, over, err := f.expander.Expand(f.found, custom.Child{Key: s.Key, Tier: tier})
	if err != nil && l.isPosition(v, tier, s) {
		differFault(v, "", s, err)
	}
	if err != nil {
		return missing
	}
	f.found = children
	if slices.ContainsFunc(children, func(c custom.Child) bool { return c.Tier < 0 || c.Tier >= len(f.moves) }) {
		v.differ(l.table.Text(tier, s.Key), probe.Value(s.Value), "nothing, as a move leads to no tier,")
		return missing
	}
	for _, c := range children {
		f.moves[c.Tier] = append(f.moves[c.Tier], radix.Entry{Key: c.Key, Value: uint32(len(f.states))})
	}
	if !over {
		return worst
	}
	return probe.TerminalValue(outcome, true)
}

// follow looks up where the moves to a tier lead, in the order of the file.
func (l listed) follow(v *verification, f *family, tier int) (err error) {
	f.moves[tier], f.spare = radix.Sort(f.moves[tier], f.spare)
	f.block = f.block[:0]
	i := 0
	for _, move := range f.moves[tier] {
		if len(f.block) == 0 || f.block[len(f.block)-1].Key < move.Key {
			if f.block, err = l.table.Stored().Near(f.block[:0], tier, move.Key); err != nil && !errors.Is(err, sparse.ErrState) {
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
			l.missing(v, custom.Child{Key: move.Key, Tier: tier})
		case *best != missing:
			if value := l.comparable(f.block[i].Value).Before(); value.Compare(*best) < 0 {
				*best = value
			}
		}
	}
	return nil
}

// comparable returns a stored value in a form that compares with others: in a table without steps, all
// decided values get the same ones.
func (l listed) comparable(s sparse.Value) probe.Value {
	if l.table.Stored().Header().Outcomes && s.Outcome != game.Draw {
		s.Steps = 0
	}
	return probe.Value(s)
}

func (l listed) compare(v *verification, f *family, tier int) {
	for i, s := range f.states {
		derived, stored := f.derived[i], l.comparable(s.Value)
		if l.table.Stored().Header().Outcomes {
			stored.Steps = derived.Steps
		}
		if derived != missing && (derived != stored || derived == worst) {
			text := fmt.Sprint(derived)
			if derived == worst {
				text = "no move"
			} else if l.table.Stored().Header().Outcomes {
				text = derived.Outcome.String()
			}
			v.differ(l.table.Text(tier, s.Key), probe.Value(s.Value), text)
		}
	}
}

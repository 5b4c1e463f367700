package retro

import (
	"bytes"
	"context"
	"errors"

	"backsolve/partition"
	"backsolve/retro/internal/work"
)

// Team are the processes that solve a class with moves inside together. Each holds all of
// its planes and goes through all of its phases. Of a phase that is worth it each does a
// share of the units, and is told what came out of the others'; then all have the same
// planes again. Of any other phase each does all. A Team is for one goroutine.
type Team interface {
	// Worth reports whether a phase that looks at so many states is shared out. All of a
	// team answer the same.
	Worth(states int64) bool
	// Share returns the units that this process does of so many: those from first to
	// end−1, which may be none. Each unit is done by one of the team.
	Share(units int) (first, end int)
	// Others reports whether there are any: where there are none, nothing is packed for them.
	Others() bool
	// Exchange gives the others what came out of this process's share, and calls take
	// with what came out of each of theirs, in any order, one after the other. what names
	// the phase, and is the same for all. Where ctx ends it returns its cause. An error
	// that wraps ErrAgain says that somebody is gone, and the class begins again; any other
	// one ends the solve.
	Exchange(ctx context.Context, what string, news []byte, take func(news []byte) error) error
}

// ErrAgain is the cause where a class has to begin again, by those who are left.
var ErrAgain = errors.New("the class begins again")

// alone is the team of a process that solves a class by itself.
type alone struct{}

func (alone) Worth(int64) bool                 { return false }
func (alone) Others() bool                     { return false }
func (alone) Share(units int) (first, end int) { return 0, units }
func (alone) Exchange(context.Context, string, []byte, func([]byte) error) error {
	return nil
}

// Cyclic is a class with moves inside that is about to be solved.
type Cyclic struct {
	class *partition.Class
	above *level // the class solved before, nil for the fullest
	o     Options
	// recall reads planes of the class above back that have gone past.
	recall func() error
}

// Class returns the number of marked cells of the class.
func (c *Cyclic) Class() int { return c.class.Class }

// States returns the number of states stored for the class.
func (c *Cyclic) States() uint64 { return c.class.States() }

// Pieces returns how many pieces the class above has.
func (c *Cyclic) Pieces() int {
	if c.above == nil {
		return 0
	}
	return sectionsOf(c.above.class, c.o).count()
}

// Piece returns piece i of the class above. It must not be called after the class has been
// begun.
func (c *Cyclic) Piece(i int) (piece []byte, err error) {
	if err := c.recall(); err != nil {
		return nil, err
	}
	parts, err := c.above.piece(i, c.o, new([]byte))
	return bytes.Join(parts, nil), err
}

// member is the crew of a process whose team is known.
type member struct {
	threads
	team Team
}

func (m member) Assemble(context.Context, *Cyclic) (Team, error) { return m.team, nil }

// states returns the number of states of the class.
func (f *fixpoint) states() int64 { return int64(f.job.class.States()) }

// share returns the units that this process does of a phase that looks at so many states, and
// whether it is shared out: where it is not, these are all.
func (f *fixpoint) share(states int64) (first, end int, shared bool) {
	if !f.job.team.Worth(states) {
		return 0, f.units.N, false
	}
	first, end = f.job.team.Share(f.units.N)
	return first, end, true
}

// phase does a step for each unit, or where it is worth it for those of this process's
// share, and takes what came out of the others'. do must change nothing but what adopt of
// the step does, of the unit.
func (f *fixpoint) phase(s *step, states int64, do func(w *work.Worker, unit int)) error {
	first, end, shared := f.share(states)
	if err := f.job.class.Pool.Run(end-first, func(w *work.Worker, i int) { do(w, first+i) }, nil); err != nil || !shared {
		return err
	}
	// The frontier was empty before, so what is in it came out of this share.
	news, err := f.pack(s.to.plane, s.to.look)
	if err != nil {
		return err
	}
	return f.exchange(s.what, states, news, s.to, s.adopt)
}

// listens reports whether this process has no share of a phase, which is shared out, and
// hears alone what comes out.
func (f *fixpoint) listens(states int64) bool {
	first, end, shared := f.share(states)
	return shared && first == end
}

// dropOthers drops what has been gathered for the units of others, where a phase is shared out.
func (f *fixpoint) dropOthers(s *step, states int64) error {
	first, end, shared := f.share(states)
	if !shared {
		return nil
	}
	return f.job.class.Pool.Run(f.units.N, func(w *work.Worker, unit int) {
		if unit < first || unit >= end {
			f.collect(w, unit, s, true)
		}
	}, nil)
}

// openAll opens all units.
func (f *fixpoint) openAll() error {
	win := f.job.level.win
	first, end, shared := f.share(f.states())
	if err := f.eachUnit(first, end, f.open); err != nil || !shared {
		return err
	}
	news, err := f.pack(win, anyOf(win))
	if err != nil {
		return err
	}
	// Which states of the others' units are terminal is found here, too.
	for _, others := range [][2]int{{0, first}, {end, f.units.N}} {
		err := f.eachUnit(others[0], others[1], func(w *work.Worker, unit int) {
			home, t := f.labelTerminals(w, unit)
			f.newLost.publish(w, home, f.units, t.Lost)
		})
		if err != nil {
			return err
		}
	}
	err = f.exchange("wins", f.states(), news, nil, func(word int, states uint64) {
		win[word] |= states
		f.undecided[word] &^= states
	})
	if err != nil {
		return err
	}
	return f.exchangeCandidates()
}

// listAllCandidates lists the candidates of all units.
func (f *fixpoint) listAllCandidates() error {
	first, end, shared := f.share(f.states())
	if err := f.job.class.Pool.Run(end-first, func(w *work.Worker, i int) { f.listCandidates(w, first+i) }, nil); err != nil || !shared {
		return err
	}
	return f.exchangeCandidates()
}

// exchangeCandidates gives away the candidates of this process's share, the only ones there
// are yet, and takes the others'.
func (f *fixpoint) exchangeCandidates() error {
	news, err := f.pack(f.candidates, anyOf(f.candidates))
	if err != nil {
		return err
	}
	return f.exchange("candidates", f.states(), news, nil, func(word int, states uint64) { f.candidates[word] = states })
}

// adoptWon takes states that others have labelled won.
func (f *fixpoint) adoptWon(word int, states uint64) {
	f.job.level.win[word] |= states
	f.adoptLabel(word, states)
}

// adoptLabel takes states that others have labelled.
func (f *fixpoint) adoptLabel(word int, states uint64) {
	f.undecided[word] &^= states
	words := f.job.level.words
	in, read := f.order(words).word(word%words, states)
	f.candidates[word/words*words+in] &^= read
}

// adoptReady takes states of which others have found that they are ready, in the order of
// reading.
func (f *fixpoint) adoptReady(word int, states uint64) { f.candidates[word] &^= states }

package cluster

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/nats-io/nats.go"
)

// Workers are not believed. The coordinator counts the states of each part. A share of the blocks is
// settled again by other workers and compared bit by bit: the group is handed out once more, as a check.
// Where a check finds a difference the coordinator settles the block itself, and so finds who was wrong.

// ErrWrong is the cause with which a worker ends that has made something wrong.
var ErrWrong = errors.New("what this worker has made is wrong, and it gets no more work; see to the memory and the processor of its machine")

// errMade is the cause where a part is whole, but not what it says.
var errMade = errors.New("it was made wrong")

// checkRun is how many blocks on end are checked together: enough for all threads of a worker.
const checkRun = 16

// isChosen reports whether a run of blocks is among the share that is checked. It depends on the
// board alone, so that the cost can be told beforehand.
func (s *Solve) isChosen(l layer, run int, share float64) bool {
	sum := sha256.Sum256(fmt.Appendf(nil, "%s %s %d", s.name(), l.name(), run))
	return float64(binary.LittleEndian.Uint64(sum[:])>>11)/(1<<53) < share
}

// chosen returns the blocks of a group that are checked.
func (s *Solve) chosen(g group, share float64) (runs []group) {
	for run := g.first / checkRun; run*checkRun < g.first+g.blocks; run++ {
		if s.isChosen(g.layer, run, share) {
			first := max(g.first, run*checkRun)
			runs = append(runs, group{layer: g.layer, first: first, blocks: min(g.first+g.blocks, (run+1)*checkRun) - first})
		}
	}
	return runs
}

// verdict is what came of a check.
type verdict struct {
	// Maker is whose part was checked, and Share how much of it.
	Maker string  `json:"maker"`
	Share float64 `json:"share"`
	// Unreadable says that the part is not there, or not whole, any more.
	Unreadable bool `json:"unreadable,omitempty"`
	// Differs says that Block is not what the checking worker finds.
	Differs bool `json:"differs,omitempty"`
	Block   int  `json:"block,omitempty"`
}

// hasOthers reports whether there are other workers. It does not look at every call.
func (s *service) hasOthers(ctx context.Context) bool {
	if time.Since(s.lookedAt) < s.o.Sweep {
		return s.others
	}
	ctx, cancel := context.WithTimeout(ctx, callTimeout)
	defer cancel()
	workers, err := readWorkers(ctx, s.conn.alive)
	if err != nil {
		return s.others
	}
	s.lookedAt = time.Now()
	s.others = slices.ContainsFunc(workers, func(w WorkerStatus) bool { return w.Refused == "" && w.ID != s.id })
	return s.others
}

// check settles some blocks of a group again and compares them.
func (s *service) check(ctx context.Context, t task) (*verdict, error) {
	g := t.group()
	g.check = false
	v := &verdict{Maker: t.Maker, Share: t.Share}
	for _, run := range s.solve.chosen(g, t.Share) {
		block, differs, err := s.craft.compare(ctx, g, run)
		if v.Unreadable = errors.Is(err, errUnreadable); v.Unreadable {
			return v, nil
		}
		if err != nil {
			return nil, err
		}
		if differs {
			v.Differs, v.Block = true, block
			return v, nil
		}
	}
	return v, nil
}

// errUnreadable is the cause where what is to be checked cannot be read.
var errUnreadable = errors.New("what is to be checked cannot be read")

// judge settles a block itself, and reports whether what was made of it is something else.
func (c *Coordinator) judge(ctx context.Context, g group, block int) (wrong bool, err error) {
	solve := c.solve
	w := &worker{o: WorkOptions{Options: c.o}, conn: c.conn, id: coordinatorKey}
	if !solve.Stream {
		w.o.Memory = solve.options().Plan(c.space).WorkerMemory(solve.GroupBytes)
	}
	s, err := newService(ctx, w, &solve, c.space)
	if err != nil {
		return false, err
	}
	defer s.craft.close()
	_, wrong, err = s.craft.compare(ctx, g, group{layer: g.layer, first: block, blocks: 1})
	return wrong, err
}

// loadCheck reads what came of a check, and who was wrong, if anybody was.
func (r *run) loadCheck(ctx context.Context, l *fetched) {
	c, g := r.c, r.groups[l.group]
	var note *doneNote
	if note, l.err = read[doneNote](ctx, c.conn.state, c.solve.doneKey(g)); l.err != nil || note == nil || note.Verdict == nil {
		return
	}
	l.by, l.verdict = note.By, note.Verdict
	if !l.verdict.Differs {
		return
	}
	g.check = false
	wrong, err := c.judge(ctx, g, l.verdict.Block)
	if l.err = err; err == nil && wrong {
		l.guilty = l.verdict.Maker
	} else if err == nil {
		l.guilty = l.by
	}
}

// takeCheck takes what came of a check.
func (r *run) takeCheck(l fetched) error {
	c, base := r.c, r.base[l.group]
	switch v := l.verdict; {
	case l.err != nil && !errors.Is(l.err, errUnreadable):
		r.asked[l.group] = false
		return r.outage.note(l.err, c.o) // the next sweep asks for it again
	case !r.isTaken[base] || v == nil || v.Maker != r.by[base] || v.Share < c.o.VerifyShare || c.wrong[l.by]:
		return r.again(l.group) // it is about something else
	case l.err != nil || v.Unreadable:
		c.o.Say(fmt.Sprintf("blocks %d to %d of class %d cannot be read any more: they are made again", r.groups[base].first, r.groups[base].first+r.groups[base].blocks-1, r.layer.class))
		return r.again(base)
	case l.guilty != "":
		err := r.blame(l.guilty, fmt.Sprintf("block %d of class %d is not the same, as two workers have settled it", v.Block, r.layer.class))
		if err == nil {
			err = r.again(l.group)
		}
		return err
	}
	r.isTaken[l.group], r.by[l.group] = true, l.by
	r.taken++
	c.progress.task(r.groups[l.group])
	return nil
}

// blame has a worker get no more work, and all that it has made of the layer made again.
func (r *run) blame(id, why string) error {
	c := r.c
	if c.wrong[id] = true; len(c.wrong) >= mostAttempts {
		return fmt.Errorf("%d workers were wrong, the last one so: %s; it may be the memory or the processor of this machine that is faulty", len(c.wrong), why)
	}
	c.o.Say(fmt.Sprintf("the worker %s is wrong: %s; it gets no more work, and what it has made of class %d is made again", c.nameOf(id), why, r.layer.class))
	c.conn.nc.Publish(wrongSubject+id, []byte(why))
	err := c.patiently(func(ctx context.Context) error {
		_, err := c.conn.state.Put(ctx, c.solve.wrongKeys()+id, []byte(why))
		return err
	})
	for i := range r.groups {
		if err == nil && r.isTaken[i] && r.by[i] == id {
			err = r.again(i)
		}
	}
	return err
}

// again has a group settled again, and checked, whatever came of it.
func (r *run) again(i int) error {
	c := r.c
	if r.isTaken[i] {
		if r.drop[i] != nil {
			if err := r.drop[i](); err != nil {
				return err
			}
		}
		r.isTaken[i] = false
		r.taken--
		c.progress.dropped(r.groups[i])
	}
	r.asked[i], r.by[i] = false, ""
	if check := r.checkOf[i]; check >= 0 && r.isTaken[check] {
		if err := r.again(check); err != nil {
			return err
		}
	}
	c.progress.again()
	return c.patiently(func(ctx context.Context) error {
		// Without the note the next sweep hands the task out again.
		return c.conn.purge(ctx, "KV_"+stateBucket, stateSubject+c.solve.doneKey(r.groups[i]))
	})
}

// wrongKeys begins the keys of the workers that were wrong.
func (s *Solve) wrongKeys() string { return "wrong." + s.ID + "." }

// readWrong reads who was wrong before this coordinator came.
func (c *Coordinator) readWrong() error {
	all, err := keys(c.ctx, c.conn.state, c.solve.wrongKeys()+"*")
	for key := range all {
		c.wrong[key[len(c.solve.wrongKeys()):]] = true
	}
	return err
}

// nameOf names a worker for people.
func (c *Coordinator) nameOf(id string) string {
	ctx, cancel := context.WithTimeout(c.ctx, callTimeout)
	defer cancel()
	if w, err := read[WorkerStatus](ctx, c.conn.alive, workerKeys+id); err == nil && w != nil {
		return w.Member.String()
	}
	return id
}

// listen ends the work of a worker that was wrong.
func (w *worker) listen(condemn context.CancelCauseFunc) error {
	_, err := w.conn.nc.Subscribe(wrongSubject+w.id, func(m *nats.Msg) {
		condemn(fmt.Errorf("%w: %s", ErrWrong, m.Data))
	})
	return err
}

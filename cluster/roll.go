package cluster

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"backsolve/retro"
)

// hereNote is what a worker says when a class is about to begin, or when it cannot go on
// with one.
type hereNote struct {
	Worker  string `json:"worker"` // its identifier
	Name    string `json:"name"`   // for people
	Attempt uint64 `json:"attempt"`
	// Lacks says that it does not have the class above.
	Lacks bool `json:"lacks,omitempty"`
	// Failed says why it cannot go on.
	Failed string `json:"failed,omitempty"`
}

// roll is what the coordinator has to call the workers together for classes with moves
// inside.
type roll struct {
	c        *Coordinator
	notes    chan *nats.Msg
	pieces   chan *nats.Msg
	names    map[string]string // of workers, by identifier
	gone     map[string]int    // how often in turn a member was not there
	troubles int               // how often the class in work has begun again because of something else
	shift    *shift
}

// newRoll has the stream for news and listens to workers.
func newRoll(c *Coordinator) (*roll, error) {
	r := &roll{c: c, notes: make(chan *nats.Msg, 1<<10), pieces: make(chan *nats.Msg, 1<<12), names: map[string]string{}}
	err := c.patiently(func(ctx context.Context) error {
		_, err := c.conn.js.CreateOrUpdateStream(ctx, jetstream.StreamConfig{
			Name: newsStream, Description: "what workers tell each other of a class", Subjects: []string{newsSubjects + ".>"},
			Retention: jetstream.LimitsPolicy, Storage: jetstream.FileStorage, MaxMsgsPerSubject: 1,
		})
		return err
	})
	if err != nil {
		return nil, err
	}
	for subject, to := range map[string]chan *nats.Msg{hereSubject: r.notes, handSubject: r.pieces} {
		if _, err := c.conn.nc.ChanSubscribe(subject+c.solve.ID, to); err != nil {
			return nil, err
		}
	}
	return r, nil
}

// Assemble calls the workers together that are there, and begins a class with them. This
// process has no share in it, and is handed it when they have solved it.
func (c *Coordinator) Assemble(ctx context.Context, b *retro.Cyclic) (retro.Team, error) {
	stop := context.AfterFunc(ctx, func() { c.cancel(context.Cause(ctx)) })
	defer stop()
	if c.roll == nil {
		r, err := newRoll(c)
		if err != nil {
			return nil, err
		}
		c.roll = r
	}
	return c.roll.assemble(b)
}

func (r *roll) assemble(b *retro.Cyclic) (retro.Team, error) {
	c := r.c
	if c.solve.Class != b.Class() {
		r.troubles = 0
	}
	err := c.change(func(s *Solve) { s.Class, s.Attempt, s.Members = b.Class(), s.Attempt+1, nil })
	if err != nil {
		return nil, err
	}
	c.progress.class(b.Class(), 0)
	r.shift.end()
	err = c.patiently(func(ctx context.Context) (err error) {
		r.shift, err = newShift(ctx, c.o, c.conn, c.solve, handing)
		return err
	})
	if err != nil {
		return nil, err
	}
	r.shift.notes, r.shift.hear, r.shift.look = r.notes, r.hear, r.look
	here, err := r.call()
	if err != nil {
		return nil, err
	}
	// All who have answered are done with the class before, or have given it up.
	if err := r.tidy(); err != nil {
		return nil, err
	}
	for _, note := range here {
		if note.Lacks {
			if err := r.provide(b); err != nil {
				return nil, err
			}
			break
		}
	}
	members := slices.Sorted(maps.Keys(here))
	if err := c.change(func(s *Solve) { s.Members = members }); err != nil {
		return nil, err
	}
	r.gone = map[string]int{}
	r.shift.begin(members, "")
	c.progress.together(0, len(members))
	r.kick()
	return &led{shift: r.shift, roll: r}, nil
}

// kick has the workers look at the record.
func (r *roll) kick() { r.c.conn.nc.Publish(rollSubject+r.c.solve.ID, nil) }

// call returns those workers that are ready for the attempt: all that are there, when all
// have answered. It waits until there is one.
func (r *roll) call() (here map[string]hereNote, err error) {
	c, began := r.c, time.Now()
	here = map[string]hereNote{}
	outage := outage{what: "the cluster"}
	ticker := time.NewTicker(min(idle/2, c.o.Sweep))
	defer ticker.Stop()
	looked := began
	r.kick()
	for {
		waiting, err := r.unheard(here)
		if c.ctx.Err() != nil {
			return nil, context.Cause(c.ctx)
		}
		if err == nil && r.enough(len(here), waiting, time.Since(began)) {
			return here, nil
		}
		if err == nil && time.Since(looked) > c.o.Sweep {
			looked = time.Now()
			err = c.look()
		}
		if err := outage.note(r.mourn(err), c.o); err != nil {
			return nil, err
		}
		if err := r.gather(here, waiting, ticker.C); err != nil {
			return nil, err
		}
	}
}

// mourn makes an error final that says that NATS has lost its files.
func (r *roll) mourn(err error) error {
	if errors.Is(err, jetstream.ErrStreamNotFound) || errors.Is(err, jetstream.ErrBucketNotFound) {
		return &final{fmt.Errorf("NATS has come back without its files (%w); run the same command again", err)}
	}
	return err
}

// gather takes down who answers, until nobody is waited for any more or it is time to look.
func (r *roll) gather(here map[string]hereNote, waiting map[string]bool, tick <-chan time.Time) error {
	for {
		select {
		case <-r.c.ctx.Done():
			return context.Cause(r.c.ctx)
		case <-tick:
			r.kick() // some may not have heard
			return nil
		case m := <-r.notes:
			var note hereNote
			if json.Unmarshal(m.Data, &note) != nil || note.Attempt != r.c.solve.Attempt || note.Failed != "" {
				continue
			}
			here[note.Worker], r.names[note.Worker] = note, note.Name
			if delete(waiting, note.Worker); len(waiting) == 0 {
				return nil
			}
		}
	}
}

// enough reports whether a class begins with those who are here, after some time.
func (r *roll) enough(here int, waiting map[string]bool, took time.Duration) bool {
	o := r.c.o
	switch {
	case here == 0:
		return false
	case took > o.Patience:
		return true // the others are alive, and do not answer
	case len(waiting) > 0:
		return false
	}
	return r.c.solve.Attempt > 1 || here >= o.Expect || took > 3*o.Alive
}

// unheard returns the workers that are there, are fit for the solve and have not answered.
func (r *roll) unheard(here map[string]hereNote) (map[string]bool, error) {
	c := r.c
	there, err := keys(c.ctx, c.conn.alive, workerKeys+"*")
	if err != nil {
		return nil, err
	}
	unheard := map[string]bool{}
	for key := range there {
		id := strings.TrimPrefix(key, workerKeys)
		if _, heard := here[id]; heard {
			continue
		}
		ctx, cancel := context.WithTimeout(c.ctx, callTimeout)
		status, err := read[WorkerStatus](ctx, c.conn.alive, key)
		cancel()
		if err != nil {
			return nil, err
		}
		if status != nil && status.Refused == "" && status.Version == c.o.Version {
			unheard[id] = true
		}
	}
	return unheard, nil
}

// hear hears that a worker cannot go on.
func (r *roll) hear(m *nats.Msg) error {
	var note hereNote
	if json.Unmarshal(m.Data, &note) != nil || note.Attempt != r.c.solve.Attempt || note.Failed == "" {
		return nil
	}
	return r.trouble(fmt.Errorf("the worker %s: %s", note.Name, note.Failed))
}

// follow tells how far the members are, by what one of them tells.
func (r *roll) follow() error {
	c := r.c
	ctx, cancel := context.WithTimeout(c.ctx, callTimeout)
	defer cancel()
	status, err := read[WorkerStatus](ctx, c.conn.alive, workerKeys+c.solve.Members[0])
	if err == nil && status != nil && status.Class == c.solve.Class {
		c.progress.together(status.Phase, len(c.solve.Members))
	}
	return err
}

// look looks whether all members are there. That one is not is believed when it is seen
// twice: who tells of himself may be late when NATS has been away.
func (r *roll) look(context.Context) error {
	c := r.c
	there, err := keys(c.ctx, c.conn.alive, workerKeys+"*")
	if err == nil {
		err = c.look()
	}
	if err == nil {
		err = r.follow()
	}
	if err = r.mourn(err); err != nil {
		return r.shift.outage.note(err, c.o)
	}
	for _, member := range c.solve.Members {
		if there[workerKeys+member] {
			r.gone[member] = 0
		} else if r.gone[member]++; r.gone[member] > 1 {
			return r.again(fmt.Errorf("the worker %s is gone", r.names[member]))
		}
	}
	return nil
}

// again has the class begin again.
func (r *roll) again(why error) error {
	r.c.o.Say(fmt.Sprintf("class %d begins again: %v", r.c.solve.Class, why))
	r.c.progress.again()
	return fmt.Errorf("%w: %w", retro.ErrAgain, why)
}

// trouble is again for what may never end.
func (r *roll) trouble(why error) error {
	if r.troubles++; r.troubles >= mostAttempts {
		return fmt.Errorf("class %d was begun %d times: %w", r.c.solve.Class, r.troubles, why)
	}
	return r.again(why)
}

// tidy clears away what was told of classes before, and what nobody will ask for any more.
func (r *roll) tidy() error {
	c := r.c
	if err := c.patiently(func(ctx context.Context) error { return c.clearNews(ctx, c.solve.ID+".>") }); err != nil {
		return err
	}
	keep := c.solve.classPrefix(c.solve.Class+1) + "piece-"
	return patiently(c.ctx, c.o, "the store", func(ctx context.Context) error {
		return c.deleteAll(ctx, c.solve.prefix()+c.solve.ID+"/class-", func(name string) bool { return strings.HasPrefix(name, keep) })
	})
}

// clearNews takes news out of the stream: those of a solve, or of all.
func (c *Coordinator) clearNews(ctx context.Context, of string) error {
	stream, err := c.conn.js.Stream(ctx, newsStream)
	if errors.Is(err, jetstream.ErrStreamNotFound) {
		return nil // nobody has ever had any
	}
	if err == nil {
		err = stream.Purge(ctx, jetstream.WithPurgeSubject(newsSubjects+"."+of))
	}
	if err != nil {
		return fmt.Errorf("cannot clear %s: %w", newsStream, err)
	}
	return nil
}

// provide puts those pieces of the class above into the store that are not there.
func (r *roll) provide(b *retro.Cyclic) error {
	c, above := r.c, b.Class()+1
	there, err := c.stored(above)
	if err != nil {
		return err
	}
	for i := range b.Pieces() {
		name := c.solve.pieceObject(above, i)
		if there[name] {
			continue
		}
		piece, err := b.Piece(i)
		if err != nil {
			return err
		}
		piece = sealed(piece)
		err = patiently(c.ctx, c.o, "the store", func(ctx context.Context) error {
			return c.o.Store.Put(ctx, name, bytes.NewReader(piece), int64(len(piece)))
		})
		if err != nil {
			return err
		}
	}
	return nil
}

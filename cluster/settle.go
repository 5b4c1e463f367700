package cluster

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"backsolve/bitslice"
	"backsolve/cluster/store"
	"backsolve/retro"
)

// loaders is how many parts are read at once, by a coordinator or a worker. With mostPuts it is
// counted by plan.Plan.WorkerMemory.
const loaders = 4

// run is a layer in work.
type run struct {
	c      *Coordinator
	layer  layer
	from   []layer       // what its blocks are made from
	b      *retro.Blocks // nil where no table is kept
	groups []group       // and then the checks of some of them
	// load reads what came of a group, by any goroutine, and returns what takes it, and what takes
	// it back. The error wraps errMade where it is not what it says.
	load func(ctx context.Context, g group) (take, drop func() error, err error)
	// restore puts a group of the class above into the store again of which there is nothing
	// useful; its error ends the solve.
	restore  func(g group, cause error) error
	number   map[group]int // of a group, without the number of its blocks
	checkOf  []int         // by group: its check, −1 for none
	base     []int         // by group: of what it is the check
	asked    []bool        // by group: whether its part is being read, or has been taken
	isTaken  []bool
	by       []string       // by group that is taken: the identifier of who made it
	drop     []func() error // by group that is taken: what takes it back
	attempts []int
	taken    int
	wanted   []int // groups whose parts are to be read
	reading  int
	loaded   chan fetched
	outage   outage
	trouble  outage // of the store
}

// fetched is what came of a group, or why it could not be read.
type fetched struct {
	group      int
	take, drop func() error
	by         string   // the identifier of who made it
	verdict    *verdict // of a check
	guilty     string   // the identifier of who was wrong by the verdict
	err        error
}

// Settle has the workers settle the blocks of a class.
func (c *Coordinator) Solve(ctx context.Context, b *retro.Blocks) error {
	r := newRun(c, layer{class: b.Class()}, c.solve.groups(c.space, b.Class(), b.Len()))
	r.b, r.from = b, []layer{{class: b.Class() + 1}}
	words := bitslice.Words(c.space.IndexBits[b.Class()])
	r.load = func(ctx context.Context, g group) (take, drop func() error, err error) {
		part, err := getPart(ctx, c.o.Store, &c.solve, g, words)
		if err == nil {
			err = b.Count(part)
		}
		if errors.Is(err, retro.ErrMiscounted) {
			err = fmt.Errorf("%w: %w", errMade, err)
		}
		return func() error {
			defer reuse(part)
			return b.Take(part)
		}, func() error { return b.Drop(g.first, g.blocks) }, err
	}
	r.restore = func(g group, cause error) error {
		c.o.Say(fmt.Sprintf("%v: it is put there again", cause))
		c.progress.again()
		return r.putAbove(g)
	}
	err := r.settle(ctx, r.provide)
	if err == nil {
		c.settled = b.Class()
	}
	return err
}

func newRun(c *Coordinator, l layer, groups []group) *run {
	r := &run{c: c, layer: l, groups: groups, number: map[group]int{}, loaded: make(chan fetched, loaders)}
	r.outage.what, r.trouble.what = "the cluster", "the store"
	for i, g := range groups {
		r.base, r.checkOf = append(r.base, i), append(r.checkOf, -1)
		if len(c.solve.chosen(g, c.o.VerifyShare)) > 0 {
			r.checkOf[i] = len(r.groups)
			g.check = true
			r.groups = append(r.groups, g)
		}
	}
	for i := range groups {
		if r.checkOf[i] >= 0 {
			r.base, r.checkOf = append(r.base, i), append(r.checkOf, -1)
		}
	}
	n := len(r.groups)
	r.asked, r.isTaken, r.attempts = make([]bool, n), make([]bool, n), make([]int, n)
	r.by, r.drop = make([]string, n), make([]func() error, n)
	for i, g := range r.groups {
		g.blocks = 0
		r.number[g] = i
	}
	return r
}

// settle has the workers settle the groups, when prepare has seen to what they need.
func (r *run) settle(ctx context.Context, prepare func() error) error {
	c := r.c
	stop := context.AfterFunc(ctx, func() { c.cancel(context.Cause(ctx)) })
	defer stop()
	if err := c.enter(r.layer.class); err != nil {
		return err
	}
	c.progress.layer(r.layer, len(r.groups))
	if err := prepare(); err != nil {
		return err
	}
	err := r.wait()
	for ; r.reading > 0; r.reading-- {
		<-r.loaded // it uses the store, and soon nobody
	}
	if last := (layer{}); err == nil && r.layer == last && !c.solve.Stream {
		err = c.change(func(s *Solve) { s.Solved = true })
	}
	return err
}

// provide puts what is missing of the class above into the store: it may have been solved
// by one process, or elsewhere with another store. What this coordinator has had settled
// itself is there.
func (r *run) provide() error {
	c, above := r.c, r.b.Class()+1
	if above > c.space.MaskBits || c.settled == above {
		return nil
	}
	there, err := c.stored(above)
	if err != nil {
		return err
	}
	for _, g := range c.solve.groups(c.space, above, int(c.progress.counts[above])) {
		if !there[c.solve.object(g)] {
			if err := r.putAbove(g); err != nil {
				return err
			}
		}
	}
	return nil
}

// stored returns the names of what the store has of a class.
func (c *Coordinator) stored(class int) (map[string]bool, error) {
	there := map[string]bool{}
	for info, err := range c.o.Store.List(c.ctx, c.solve.classPrefix(class)) {
		if err == nil {
			there[info.Name] = true
		} else if info.Name == "" {
			return nil, err
		}
	}
	return there, nil
}

// putAbove puts a group of the class above into the store.
func (r *run) putAbove(g group) error {
	part, err := r.b.Above(g.first, g.blocks)
	if err != nil {
		return err
	}
	return putPart(r.c.ctx, r.c.o.Store, &r.c.solve, g, appendPart(nil, &r.c.solve, part))
}

// putPart puts the bytes of a part into the store.
func putPart(ctx context.Context, s store.Store, solve *Solve, g group, part []byte) error {
	return s.Put(ctx, solve.object(g), store.NewMemory(part), int64(len(part)))
}

// getPart reads the part of a group from the store.
func getPart(ctx context.Context, s store.Store, solve *Solve, g group, words int) (*retro.SolvedBlocks, error) {
	object, err := s.Get(ctx, solve.object(g))
	if err != nil {
		return nil, err
	}
	defer object.Close()
	part, err := readPart(object, solve, g, words)
	if err != nil {
		return nil, fmt.Errorf("%s in %v: %w", solve.object(g), s, err)
	}
	return part, nil
}

// useless reports whether an error says that a part is not there or not whole, so that
// it must be made again.
func useless(err error) bool {
	return errors.Is(err, store.ErrNotFound) || errors.Is(err, store.ErrDamaged) || errors.Is(err, errPart)
}

// wait hands tasks out and takes what comes of them until all is there.
func (r *run) wait() error {
	c := r.c
	if err := r.sweep(false); err != nil {
		return err
	}
	ticker := time.NewTicker(c.o.Sweep)
	defer ticker.Stop()
	for r.taken < len(r.groups) {
		r.read()
		var err error
		select {
		case <-c.ctx.Done():
			return context.Cause(c.ctx)
		case m := <-c.done:
			r.hear(m)
		case m := <-c.lost:
			err = r.mend(m)
		case l := <-r.loaded:
			r.reading--
			err = r.take(l)
		case <-ticker.C:
			err = r.sweep(true)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// hear asks for the part of a group that is said to be done.
func (r *run) hear(m *nats.Msg) {
	var t task
	if json.Unmarshal(m.Data, &t) != nil || t.ID != r.c.solve.ID || t.group().layer != r.layer {
		return
	}
	g := t.group()
	g.blocks = 0
	if i, ok := r.number[g]; ok && r.groups[i] == t.group() {
		r.ask(i)
	}
}

// ask has the part of a group read, once.
func (r *run) ask(i int) {
	if !r.asked[i] {
		r.asked[i] = true
		r.wanted = append(r.wanted, i)
	}
}

// read begins to read parts.
func (r *run) read() {
	for len(r.wanted) > 0 && r.reading < loaders {
		i := r.wanted[0]
		r.wanted = r.wanted[1:]
		r.reading++
		go func() {
			r.loaded <- r.fetch(i)
		}()
	}
}

// fetch reads what came of a group.
func (r *run) fetch(i int) fetched {
	c, l := r.c, fetched{group: i}
	if r.groups[i].check {
		r.loadCheck(c.ctx, &l)
		return l
	}
	l.take, l.drop, l.err = r.load(c.ctx, r.groups[i])
	if note, err := read[doneNote](c.ctx, c.conn.state, c.solve.doneKey(r.groups[i])); err == nil && note != nil {
		l.by = note.By
	}
	return l
}

// take takes a part, or sees to it that it is made again.
func (r *run) take(l fetched) error {
	c, g := r.c, r.groups[l.group]
	if g.check {
		return r.takeCheck(l)
	}
	err := l.err
	switch {
	case errors.Is(err, errMade) && l.by == "": // nobody knows who made it
	case errors.Is(err, errMade) && !c.wrong[l.by]:
		if err := r.blame(l.by, err.Error()); err != nil {
			return err
		}
		return r.again(l.group)
	case errors.Is(err, errMade), err == nil && c.wrong[l.by]:
		c.conn.nc.Publish(wrongSubject+l.by, []byte("it was told so before")) // and may not have heard
		return r.again(l.group)
	case err == nil:
		if err := l.take(); err != nil {
			return err
		}
		r.isTaken[l.group], r.by[l.group], r.drop[l.group] = true, l.by, l.drop
		r.taken++
		c.progress.task(g)
		if check := r.checkOf[l.group]; check >= 0 {
			r.publish([]int{check}) // else the next sweep does
		}
		return r.trouble.note(nil, c.o)
	}
	r.asked[l.group] = false
	if !useless(err) && !errors.Is(err, errMade) {
		return r.trouble.note(err, c.o) // the next sweep asks for it again
	}
	if r.attempts[l.group]++; r.attempts[l.group] >= mostAttempts {
		return fmt.Errorf("blocks %d to %d of class %d were settled %d times, and could not be read: %w", g.first, g.first+g.blocks-1, g.class, mostAttempts, err)
	}
	c.o.Say(fmt.Sprintf("%v: it is made again", err))
	c.progress.again()
	if err := c.o.Store.Delete(c.ctx, c.solve.object(g)); err != nil {
		return r.trouble.note(err, c.o)
	}
	return c.patiently(func(ctx context.Context) error {
		// Without the note the next sweep hands the task out again.
		return c.conn.state.Purge(ctx, c.solve.doneKey(g))
	})
}

// sweep hands out those tasks that are neither done nor in the queue, as all are at first,
// and asks for what is done and was not heard of. Messages may get lost, and so may tasks.
// It looks who is there, too, if asked to.
func (r *run) sweep(look bool) error {
	c := r.c
	err := func() error {
		// First what waits: a task is taken out of the queue when it is noted as done.
		waiting, err := c.waiting(c.ctx, r.layer)
		if err != nil {
			return err
		}
		done, err := keys(c.ctx, c.conn.state, c.solve.doneKeys(r.layer)+"*")
		if err != nil {
			return err
		}
		var missing []int
		for i, g := range r.groups {
			switch {
			case r.asked[i], g.check && !r.isTaken[r.base[i]]:
			case done[c.solve.doneKey(g)]:
				r.ask(i)
			case waiting[c.solve.taskSubject(g)] == 0:
				missing = append(missing, i)
			}
		}
		if err := c.keepRecord(c.ctx); err != nil {
			return err
		}
		if err := r.publish(missing); err != nil || !look {
			return err
		}
		return c.look()
	}()
	if c.ctx.Err() != nil {
		return context.Cause(c.ctx)
	}
	if err != nil {
		err = c.repair(c.ctx, err)
	}
	return r.outage.note(err, c.o)
}

// waiting returns the subjects of the tasks of a layer that are in the queue, be they with
// a worker or not.
func (c *Coordinator) waiting(ctx context.Context, l layer) (map[string]uint64, error) {
	ctx, cancel := context.WithTimeout(ctx, callTimeout)
	defer cancel()
	stream, err := c.conn.js.Stream(ctx, taskStream)
	if err != nil {
		return nil, err
	}
	info, err := stream.Info(ctx, jetstream.WithSubjectFilter(c.solve.layerSubjects(l)+"*"))
	if err != nil {
		return nil, err
	}
	return info.State.Subjects, nil
}

// publish puts tasks into the queue.
func (r *run) publish(groups []int) error {
	c := r.c
	var answers []jetstream.PubAckFuture
	for _, i := range groups {
		t := c.solve.task(r.groups[i])
		if t.Check {
			t.Maker, t.Share = r.by[r.base[i]], c.o.VerifyShare
		}
		answer, err := c.conn.js.PublishAsync(c.solve.taskSubject(r.groups[i]), encoded(t))
		if err != nil {
			return err
		}
		answers = append(answers, answer)
	}
	end := time.After(callTimeout)
	for _, answer := range answers {
		select {
		case <-answer.Ok():
		case err := <-answer.Err():
			return err
		case <-end:
			return errors.New("the work queue does not answer")
		case <-c.ctx.Done():
			return context.Cause(c.ctx)
		}
	}
	return nil
}

// mend has a group of the class above restored that somebody could not read, and answers "" or
// why it cannot be. Its error ends the solve.
func (r *run) mend(m *nats.Msg) error {
	var t task
	if json.Unmarshal(m.Data, &t) != nil || t.ID != r.c.solve.ID || !slices.Contains(r.from, t.group().layer) {
		m.Respond([]byte("it is not of the class above the one in work"))
		return nil
	}
	err := r.c.readable(t.group())
	var ends error
	if useless(err) {
		if err = r.restore(t.group(), err); errors.As(err, new(*final)) {
			ends = err
		}
	}
	answer := ""
	if err != nil {
		answer = err.Error()
	}
	m.Respond([]byte(answer))
	return ends
}

// readable says why a group of the class above, or a part of one, cannot be read, nil where it
// can.
func (c *Coordinator) readable(g group) error {
	if c.solve.Stream {
		_, err := getSlices(c.ctx, c.o.Store, &c.solve, g, nil)
		return err
	}
	_, err := getPart(c.ctx, c.o.Store, &c.solve, g, bitslice.Words(c.space.IndexBits[g.class]))
	return err
}

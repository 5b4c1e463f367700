package cluster

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"backsolve/cluster/store"
	"backsolve/retro"
)

// twoShards dispatches two shards of class 3, without checks.
func twoShards() *dispatcher {
	c := stage{Class: 3}
	return newDispatcher(&Coordinator{record: &record{solve: Solve{ID: "x"}}}, c, []shard{{stage: c, Blocks: 10}, {stage: c, First: 10, Blocks: 5}})
}

// doneEntry is the entry of a completion.
type doneEntry struct {
	jetstream.KeyValueEntry
	value []byte
}

func (e doneEntry) Key() string   { return "done" }
func (e doneEntry) Value() []byte { return e.value }

// A completion requests the result of its shard, once.
func TestCompletions(t *testing.T) {
	done := task{ID: "x", shard: shard{stage: stage{Class: 3}, First: 10, Blocks: 5}}
	other := func(change func(*task)) []byte {
		of := done
		change(&of)
		return encoded(completion{Task: of})
	}
	for name, c := range map[string]struct {
		values [][]byte
		want   []int
	}{
		"done":             {[][]byte{encoded(completion{Task: done})}, []int{1}},
		"twice":            {[][]byte{encoded(completion{Task: done}), encoded(completion{Task: done})}, []int{1}},
		"both":             {[][]byte{encoded(completion{Task: done}), encoded(completion{Task: task{ID: "x", shard: shard{stage: stage{Class: 3}, Blocks: 10}}})}, []int{1, 0}},
		"no completion":    {[][]byte{[]byte("done")}, nil},
		"of another solve": {[][]byte{other(func(of *task) { of.ID = "y" })}, nil},
		"of another class": {[][]byte{other(func(of *task) { of.Class = 4 })}, nil},
		"of another half":  {[][]byte{other(func(of *task) { of.Set = true })}, nil},
		"of other blocks":  {[][]byte{other(func(of *task) { of.First = 11 }), other(func(of *task) { of.Blocks = 4 })}, nil},
	} {
		d := twoShards()
		for _, value := range c.values {
			d.onCompletion(doneEntry{value: value})
		}
		var got []int
		for _, wanted := range d.wanted {
			got = append(got, slices.Index(d.tasks, wanted))
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%s: the results of %v are requested, want %v", name, got, c.want)
		}
	}
}

// A shard whose result cannot be read after the last attempt ends the solve.
func TestUnreadableGroup(t *testing.T) {
	d := twoShards()
	d.tasks[1].attempts = maxAttempts - 1
	err := d.onUnusable(t.Context(), d.tasks[1], store.ErrDamaged)
	if !errors.Is(err, store.ErrDamaged) || !strings.Contains(err.Error(), "blocks 10 to 14 of class 3 were solved 5 times") {
		t.Errorf("%v", err)
	}
}

// After NATS has lost its files, a sweep finds the completions that were recorded since.
func TestCompletionsAfterLostFiles(t *testing.T) {
	t.Parallel()
	cluster, space := newTestCluster(t), newSpace(t, 4)
	c, err := Begin(t.Context(), space, NewSolve(space, retro.Options{}), cluster.options())
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	of := stage{Class: 3}
	d := newDispatcher(c, of, []shard{{stage: of, Blocks: 10}, {stage: of, First: 10, Blocks: 5}})
	if err := d.publishMissing(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := c.conn.js.DeleteStream(t.Context(), stateStream); err != nil {
		t.Fatal(err)
	}
	if err := c.conn.prepare(t.Context()); err != nil {
		t.Fatal(err)
	}
	g := d.tasks[1].shard
	if _, err := c.conn.state.Put(t.Context(), c.record.solve.doneKey(g), encoded(completion{Task: task{ID: c.record.solve.ID, shard: g}})); err != nil {
		t.Fatal(err)
	}
	if err := d.publishMissing(t.Context()); err != nil {
		t.Fatal(err)
	}
	for timeout := time.After(100 * time.Millisecond); !d.tasks[1].requested; {
		select {
		case entry := <-d.completions.Updates():
			if entry != nil {
				d.onCompletion(entry)
			}
		case <-timeout:
			t.Fatal("the completion is not found")
		}
	}
}

// A shard that is solved again is checked again.
func TestRedoRepeatsCheck(t *testing.T) {
	t.Parallel()
	cluster, space := newTestCluster(t), newSpace(t, 4)
	o := cluster.options()
	o.VerifyShare = 1
	c, err := Begin(t.Context(), space, NewSolve(space, retro.Options{}), o)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	of := stage{Class: 3}
	d := newDispatcher(c, of, []shard{{stage: of, Blocks: 10}})
	base, check := d.tasks[0], d.tasks[1]
	for _, task := range d.tasks {
		task.requested = true
		d.count(task, 1)
	}
	if err := d.redo(t.Context(), base); err != nil {
		t.Fatal(err)
	}
	if base.accepted || base.requested || check.accepted || check.requested || d.accepted != 0 {
		t.Errorf("the shard is %+v and its check %+v, and %d are accepted", base, check, d.accepted)
	}
}

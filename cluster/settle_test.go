package cluster

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/nats-io/nats.go"

	"backsolve/cluster/store"
)

// twoGroups is a run of two groups of class 3, of which nothing is checked.
func twoGroups() *run {
	l := layer{class: 3}
	return newRun(&Coordinator{solve: Solve{ID: "x"}}, l, []group{{layer: l, blocks: 10}, {layer: l, first: 10, blocks: 5}})
}

// The part of a group is asked for when its worker says that it is done: once, and no other.
func TestHear(t *testing.T) {
	done := task{ID: "x", Class: 3, First: 10, Blocks: 5}
	other := func(change func(*task)) []byte {
		of := done
		change(&of)
		return encoded(of)
	}
	for name, c := range map[string]struct {
		said [][]byte
		want []int
	}{
		"done":             {[][]byte{encoded(done)}, []int{1}},
		"twice":            {[][]byte{encoded(done), encoded(done)}, []int{1}},
		"both":             {[][]byte{encoded(done), encoded(task{ID: "x", Class: 3, Blocks: 10})}, []int{1, 0}},
		"no task":          {[][]byte{[]byte("done")}, nil},
		"of another solve": {[][]byte{other(func(of *task) { of.ID = "y" })}, nil},
		"of another class": {[][]byte{other(func(of *task) { of.Class = 4 })}, nil},
		"of another half":  {[][]byte{other(func(of *task) { of.Set = true })}, nil},
		"of other blocks":  {[][]byte{other(func(of *task) { of.First = 11 }), other(func(of *task) { of.Blocks = 4 })}, nil},
	} {
		r := twoGroups()
		for _, data := range c.said {
			r.hear(&nats.Msg{Data: data})
		}
		if !slices.Equal(r.wanted, c.want) {
			t.Errorf("%s: groups %v are asked for, want %v", name, r.wanted, c.want)
		}
	}
}

// A group that was settled as often as it may be, and cannot be read, ends the solve.
func TestUnreadableGroupEndsTheSolve(t *testing.T) {
	r := twoGroups()
	r.attempts[1] = mostAttempts - 1
	err := r.take(fetched{group: 1, err: store.ErrDamaged})
	if !errors.Is(err, store.ErrDamaged) || !strings.Contains(err.Error(), "blocks 10 to 14 of class 3 were settled 5 times") {
		t.Errorf("%v", err)
	}
}

package retro

import (
	"slices"
	"sync"
	"testing"
)

// A trace runs each task of each pass once and knows what the pass does. The table is the same.
func TestTrace(t *testing.T) {
	for _, c := range []struct {
		game   string
		n      int
		steps  bool
		passes []string
	}{
		{"quixo", 3, false, []string{"open", "propagate", "seal"}},
		{"quixo", 3, true, []string{"openTerminals", "decideSections", "retire", "seal"}},
		{"notakto", 4, false, []string{"solveSlices"}},
	} {
		_, space := newSpace(t, c.game, c.n)
		o := Options{Steps: c.steps, Threads: 3}
		_, want := solve(t, space, o)
		var lock sync.Mutex
		var names []string
		var times [][]int // that each task ran, pass by pass
		o.Trace = func(pass string, tasks int) func(int, func()) {
			at := len(times)
			names, times = append(names, pass), append(times, make([]int, tasks))
			return func(task int, do func()) {
				do()
				lock.Lock()
				times[at][task]++
				lock.Unlock()
			}
		}
		if _, got := solve(t, space, o); got.Identity != want.Identity {
			t.Errorf("%s %d: the trace changes the table", c.game, c.n)
		}
		for i, tasks := range times {
			if slices.ContainsFunc(tasks, func(n int) bool { return n != 1 }) || len(tasks) > 3*10 {
				t.Fatalf("%s %d, pass %d, %s: its tasks ran %v times", c.game, c.n, i, names[i], tasks)
			}
		}
		for _, name := range c.passes {
			if n := len(space.IndexBits); slices.Index(names, name) < 0 || name == "seal" && count(names, name) != n {
				t.Errorf("%s %d: of %d classes, %s is in %v", c.game, c.n, n, name, names)
			}
		}
	}
}

func count(all []string, one string) (n int) {
	for _, s := range all {
		if s == one {
			n++
		}
	}
	return n
}

// Many threads get shorter tasks.
func TestTasksPerThread(t *testing.T) {
	for threads, want := range map[int]int{1: 10, 15: 10, 16: 40, 64: 40} {
		if got := (Options{Threads: threads}).WithDefaults().TasksPerThread; got != want {
			t.Errorf("%d threads: %d", threads, got)
		}
	}
}

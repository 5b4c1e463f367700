package main

import (
	"bytes"
	"encoding/json"
	"math"
	"math/rand/v2"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"backsolve/internal/machine"
	"backsolve/tablebase"
)

func repeat(n int, time float64) []float64 { return slices.Repeat([]float64{time}, n) }

func TestSchedule(t *testing.T) {
	for _, c := range []struct {
		name    string
		threads int
		passes  []pass
		want    bound
	}{
		{"serial", 4, []pass{{"a", 1, repeat(8, 1)}}, bound{4, 4, 3, 0.75, "serial before a", 0.25}},
		{"span", 64, []pass{{"a", 1, repeat(64, 1)}}, bound{64, 32.5, 32.5, 65. / 128, "serial before a", 63. / 128}},
		{"few", 4, []pass{{"a", 0, repeat(8, 1)}, {"b", 0, repeat(2, 2)}}, bound{4, 4, 3, 0.75, "fewer tasks than threads of b", 0.25}},
		{"long", 2, []pass{{"a", 0, []float64{1, 1, 1, 1, 4}}}, bound{2, 2, 8. / 6, 8. / 12, "a long task of a", 4. / 12}},
		{"barrier", 2, []pass{{"a", 0, repeat(3, 1)}, {"a", 0, repeat(3, 1)}}, bound{2, 2, 1.5, 0.75, "the barrier of a", 0.25}},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := schedule(c.passes, c.threads, 10); got != c.want {
				t.Errorf("%+v, want %+v", got, c.want)
			}
		})
	}
}

// Greedy scheduling takes at least the work of a thread and the longest task, and at most both
// together. Tasks are joined as the engine cuts units into fewer tasks.
func TestGreedyBounds(t *testing.T) {
	const perThread = 10
	r := rand.New(rand.NewPCG(1, 2))
	for range 300 {
		units := make([]float64, 1+r.IntN(4000))
		for i := range units {
			units[i] = math.Exp(3 * r.NormFloat64())
		}
		cut := func(n int) []float64 { // as work.Pool does
			n = min(n, len(units))
			tasks := make([]float64, n)
			for i := range tasks {
				tasks[i] = sum(units[i*len(units)/n : (i+1)*len(units)/n])
			}
			return tasks
		}
		p := pass{tasks: cut(mostThreads * perThread)}
		for _, n := range spanThreads {
			tasks, want := p.tasksOf(n, perThread), cut(n*perThread)
			if !slices.EqualFunc(tasks, want, func(a, b float64) bool { return math.Abs(a-b) < 1e-9*a }) {
				t.Fatalf("%d units, %d threads: tasks are joined otherwise than the engine cuts them", len(units), n)
			}
			took, share := greedy(tasks, n), sum(tasks)/float64(n)
			if took < max(share, longest(tasks))*(1-1e-9) || took > (share+longest(tasks))*(1+1e-9) {
				t.Errorf("%d units, %d threads: greedy takes %g, of %g work a thread and a task of %g", len(units), n, took, share, longest(tasks))
			}
		}
	}
}

// A recording has every class, and in total no more than the process's time. Tasks that the
// waiting thread does itself do not count as serial parts.
func TestSpan(t *testing.T) {
	for _, threads := range []string{"1", "2"} {
		var out bytes.Buffer
		cmd := newCommand()
		cmd.SetOut(&out)
		cmd.SetArgs([]string{"span", "quixo-3-steps", "--threads", threads, "--json"})
		before := machine.ProcessorTime()
		if err := cmd.ExecuteContext(t.Context()); err != nil {
			t.Fatal(err)
		}
		used := (machine.ProcessorTime() - before).Seconds()
		var r spanReport
		if err := json.Unmarshal(out.Bytes(), &r); err != nil || len(r.Classes) != 10 {
			t.Fatalf("%d classes, %v", len(r.Classes), err)
		}
		for i, c := range r.Classes {
			var work, serial float64
			for _, p := range c.Passes {
				work, serial = work+p.Work, serial+p.Serial
				if p.Serial < -1e-9 || p.Work < 0 || p.Longest > p.Work {
					t.Errorf("class %d: %+v", c.Class, p)
				}
			}
			if c.Class != 9-i || work <= 0 || serial <= 0 || math.Abs(c.Work-work-serial) > 1e-9 || c.Span > c.Work || len(c.Bounds) != len(spanThreads) {
				t.Errorf("class %d: %+v", 9-i, c)
			}
			used -= c.Work + c.Outside
		}
		if used < -0.002 {
			t.Errorf("%s threads: the classes take %g s more than the process", threads, -used)
		}
		out.Reset()
		if err := writeSpans(&out, &r); err != nil || strings.Count(out.String(), "\n") != 11+1+12 || !strings.Contains(out.String(), "128 threads") {
			t.Errorf("%v:\n%s", err, out.String())
		}
	}
}

// The profile adds up, by class and by pass, and names passes with 1 % of the time or more.
func TestProfile(t *testing.T) {
	r := spanReport{Classes: []classSpan{
		{Class: 1, Work: 10, Outside: 2, Passes: []passTotal{{Name: "a", Serial: 1, Work: 2}, {Name: "b", Work: 6.95}, {Name: "c", Work: 0.05}}},
		{Class: 0, Work: 4.2, Passes: []passTotal{{Name: "a", Work: 4}, {Name: "c", Serial: 0.01, Work: 0.04}, {Name: "d", Work: 0.15}}},
	}}
	want := [][]string{
		{"class", "a", "b", "others", "outside", "all"},
		{"1", "3s", "6.95s", "50ms", "2s", "12s"},
		{"0", "4s", "0s", "200ms", "0s", "4.2s"},
		{"all", "7s", "6.95s", "250ms", "2s", "16.2s"},
	}
	if got := r.profile(); !reflect.DeepEqual(got, want) {
		t.Errorf("%q,\nwant %q", got, want)
	}
}

// What the waiting thread does between passes is the serial part, its own tasks are not.
func TestSerialPart(t *testing.T) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	work := func(d time.Duration) {
		for began := threadTime(); threadTime()-began < d; {
		}
	}
	r := newRecorder(1)
	r.event(tablebase.Event{At: 1})
	r.begin("a", 1)(0, func() { work(20 * time.Millisecond) })
	work(2 * time.Millisecond)
	r.begin("b", 1)
	passes := r.classes[0].passes
	if task, serial := passes[0].tasks[0], passes[1].serial; task < 0.02 || serial < 0.002 || serial > 0.015 {
		t.Errorf("a task of %g s and a serial part of %g s, worked 0.02 and 0.002", task, serial)
	}
}

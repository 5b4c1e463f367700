package main

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"backsolve/cmd/cli"
	"backsolve/internal/machine"
	"backsolve/internal/plan"
	"backsolve/internal/probe"
	"backsolve/retro"
	"backsolve/tablebase"
	"backsolve/tablebase/writer"
)

const spanLong = `Solve a board and record the processor time of each task of each pass. From that
compute what more threads would gain over one, class by class:

span     the serial parts and the longest task of each pass
most     work over span, which no number of threads exceeds
threads  the speed-up of 4, 16, 64 and 128 threads if each takes the next task as soon
         as it is free, as the engine does, and all wait at the end of each pass; and
         the share of their time that they work
limit    where most of the idle time of 64 threads is, and its share of all time

A second table has the processor time of each pass, serial part included, by class. Passes
with less than 1 % of the whole are "others".

The tasks are cut as for 128 threads, forty a thread, and joined for fewer. The figures assume that memory is as fast for many threads as for those that
record, and that the machine is idle: an interrupted task looks long. Writing a class
beside the next one, clearing planes and the runtime are not in the work: the column
"outside" has their processor time.`

const spanExamples = `  bench span quixo-4-steps
  bench span quixo-5 --down-to 21 --json > span.json`

var spanThreads = []int{4, 16, 64, mostThreads}

// mostThreads is the number of threads for which tasks are cut while recording. The others
// divide it, so that their tasks are whole numbers of recorded ones.
const mostThreads = 128

type span struct {
	threads cli.CountValue
	downTo  int
}

func spanCommand() *cobra.Command {
	s := span{threads: cli.ThreadsValue()}
	cmd := &cobra.Command{
		Use: "span BOARD", Short: "Compute what more threads would gain", Long: spanLong, Example: spanExamples,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error { return s.run(cmd, args[0]) },
	}
	f := cmd.Flags()
	f.Var(&s.threads, "threads", "number of threads while recording")
	f.IntVar(&s.downTo, "down-to", 0, "last class to solve")
	cli.JSONFlag(f)
	return cmd
}

func (s *span) run(cmd *cobra.Command, name string) error {
	b, err := parseBoard(name)
	if err != nil {
		return err
	}
	if s.downTo < 0 || s.downTo > b.space.MaskBits {
		return cli.Usagef("--down-to %d is not a class of %s; give 0 to %d", s.downTo, b.name, b.space.MaskBits)
	}
	if err := b.checkMemory(plan.Options{Threads: s.threads.Count, DownTo: s.downTo}); err != nil {
		return err
	}
	r := spanReport{Machine: machine.This(), Board: b.name, Recorded: s.threads.Count}
	if r.Classes, err = s.record(cmd.Context(), b); err != nil {
		return err
	}
	return cli.Print(cmd, &r, writeSpans)
}

func (s *span) record(ctx context.Context, b board) ([]classSpan, error) {
	dir, err := workDir()
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, probe.FileName(b.rules.Info()))
	w, err := writer.Create(path, probe.Shape(b.space, b.steps), true)
	if err != nil {
		return nil, err
	}
	defer w.Close()
	o := retro.Options{Steps: b.steps, Threads: s.threads.Count, DownTo: s.downTo, LogPath: path}.WithDefaults()
	perThread := retro.Options{Threads: mostThreads}.WithDefaults().TasksPerThread
	o.TasksPerThread = (mostThreads*perThread + o.Threads - 1) / o.Threads
	runtime.LockOSThread() // the serial parts are the time of one thread
	defer runtime.UnlockOSThread()
	t := newRecorder(o.Threads)
	o.Trace, o.Progress = t.begin, t.event
	if _, err := retro.Solve(ctx, b.space, w, o); err != nil {
		return nil, err
	}
	t.flush("the end")
	var all []classSpan
	for _, c := range t.classes {
		all = append(all, c.schedule(perThread))
	}
	return all, nil
}

// recorder records the passes of a solve. The goroutine of retro.Solve writes all but the tasks' times.
type recorder struct {
	threads int
	classes []*recorded
	serial  time.Duration // when the serial part began, of that thread
	process time.Duration // when the class began
}

type recorded struct {
	class  int
	passes []pass
	total  time.Duration // of the process
}

func newRecorder(threads int) *recorder {
	return &recorder{threads: threads, serial: threadTime(), process: machine.ProcessorTime()}
}

func (r *recorder) event(e tablebase.Event) {
	if e.Stage == tablebase.Sealed || e.Stage == tablebase.Stopping || len(r.classes) > 0 && r.classes[len(r.classes)-1].class == e.At {
		return
	}
	r.flush("the next class")
	r.classes = append(r.classes, &recorded{class: e.At})
}

func (r *recorder) flush(before string) {
	if n := len(r.classes); n > 0 {
		r.begin(before, 0)
		r.classes[n-1].total = machine.ProcessorTime() - r.process
		r.process = machine.ProcessorTime()
	}
}

func (r *recorder) begin(name string, tasks int) func(int, func()) {
	c, now := r.classes[len(r.classes)-1], threadTime()
	p := pass{name: name, serial: (now - r.serial).Seconds(), tasks: make([]float64, tasks)}
	if n := len(c.passes); n > 0 && (r.threads == 1 || len(c.passes[n-1].tasks) == 1) {
		p.serial -= sum(c.passes[n-1].tasks) // which this goroutine did itself
	}
	c.passes, r.serial = append(c.passes, p), now
	return func(task int, do func()) {
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		began := threadTime()
		do()
		p.tasks[task] = (threadTime() - began).Seconds()
	}
}

type spanReport struct {
	Machine  machine.Machine `json:"machine"`
	Board    string          `json:"board"`
	Recorded int             `json:"threads_recorded"`
	Classes  []classSpan     `json:"classes"`
}

// classSpan are the figures of a class, in seconds of processor time.
type classSpan struct {
	Class   int         `json:"class"`
	Work    float64     `json:"work_seconds"`
	Span    float64     `json:"span_seconds"`
	Serial  float64     `json:"serial_seconds"`
	Outside float64     `json:"outside_seconds"`
	Passes  []passTotal `json:"passes"`
	Bounds  []bound     `json:"bounds"`
}

type passTotal struct {
	Name    string  `json:"name"`
	Times   int     `json:"times"`
	Tasks   int     `json:"tasks_most"`
	Serial  float64 `json:"serial_seconds"`
	Work    float64 `json:"work_seconds"` // of the tasks
	Longest float64 `json:"longest_seconds"`
}

func (c *recorded) schedule(perThread int) classSpan {
	s := classSpan{Class: c.class}
	for i := range c.passes {
		p := &c.passes[i]
		at := slices.IndexFunc(s.Passes, func(t passTotal) bool { return t.Name == p.name })
		if at < 0 {
			at = len(s.Passes)
			s.Passes = append(s.Passes, passTotal{Name: p.name})
		}
		t, work := &s.Passes[at], sum(p.tasks)
		t.Times++
		t.Tasks = max(t.Tasks, len(p.tasks))
		t.Serial += p.serial
		t.Work += work
		t.Longest = max(t.Longest, longest(p.tasks))
		s.Serial += p.serial
		s.Work += p.serial + work
		s.Span += p.serial + longest(p.tasks)
	}
	s.Outside = max(0, c.total.Seconds()-s.Work)
	for _, n := range spanThreads {
		s.Bounds = append(s.Bounds, schedule(c.passes, n, perThread))
	}
	return s
}

func writeSpans(w io.Writer, r *spanReport) error {
	head := []string{"class", "work", "span", "serial", "outside", "most"}
	for _, n := range spanThreads {
		head = append(head, fmt.Sprint(n, " threads"))
	}
	rows := [][]string{append(head, "limit")}
	for _, c := range r.Classes {
		row := []string{fmt.Sprint(c.Class)}
		for _, t := range []float64{c.Work, c.Span, c.Serial, c.Outside} {
			row = append(row, cli.SecondsText(t))
		}
		row, limit := append(row, fmt.Sprintf("%.1f", c.Work/c.Span)), ""
		for _, b := range c.Bounds {
			row = append(row, fmt.Sprintf("%.1f (%.0f %%)", b.Greedy, 100*b.Busy))
			if b.Threads == 64 {
				limit = fmt.Sprintf("%s, %.0f %%", b.Limit, 100*b.Idle)
			}
		}
		rows = append(rows, append(row, limit))
	}
	if err := cli.WriteGrid(w, tabwriter.AlignRight, rows); err != nil {
		return err
	}
	fmt.Fprintln(w)
	return cli.WriteGrid(w, tabwriter.AlignRight, r.profile())
}

// profileShare is the least share of all time that gives a pass a column of the profile.
const profileShare = 0.01

func (r *spanReport) profile() [][]string {
	var whole float64
	sums := map[string]float64{}
	for _, c := range r.Classes {
		whole += c.Work + c.Outside
		for _, p := range c.Passes {
			sums[p.Name] += p.Serial + p.Work
		}
	}
	maps.DeleteFunc(sums, func(_ string, seconds float64) bool { return seconds < profileShare*whole })
	names := slices.SortedFunc(maps.Keys(sums), func(a, b string) int {
		return cmp.Or(cmp.Compare(sums[b], sums[a]), cmp.Compare(a, b))
	})
	row := func(first string, classes ...classSpan) []string {
		row, times := []string{first}, map[string]float64{}
		var others, outside float64
		for _, c := range classes {
			others, outside = others+c.Work, outside+c.Outside
			for _, p := range c.Passes {
				times[p.Name] += p.Serial + p.Work
			}
		}
		all := others + outside
		for _, name := range names {
			row, others = append(row, cli.SecondsText(times[name])), others-times[name]
		}
		return append(row, cli.SecondsText(others), cli.SecondsText(outside), cli.SecondsText(all))
	}
	rows := [][]string{slices.Concat([]string{"class"}, names, []string{"others", "outside", "all"})}
	for _, c := range r.Classes {
		rows = append(rows, row(fmt.Sprint(c.Class), c))
	}
	return append(rows, row("all", r.Classes...))
}

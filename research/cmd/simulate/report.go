package main

import (
	_ "embed"
	"errors"
	"fmt"
	"io"
	"math"
	"path/filepath"
	"slices"
	"text/template"

	"github.com/spf13/cobra"

	"backsolve/cmd/cli"
	"backsolve/research/internal/chart"
	"backsolve/research/internal/files"
)

func reportCommand() *cobra.Command {
	machines := usual()
	var out string
	cmd := &cobra.Command{
		Use:   "report",
		Short: "Simulate the jobs and write a page about them",
		Long: `Simulate the jobs on the default machines of simulate run with several stores, and
write a page: cluster-scale.md in --out, with its plot in cluster-scale below it.`,
		Example: `  simulate report
  simulate report --out scale`,
		Args: cli.Args(0),
		RunE: func(*cobra.Command, []string) error { return machines.report(out) },
	}
	cmd.Flags().StringVar(&out, "out", filepath.Join("docs", "reports"), "`DIR` directory of the page")
	cmd.Flags().StringVar(&machines.from, "from", machines.from, "`DIR` directory of the measurements")
	cobra.CheckErr(cmd.MarkFlagDirname("out"))
	cobra.CheckErr(cmd.MarkFlagDirname("from"))
	cli.Advanced(cmd, "from")
	return cmd
}

// page is the data of the page.
type page struct {
	Threads              int
	Memory               string
	Network, Store       float64 // bytes a second
	Latency              int64   // milliseconds
	Title                string  // of the solve
	Cores, Bytes, Bound  float64 // seconds of a core, bytes, and seconds in which the coordinator reads these
	Rows                 []row
	Best, Last, Unbound  row // the fastest, that of the most workers, and the fastest with an unlimited store
	Checked              string
	Alone, Taken, Expect float64 // seconds of the checked job: by tbsolve, by one worker, and as predicted
	More                 float64 // percent that the worker took longer than predicted
}

//go:embed report.md.tmpl
var pageText string

var pageTemplate = template.Must(template.New("page").Funcs(template.FuncMap{
	"bytes": bytesText, "time": timeText, "count": countText,
	"grid": func(rows []row) string { return cli.Markdown(table(rows), "---:", "---:") },
}).Parse(pageText))

// report runs the simulations of the page, and writes its plot and the page.
func (m *machineFlags) report(dir string) error {
	j, err := newJob(wholeJob, m.from)
	if err != nil {
		return err
	}
	fastest := func(rows []row) row {
		return slices.MinFunc(rows, func(a, b row) int { return int(math.Copysign(1, a.Seconds-b.Seconds)) })
	}
	p := &page{
		Threads: m.threads.Count, Memory: cli.BytesText(int64(m.memory)), Network: float64(m.network), Store: float64(m.store), Latency: m.latency.Milliseconds(),
		Title: j.title, Cores: j.cores(), Bytes: j.bytes(), Bound: j.bytes() / float64(m.network), Rows: j.rows(m, usualWorkers),
	}
	p.Best, p.Last = fastest(p.Rows), p.Rows[len(p.Rows)-1]
	var lines []chart.Line
	for _, speed := range []rate{1e9, m.store, 100e9, rate(math.Inf(1))} {
		varied := *m
		varied.store = speed
		rows, name := j.rows(&varied, usualWorkers), fmt.Sprintf("store of %v/s", &speed)
		if math.IsInf(float64(speed), 1) {
			name, p.Unbound = "store without limit", fastest(rows)
		}
		lines = append(lines, line(name, rows))
	}
	var solving []row
	for _, n := range usualWorkers {
		solving = append(solving, row{Workers: n, Seconds: j.cores() / float64(n*m.threads.Count)})
	}
	lines = append(lines, line("nothing but solving", solving))
	if err := m.predict(p); err != nil {
		return err
	}
	frame := chart.Frame{Title: j.title, X: chart.Axis{Name: "workers", Log: true}, Y: chart.Axis{Name: "hours", Log: true}}
	if err := chart.Lines(frame, lines).Write(filepath.Join(dir, "cluster-scale", wholeJob)); err != nil {
		return err
	}
	return files.Write(filepath.Join(dir, "cluster-scale.md"), func(w io.Writer) error { return pageTemplate.Execute(w, p) })
}

// predict compares the solve measured with one worker with its simulation, on a machine whose
// memory holds all files.
func (m *machineFlags) predict(p *page) error {
	of, err := readMeasured(filepath.Join(m.from, stepsFile))
	if err == nil && of.Worker == 0 {
		err = errors.New("the solve was not measured by one worker")
	}
	if err != nil {
		return err
	}
	j, err := newJob(checkedJob, m.from)
	if err != nil {
		return err
	}
	c := ideal(1)
	c.threads, c.latency = of.Threads, m.latency.Seconds()
	p.Checked = fmt.Sprintf("%s, %d threads", j.title, of.Threads)
	p.Alone, p.Taken, p.Expect = of.seconds(), of.Worker, j.simulate(c).seconds
	p.More = 100 * (p.Taken/p.Expect - 1)
	return nil
}

func line(name string, rows []row) chart.Line {
	l := chart.Line{Name: name}
	for _, r := range rows {
		l.Points = append(l.Points, chart.Point{X: float64(r.Workers), Y: r.Seconds / 3600})
	}
	return l
}

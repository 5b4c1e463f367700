package main

import (
	"cmp"
	_ "embed"
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
	Threads        int
	Memory         string
	Network, Store float64 // bytes a second
	Latency        int64   // milliseconds
	Price          string
	Cores, Bytes   float64 // of the whole table
	Rows           []row
	Collected      []row // where the coordinator writes the table
	Best, Last     row   // the fastest, and that of the most workers
	Checks         [][]string
	Large          [][]string
}

//go:embed report.md.tmpl
var pageText string

var pageTemplate = template.Must(template.New("page").Funcs(template.FuncMap{
	"bytes": bytesText, "time": timeText, "count": countText,
	"workers": func(n int) string { return cli.CountOf(uint64(n), "worker", "workers") },
	"rows":    func(rows []row) string { return cli.Markdown(table(rows), "---:", "---:") },
	"grid":    func(grid [][]string) string { return cli.Markdown(grid, "---", "---:") },
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
		Price: dollarText(m.price), Cores: j.cores(), Bytes: j.bytes(), Rows: j.rows(m, []int{1, 5, 20}),
	}
	collected := *j
	collected.written = false
	p.Collected = collected.rows(m, []int{1, 5, 20})
	p.Best, p.Last = fastest(p.Rows), p.Rows[len(p.Rows)-1]
	var lines []chart.Line
	for _, speed := range []rate{1e9, m.store, 100e9, rate(math.Inf(1))} {
		varied := *m
		varied.store = speed
		name := fmt.Sprintf("store of %v/s", &speed)
		if math.IsInf(float64(speed), 1) {
			name = "store without limit"
		}
		lines = append(lines, line(name, j.rows(&varied, usualWorkers)))
	}
	var solving []row
	for _, n := range usualWorkers {
		solving = append(solving, row{Workers: n, Seconds: j.cores() / float64(n*m.threads.Count)})
	}
	lines = append(lines, line("nothing but solving", solving))
	if p.Checks, err = m.checks(); err != nil {
		return err
	}
	if p.Large, err = m.large(); err != nil {
		return err
	}
	frame := chart.Frame{Title: j.title, X: chart.Axis{Name: "workers", Log: true}, Y: chart.Axis{Name: "hours", Log: true}}
	if err := chart.Lines(frame, lines).Write(filepath.Join(dir, "cluster-scale", wholeJob)); err != nil {
		return err
	}
	return files.Write(filepath.Join(dir, "cluster-scale.md"), func(w io.Writer) error { return pageTemplate.Execute(w, p) })
}

// checks compares measured solves with their simulations.
func (m *machineFlags) checks() ([][]string, error) {
	grid := [][]string{{"measured, predicted", "workers", "time", "read", "written", "messages"}}
	for _, name := range []string{stepsJob, afterJob} {
		j, err := newJob(name, m.from)
		if err != nil {
			return nil, err
		}
		for _, workers := range []int{1, 2, 3} {
			of, err := readCluster(m.from, name, workers)
			if err != nil {
				return nil, err
			}
			o := j.simulate(of.machine())
			grid = append(grid, []string{
				j.title, countText(workers), timeText(of.Seconds) + ", " + timeText(o.seconds), bytesText(of.Read) + ", " + bytesText(o.read),
				bytesText(of.Written) + ", " + bytesText(o.written), countText(int(of.Messages)) + ", " + countText(int(o.messages)),
			})
		}
	}
	return grid, nil
}

// large simulates the boards that no machine has solved.
func (m *machineFlags) large() ([][]string, error) {
	grid := [][]string{append([]string{"board", "largest class"}, table(nil)[0]...)}
	for _, of := range []struct {
		name    string
		workers []int
	}{{largeJob, []int{100}}, {quixoJob, []int{10, 100}}, {hugeJob, []int{1000}}} {
		j, err := newJob(of.name, m.from)
		if err != nil {
			return nil, err
		}
		most := slices.MaxFunc(j.classes, func(a, b class) int { return cmp.Compare(a.bytes, b.bytes) }).bytes * float64(j.halves())
		for _, cells := range table(j.rows(m, of.workers))[1:] {
			grid = append(grid, append([]string{j.title, bytesText(most)}, cells...))
		}
	}
	return grid, nil
}

func line(name string, rows []row) chart.Line {
	l := chart.Line{Name: name}
	for _, r := range rows {
		l.Points = append(l.Points, chart.Point{X: float64(r.Workers), Y: r.Seconds / 3600})
	}
	return l
}

package main

import (
	_ "embed"
	"errors"
	"fmt"
	"io"
	"math"
	"path/filepath"
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
		RunE: func(cmd *cobra.Command, _ []string) error {
			r, err := newReport(&machines)
			if err != nil {
				return err
			}
			return r.write(out)
		},
	}
	cmd.Flags().StringVar(&out, "out", filepath.Join("docs", "reports"), "`DIR` directory of the page")
	cmd.Flags().StringVar(&machines.from, "from", machines.from, "`DIR` directory of the measurements")
	cobra.CheckErr(cmd.MarkFlagDirname("out"))
	cobra.CheckErr(cmd.MarkFlagDirname("from"))
	cli.Advanced(cmd, "from")
	return cmd
}

// report is the data of the page.
type report struct {
	Threads, Memory, Network, Store, Latency string // of the machines
	Title, Cores, Bytes                      string // of the solve
	Bound                                    string // the time in which the coordinator reads all
	Table                                    string
	rows                                     []row
	unbound                                  []row // with an unlimited store
	Checked                                  check
	plot                                     *chart.Chart
}

// Best returns the fastest row, Unbound that with an unlimited store.
func (r *report) Best() *row    { return best(r.rows) }
func (r *report) Unbound() *row { return best(r.unbound) }

// Last returns the row of the most workers.
func (r *report) Last() *row { return &r.rows[len(r.rows)-1] }

func best(rows []row) *row {
	least := &rows[0]
	for i := range rows {
		if r := &rows[i]; r.Seconds < least.Seconds {
			least = r
		}
	}
	return least
}

// Count and Time format a row for the page.
func (r *row) Count() string { return countText(r.Workers) }
func (r *row) Time() string  { return timeText(r.Seconds) }

// check compares a measured solve by one worker with its prediction.
type check struct{ Title, Threads, Alone, Measured, Predicted, More string }

// newReport runs the simulations of the page.
func newReport(m *machineFlags) (*report, error) {
	j, err := newJob(wholeJob, m.from)
	if err != nil {
		return nil, err
	}
	r := &report{
		Threads: fmt.Sprint(m.threads), Memory: m.memory.String(), Network: m.network.String(), Store: m.store.String(),
		Latency: fmt.Sprint(m.latency.Milliseconds(), " ms"),
		Title:   j.title, Cores: timeText(j.cores()), Bytes: bytesText(j.bytes()), Bound: timeText(j.bytes() / float64(m.network)),
	}
	var lines []chart.Line
	for _, speed := range []amount{1e9, m.store, 100e9, amount(math.Inf(1))} {
		varied := *m
		varied.store = speed
		rows := j.rows(&varied, usualWorkers)
		name := fmt.Sprintf("store of %v/s", &speed)
		switch {
		case speed == m.store:
			r.rows = rows
		case math.IsInf(float64(speed), 1):
			name, r.unbound = "store without limit", rows
		}
		lines = append(lines, line(name, rows))
	}
	var solving []row
	for _, n := range usualWorkers {
		solving = append(solving, row{Workers: n, Seconds: j.cores() / float64(n*m.threads)})
	}
	lines = append(lines, line("nothing but solving", solving))
	r.Table = cli.Markdown(table(r.rows), "---:", "---:")
	frame := chart.Frame{Title: j.title, X: chart.Axis{Name: "workers", Log: true}, Y: chart.Axis{Name: "hours", Log: true}}
	if r.plot, err = chart.Lines(frame, lines); err != nil {
		return nil, err
	}
	r.Checked, err = m.predict()
	return r, err
}

// predict simulates the measured solve by one worker, on a machine whose memory holds all files.
func (m *machineFlags) predict() (check, error) {
	of, err := readMeasured(filepath.Join(m.from, stepsFile))
	if err == nil && of.Worker == 0 {
		err = errors.New("the solve was not measured by one worker")
	}
	if err != nil {
		return check{}, err
	}
	j, err := newJob(checkedJob, m.from)
	if err != nil {
		return check{}, err
	}
	c := ideal(1)
	c.threads, c.latency = of.Threads, m.latency.Seconds()
	predicted := j.simulate(c).seconds
	return check{
		j.title, fmt.Sprint(of.Threads), timeText(of.seconds()), timeText(of.Worker), timeText(predicted), fmt.Sprintf("%.0f %%", 100*(of.Worker/predicted-1)),
	}, nil
}

func line(name string, rows []row) chart.Line {
	l := chart.Line{Name: name}
	for _, r := range rows {
		hours := r.Seconds / 3600
		l.Points = append(l.Points, chart.Point{X: float64(r.Workers), Y: hours, Low: hours, High: hours})
	}
	return l
}

//go:embed report.md.tmpl
var page string

var pageTemplate = template.Must(template.New("page").Parse(page))

func (r *report) writePage(w io.Writer) error { return pageTemplate.Execute(w, r) }

// write writes the plot and then the page.
func (r *report) write(dir string) error {
	if err := r.plot.Write(filepath.Join(dir, "cluster-scale", wholeJob)); err != nil {
		return err
	}
	return files.Write(filepath.Join(dir, "cluster-scale.md"), r.writePage)
}

package main

import (
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
		Short: "Simulate all jobs and write a page about them",
		Long: `Simulates all jobs on the machines that run has unless flags say otherwise, with several
stores and networks, and writes a page with curves: cluster-scale.md in the directory
--out, and the plots in cluster-scale below it.`,
		Example: `  simulate report
  simulate report --out scale`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			r, err := newReport(&machines)
			if err != nil {
				return err
			}
			return r.write(out)
		},
	}
	cmd.Flags().StringVar(&out, "out", "docs", "`directory` of the page")
	cmd.Flags().StringVar(&machines.from, "from", machines.from, "`directory` of what was measured")
	cobra.CheckErr(cmd.MarkFlagDirname("out"))
	cobra.CheckErr(cmd.MarkFlagDirname("from"))
	cli.Advanced(cmd, "from")
	return cmd
}

// report is what the page says.
type report struct {
	Each    each // a worker, and the store
	Notakto *section
	Quixo   *section
	Wide    *section
	// Crowded is Quixo 5×5 on many workers that fail seldom, often and always.
	Crowded []failing
	// Whole is what Quixo 6×6 is altogether, and Planes and Moves what it takes.
	Whole wide
	plots map[string]*chart.Chart
}

// each is the machines that are simulated, for people.
type each struct {
	Threads, Memory, Network, Store, Latency string
}

// section is a job with its figures.
type section struct {
	Title string
	Cores string // of the solve by itself
	Table string
	job   *job
	rows  []row // of the usual machines
	// unbound are those with a store without limit.
	unbound []row
}

// At is the row of so many workers.
func (s *section) At(workers int) *row {
	for i := range s.rows {
		if s.rows[i].Workers == workers {
			return &s.rows[i]
		}
	}
	return nil
}

// Best is the row that takes the least time.
func (s *section) Best() *row { return best(s.rows) }

// Unbound is that with a store without limit.
func (s *section) Unbound() *row { return best(s.unbound) }

// Least is the first row.
func (s *section) Least() *row { return &s.rows[0] }

func best(rows []row) *row {
	least := &rows[0]
	for i := range rows {
		if r := &rows[i]; r.Seconds > 0 && r.Seconds < least.Seconds {
			least = r
		}
	}
	return least
}

// Count is the workers, for people.
func (r *row) Count() string { return countText(r.Workers) }

// Time is how long it takes, for people.
func (r *row) Time() string { return timeText(r.Seconds) }

// Solving is the share of the cores' time that solves, for people.
func (r *row) Solving() string { return shareText(r.Efficiency) }

// failing is a simulation with another mean time between failures.
type failing struct{ MTBF, Time, Solving, Failures string }

// wide is what Quixo 6×6 is.
type wide struct {
	Game, States, Widest, Planes, Memory, Workers, Table, Logs, Cores string
	Between, Attempt, Again, Today, Moves, Deeper, Writing            string
}

// newReport simulates all that the page shows.
func newReport(m *machineFlags) (*report, error) {
	r := &report{
		Each:  each{fmt.Sprint(m.threads), m.memory.String(), m.network.String(), m.store.String(), fmt.Sprint(m.latency.Milliseconds(), " ms")},
		plots: map[string]*chart.Chart{},
	}
	for _, s := range []struct {
		to    **section
		name  string
		vary  string
		of    func(*machineFlags) *amount
		tries []amount
	}{
		{&r.Notakto, jobNames[0], "store", func(m *machineFlags) *amount { return &m.store }, []amount{1e9, 10e9, 100e9, amount(math.Inf(1))}},
		{&r.Quixo, jobNames[1], "store", func(m *machineFlags) *amount { return &m.store }, []amount{1e9, 10e9, 100e9, amount(math.Inf(1))}},
		{&r.Wide, jobNames[2], "network", func(m *machineFlags) *amount { return &m.network }, []amount{1.25e9, 12.5e9, 50e9}},
	} {
		j, err := newJob(s.name, m.from, m.deeper)
		if err != nil {
			return nil, err
		}
		machines := *m
		if j.kind == spread {
			machines = wideMachines(m)
		}
		found := &section{Title: j.title, job: j, Cores: timeText(j.cores())}
		var lines []chart.Line
		for _, speed := range s.tries {
			varied := machines
			*s.of(&varied) = speed
			rows := j.rows(&varied, j.usualWorkers(&varied))
			if speed == *s.of(&machines) {
				found.rows = rows
			}
			name := fmt.Sprintf("%s of %v/s", s.vary, &speed)
			if math.IsInf(float64(speed), 1) {
				name = s.vary + " without limit"
				found.unbound = rows
			}
			lines = append(lines, line(name, rows))
		}
		if found.rows == nil {
			found.rows = j.rows(&machines, j.usualWorkers(&machines))
		}
		lines = append(lines, line("nothing but solving", j.ideal(&machines)))
		found.Table = found.markdown()
		*s.to = found
		if r.plots[j.name], err = curves(found.Title, lines); err != nil {
			return nil, err
		}
	}
	r.crowd(m)
	r.whole(m)
	return r, nil
}

// wideMachines are those for what no usual machine can hold.
func wideMachines(m *machineFlags) machineFlags {
	w := *m
	w.threads, w.memory, w.network, w.store = 64, 1<<40, 12.5e9, 1e12
	return w
}

// ideal is how long a job would take if nothing but solving took time.
func (j *job) ideal(m *machineFlags) (rows []row) {
	for _, n := range j.usualWorkers(m) {
		rows = append(rows, row{Workers: n, Seconds: j.cores() / float64(n*m.threads)})
	}
	return rows
}

func (s *section) markdown() string {
	grid := [][]string{columns}
	for _, r := range s.rows {
		grid = append(grid, r.cells())
	}
	return markdown(grid)
}

// line is a curve of rows that end.
func line(name string, rows []row) chart.Line {
	l := chart.Line{Name: name}
	for _, r := range rows {
		if r.Seconds > 0 {
			hours := r.Seconds / 3600
			l.Points = append(l.Points, chart.Point{X: float64(r.Workers), Y: hours, Low: hours, High: hours})
		}
	}
	return l
}

func curves(title string, lines []chart.Line) (*chart.Chart, error) {
	lines = slices.DeleteFunc(lines, func(l chart.Line) bool { return len(l.Points) == 0 })
	return chart.Lines(chart.Frame{Title: title, X: chart.Axis{Name: "workers", Log: true}, Y: chart.Axis{Name: "hours", Log: true}}, lines)
}

// crowd simulates Quixo 5×5 on machines that fail more or less often.
func (r *report) crowd(m *machineFlags) {
	const workers = 1000
	for _, days := range []float64{math.Inf(1), 365, 30, 1} {
		c := m.cluster(workers)
		c.mtbf = days * 24 * 3600
		o := r.Quixo.job.simulate(c)
		seconds := o.seconds
		if math.IsInf(seconds, 1) {
			seconds = -1
		}
		name := fmt.Sprintf("%.0f days", days)
		switch {
		case math.IsInf(days, 1):
			name = "never"
		case days == 1:
			name = "a day"
		}
		r.Crowded = append(r.Crowded, failing{name, timeText(seconds), shareText(o.efficiency(c)), countText(o.failures)})
	}
}

// whole sums Quixo 6×6 up.
func (r *report) whole(m *machineFlags) {
	j, machines := r.Wide.job, wideMachines(m)
	widest := &j.classes[0]
	var table, news float64
	least := j.fewest(float64(machines.memory))
	for i := range j.classes {
		c := &j.classes[i]
		if c.states > widest.states {
			widest = c
		}
		table += c.bytes
		news = max(news, c.news)
	}
	between := machines.mtbf.Seconds() / float64(least)
	lasting := machines.cluster(least)
	lasting.mtbf = math.Inf(1)
	attempt := (&job{kind: spread, classes: []class{*widest}}).simulate(lasting).seconds
	// How much longer it takes on average what begins again after each failure, where
	// failures come at random.
	again := math.Expm1(attempt/between) / (attempt / between)
	r.Whole = wide{
		Game: bigText(math.Pow(3, float64(len(j.classes)-1))), States: bigText(j.states()), Widest: fmt.Sprint(widest.number),
		Planes: fmt.Sprint(planes(widest.links)), Moves: fmt.Sprint(widest.links), Memory: bytesText(j.least), Workers: countText(least),
		Table: bytesText(table), Logs: bytesText(news), Cores: fmt.Sprintf("%.0f", j.cores()/(365.25*24*3600)),
		Between: timeText(between), Attempt: timeText(attempt), Again: digits(again),
		Today: bytesText(5 * widest.states / 8), Deeper: fmt.Sprint(m.deeper), Writing: timeText(table / float64(m.store)),
	}
}

// bigText writes a large number: 1.5·10¹⁷.
func bigText(x float64) string {
	exponent := math.Floor(math.Log10(x))
	text := ""
	for _, d := range fmt.Sprintf("%.0f", exponent) {
		text += string([]rune("⁰¹²³⁴⁵⁶⁷⁸⁹")[d-'0'])
	}
	return fmt.Sprintf("%.1f·10%s", x/math.Pow(10, exponent), text)
}

//go:embed report.md.tmpl
var page string

var pageTemplate = template.Must(template.New("page").Parse(page))

// writePage writes the page.
func (r *report) writePage(w io.Writer) error { return pageTemplate.Execute(w, r) }

// write writes the plots and then the page.
func (r *report) write(dir string) error {
	for _, name := range jobNames {
		if err := r.plots[name].Write(filepath.Join(dir, "cluster-scale", name)); err != nil {
			return err
		}
	}
	return files.Write(filepath.Join(dir, "cluster-scale.md"), r.writePage)
}

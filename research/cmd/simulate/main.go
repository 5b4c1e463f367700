// Command simulate reckons what a solve takes on more machines than one has, by a
// simulation from what solves took here.
package main

import (
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"backsolve/cmd/cli"
)

func main() { cli.Main(newRoot(), func(error) int { return cli.StatusFailed }) }

func newRoot() *cobra.Command {
	root := &cobra.Command{
		Use:   "simulate",
		Short: "Reckon what a solve takes on many machines",
		Long: `simulate runs solves over many machines that nobody has to own: by a simulation of
tasks, phases, flows and failures, from what solves took on one machine. All chance
comes from a seed, so that the same command gives the same figures.

Its jobs are ` + strings.Join(jobNames, ", ") + `.

Exit status: 0 done; 1 failed; 2 the command line cannot be understood.`,
		Example: `  simulate run notakto-7x7 --workers 1,10,100 --store 1GB
  simulate run quixo-6x6-steps --memory 1TiB --threads 64 --network 12.5GB --store 1TB
  simulate report
  simulate measure --out solve.json -- bin/tbsolve quixo 4 --steps --packed --force --json`,
	}
	cli.OnlyCommands(root)
	root.AddCommand(runCommand(), reportCommand(), measureCommand())
	return root
}

func runCommand() *cobra.Command {
	var machines machineFlags
	var workers workerCounts
	var format *cli.Format
	cmd := &cobra.Command{
		Use:   "run JOB",
		Short: "Simulate one job on some numbers of workers",
		Long: `Simulates a job on some numbers of workers and prints how long it takes, which share of the
cores' time solves, and what moves between workers and store. The jobs are
` + strings.Join(jobNames, ", ") + `.

For Quixo 6×6 the numbers of workers are those whose memory holds the planes, and
multiples of that, unless --workers gives others.`,
		Example: `  simulate run notakto-7x7 --workers 1,10,100 --store 1GB
  simulate run quixo-5x5-steps --network none --store none --latency 0s --mtbf 0s --format csv`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) != 1 || !slices.Contains(jobNames, args[0]) {
				return cli.Usagef("run takes a job: %s", strings.Join(jobNames, ", "))
			}
			return nil
		},
		ValidArgs: jobNames,
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := machines.check(); err != nil {
				return err
			}
			j, err := newJob(args[0], machines.from, machines.deeper)
			if err != nil {
				return err
			}
			if len(workers) == 0 {
				workers = j.usualWorkers(&machines)
			}
			if j.kind == phases && j.least > float64(machines.memory) {
				return cli.Usagef("a worker needs %s for %s; give more --memory", bytesText(j.least), j.title)
			}
			if least := j.fewest(float64(machines.memory)); workers[0] < least {
				return cli.Usagef("the planes of %s take %s, which %d workers with %v have; give more --workers or --memory",
					j.title, bytesText(j.least), least, &machines.memory)
			}
			return writeRows(cmd.OutOrStdout(), format.Word(), j.rows(&machines, workers))
		},
	}
	cmd.Flags().Var(&workers, "workers", "numbers of workers (default 1 to 1000)")
	cobra.CheckErr(cmd.RegisterFlagCompletionFunc("workers", cobra.NoFileCompletions))
	machines.add(cmd)
	format = cli.FormatFlags(cmd, cli.Text, cli.JSON, cli.CSV)
	return cmd
}

// usualWorkers are the numbers of workers that a job is simulated on.
func (j *job) usualWorkers(m *machineFlags) workerCounts {
	if j.kind != spread {
		return workerCounts{1, 2, 5, 10, 20, 50, 100, 200, 500, 1000}
	}
	var all workerCounts
	for _, times := range []int{1, 2, 5, 10} {
		all = append(all, times*j.fewest(float64(m.memory)))
	}
	return all
}

// row is a simulated solve.
type row struct {
	Job     string  `json:"job"`
	Workers int     `json:"workers"`
	Cores   int     `json:"cores"`
	Seconds float64 `json:"seconds"` // −1 where it does not end
	// Efficiency is the share of the cores' time that solves.
	Efficiency float64 `json:"efficiency"`
	Read       float64 `json:"bytes_read"`
	Written    float64 `json:"bytes_written"`
	Failures   int     `json:"failures"`
}

// rows simulates a job on some numbers of workers.
func (j *job) rows(m *machineFlags, workers []int) (rows []row) {
	for _, n := range workers {
		c := m.cluster(n)
		o := j.simulate(c)
		r := row{
			Job: j.name, Workers: n, Cores: n * m.threads, Seconds: o.seconds, Efficiency: o.efficiency(c),
			Read: math.Round(o.read), Written: math.Round(o.written), Failures: o.failures,
		}
		if math.IsInf(o.seconds, 1) {
			r.Seconds, r.Efficiency = -1, 0
		}
		rows = append(rows, r)
	}
	return rows
}

// columns are the heads of a table of rows.
var columns = []string{"workers", "cores", "time", "solving", "read", "written", "failures"}

// cells are the cells of a row, for people.
func (r *row) cells() []string {
	return []string{
		countText(r.Workers), countText(r.Cores), timeText(r.Seconds), shareText(r.Efficiency), bytesText(r.Read), bytesText(r.Written), countText(r.Failures),
	}
}

// writeRows writes rows as a format has them.
func writeRows(w io.Writer, format string, rows []row) error {
	switch format {
	case cli.JSON:
		e := json.NewEncoder(w)
		e.SetEscapeHTML(false)
		return e.Encode(rows)
	case cli.CSV:
		return writeCSV(w, rows)
	}
	grid := [][]string{columns}
	for _, r := range rows {
		grid = append(grid, r.cells())
	}
	return writeGrid(w, grid)
}

func writeCSV(w io.Writer, rows []row) error {
	c := csv.NewWriter(w)
	float := func(x float64) string { return strconv.FormatFloat(x, 'g', -1, 64) }
	if err := c.Write([]string{"job", "workers", "cores", "seconds", "efficiency", "bytes_read", "bytes_written", "failures"}); err != nil {
		return err
	}
	for _, r := range rows {
		err := c.Write([]string{r.Job, fmt.Sprint(r.Workers), fmt.Sprint(r.Cores), float(r.Seconds), float(r.Efficiency), float(r.Read), float(r.Written), fmt.Sprint(r.Failures)})
		if err != nil {
			return err
		}
	}
	c.Flush()
	return c.Error()
}

// Command simulate estimates the time of a solve on many machines, by a simulation from
// solves measured on one.
package main

import (
	"errors"
	"io"
	"math"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/dustin/go-humanize"
	"github.com/spf13/cobra"

	"backsolve/cmd/cli"
	"backsolve/research/internal/files"
)

func main() { cli.Main(newRoot(), func(error) int { return cli.StatusFailed }) }

func newRoot() *cobra.Command {
	root := &cobra.Command{
		Use:   "simulate",
		Short: "Estimate the time of a solve on many machines",
		Long: `simulate estimates the time of solves on many machines, by a simulation of tasks and
data flows from solves measured on one machine. The same seed gives the same figures.

The jobs are ` + strings.Join(jobNames, ", ") + `.`,
		Example: `  simulate run notakto-7x7 --workers 1,10,20 --store 1GB
  simulate report
  simulate measure --out solve.json -- bin/tbsolve notakto 6 --steps --force --json`,
	}
	cli.OnlyCommands(root)
	root.AddCommand(runCommand(), reportCommand(), measureCommand())
	return root
}

func runCommand() *cobra.Command {
	machines := usual()
	var workers []int
	var format *cli.Format
	cmd := &cobra.Command{
		Use:   "run JOB",
		Short: "Simulate a job",
		Long: `Simulate a job on each number of workers. Print its time, the share of processor time
spent solving, and the traffic between machines and store. The jobs are
` + strings.Join(jobNames, ", ") + `.`,
		Example: `  simulate run notakto-7x7 --workers 1,10,20 --store 1GB
  simulate run notakto-7x7 --network none --store none --latency 0s --format csv`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) != 1 || !slices.Contains(jobNames, args[0]) {
				return cli.Usagef("run takes a job: %s", strings.Join(jobNames, ", "))
			}
			return nil
		},
		ValidArgs: jobNames,
		RunE: func(cmd *cobra.Command, args []string) error {
			workers, err := checkWorkers(workers)
			if err := errors.Join(err, machines.check()); err != nil {
				return err
			}
			j, err := newJob(args[0], machines.from)
			if err != nil {
				return err
			}
			return writeRows(cmd.OutOrStdout(), format.Word(), j.rows(&machines, workers))
		},
	}
	cmd.Flags().IntSliceVar(&workers, "workers", usualWorkers, "`LIST` numbers of workers")
	cli.NoCompletion(cmd, "workers")
	machines.add(cmd)
	format = cli.FormatFlags(cmd, cli.Text, cli.JSON, cli.CSV)
	return cmd
}

// usualWorkers reach the bounds of a solve.
var usualWorkers = []int{1, 2, 5, 10, 20}

// row is a simulated solve.
type row struct {
	Job        string  `json:"job"`
	Workers    int     `json:"workers"`
	Cores      int     `json:"cores"`
	Seconds    float64 `json:"seconds"`
	Efficiency float64 `json:"efficiency"` // the share of core time spent solving
	Read       float64 `json:"bytes_read"`
	Written    float64 `json:"bytes_written"`
	Messages   float64 `json:"messages"`
	Dollars    float64 `json:"dollars"`
	// First is what limits the solve first.
	First string `json:"first_limit"`
}

func (j *job) rows(m *machineFlags, workers []int) (rows []row) {
	for _, n := range workers {
		c := m.cluster(n)
		o := j.simulate(c)
		rows = append(rows, row{
			Job: j.name, Workers: n, Cores: n * c.threads, Seconds: o.seconds, Efficiency: o.efficiency(c),
			Read: math.Round(o.read + o.collected), Written: math.Round(o.written),
			Messages: math.Round(o.messages), Dollars: o.dollars(c), First: j.firstLimit(c, o),
		})
	}
	return rows
}

// table returns the columns and the cells of rows.
func table(rows []row) [][]string {
	grid := [][]string{{"workers", "time", "solving", "read", "written", "messages", "price", "first limit"}}
	for _, r := range rows {
		cells := []string{countText(r.Workers), "", "", "", "", "", "", r.First}
		if r.Seconds > 0 {
			copy(cells[1:], []string{
				timeText(r.Seconds), shareText(r.Efficiency), bytesText(r.Read), bytesText(r.Written),
				strings.ReplaceAll(humanize.SIWithDigits(r.Messages, 0, ""), " ", ""), dollarText(r.Dollars),
			})
		}
		grid = append(grid, cells)
	}
	return grid
}

func writeRows(w io.Writer, format string, rows []row) error {
	switch format {
	case cli.JSON:
		return cli.WriteJSON(w, rows)
	case cli.CSV:
		return files.WriteCSV(w, rows)
	}
	return cli.WriteGrid(w, tabwriter.AlignRight, table(rows))
}

package solving

import (
	"encoding/json"
	"fmt"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"backsolve/cmd/cli"
	"backsolve/tablebase"
)

// classReport is what a solve down to a class says: its table is not finished.
type classReport struct {
	Game       string        `json:"game"`
	Size       int           `json:"size"`
	Classes    []classCounts `json:"classes"`
	Seconds    float64       `json:"seconds"`
	PeakMemory int64         `json:"peak_memory_bytes"`
}

type classCounts struct {
	Class  int         `json:"class"`
	Wins   uint64      `json:"wins"`
	Losses uint64      `json:"losses"`
	Draws  uint64      `json:"draws"`
	Stones []stonesRow `json:"by_stones"`
}

// stonesRow counts the states of a class by the stones of each player.
type stonesRow struct {
	Mover  int    `json:"mover"`
	Other  int    `json:"other"`
	Wins   uint64 `json:"wins"`
	Losses uint64 `json:"losses"`
	Draws  uint64 `json:"draws"`
}

// reportClasses reports the classes that are finished.
func (s *solver) reportClasses(cmd *cobra.Command, t *Target, sealed []tablebase.ClassInfo, took time.Duration, peak int64) error {
	r := classReport{Game: t.Rules.Name(), Size: t.Rules.Size(), Seconds: took.Seconds(), PeakMemory: peak}
	for _, info := range sealed {
		c := classCounts{Class: info.Class}
		for weight, n := range info.Counts.ByWeight {
			mover, other := t.Space.Stones(info.Class, weight)
			c.Stones = append(c.Stones, stonesRow{mover, other, n.Wins, n.Losses, n.Draws})
			c.Wins += n.Wins
			c.Losses += n.Losses
			c.Draws += n.Draws
		}
		r.Classes = append(r.Classes, c)
	}
	stdout := cmd.OutOrStdout()
	if s.format.Word() == cli.JSON {
		return json.NewEncoder(stdout).Encode(r)
	}
	out := tabwriter.NewWriter(stdout, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(out, "CLASS\tWINS\tLOSSES\tDRAWS\t")
	for _, c := range r.Classes {
		fmt.Fprintf(out, "%d\t%s\t%s\t%s\t\n", c.Class, cli.CountText(c.Wins), cli.CountText(c.Losses), cli.CountText(c.Draws))
	}
	if err := out.Flush(); err != nil {
		return err
	}
	fmt.Fprintln(stdout)
	rows := cli.NewRows(stdout)
	rows.Add("finished", "%d of %d classes of %s; without --down-to-class the same command goes on", len(r.Classes), t.Space.MaskBits+1, t.Name())
	rows.Add("time", "%s", took.Round(time.Millisecond))
	rows.Add("peak memory", "%s", cli.BytesText(peak))
	return rows.Flush()
}

package solving

import (
	"encoding/json"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"backsolve/cmd/cli"
	"backsolve/probe"
	"backsolve/retro"
	"backsolve/tablebase"
)

// existing opens the table that is wanted where it is there already, packed or not; nil
// where it is not. One that lacks the steps that are wanted is an error.
func (s *solver) existing(t *Target) (*probe.Table, error) {
	for _, path := range []string{t.plainPath(), t.plainPath() + tablebase.PackedSuffix} {
		table, err := probe.OpenFile(path)
		if err != nil {
			continue // who writes the table says what is in its way
		}
		if stored := table.Stored(); stored.Shape().Opening || stored.Shape().Nimbers != t.Shape.Nimbers || table.Board() != t.Name() {
			table.Close()
			continue
		}
		if s.steps && !table.HasSteps() {
			table.Close()
			return nil, fmt.Errorf("%s is there: %w", path, table.NoSteps())
		}
		return table, nil
	}
	return nil, nil
}

// reportExisting reports the table that is wanted where it is there already, and whether it
// is. Errors are those of existing.
func (s *solver) reportExisting(cmd *cobra.Command, t *Target) (there bool, err error) {
	table, err := s.existing(t)
	if table == nil || err != nil {
		return false, err
	}
	defer table.Close()
	sum, err := summarize(table, &retro.Result{}, 0, 0)
	if err != nil {
		return false, err
	}
	sum.Existing = true
	return true, s.print(cmd, sum)
}

// reportExistingResult reports the result of a solve that keeps no table and returns it, nil
// where it is not there.
func (s *solver) reportExistingResult(cmd *cobra.Command, t *Target) (*result, error) {
	r, err := readResult(t.resultPath())
	if r == nil || err != nil {
		return nil, err
	}
	return r, s.print(cmd, streamReport{result: r, Path: t.resultPath(), Existing: true, name: t.Name()})
}

// addExisting says of what was not solved now how it could be.
func addExisting(rows cli.Rows) { rows.Add("solved", "before; --force solves it again") }

// report is what is printed in the end.
type report interface {
	writeText(w io.Writer) error
}

// print prints a report as text, or as JSON if that is asked for.
func (s *solver) print(cmd *cobra.Command, r report) error {
	if s.format.Word() == cli.JSON {
		return json.NewEncoder(cmd.OutOrStdout()).Encode(r)
	}
	return r.writeText(cmd.OutOrStdout())
}

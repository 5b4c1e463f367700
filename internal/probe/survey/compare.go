package survey

import (
	"context"

	"backsolve/internal/probe"
	"backsolve/tablebase"
	"backsolve/tablebase/reader"
	"backsolve/tablebase/sparse"
)

// CompareOutcomes compares the outcomes of all states of a table with those of the table of the same
// board in a file, and returns how many differ. progress may be nil.
func CompareOutcomes(ctx context.Context, t Table, file string, progress func(tablebase.Event)) (differ uint64, err error) {
	if t, ok := t.(*probe.Sparse); ok {
		other, err := sparse.Open(file)
		if err != nil {
			return 0, err
		}
		defer other.Close()
		return sparse.CompareOutcomes(ctx, t.Stored(), other, progress)
	}
	other, err := probe.OpenFile(file)
	if err != nil {
		return 0, err
	}
	defer other.Close()
	return reader.CompareOutcomes(ctx, t.(*probe.Table).Stored(), other.Stored(), progress)
}

//go:build !linux

package jobs

import (
	"context"
	"os/exec"
)

// confined returns the solver's command. Only Linux takes rights from it; elsewhere plans alone hold the limits.
func (q *Queue) confined(ctx context.Context, _ int, args []string) *exec.Cmd {
	return exec.CommandContext(ctx, q.o.Solver, args...)
}

func memoryOf(int) (bytes int64) { return 0 }

package cli

import (
	"math"
	"os"
	"time"

	"github.com/spf13/cobra"

	"backsolve/internal/machine"
	"backsolve/internal/probe"
	"backsolve/internal/probe/endgame"
)

// SearchFlags are the limits for solving endgames that no table covers.
type SearchFlags struct {
	think   time.Duration
	memory  BytesValue
	scratch string
	steps   bool
}

// Register adds --think with a default, and those of --memory, --scratch and --steps that are named.
func (f *SearchFlags) Register(cmd *cobra.Command, think time.Duration, names ...string) {
	flags := cmd.Flags()
	flags.DurationVar(&f.think, "think", think, "`DURATION` time for solving an endgame that no table covers, 0 for never")
	for _, name := range names {
		switch name {
		case "memory":
			flags.Var(&f.memory, name, "memory limit for that, for example 8GiB (default half of what is available)")
		case "scratch":
			flags.StringVar(&f.scratch, name, "", "`DIR` directory for work files of endgames that exceed memory (default none)")
		case "steps":
			flags.BoolVar(&f.steps, name, false, "also solve endgames for the steps to the end")
			continue
		}
	}
}

// Think returns the time limit.
func (f *SearchFlags) Think() time.Duration { return f.think }

// OnDemand returns the solver of endgames, for atOnce endgames at a time with so many
// threads each, 0 for all cores. The error is a *UsageError.
func (f *SearchFlags) OnDemand(atOnce, threads int) (s probe.OnDemand, err error) {
	switch {
	case f.think < 0:
		return s, Usagef("--think must not be less than 0")
	case f.think == 0:
		return s, nil
	}
	l := endgame.Limits{Timeout: f.think, Memory: int64(f.memory), Concurrency: atOnce, Threads: threads}
	if available := machine.AvailableMemory(); f.memory == 0 && available > 0 {
		l.Memory = available / 2
	}
	if f.scratch != "" {
		if l.Scratch, l.Disk, err = scratch(f.scratch, atOnce); err != nil {
			return s, err
		}
	}
	return probe.OnDemand{Solver: endgame.New(l), Steps: f.steps}, nil
}

// spareDisk is the disk space in bytes that work files leave free.
const spareDisk = 1 << 30

// scratch returns the directory for work files, and the bytes for each of so many endgames.
func scratch(dir string, atOnce int) (string, int64, error) {
	if info, err := os.Stat(dir); err != nil || !info.IsDir() {
		return "", 0, Usagef("--scratch %s is not a directory; give an existing one", dir)
	}
	free := machine.FreeDisk(dir)
	if free == machine.Unknown {
		return dir, math.MaxInt64, nil
	}
	return dir, max(0, free-spareDisk) / int64(max(atOnce, 1)), nil
}

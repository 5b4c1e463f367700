package solving

import (
	"errors"
	"fmt"
	"slices"

	"backsolve/cmd/cli"
	"backsolve/game"
	"backsolve/internal/machine"
	"backsolve/internal/solve"
	"backsolve/partition"
)

// others returns up to two solves that this machine can do instead of a refused one, unless more --memory would do.
func (s *solver) others(rules game.Grid, refusal error) (lines []string) {
	var memory *solve.MemoryError
	if errors.As(refusal, &memory) && (memory.Limit.Available == machine.Unknown || memory.Need <= memory.Limit.Available) || memory == nil && !errors.As(refusal, new(*solve.DiskError)) {
		return nil
	}
	tried := []string{s.command(rules)}
	for _, other := range []func(o *solver){
		func(o *solver) { o.Packed, o.Archive = true, false },
		func(o *solver) { o.Packed, o.Archive = true, true },
		func(o *solver) {
			o.Packed, o.Archive, o.Keep, o.OpeningBytes = false, false, solve.KeepOpening, cli.StandardOpening
		},
		func(o *solver) { o.Engine.Steps, o.Packed, o.Archive = false, false, false },
		func(o *solver) { o.Engine.Steps, o.Packed, o.Archive = false, true, false },
	} {
		o := *s
		other(&o)
		j, err := o.newJob(rules)
		if o.outOfCore() && !partition.GoesOn(rules.Name()) || slices.Contains(tried, o.command(rules)) || err != nil {
			continue
		}
		tried = append(tried, o.command(rules))
		p, more := j.Plan(), (*solve.MemoryError)(nil)
		if errors.As(p.Err, &more) && more.Need <= more.Limit.Available {
			o.memory = cli.BytesValue(more.Need)
			if j, err = o.newJob(rules); err == nil {
				p = j.Plan()
			}
		}
		if p.Possible && len(lines) < 2 {
			lines = append(lines, fmt.Sprintf("%s (%s of memory, %s of disk)", o.command(rules), cli.BytesText(p.Memory), cli.BytesText(p.Disk)))
		}
	}
	return lines
}

func (s *solver) command(rules game.Grid) string {
	line := cli.Solve{Board: rules.Info(), After: s.after, Dir: s.dir, Options: s.Options}
	line.Limit.Bytes = int64(s.memory)
	return line.String()
}

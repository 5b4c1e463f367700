package solving

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"backsolve/cmd/cli"
	"backsolve/game"
	"backsolve/internal/machine"
	"backsolve/internal/probe"
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
	words := []string{cli.Solver, rules.Name(), game.Size(rules.Size()).String()}
	add := func(given bool, flags ...string) {
		if given {
			words = append(words, flags...)
		}
	}
	add(s.Engine.Steps, "--steps")
	add(s.Engine.Nimbers, "--grundy")
	add(s.after != "", "--after", s.after)
	add(s.Packed && !s.Archive, "--packed")
	add(s.Archive, "--packed="+packedArchive)
	add(s.Keep != "", "--keep", string(s.Keep))
	add(s.Engine.DownTo > 0, "--down-to-class", fmt.Sprint(s.Engine.DownTo))
	add(s.memory > 0, cli.MemoryFlag(int64(s.memory)))
	add(s.Force, "--force")
	add(filepath.Clean(s.dir) != filepath.Clean(probe.DefaultDir()), "--dir", cli.ShellWord(s.dir))
	return strings.Join(words, " ")
}

package solving

import (
	"slices"
	"strings"
	"testing"

	"backsolve/cmd/cli"
	"backsolve/internal/machine"
	"backsolve/internal/plan"
	"backsolve/internal/probe/probetest"
	"backsolve/internal/solve"
)

// withSteps is a solve with steps, perhaps into an archive.
func withSteps(archive bool) (s solver) {
	s.Engine.Steps, s.Packed, s.Archive = true, archive, archive
	return s
}

// opening is a solve that keeps the emptiest classes in at most these bytes.
func opening(bytes int64) (s solver) {
	s.Keep, s.OpeningBytes = solve.KeepOpening, bytes
	return s
}

// A refusal names the first two solves that are possible, in the directory and with what was asked
// for, unless more memory would do.
func TestOthers(t *testing.T) {
	refused := &solve.Refusal{Err: &solve.MemoryError{Need: 1 << 50, Limit: solve.Limit{Available: 1 << 40}}}
	full := &solve.Refusal{Err: &solve.DiskError{}}
	for _, c := range []struct {
		game    string
		size    int
		of      solver
		refusal error
		want    []string
	}{
		{"quixo", 3, withSteps(false), full, []string{"tbsolve quixo 3 --steps --packed", "tbsolve quixo 3 --steps --packed=archive"}},
		{"quixo", 3, solver{}, full, []string{"tbsolve quixo 3 --packed"}},
		{"quixo", 3, withSteps(true), full, []string{"tbsolve quixo 3 --steps --packed", "tbsolve quixo 3"}},
		{"notakto", 4, solver{after: "b2"}, refused, []string{"tbsolve notakto 4 --after b2 --packed", "tbsolve notakto 4 --after b2 --keep opening"}},
		{"notakto", 4, opening(1 << 40), full, []string{"tbsolve notakto 4 --keep opening"}},
		{"notakto", 4, solver{}, &solve.Refusal{Err: &solve.MemoryError{Need: 1, Limit: solve.Limit{Available: 2}}}, nil},
		{"notakto", 4, solver{}, &solve.Refusal{Err: &solve.MemoryError{Need: 1, Limit: solve.Limit{Available: machine.Unknown}}}, nil},
		{"notakto", 4, solver{}, &solve.Refusal{Err: &solve.DirError{}}, nil},
	} {
		s := c.of
		s.dir, s.threads = t.TempDir(), cli.ThreadsValue()
		var got []string
		for _, line := range s.others(probetest.Rules(t, c.game, c.size), c.refusal) {
			command, needs, _ := strings.Cut(line, " --dir ")
			if got = append(got, command); !strings.Contains(needs, "iB of memory, ") {
				t.Errorf("%q does not say what it takes", line)
			}
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%s %d, %v: %q, want %q", c.game, c.size, c.refusal, got, c.want)
		}
	}
}

// A plan says that large pages are off, and that it is for another machine.
func TestPlanText(t *testing.T) {
	for _, c := range []struct {
		plan       solve.Plan
		has, lacks string
	}{
		{solve.Plan{}, "can be done here  yes", "large pages"},
		{solve.Plan{LargePagesOff: true}, "large pages       off", "there"},
		{solve.Plan{Elsewhere: true, Threads: 9}, "9 threads like those here", "done here"},
		{solve.Plan{Elsewhere: true, Why: "too large"}, "can be done there  no: too large", "done here"},
	} {
		c.plan.Classes = []plan.Class{{}}
		var b strings.Builder
		if err := writePlan(&b, &c.plan); err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(b.String(), c.has) || strings.Contains(b.String(), c.lacks) {
			t.Errorf("%+v:\n%s", c.plan, &b)
		}
	}
}

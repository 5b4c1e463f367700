package solve

import (
	"errors"
	"testing"

	"backsolve/internal/machine"
	"backsolve/partition/spacetest"
)

// By default, a solve packs its work files where raw ones do not fit the disk.
func TestWorkIsPackedWhereItDoesNotFit(t *testing.T) {
	for _, c := range []struct {
		raw, free int64
		want      bool
	}{{100, 100, false}, {101, 100, true}, {101, machine.Unknown, false}} {
		if packs(c.raw, c.free) != c.want {
			t.Errorf("%+v: packed %v", c, !c.want)
		}
	}
}

// pack has work files packed, or not, until the test ends.
func pack(t *testing.T, packed bool) {
	t.Cleanup(func() { packs = Exceeds })
	packs = func(int64, int64) bool { return packed }
}

// job returns the job of solving a board into a directory.
func job(t *testing.T, name string, n int, o Options) *Job {
	t.Helper()
	rules, _ := spacetest.New(t, name, n)
	j, err := New("tables", rules, 0, nil, o)
	if err != nil {
		t.Fatal(err)
	}
	return j
}

func TestCheckDisk(t *testing.T) {
	j := job(t, "quixo", 5, Options{})
	for _, free := range []int64{machine.Unknown, 1 << 40} {
		if err := (intoTable{j}).checkDisk(free); err != nil {
			t.Errorf("%d bytes free: %v", free, err)
		}
	}
	for more, fits := range map[int64]bool{-1: false, 0: true} {
		if err := (intoTable{j}).checkDisk(j.plan().Disk() + more); (err == nil) != fits {
			t.Errorf("%d more bytes than it takes are free: %v", more, err)
		}
	}
	const want = "the table of quixo 5×5 without steps takes about 25 GiB, but only 20 GiB are free in tables"
	if err := (intoTable{j}).checkDisk(20 << 30); err == nil || err.Error() != want {
		t.Errorf("20 GiB free: %v", err)
	}
}

func TestCheckMemory(t *testing.T) {
	j := job(t, "quixo", 5, Options{})
	need := j.Engine.Plan(j.Space).Memory()
	for _, limit := range []int64{0, need} {
		j.Limit.Bytes = limit
		if err := j.CheckMemory(); err != nil {
			t.Errorf("limit %d: %v", limit, err)
		}
	}
	j.Limit = Limit{Bytes: 1 << 30, Source: "for a test"}
	const want = "solving quixo 5×5 without steps takes about 1.3 GiB of memory, but no more than 1.0 GiB may be used (for a test)"
	var e *MemoryError
	if err := j.CheckMemory(); !errors.As(err, &e) || err.Error() != want || e.WithoutSteps != 0 {
		t.Errorf("1 GiB of %d: %v", need, err)
	}
	j.Limit.Bytes = e.Need
	if err := j.CheckMemory(); err != nil {
		t.Errorf("the least, %d: %v", e.Need, err)
	}
	j.Limit.Bytes, j.Engine.Steps = 3<<30, true
	if err := j.CheckMemory(); !errors.As(err, &e) || e.WithoutSteps == 0 || e.WithoutSteps > 3<<30 || e.Need < 3<<30 {
		t.Errorf("with steps: %v", err)
	}
}

package plan

import (
	"testing"

	"backsolve/internal/memory"
	"backsolve/partition/spacetest"
)

// Classes that exceed the limit of memory are planned in shards, no others, and only where that
// makes the solve fit.
func TestShards(t *testing.T) {
	if !memory.Releases {
		t.Skip("no shards where memory cannot be given back")
	}
	_, space := spacetest.New(t, "quixo", 5)
	whole := New(space, Options{Threads: 2})
	in := New(space, Options{Threads: 2, Limit: 5 << 30})
	for i, c := range in.Classes {
		if big := c.Class >= 13 && c.Class <= 20; big != (c.Shards > 1) || c.Shards > 8 {
			t.Errorf("class %d with planes of %d bytes: %d shards", c.Class, 8*c.words(), c.Shards)
		}
		if whole.Classes[i].Shards != 0 {
			t.Errorf("class %d: %d shards without a limit", c.Class, whole.Classes[i].Shards)
		}
	}
	if in.Memory() > 5<<30 || whole.Memory() < 10<<30 {
		t.Errorf("%d bytes in shards, %d as a whole", in.Memory(), whole.Memory())
	}
	if w := in.ShardWork(); w.Written < 50<<30 || w.Read < 2*w.Written || in.Disk() != whole.Disk()+w.Files || in.Folds <= whole.Folds {
		t.Errorf("%+v of work files, %d bytes of disk, %v folds", w, in.Disk(), in.Folds)
	}
	if w := whole.ShardWork(); w != (Work{}) {
		t.Errorf("work files without shards: %+v", w)
	}
	for _, o := range []Options{{Threads: 2, Limit: 1 << 30}, {Threads: 2, Limit: 3 << 30, Steps: true}} {
		if p := New(space, o); p.Memory() <= o.Limit {
			t.Errorf("%+v: planned with %d bytes", o, p.Memory())
		}
	}
}

// A limit never makes a class take more memory than without: the least that a plan names is enough.
func TestLimitTakesNoMore(t *testing.T) {
	for _, n := range []int{2, 3, 4, 5} {
		_, space := spacetest.New(t, "quixo", n)
		for _, steps := range []bool{false, true} {
			whole, least := New(space, Options{Threads: 2, Steps: steps}), New(space, Options{Threads: 2, Steps: steps, Limit: 1})
			if least.Memory() > whole.Memory() {
				t.Errorf("%d×%d with steps %v: %d bytes within a limit, %d without", n, n, steps, least.Memory(), whole.Memory())
			}
		}
	}
}

package cluster

import (
	"testing"
	"testing/synctest"
	"time"

	"backsolve/internal/plan"
	"backsolve/partition"
)

// The time left of a cluster counts planned work: with steps the emptier classes of a board take
// longer than as many states of fuller ones.
func TestProgressTimeLeft(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		space := newSpace(t, 4)
		o, blocks := plan.Options{Steps: true}, partition.BlockCounts(space)
		var p progress
		p.begin(space, o, false)
		planned := plan.New(space, o)
		work, share := plan.WorkOf(planned.Classes), 0.0
		whole := time.Duration(work(1))
		for _, c := range planned.Classes {
			p.beginStage(stage{Class: c.Class}, 1)
			before := work(share)
			share += float64(c.States) / float64(planned.States)
			time.Sleep(time.Duration(work(share) - before))
			p.add(shard{stage: stage{Class: c.Class}, Blocks: int(blocks[c.Class])}, 1)
			left := whole - time.Since(p.began)
			if got := time.Duration(p.read().Left * float64(time.Second)); (got - left).Abs() > whole/1000 {
				t.Errorf("%v left after class %d, not %v", got, c.Class, left)
			}
		}
	})
}

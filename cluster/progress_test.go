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
		whole := time.Duration(plan.New(space, o).Folds)
		for _, c := range plan.New(space, o).Classes {
			p.beginStage(stage{class: c.Class}, 1)
			time.Sleep(time.Duration(c.Folds))
			p.add(shard{stage: stage{class: c.Class}, blocks: int(blocks[c.Class])}, 1)
			left := whole - time.Since(p.began)
			if got := time.Duration(p.read().Left * float64(time.Second)); (got - left).Abs() > whole/1000 {
				t.Errorf("%v left after class %d, not %v", got, c.Class, left)
			}
		}
	})
}

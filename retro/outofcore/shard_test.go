package outofcore

import (
	"testing"
	"time"

	"backsolve/internal/bitslice"
	"backsolve/partition"
	"backsolve/retro/internal/work"
)

// Threads that fold into the same block exclude each other. The race detector cannot tell, as it does
// not see writes of vector kernels.
func TestDeliverTakesTheLock(t *testing.T) {
	identity := bitslice.Identity(6)
	plan := bitslice.NewPlan(&identity)
	g := &shard{
		s:      new(BlockWorker),
		class:  &work.Class{Class: &partition.Class{IndexBits: 6}},
		from:   []uint32{0, 1},
		links:  []groupLink{{0, &plan}},
		slices: [][]uint64{{0}},
	}
	lock := &g.s.locks[0]
	lock.Lock()
	delivered := make(chan struct{})
	go func() {
		g.deliver(new(work.Worker), 0, []uint64{1})
		close(delivered)
	}()
	select {
	case <-delivered:
		t.Error("a block is written to while another thread has its lock")
	case <-time.After(20 * time.Millisecond):
	}
	lock.Unlock()
	<-delivered
	if g.slices[0][0] != ^uint64(1) {
		t.Errorf("the block has %#x", g.slices[0][0])
	}
}

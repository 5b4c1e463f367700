package main

import (
	"math"
	"slices"
	"sort"
	"testing"

	"pgregory.net/rapid"
)

// drawJob draws a small job.
func drawJob(t *rapid.T) *job {
	j := &job{}
	for n := rapid.IntRange(1, 5).Draw(t, "classes"); n > 0; n-- {
		c := class{
			cores: rapid.Float64Range(0.01, 1000).Draw(t, "cores"), blocks: float64(rapid.IntRange(1, 300).Draw(t, "blocks")),
			bytes: rapid.Float64Range(0, 1e9).Draw(t, "bytes"), links: float64(rapid.IntRange(1, 10).Draw(t, "links")),
		}
		j.classes = append(j.classes, c)
	}
	return j
}

// near compares sums in different orders.
func near(a, b float64) bool { return math.Abs(a-b) <= 1e-9*max(a, b) }

// In an ideal cluster one worker takes the sum of all tasks.
func TestOneWorkerIsTheSum(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		j := drawJob(t)
		o := j.simulate(ideal(1))
		if !near(o.seconds, j.cores()) || !near(o.efficiency(ideal(1)), 1) {
			t.Fatalf("%v s, and the tasks take %v", o.seconds, j.cores())
		}
	})
}

// In an ideal cluster a bag takes at least each worker's share and its longest task, and at
// most both. With a worker for each group it takes the sum of the longest tasks.
func TestCriticalPath(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		j := drawJob(t)
		n := rapid.IntRange(1, 400).Draw(t, "workers")
		c := ideal(n)
		var longest, most, critical float64
		for i := range j.classes {
			s := &simulation{cluster: c}
			task := slices.MaxFunc(s.divide(j, &j.classes[i], nil), func(a, b group) int {
				return int(math.Copysign(1, a.cores-b.cores))
			}).cores
			part := j.classes[i].cores / float64(n)
			longest += max(task, part)
			most += task + part
			s.cluster = ideal(300)
			critical += s.divide(j, &j.classes[i], nil)[0].cores
		}
		if got := j.simulate(c).seconds; got < longest*(1-1e-9) || got > most*(1+1e-9) {
			t.Fatalf("%d workers take %v s; it is to be %v to %v", n, got, longest, most)
		}
		if got := j.simulate(ideal(300)).seconds; !near(got, critical) {
			t.Fatalf("a worker for each group: %v s, and the critical path has %v", got, critical)
		}
	})
}

// In an ideal cluster another worker makes nothing slower.
func TestMoreWorkersAreNotSlower(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		j := drawJob(t)
		n := rapid.IntRange(1, 100).Draw(t, "workers")
		fewer, more := j.simulate(ideal(n)).seconds, j.simulate(ideal(n+1)).seconds
		if more > fewer*(1+1e-9) {
			t.Fatalf("%d workers take %v s, and one more %v", n, fewer, more)
		}
	})
}

// drawCluster draws machines on which everything has a cost.
func drawCluster(t *rapid.T) cluster {
	return cluster{
		workers: rapid.IntRange(1, 30).Draw(t, "workers"), threads: rapid.IntRange(1, 4).Draw(t, "threads"), memory: rapid.Float64Range(1e8, 1e10).Draw(t, "memory"),
		network: rapid.Float64Range(1e6, 1e9).Draw(t, "network"), store: rapid.Float64Range(1e6, 1e9).Draw(t, "store"),
		latency: rapid.Float64Range(0, 1).Draw(t, "latency"),
		jitter:  rapid.Float64Range(0, 1).Draw(t, "jitter"), seed: rapid.Uint64().Draw(t, "seed"),
	}
}

// The same seed gives the same result, and costs only add: a solve is never faster than the
// workers' shares, or than the bytes pass.
func TestSeedDecides(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		j, c := drawJob(t), drawCluster(t)
		first, second := j.simulate(c), j.simulate(c)
		if first != second {
			t.Fatalf("%+v and %+v", first, second)
		}
		least := j.cores() / float64(c.workers*c.threads) * (1 - c.jitter)
		// The coordinator reads all that is written, over its own network.
		moved := j.bytes()
		least = max(least, moved/c.network, 2*moved/c.store)
		if first.written < moved*(1-1e-9) || first.collected < moved*(1-1e-9) {
			t.Fatalf("%v bytes are written of %v, and %v collected", first.written, moved, first.collected)
		}
		if first.seconds < least*(1-1e-9) {
			t.Fatalf("it takes %v s, and %v at least", first.seconds, least)
		}
	})
	j := &job{classes: []class{{cores: 1000, blocks: 100}}}
	c := ideal(7)
	c.jitter = 0.5
	before := j.simulate(c).seconds
	if c.seed++; j.simulate(c).seconds == before {
		t.Error("another seed gives the same")
	}
}

// Flows that begin together share the rate: the shortest ends when each has transferred as
// much, and so on.
func TestFlowsShare(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		sizes := rapid.SliceOfN(rapid.Float64Range(1, 1000), 1, 20).Draw(t, "sizes")
		link, whole := rapid.Float64Range(1, 100).Draw(t, "link"), rapid.Float64Range(1, 100).Draw(t, "whole")
		k := &kernel{pipe: pipe{link: link, whole: whole}}
		ends := make([]float64, len(sizes))
		over := 0
		for i, size := range sizes {
			k.send(size, func() { ends[i], over = k.now, over+1 })
		}
		k.run(func() bool { return over == len(sizes) })
		sort.Float64s(sizes)
		sort.Float64s(ends)
		now, had := 0.0, 0.0
		for i, size := range sizes {
			now += (size - had) / min(link, whole/float64(len(sizes)-i))
			had = size
			if math.Abs(ends[i]-now) > 1e-6*now {
				t.Fatalf("the flow of %v ends at %v, not %v", size, ends[i], now)
			}
		}
	})
}

// A solve takes as long as the coordinator reads, whatever the workers and the store.
func TestCoordinatorReadsAll(t *testing.T) {
	j := &job{classes: []class{{cores: 1, blocks: 1000, bytes: 5e9}, {cores: 1, blocks: 1000, bytes: 5e9}}}
	c := ideal(200)
	c.network = 1e9
	if o := j.simulate(c); o.seconds < 10 || o.seconds > 11 {
		t.Errorf("10 GB at 1 GB/s take %v s", o.seconds)
	}
}

// A worker that keeps what it solves reads nothing of the class above, and one with little memory
// reads it for each group. The coordinator reads both classes.
func TestCache(t *testing.T) {
	j := &job{classes: []class{
		{cores: 1, blocks: 100, bytes: 100 * mib}, {cores: 1, blocks: 100, bytes: 100 * mib, links: 50},
	}}
	c := ideal(1)
	if o := j.simulate(c); o.read != 0 || !near(o.collected, 200*mib) {
		t.Errorf("%v bytes are read, %v by the coordinator", o.read, o.collected)
	}
	c.memory = 50 * mib
	if o := j.simulate(c); o.read < 2000*mib {
		t.Errorf("%v bytes are read", o.read)
	}
}

// Without a table the coordinator reads nothing, and the workers read each part again to check it.
func TestNoTableReads(t *testing.T) {
	j := &job{kind: noTable, checked: true, classes: []class{{cores: 1, blocks: 100, bytes: 1e9}, {cores: 1, blocks: 100, bytes: 1e9}}}
	if o := j.simulate(ideal(2)); o.collected != 0 || !near(o.read, 2e9) {
		t.Errorf("%v bytes are read, %v by the coordinator", o.read, o.collected)
	}
}

// Where workers write the table, the coordinator reads nothing. Workers read every group three times
// more: to count it, to write it, and to read back what another one wrote.
func TestWorkersWriteTheTable(t *testing.T) {
	j := &job{written: true, classes: []class{{cores: 10, blocks: 100, bytes: 200 * mib}, {cores: 10, blocks: 100, bytes: 100 * mib, links: 1}}}
	for _, workers := range []int{1, 2, 7} {
		o := j.simulate(ideal(workers))
		solved := o.read - 3*300*mib // what solving reads of the class above
		if o.collected != 0 || !near(o.written, 2*300*mib) || solved < 0 || solved > 200*mib*(1+1e-9) {
			t.Errorf("%d workers read %v bytes and write %v, and the coordinator reads %v", workers, o.read, o.written, o.collected)
		}
	}
}

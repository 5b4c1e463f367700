package retro

import (
	"math"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"time"

	"backsolve/bitslice"
	"backsolve/partition"
)

// Plan is what a solve will take, before it is begun.
type Plan struct {
	// Classes are the classes in the order in which they are solved.
	Classes []ClassPlan
	// Memory is Need, in bytes.
	Memory int64
	// Seconds is how long the solve is estimated to take with the given threads, by a
	// short calibration of this machine.
	Seconds float64
}

// ClassPlan is a class that will be solved.
type ClassPlan struct {
	Class, IndexBits int
	Blocks           int64
	// States is the number of stored states.
	States uint64
	// Folds is the number of words that are folded: the work of the class.
	Folds float64
}

// NewPlan estimates what a solve of a space takes. It measures this machine for a
// fraction of a second when it is first called for so many threads.
func NewPlan(space *partition.Space, o Options) *Plan {
	threads := o.WithDefaults().Threads
	speed, measured := speeds.Load(threads)
	if !measured {
		speed, _ = speeds.LoadOrStore(threads, calibrate(threads))
	}
	return planAt(space, o, speed.(float64))
}

// speeds has what calibrate returned, by threads.
var speeds sync.Map

// planAt assumes so many words a second.
func planAt(space *partition.Space, o Options, speed float64) *Plan {
	p := &Plan{Memory: Need(space, o)}
	counts := partition.BlockCounts(space)
	links := float64(len(space.Moves(0, nil)))
	var folds float64
	for class := space.MaskBits; class >= o.DownTo; class-- {
		k := space.IndexBits[class]
		c := ClassPlan{Class: class, IndexBits: k, Blocks: counts[class], States: uint64(counts[class]) << uint(k)}
		c.Folds = float64(c.Blocks) * foldsPerBlock(space, o.Steps, class, links)
		folds += c.Folds
		p.Classes = append(p.Classes, c)
	}
	p.Seconds = folds / speed
	return p
}

// foldsPerBlock is how many words are folded for a block of a class, in words of the
// calibration: over the links to the class above, and over the links inside as often as
// labels come by. The weights fit the solves in docs/reports/results.md.
func foldsPerBlock(space *partition.Space, steps bool, class int, links float64) float64 {
	words := float64(bitslice.Words(space.IndexBits[class]))
	marked := float64(class) / float64(max(space.MaskBits, 1))
	above, within := links*(1-marked), links*marked
	if space.Kind != partition.Cyclic {
		within = 0
	}
	digits := 0
	if steps {
		digits = StepDigits(space, class)
	}
	if space.Kind == partition.FixedSlice {
		// With each child come the digits of its steps, which are compared, and so they are
		// for the moves inside the slice.
		const (
			settling     = 36 // settling and counting
			childsDigit  = 6
			settledDigit = 85
		)
		return words * (above*(1+childsDigit*float64(digits)) + settling + settledDigit*float64(digits))
	}
	const (
		outcomes = 3 // planes
		sweeps   = 8 // over the links inside, for both outcomes
		labels   = 66
	)
	folds := words * (outcomes*above + sweeps*within + labels)
	if !steps {
		return folds
	}
	// Labels come ply by ply, in as many plies as the digits hold, and fewer the later: the
	// plies of each digit take about as much together. Every ply looks at every link besides.
	const (
		digit = 0.8
		look  = 48
	)
	return folds*max(1, digit*float64(digits)) + look*links*math.Exp2(float64(digits))
}

// calibrate returns the words a second that so many threads fold at once, over
// an index map like those of games: the most of some short measurements, since
// what else the machine does passes.
func calibrate(threads int) float64 {
	const k = 16
	m := bitslice.Identity(k)
	for _, s := range [][2]int{{1, 4}, {2, 8}, {9, 13}} {
		m.From[s[0]], m.From[s[1]] = m.From[s[1]], m.From[s[0]]
	}
	plan := bitslice.NewPlan(&m)
	// More slices than the cache of a core holds, as in a solve.
	src := make([]uint64, 64*bitslice.Words(k))
	for i := range src {
		src[i] = rand.Uint64()
	}
	const measurements, lasting = 5, 40 * time.Millisecond
	var most float64
	for range measurements {
		var folded atomic.Int64
		start := time.Now()
		var wg sync.WaitGroup
		for range threads {
			wg.Go(func() {
				var f bitslice.Folder
				dst := make([]uint64, bitslice.Words(k))
				for i := 0; time.Since(start) < lasting; i++ {
					at := i % 64 * len(dst)
					f.Fold(bitslice.OrNot, &plan, dst, bitslice.Whole(k), src[at:at+len(dst)], nil)
					folded.Add(int64(len(dst)))
				}
			})
		}
		wg.Wait()
		most = max(most, float64(folded.Load())/time.Since(start).Seconds())
	}
	return most
}

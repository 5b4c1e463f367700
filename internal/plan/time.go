package plan

import (
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"backsolve/internal/bitslice"
	"backsolve/partition"
)

// Seconds returns how long the solve is estimated to take. The first call for a number of
// threads measures this machine for a fraction of a second.
func (p *Plan) Seconds() float64 {
	threads := p.Threads
	if p.Elsewhere {
		threads = min(threads, runtime.NumCPU())
	}
	speed, measured := speeds.Load(threads)
	if !measured {
		speed, _ = speeds.LoadOrStore(threads, calibrate(threads))
	}
	return p.Folds / speed.(float64) * float64(threads) / float64(p.Threads)
}

var speeds sync.Map

// folds returns how many words are folded for a class, in words of the calibration. The weights
// were fitted to the solves in docs/reports/results.md, and to the classes of Quixo 3×6 and 4×5.
func (p *Plan) folds(c *Class) float64 {
	// With steps, each ply looks at few words. Where a plane exceeds the caches, these are in memory.
	const cached, uncached = 64 << 20, 2.1
	folds := float64(c.Blocks) * p.foldsPerBlock(c.Class)
	if p.Steps && p.space.Kind != partition.FixedSlice && 8*c.words() > cached {
		folds *= uncached
	}
	return folds
}

// WorkOf returns how much of the planned work of classes, which are solved one after the other,
// is done when a share of their states is. Behind the last, memory is freed and the table opened.
func WorkOf(classes []Class) func(share float64) float64 {
	const opening = 0.25 // words to fold meanwhile, for a byte of the table
	states, end := 0.0, 0.0
	for _, c := range classes {
		states, end = states+float64(c.States), end+opening*float64(c.Bytes)
	}
	if classes = slices.Clone(classes); len(classes) > 0 {
		classes[len(classes)-1].Folds += end
	}
	return func(share float64) (work float64) {
		left := share * states
		for _, c := range classes {
			part := min(left/float64(max(c.States, 1)), 1)
			work, left = work+part*c.Folds, left-part*float64(c.States)
			if left <= 0 {
				break
			}
		}
		return work
	}
}

// foldsPerBlock returns the folds for a block of a class: over the links to the class above, and
// over those inside it each time that labels arrive.
func (p *Plan) foldsPerBlock(class int) float64 {
	space, links := p.space, float64(p.moves)
	words := float64(bitslice.Words(space.IndexBits[class]))
	marked := float64(class) / float64(max(space.MaskBits, 1))
	above, within := links*(1-marked), links*marked
	if space.Kind != partition.Cyclic {
		within = 0
	}
	digits := 0
	if p.Steps {
		digits = p.digits(class)
	}
	if space.Kind == partition.FixedSlice {
		// The digits of the steps of each child are compared, also for moves inside the slice.
		const (
			solving     = 36 // solving and counting
			childDigit  = 6
			solvedDigit = 85
		)
		return words * (above*(1+childDigit*float64(digits)) + solving + solvedDigit*float64(digits))
	}
	const (
		outcomes = 3 // planes
		sweeps   = 8 // over the links inside, for both outcomes
		labels   = 66
		look     = 285 // at a link, however short the slice is
		part     = 25  // at the part of the slice that still has work, a smaller share of long slices
	)
	folds := words*(outcomes*above+sweeps*within+labels) + links*(part*math.Sqrt(words)+look)
	if !p.Steps {
		return folds
	}
	// Labels are found ply by ply, in about as many plies as the digits count.
	const (
		ply     = 2.7
		lookPly = 205
	)
	return folds + links*(ply*math.Exp2(float64(digits))*math.Pow(words, 0.6)+lookPly)
}

// calibrate returns how many words a second the threads fold together, over an index map like those of games: the
// best of some short measurements, which other load disturbs least.
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

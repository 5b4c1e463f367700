package generic

import (
	"cmp"
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"time"

	"backsolve/game/custom"
	"backsolve/internal/plan"
	"backsolve/tablebase"
)

// Plan is an estimate of the cost of a solve. If tiers are too large to be enumerated, it
// comes from samples: see Estimate.
type Plan struct {
	// States is how many states play can reach, with about 95 % probability from Low to High. High is 0 if the samples
	// are too small to bound it, and so is States if they are too small to estimate it.
	States int64
	Low    int64
	High   int64
	// Each has the tiers.
	Each []PlannedTier
	// Ranked says that the states are ranks, which need not be found.
	Ranked bool
	// Exact is the number of tiers that were enumerated whole, of Tiers.
	Tiers int
	Exact int
	// Samples is how many positions were expanded.
	Samples int
	// Memory is the bytes of the process without its files, at full speed; MinMemory is for few moves at a time, and
	// passes in tiers with loops. Disk is the bytes of work files and the table. All are for High;
	// without High, for States; without both, for Low.
	Memory    int64
	MinMemory int64
	Disk      int64
	// LeastMemory and LeastDisk are what Low states need at the very least.
	LeastMemory int64
	LeastDisk   int64
	// Seconds is about the processor time on this machine for States, or for Low without States.
	Seconds float64
}

// PlannedTier is an estimate of a tier.
type PlannedTier struct {
	States, Moves float64 // moves of a state
	Loops         bool
}

// PlanOptions bound what an estimate takes. Zero values stand for the defaults.
type PlanOptions struct {
	// Time is 5 seconds by default.
	Time time.Duration
	// Threads and Outcomes are as in Options. Outcomes matters only to games with ranks.
	Threads  int
	Outcomes bool
	// Progress is told now and then how many positions were expanded; it may be nil.
	Progress func(tablebase.Event)
}

const (
	replicates = 8
	// leastKeys is how many positions of a tier each replicate keeps at first; each further run keeps
	// moreKeys times as many.
	leastKeys = 32
	moreKeys  = 4
	// A tier with loops that is too large is sampled for planPlies plies, and one of planTargets
	// positions met there is looked at.
	planPlies   = 64
	planTargets = 8
	// sortTime is about the nanoseconds to sort and rank a move.
	sortTime = 20
	// closureHolds is the memory of a state in an enumerated tier, in samples.
	closureHolds = 3
	// leastDisk is the least bytes of disk that a state has been seen to take.
	leastDisk = 3
	// keyBytes and edgeBytes are the memory of a key that a thread collects, sorts and writes, and of a move that it
	// brings to its state, with the spare room of lists, and as much garbage.
	keyBytes  = 2 * 4 * 8
	edgeBytes = 2 * 2 * 16
	// processBytes is what the process takes besides: the runtime, and a heap that is too small to collect.
	processBytes = plan.RuntimeBytes + 8<<20
	// reportEvery is how many positions are expanded between two progress reports.
	reportEvery = 1 << 12
)

// mostSamples is how many samples an estimate keeps: 200 MB, if each takes about 48 bytes with the spare
// room of its list and garbage that is not collected yet. Tests make it small.
var mostSamples = 200_000_000 / 48

var errBounds = errors.New("the estimate takes too long, or too much memory")

type estimator struct {
	ctx      context.Context
	rules    custom.Rules
	expander custom.Expander
	tierNow  int
	loops    bool // of this tier
	err      error
	keys     int // of a tier that each replicate keeps; tiers of up to eight times as many are enumerated
	random   *rand.Rand
	progress func(tablebase.Event)
	found    []custom.Child
	// certain has the positions that whole tiers lead to, by tier; met has those that
	// samples lead to, by tier and replicate; out waits to be part of met.
	certain, met, out [][]sample
	// held counts the samples in these lists and others; peak was the most so far, most is the limit.
	held, peak, most int
	plan             Plan
	edges, threads   float64
	expanding        time.Duration
}

// Estimate estimates how many states play can reach, and what a solve takes. It samples more and
// more positions while its bounds allow, and returns the last estimate.
//
// The first tiers are enumerated. Then independent replicates sample tier by tier: they keep some positions, and meet
// all that these lead to. Counting what is met would count paths, of which some positions have more. But two
// replicates meet the same position twice as often if there are half as many. With m the number of times a state is
// expected to be met, pairs and triples of replicates give the sums of m² and m³ over all states; (Σm)²/Σm² is a lower
// bound for their number, and both together estimate it as if m had a log-normal distribution. The interval is from
// the lower bound to as far above the estimate. Of a game with ranks, a few positions of each unit are looked at.
// The error wraps ErrRules or is the context's.
func Estimate(ctx context.Context, rules custom.Rules, o PlanOptions) (Plan, error) {
	if ranked, ok := rules.(custom.Ranked); ok {
		return estimateRanked(ctx, ranked, o.Outcomes)
	}
	threads := o.Threads
	if threads == 0 {
		threads = runtime.GOMAXPROCS(0)
	}
	limit := cmp.Or(o.Time, 5*time.Second)
	deadline := time.Now().Add(limit)
	bounded, cancel := context.WithDeadlineCause(ctx, deadline, errBounds)
	defer cancel()
	var last Plan
	for keys, looked := leastKeys, 0; ; {
		began := time.Now()
		p := newEstimator(bounded, rules, keys, mostSamples)
		p.random, p.threads = rand.New(rand.NewPCG(0, uint64(keys))), float64(threads)
		p.progress = func(now tablebase.Event) {
			now.Done += uint64(looked)
			tablebase.Tell(o.Progress, now)
		}
		next, err := p.estimate()
		switch {
		case ctx.Err() != nil:
			return Plan{}, context.Cause(ctx)
		case err != nil && !errors.Is(err, errBounds):
			return Plan{}, err
		case err != nil && last.Tiers > 0:
			return last, nil
		}
		more := 0.8 * min(float64(time.Until(deadline))/float64(time.Since(began)+1), float64(mostSamples)/float64(p.peak+1))
		if more > moreKeys*moreKeys { // there is room for another one after the next
			more = moreKeys
		}
		if last = next; err != nil || last.Exact == last.Tiers || more < 1.5 {
			return last, nil
		}
		keys, looked = int(more*float64(keys)), looked+p.plan.Samples
	}
}

func newEstimator(ctx context.Context, rules custom.Rules, keys, most int) *estimator {
	tiers := rules.Tiers()
	return &estimator{
		ctx: ctx, rules: rules, expander: rules.NewExpander(), keys: keys, most: most, plan: Plan{Tiers: tiers, Each: make([]PlannedTier, tiers)},
		certain: make([][]sample, tiers), met: make([][]sample, tiers*replicates), out: make([][]sample, tiers*replicates),
	}
}

// estimate samples once. With errBounds, the plan has what is known so far.
func (p *estimator) estimate() (Plan, error) {
	start, err := startOf(p.rules)
	if err != nil {
		return Plan{}, err
	}
	p.certain[start.Tier] = []sample{{start.Key, 1}}
	var states, least, most, largest, largestLow, largestHigh, passes float64
	for t := range p.plan.Tiers {
		p.tierNow, p.loops = t, p.rules.Loops(t)
		edges, looked := p.edges, p.plan.Samples
		n, low, high := p.tier(t)
		if errors.Is(p.err, errBounds) {
			states, least, most = 0, max(least, 1), math.Inf(1)
			for rest := t; rest < p.plan.Tiers; rest++ {
				p.plan.Each[rest] = PlannedTier{0, p.edges / float64(max(p.plan.Samples, 1)), p.rules.Loops(rest)}
			}
			break
		}
		if p.err != nil {
			return Plan{}, p.err
		}
		states, least, most = states+n, least+low, most+high
		p.plan.Each[t] = PlannedTier{n, (p.edges - edges) / float64(max(p.plan.Samples-looked, 1)), p.loops}
		if p.loops {
			largest, largestLow, largestHigh, passes = max(largest, n), max(largestLow, low), max(largestHigh, high), passes+n
		}
		passes += 2 * n
	}
	looked := float64(max(p.plan.Samples, 1))
	moves, expand := p.edges/looked, float64(p.expanding)/looked
	count := func(n float64) int64 { return int64(min(n, 1<<62)) }
	p.plan.States, p.plan.Low, p.plan.High = count(states), count(least), count(most)
	if math.IsInf(most, 1) {
		p.plan.High, most, largestHigh = 0, max(states, least), largest
	}
	keys, edges := p.buffers()
	p.plan.Memory, p.plan.MinMemory, p.plan.Disk = count(keys+edges+largestHigh*(18+4*moves)), count(keys+6*largestHigh), count(6*most)
	p.plan.LeastMemory, p.plan.LeastDisk = count(plan.RuntimeBytes+6*largestLow), count(leastDisk*least)
	p.plan.Seconds = max(passes, 2*least) * (expand + moves*sortTime) / 1e9
	return p.plan, p.err
}

// buffers returns the bytes of the process besides the arrays of loops: with the keys that the threads have
// at a time, and of the moves, which a limit of memory bounds. Of a tier that is not estimated, they are the most.
func (p *estimator) buffers() (keys, edges float64) {
	for _, tier := range p.plan.Each {
		states := tier.States
		if p.plan.States == 0 {
			states = math.Inf(1)
		}
		keys = max(keys, keyBytes*min(p.threads*float64(max(bufferKeys, rangeKeys)), states*max(tier.Moves, 1)))
		edges = max(edges, edgeBytes*min(p.threads*float64(parentBlocks*blockKeys), states)*tier.Moves)
	}
	return processBytes + keys, edges
}

// tier estimates the number of states of a tier, and passes on where they lead to.
func (p *estimator) tier(t int) (n, low, high float64) {
	held := len(p.certain[t])
	defer func() { p.held -= held }()
	certain, sampled := merged(p.certain[t]), false
	p.certain[t] = nil
	from := make([][]sample, replicates)
	for r := range from {
		met := p.met[t*replicates+r]
		sampled, held = sampled || len(met) > 0, held+len(met)
		from[r], p.met[t*replicates+r] = merged(append(met, certain...)), nil
	}
	if !sampled {
		for i := range certain {
			certain[i].weight = 1
		}
		all, whole := p.closure(t, certain)
		p.hold(closureHolds * len(all))
		held += closureHolds * len(all)
		if n = float64(len(all)); whole && len(all) <= p.keys*replicates {
			p.plan.Exact++
			defer p.clock()()
			for _, s := range all {
				p.expand(s, func(tier int, s sample) {
					if tier != t {
						p.certain[tier] = append(p.certain[tier], s)
					}
				})
			}
			return n, n, n
		}
		for r := range from {
			from[r] = certain
		}
	}
	if !p.loops {
		if sampled {
			n, low, high = estimate(from, 1)
		} else {
			low, high = n, n
			p.plan.Exact++
		}
		p.advance(t, from, n)
		p.pass(1)
		return n, low, high
	}
	n, low, high, more := p.walk(t, from)
	held += more
	return n, low, high
}

// walk estimates the number of states of a tier with loops by following moves in it from samples. It
// leaves held samples, which end with the tier.
func (p *estimator) walk(t int, from [][]sample) (n, low, high float64, held int) {
	looked, mass, within := make([][]sample, replicates), 0.0, 0
	for range planPlies {
		// Layers count by the positions that all replicates meet, so that the first ones, which are
		// small, do not hide the others.
		layer := float64(len(merged(slices.Concat(from...))))
		mass += layer
		next := p.advance(t, from, layer)
		if p.err != nil {
			return 0, 0, 0, held
		}
		p.held, within = p.held-within, 0
		for r := range from {
			before := len(looked[r])
			for _, s := range from[r] {
				if s.key*0x9e3779b97f4a7c15>>32%planTargets == 0 {
					looked[r] = append(looked[r], s)
				}
			}
			p.hold(len(looked[r]) - before)
			held, within = held+len(looked[r])-before, within+len(next[r])
			from[r] = merged(next[r])
		}
	}
	held += within
	for r := range looked {
		looked[r] = merged(looked[r])
	}
	n, low, high = estimate(looked, planPlies)
	n, low, high = n*planTargets, low*planTargets, high*planTargets
	p.pass(n / mass)
	return n, low, high, held
}

func (p *estimator) pass(factor float64) {
	for i, out := range p.out {
		for _, s := range out {
			p.met[i] = append(p.met[i], sample{s.key, s.weight * factor})
		}
		p.out[i] = nil
	}
}

// closure returns all states of a tier without samples, and whether they were found: those
// of a tier with loops may be too many.
func (p *estimator) closure(t int, from []sample) (all []sample, whole bool) {
	seen := map[uint64]bool{}
	for _, s := range from {
		seen[s.key] = true
	}
	all = slices.Clone(from)
	defer p.clock()()
	for i := 0; p.loops && i < len(all); i++ {
		if len(all) > p.keys*replicates || p.err != nil {
			return all, false
		}
		for _, c := range p.children(t, all[i].key) {
			if c.Tier == t && !seen[c.Key] {
				seen[c.Key] = true
				all = append(all, sample{c.Key, 1})
			}
		}
	}
	return all, true
}

// advance thins the samples of each replicate, whose states are n, and expands what is kept.
// Positions of the tier itself are returned, others wait for pass.
func (p *estimator) advance(t int, from [][]sample, n float64) (within [][]sample) {
	defer p.clock()()
	within = make([][]sample, replicates)
	for r, samples := range from {
		keys := float64(p.keys)
		if p.loops {
			keys /= planTargets
		}
		sum, rate := shares(samples, keys)
		for _, s := range samples {
			keep := min(1, s.weight*rate)
			if p.err != nil {
				return within
			}
			if p.random.Float64() >= keep {
				continue
			}
			s.weight *= n / sum / keep
			p.expand(s, func(tier int, child sample) {
				if tier == t {
					within[r] = append(within[r], child)
				} else {
					p.out[tier*replicates+r] = append(p.out[tier*replicates+r], child)
				}
			})
		}
	}
	return within
}

func (p *estimator) clock() func() {
	began := time.Now()
	return func() { p.expanding += time.Since(began) }
}

// expand calls f for the children of a position, with its weight. They count as held.
func (p *estimator) expand(s sample, f func(tier int, s sample)) {
	children := p.children(p.tierNow, s.key)
	p.hold(len(children))
	for _, c := range children {
		f(c.Tier, sample{c.Key, s.weight})
	}
}

func (p *estimator) hold(samples int) {
	p.held += samples
	if p.peak = max(p.peak, p.held); p.held > p.most {
		p.err = errBounds
	}
}

// children returns where moves lead, and nothing once the estimate has ended.
func (p *estimator) children(tier int, key uint64) []custom.Child {
	if p.ctx.Err() != nil {
		p.err = context.Cause(p.ctx)
	}
	if p.err != nil {
		return nil
	}
	at := custom.Child{Key: key, Tier: tier}
	found, _, _, err := p.expander.Expand(p.found[:0], at)
	if err != nil {
		p.err = wrongRules(err)
		return nil
	}
	p.found = found
	if p.plan.Samples++; p.plan.Samples%reportEvery == 0 {
		tablebase.Tell(p.progress, tablebase.Event{Stage: Planning, At: tier, Unit: "states", Done: uint64(p.plan.Samples)})
	}
	p.edges += float64(len(p.found))
	for _, c := range p.found {
		if c.Tier < p.tierNow || c.Tier >= p.plan.Tiers || c.Tier == p.tierNow && !p.loops {
			p.err = badMove(p.rules, at, c)
			return nil
		}
	}
	return p.found
}

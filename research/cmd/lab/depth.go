package main

import (
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"

	"gonum.org/v1/gonum/stat/distuv"

	"backsolve/internal/player/arena"
	"backsolve/research/internal/interval"
)

// The depth of a ladder is the number of doublings of the time for a move from lowShareOf to
// highShareOf of the ceiling, the strength of a perfect player against another one.
const (
	ceiling                 = 50.0
	lowShareOf, highShareOf = 0.1, 0.9
)

// climbed is the ladder of one kind of agent on one board against the perfect player.
type climbed struct {
	settings
	kind   string       // mcts, minimax or network
	points []matchPoint // by time
	grid   *fitted      // of those on the grid
}

// depthOf is a depth, which is more if the ladder begins above or ends below the shares.
type depthOf struct {
	doublings      float64
	late, unclosed bool
	from, to       float64 // seconds
}

// climbs returns all ladders with times of three or more points, mcts first and the deepest first.
func climbs(boards []*ladder) (all []climbed) {
	for _, l := range boards {
		kinds := map[string][]matchPoint{}
		for _, p := range l.strength.Points {
			kind, _, _ := strings.Cut(p.Agent, ":")
			if p.Opponent == perfect.String() && p.SecondsPerMove > 0 && p.Iterations != 0 && slices.Contains(depthKinds, kind) {
				kinds[kind] = append(kinds[kind], p)
			}
		}
		for kind, points := range kinds {
			slices.SortFunc(points, func(a, b matchPoint) int { return effort(a.Agent) - effort(b.Agent) })
			for i := range points[1:] { // what is measured of short times may fall a little
				points[i+1].SecondsPerMove = max(points[i].SecondsPerMove, points[i+1].SecondsPerMove)
			}
			grid := slices.DeleteFunc(slices.Clone(points), func(p matchPoint) bool { return kind == depthKinds[0] && !inGrid(p.Iterations) })
			if len(grid) >= 3 {
				all = append(all, climbed{l.strength.Settings, kind, points, fit(grid, fitSeed)})
			}
		}
	}
	slices.SortFunc(all, func(a, b climbed) int {
		if a.kind != b.kind {
			return slices.Index(depthKinds, a.kind) - slices.Index(depthKinds, b.kind)
		}
		return cmp.Or(cmp.Compare(b.grid.depth().doublings, a.grid.depth().doublings), strings.Compare(a.word(), b.word()))
	})
	return all
}

// effort is the number in the name of an agent: mcts:100, minimax:depth=4.
func effort(agent string) int {
	n, _ := strconv.Atoi(agent[strings.LastIndexAny(agent, ":=")+1:])
	return n
}

var depthKinds = []string{"mcts", "minimax", networkKind}

// inGrid reports whether iterations are on the grid of all boards: 1, 2, 5, 10, 20, …
func inGrid(iterations int) bool {
	for iterations >= 10 && iterations%10 == 0 {
		iterations /= 10
	}
	return iterations == 1 || iterations == 2 || iterations == 5
}

// depthIn returns the depth of strengths that never fall, of points by time. Between two
// points the strength is a line over the logarithm of time.
func depthIn(strengths []float64, points []matchPoint) (d depthOf) {
	reach := func(strength float64) float64 {
		i := slices.IndexFunc(strengths, func(s float64) bool { return s >= strength })
		switch i {
		case 0:
			return math.Log2(points[0].SecondsPerMove)
		case -1:
			return math.Log2(points[len(points)-1].SecondsPerMove)
		}
		a, b := math.Log2(points[i-1].SecondsPerMove), math.Log2(points[i].SecondsPerMove)
		return a + (b-a)*(strength-strengths[i-1])/(strengths[i]-strengths[i-1])
	}
	low, high := ceiling*lowShareOf, ceiling*highShareOf
	from, to := reach(low), reach(high)
	return depthOf{max(0, to-from), strengths[0] > low, strengths[len(strengths)-1] < high, math.Exp2(from), math.Exp2(to)}
}

// The texts of ladders that have no depth.
const (
	belowAll = "below 10 %"
	aboveAll = "above 90 % at once"
)

func (f *fitted) depth() depthOf { return depthIn(f.strength, f.points) }

// text gives the depth with its bootstrap interval, open at an end that is not reached.
func (f *fitted) text() string {
	d := f.depth()
	switch {
	case f.strength[len(f.strength)-1] < ceiling*lowShareOf:
		return belowAll
	case f.strength[0] >= ceiling*highShareOf:
		return aboveAll
	}
	var again []float64
	open := 0
	for _, drawn := range f.drawn {
		r := depthIn(drawn, f.points)
		if again = append(again, r.doublings); r.unclosed {
			open++
		}
	}
	low, high := interval.Middle(again)
	text, end := oneDigit(d.doublings), "–"+oneDigit(high)
	if d.late || d.unclosed {
		text = "≥ " + text
	}
	if 40*open > len(f.drawn) {
		end = " or more"
	}
	return fmt.Sprintf("%s (%.1f%s)", text, low, end)
}

func depths(all []climbed) [][]string {
	rows := [][]string{{"board", "agent", "points", "weakest", "strongest", "doublings", "milliseconds at 10 %", "at 90 %", "every second point", "the other points", "all points measured"}}
	for _, c := range all {
		points, d := c.grid.points, c.grid.depth()
		at10, at90 := milliseconds(d.from), milliseconds(d.to)
		if d.late {
			at10 = "-"
		}
		if d.unclosed {
			at90 = "-"
		}
		rows = append(rows, []string{
			boardName(c.settings), c.kind, fmt.Sprint(len(points)), interval.Text(points[0].strength()), interval.Text(points[len(points)-1].strength()),
			c.grid.text(), at10, at90, c.half(0), c.half(1), fit(c.points, fitSeed).text(),
		})
	}
	return rows
}

// leastWin is the strength with which a rung of a ladder beats the one below: three games in four.
const leastWin = 75

// rungs returns the table of the longest chains of mcts in which each agent beats the one below by
// leastWin in their match. It is a lower bound, as only some agents have played each other.
func rungs(boards []*ladder) [][]string {
	rows := [][]string{{"board", "rungs", "agents, the weakest first", "milliseconds of the strongest"}}
	for _, l := range boards {
		chains, top := map[string][]string{}, matchPoint{}
		for _, p := range climbing(l.strength.Points, func(p matchPoint) bool { return p.Strength >= leastWin && p.StrengthLow > 50 }) {
			below := iterationsOf(p.Opponent)
			if below == noIterations || below >= p.Iterations {
				continue
			}
			if chains[p.Opponent] == nil {
				chains[p.Opponent] = []string{p.Opponent}
			}
			if len(chains[p.Opponent]) >= len(chains[p.Agent]) {
				chains[p.Agent] = append(slices.Clone(chains[p.Opponent]), p.Agent)
			}
			if len(chains[p.Agent]) > len(chains[top.Agent]) {
				top = p
			}
		}
		if chain := chains[top.Agent]; chain != nil {
			rows = append(rows, []string{boardName(l.strength.Settings), fmt.Sprintf("≥ %d", len(chain)), strings.Join(chain, " "), milliseconds(top.SecondsPerMove)})
		}
	}
	return rows
}

// half gives the depth by every second point of the grid, a hyphen if there is only one.
func (c *climbed) half(first int) string {
	var some []matchPoint
	for i := first; i < len(c.grid.points); i += 2 {
		some = append(some, c.grid.points[i])
	}
	if len(some) < 2 {
		return "-"
	}
	return fit(some, fitSeed).text()
}

// milliseconds formats a time with two significant digits, nothing if it is unknown.
func milliseconds(seconds float64) string {
	if seconds == 0 {
		return ""
	}
	ms := 1000 * seconds
	digits := max(0, 1-int(math.Floor(math.Log10(ms))))
	return fmt.Sprintf("%.*f", digits, ms)
}

func plotDepths(dir string, all []climbed) error {
	byGame := map[string][]sample{}
	for _, c := range all {
		if c.kind == depthKinds[0] {
			byGame[c.Game] = append(byGame[c.Game], curvesOf(c.grid.points, func(p matchPoint) (string, arena.Estimate, bool) {
				return boardName(c.settings), p.strength(), true
			})...)
		}
	}
	for game, samples := range byGame {
		slices.SortStableFunc(samples, func(a, b sample) int { return strings.Compare(a.curve, b.curve) })
		p := plot{"depth-" + game, game + ": strength of mcts against optimal, over time", strengthAxis, samples}
		if err := p.draw(dir, "", timeName, byTime); err != nil {
			return err
		}
	}
	return nil
}

// fitted is the fit of a ladder by the closest strengths that never fall: more time is taken to weaken no agent.
type fitted struct {
	points   []matchPoint // by time
	strength []float64
	drawn    [][]float64 // strengths of fits to resampled games
}

const fitSeed = 1

func fit(points []matchPoint, seed uint64) *fitted {
	f := &fitted{points: points}
	var strengths, weights []float64
	for _, p := range points {
		strengths, weights = append(strengths, p.Strength), append(weights, float64(gameCount(p)))
	}
	f.strength = monotone(strengths, weights)
	source := rand.NewPCG(seed, fitSeed)
	for range interval.Resamples {
		again := make([]float64, len(points))
		for i, p := range points {
			again[i] = 100 * (drawAgain(p.began(), source) + drawAgain(p.replied(), source)) / weights[i]
		}
		f.drawn = append(f.drawn, monotone(again, weights))
	}
	return f
}

// drawAgain draws the score of as many games with the same frequencies. Half a win and half a
// loss more (Jeffreys prior) keep results possible that did not occur.
func drawAgain(t arena.Tally, source rand.Source) float64 {
	n := float64(t.Games())
	if n == 0 {
		return 0
	}
	win := (float64(t.Wins) + 0.5) / (n + 1)
	wins := distuv.Binomial{N: n, P: win, Src: source}.Rand()
	if t.Draws == 0 || wins == n {
		return wins
	}
	draw := float64(t.Draws) / (n + 1) / (1 - win)
	return wins + distuv.Binomial{N: n - wins, P: draw, Src: source}.Rand()/2
}

// monotone returns the sequence without a fall that is closest to the values, by weighted least
// squares. It pools adjacent violators (Ayer and others, 1955).
func monotone(values, weights []float64) []float64 {
	type pool struct {
		mean, weight float64
		size         int
	}
	var pools []pool
	for i, v := range values {
		p := pool{v, weights[i], 1}
		for len(pools) > 0 && pools[len(pools)-1].mean >= p.mean {
			q := pools[len(pools)-1]
			pools = pools[:len(pools)-1]
			p = pool{(q.mean*q.weight + p.mean*p.weight) / (q.weight + p.weight), q.weight + p.weight, q.size + p.size}
		}
		pools = append(pools, p)
	}
	all := make([]float64, 0, len(values))
	for _, p := range pools {
		all = append(all, slices.Repeat([]float64{p.mean}, p.size)...)
	}
	return all
}

package main

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"backsolve/game/games"
	"backsolve/internal/player"
	"backsolve/internal/player/arena"
)

// finding is a published observation and what the data say about it.
type finding struct {
	Claim     string
	Method    string     // when a board or game counts as showing it
	On, NotOn []string   // the boards or games that show it, and the others
	File      string     // the CSV file of Rows
	Rows      [][]string // the first row names the columns
	Notes     []string   // on exceptions
}

func (f *finding) seen(name string, shows bool) {
	if shows {
		f.On = append(f.On, name)
	} else {
		f.NotOn = append(f.NotOn, name)
	}
}

// Where names the boards or games that do not show the observation.
func (f *finding) Where() string {
	all := len(f.On) + len(f.NotOn)
	switch {
	case all == 0:
		return "Not measured"
	case len(f.NotOn) == 0:
		return fmt.Sprintf("Visible on all %d", all)
	}
	return fmt.Sprintf("Visible on %d of %d, not on %s", len(f.On), all, strings.Join(f.NotOn, ", "))
}

func (f *finding) note(format string, args ...any) {
	f.Notes = append(f.Notes, fmt.Sprintf(format, args...))
}

const (
	visible     = "visible"
	notVisible  = "not visible"
	notMeasured = "not measured"
)

func verdict(seen bool) string {
	if seen {
		return visible
	}
	return notVisible
}

func rise(g *ladders) finding {
	f := finding{
		Claim:  "Against an opponent that never blunders, MCTS rises to a strength of 50.",
		Method: "the interval at the most iterations reaches 50 and lies above that at the fewest",
		File:   "rise",
		Rows:   [][]string{{"board", "fewest iterations", "strength", "most iterations", "strength", "here"}},
	}
	for _, l := range g.Boards {
		points := l.climb(perfect)
		if len(points) < 2 {
			continue
		}
		low, high := points[0], points[len(points)-1]
		here := visible
		switch {
		case high.StrengthLow <= low.StrengthHigh:
			here = notVisible
			f.note("On %s no rise shows.", l.Name())
		case high.StrengthHigh < 50:
			here = "rises"
			f.note("On %s it still rises at %d iterations and wins %s as first, %s as second player.",
				l.Name(), high.Iterations,
				shareOf(high.began().Wins, high.began().Games()), shareOf(high.replied().Wins, high.replied().Games()))
		}
		f.seen(l.Name(), here == visible)
		f.Rows = append(f.Rows, []string{l.Name(), fmt.Sprint(low.Iterations), strengthText(low),
			fmt.Sprint(high.Iterations), strengthText(high), here})
	}
	return f
}

// onPlateau is the least strength on the plateau: nine tenths of a perfect player's.
const onPlateau = 45

// plateau returns the first iterations at which a point and its neighbours have the mean
// strength of the plateau, false if there are none.
func plateau(points []matchPoint) (int, bool) {
	for i := 1; i < len(points)-1; i++ {
		if (points[i-1].Strength+points[i].Strength+points[i+1].Strength)/3 >= onPlateau {
			return points[i].Iterations, true
		}
	}
	return 0, false
}

func plateaus(g *ladders) finding {
	f := finding{
		Claim: "Larger boards reach their plateau later.",
		Method: fmt.Sprintf("the plateau begins where a point and its two neighbours have a mean strength of %d; "+
			"a game counts if its boards reach it in the order of their sizes", onPlateau),
		File: "plateaus",
		Rows: [][]string{{"board", "start", "plateau from", "right moves of random play"}},
	}
	for _, game := range g.games() {
		at := plateausOf(g.of(game), &f)
		if len(at) < 2 {
			continue
		}
		inOrder := slices.IsSorted(at) && at[0] < at[len(at)-1]
		f.seen(gameTitle(game), inOrder)
		switch {
		case inOrder:
		case math.IsInf(slices.Min(at), 1):
			f.note("In %s no board reaches its plateau, so the order is unknown.", gameTitle(game))
		default:
			f.note("Difficulty also depends on who wins and on how many moves are right.")
		}
	}
	return f
}

// plateausOf adds the plateaus of a game and returns them by size, infinite if not reached.
func plateausOf(boards []*ladder, f *finding) (at []float64) {
	for _, l := range boards {
		points := l.climb(perfect)
		if len(points) < 3 {
			continue
		}
		from, text := math.Inf(1), fmt.Sprintf("beyond %d", points[len(points)-1].Iterations)
		if n, ok := plateau(points); ok {
			from, text = float64(n), fmt.Sprint(n)
		}
		at = append(at, from)
		right := "-"
		if e := l.Exam("mcts:0"); e != nil {
			right = percentText(e.lenient())
		}
		f.Rows = append(f.Rows, []string{l.Name(), noun(l.Start()), text, right})
	}
	return at
}

func measures(g *ladders) finding {
	f := finding{
		Claim:  "The lenient accuracy is at least the strict one.",
		Method: "on all boards",
		File:   "lenient-strict",
		Rows:   [][]string{{"board", "agents", "of them with lenient < strict", "least difference", "greatest difference", "here"}},
	}
	for _, l := range g.Boards {
		if l.accuracy == nil {
			continue
		}
		agents, wrong, least, most := 0, 0, math.Inf(1), math.Inf(-1)
		for _, p := range l.accuracy.Points {
			if p.Strict < 0 {
				continue
			}
			agents++
			difference := 100 * (p.LenientShare - p.StrictShare)
			least, most = min(least, difference), max(most, difference)
			if p.Lenient < p.Strict {
				wrong++
			}
		}
		if agents == 0 {
			f.note("The table of %s has no steps, so its strict accuracy is unknown.", l.Name())
			continue
		}
		f.seen(l.Name(), wrong == 0)
		f.Rows = append(f.Rows, []string{l.Name(), fmt.Sprint(agents), fmt.Sprint(wrong),
			oneDigit(least) + " %", oneDigit(most) + " %", verdict(wrong == 0)})
	}
	return f
}

func policies(g *ladders) finding {
	f := finding{
		Claim:  "An opponent that blunders is harder to beat if it otherwise plays `shortest`, not `optimal`.",
		Method: "`mcts` is stronger against `optimal` than against `shortest`, in the mean over iterations and blunders",
		File:   "blunders",
		Rows:   [][]string{{"board", "p", "numbers of iterations", "strength against optimal - shortest", "here"}},
	}
	for _, l := range g.Boards {
		var all difference
		for _, blunder := range standardBlunders[1:] {
			d := l.gain(blunder, &all)
			if d.pairs > 0 {
				f.Rows = append(f.Rows, []string{l.Name(), floatText(blunder), fmt.Sprint(d.pairs), estimateText(d.mean(), "%+.1f"), ""})
			}
		}
		if all.pairs == 0 {
			continue
		}
		harder := all.mean().Low > 0
		f.seen(l.Name(), harder)
		f.Rows = append(f.Rows, []string{l.Name(), "all", fmt.Sprint(all.pairs), estimateText(all.mean(), "%+.1f"), verdict(harder)})
		switch {
		case harder:
		case all.mean().High < 0:
			f.note("On %s it is the reverse.", l.Name())
		default:
			f.note("On %s the difference is within chance.", l.Name())
		}
	}
	return f
}

// gain returns how much stronger mcts is against optimal than against shortest if both blunder
// with a probability, and adds it to all.
func (l *ladder) gain(blunder float64, all *difference) (d difference) {
	for _, p := range l.climb(player.Strength{Policy: player.Optimal, Blunder: blunder}) {
		if q := l.Result(p.Agent, player.Strength{Policy: player.Shortest, Blunder: blunder}.String()); q != nil {
			d.add(p, *q)
			all.add(p, *q)
		}
	}
	return d
}

// difference is the mean difference of strengths measured in pairs. The games of a pair are
// against different opponents, so they are independent, and squares of intervals add.
type difference struct {
	pairs             int
	sum, below, above float64 // the latter squares
}

func (d *difference) add(p, q matchPoint) {
	d.pairs++
	d.sum += p.Strength - q.Strength
	d.below += math.Pow(p.Strength-p.StrengthLow, 2) + math.Pow(q.StrengthHigh-q.Strength, 2)
	d.above += math.Pow(p.StrengthHigh-p.Strength, 2) + math.Pow(q.Strength-q.StrengthLow, 2)
}

func (d *difference) mean() arena.Estimate {
	n := float64(d.pairs)
	return arena.Estimate{Value: d.sum / n, Low: (d.sum - math.Sqrt(d.below)) / n, High: (d.sum + math.Sqrt(d.above)) / n}
}

func learning(g *ladders) finding {
	f := finding{
		Claim:  "Q-learning with linear features stays far below MCTS.",
		Method: "the intervals of strength and lenient accuracy lie below those of `mcts` with the most iterations",
		File:   "qlearning",
		Rows:   [][]string{{"board", "strength of qlearning-actions", "of mcts", "passed by mcts with", "accuracy of qlearning-actions", "of mcts", "here"}},
	}
	for _, l := range g.Boards {
		q, eq, points, exams := l.Result(byActions, perfect.String()), l.Exam(byActions), l.climb(perfect), l.exams()
		if q == nil || eq == nil || len(points) == 0 || len(exams) == 0 {
			continue
		}
		best, bestExam := points[len(points)-1], exams[len(exams)-1]
		below := q.StrengthHigh < best.StrengthLow && eq.LenientHigh < bestExam.LenientLow
		f.seen(l.Name(), below)
		f.Rows = append(f.Rows, []string{l.Name(), strengthText(*q), strengthText(best), passedBy(*q, points),
			percentText(eq.lenient()), percentText(bestExam.lenient()), verdict(below)})
		switch {
		case best.Strength <= q.Strength:
			f.note("On %s `mcts` with %d iterations is not stronger.", l.Name(), best.Iterations)
		case !below:
			f.note("On %s `mcts` is ahead by %.1f in strength and %.1f %% in accuracy, but intervals overlap.", l.Name(),
				best.Strength-q.Strength, 100*(bestExam.LenientShare-eq.LenientShare))
		}
	}
	return f
}

// passedBy returns the fewest iterations from which all points are above q.
func passedBy(q matchPoint, points []matchPoint) string {
	passed := "none"
	for i := len(points) - 1; i >= 0 && points[i].Strength > q.Strength; i-- {
		passed = fmt.Sprintf("%d iterations", points[i].Iterations)
	}
	return passed
}

func gameCount(p matchPoint) int { return p.began().Games() + p.replied().Games() }

func gameTitle(name string) string {
	if g, err := games.Lookup(name); err == nil {
		return g.Title
	}
	return name
}

// boardName returns the title of a board: Quixo 3×3, Nim 1-3-5.
func boardName(b board) string {
	g, err := games.Lookup(b.game)
	if err != nil {
		return b.word()
	}
	info := g.New(b.size).Info()
	return g.Title + strings.TrimPrefix(info.String(), info.Name)
}

func strengthText(p matchPoint) string { return rangeText(p.strength()) }

func rangeText(e arena.Estimate) string {
	return fmt.Sprintf("%.1f (%.1f–%.1f)", e.Value, e.Low, e.High)
}

func oneDigit(x float64) string { return fmt.Sprintf("%.1f", x) }

func shareOf(count, n int) string { return fmt.Sprintf("%.0f %%", 100*float64(count)/float64(n)) }

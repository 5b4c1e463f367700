package main

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"backsolve/game/games"
	"backsolve/player"
	"backsolve/player/arena"
)

// finding is a published observation and what the data say of it.
type finding struct {
	Claim   string
	Verdict string
	// Method says how the verdict comes about.
	Method string
	// Rows are the numbers; the first one names the columns.
	Rows [][]string
	// Notes explain what differs.
	Notes []string
}

// note adds an explanation.
func (f *finding) note(format string, args ...any) {
	f.Notes = append(f.Notes, fmt.Sprintf(format, args...))
}

// The verdicts.
const (
	visible       = "visible"
	partlyVisible = "partly visible"
	notVisible    = "not visible"
	notMeasured   = "not measured"
)

// verdict sums up in how many of some cases an observation is visible.
func verdict(seen, cases int) string {
	switch {
	case cases == 0:
		return notMeasured
	case seen == cases:
		return visible
	case seen == 0:
		return notVisible
	}
	return partlyVisible
}

// findings checks all observations.
func (g *ladders) findings() []finding {
	return []finding{g.rise(), g.plateaus(), g.measures(), g.policies(), g.learning()}
}

// rise: the ladder rises to 50 where the opponent does not blunder.
func (g *ladders) rise() finding {
	f := finding{
		Claim: "Against a player without blunders the ladder rises to 50.",
		Method: "It rises on a board where the strength at the most iterations is above that at the least, with intervals that do not " +
			"overlap, and is visible where the interval also reaches 50.",
		Rows: [][]string{{"board", "least iterations", "strength", "most iterations", "strength", "here"}},
	}
	seen, cases := 0, 0
	var flat []string // boards without a rise
	for _, l := range g.boards {
		points := l.climb(perfect)
		if len(points) < 2 {
			continue
		}
		low, high := points[0], points[len(points)-1]
		here := visible
		cases++
		switch {
		case high.StrengthLow <= low.StrengthHigh:
			here = notVisible
			flat = append(flat, boardName(l.board))
		case high.StrengthHigh >= 50:
			seen++
		default:
			here = "rises"
			f.note("On %s the rise goes on beyond %d iterations: at its end %.1f of 50 are reached, with %s of the games won that the agent begins and "+
				"%s of the others.", boardName(l.board), high.Iterations, high.Strength,
				shareOf(high.began().Wins, high.began().Games()), shareOf(high.replied().Wins, high.replied().Games()))
		}
		f.Rows = append(f.Rows, []string{boardName(l.board), fmt.Sprint(low.Iterations), strengthText(low),
			fmt.Sprint(high.Iterations), strengthText(high), here})
	}
	if flat != nil {
		f.note("There is no rise that so many games can show on %s.", strings.Join(flat, ", "))
	}
	f.Verdict = verdict(seen, cases)
	if seen == 0 && len(flat) < cases {
		f.Verdict = partlyVisible
	}
	return f
}

// onPlateau is the strength from which on an agent counts as being on the plateau: nine
// tenths of that of a perfect one.
const onPlateau = 45

// plateau returns the first number of iterations at which the mean strength of a
// point and its neighbours is that of the plateau; false where that is beyond all.
func plateau(points []matchPoint) (int, bool) {
	for i := 1; i < len(points)-1; i++ {
		if (points[i-1].Strength+points[i].Strength+points[i+1].Strength)/3 >= onPlateau {
			return points[i].Iterations, true
		}
	}
	return 0, false
}

// plateaus: larger boards reach their plateau later.
func (g *ladders) plateaus() finding {
	f := finding{
		Claim: "Larger boards reach their plateau later.",
		Method: fmt.Sprintf("The plateau begins at the first number of iterations at which the mean strength of it and its two neighbours "+
			"against a player without blunders is %d or more. Visible in a game where no board reaches it before a smaller one, and the largest "+
			"one after the smallest one.", onPlateau),
		Rows: [][]string{{"board", "the first player has a", "plateau from", "right moves of random play"}},
	}
	seen, cases := 0, 0
	for _, game := range g.games() {
		at := g.plateausOf(game, &f)
		if len(at) < 2 {
			continue
		}
		cases++
		switch {
		case slices.IsSorted(at) && at[0] < at[len(at)-1]:
			seen++
		case math.IsInf(slices.Min(at), 1):
			f.note("In %s no board reaches its plateau in the series, so that nothing is seen of their order.", game)
		default:
			f.note("In %s the order is not that of the sizes. How hard a board is depends also on who is to win, and on how many moves are right: "+
				"the last column is the share of positions in which a random move keeps the outcome.", game)
		}
	}
	f.Verdict = verdict(seen, cases)
	return f
}

// plateausOf adds the plateaus of a game and returns them by the size of the board,
// infinite where they are beyond the series.
func (g *ladders) plateausOf(game string, f *finding) (at []float64) {
	for _, l := range g.of(game) {
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
		if e, ok := l.exam("mcts:0"); ok {
			right = percentText(e.lenient())
		}
		f.Rows = append(f.Rows, []string{boardName(l.board), noun(l.strength.Settings.Start), text, right})
	}
	return at
}

// measures: the lenient accuracy is at least the strict one.
func (g *ladders) measures() finding {
	f := finding{
		Claim:  "The lenient accuracy is at least the strict one.",
		Method: "Visible on a board where it is so for every agent. It must be, as a move that is right by the strict measure is so by the lenient one.",
		Rows:   [][]string{{"board", "agents", "of them with lenient < strict", "least difference", "greatest difference", "here"}},
	}
	seen, cases := 0, 0
	for _, l := range g.boards {
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
			f.note("The table of %s has no steps, so that only the lenient accuracy is known.", boardName(l.board))
			continue
		}
		cases++
		seen += boolCount(wrong == 0)
		f.Rows = append(f.Rows, []string{boardName(l.board), fmt.Sprint(agents), fmt.Sprint(wrong),
			oneDigit(least) + " %", oneDigit(most) + " %", verdict(boolCount(wrong == 0), 1)})
	}
	f.Verdict = verdict(seen, cases)
	return f
}

// policies: who blunders is harder to beat with the policy shortest.
func (g *ladders) policies() finding {
	f := finding{
		Claim: "A player who blunders is harder to beat if it otherwise plays `shortest` and not `optimal`.",
		Method: "For each board and probability of a blunder, the mean of the strength of mcts against `optimal` less that against `shortest`, over " +
			"the numbers of iterations measured for both; 95 % intervals. Visible on a board where that over all probabilities is above 0.",
		Rows: [][]string{{"board", "p", "numbers of iterations", "strength against optimal - shortest", "here"}},
	}
	seen, cases := 0, 0
	for _, l := range g.boards {
		var all difference
		for _, blunder := range standardBlunders[1:] {
			var d difference
			for _, p := range l.climb(player.Strength{Policy: player.Optimal, Blunder: blunder}) {
				if q, ok := l.against(p.Agent, player.Strength{Policy: player.Shortest, Blunder: blunder}); ok {
					d.add(p, q)
					all.add(p, q)
				}
			}
			if d.pairs > 0 {
				f.Rows = append(f.Rows, []string{boardName(l.board), floatText(blunder), fmt.Sprint(d.pairs), estimateText(d.mean(), "%+.1f"), ""})
			}
		}
		if all.pairs == 0 {
			continue
		}
		cases++
		harder := all.mean().Low > 0
		seen += boolCount(harder)
		f.Rows = append(f.Rows, []string{boardName(l.board), "all", fmt.Sprint(all.pairs), estimateText(all.mean(), "%+.1f"), verdict(boolCount(harder), 1)})
		if !harder {
			f.note("%s", l.policiesNote(all.mean()))
		}
	}
	f.Verdict = verdict(seen, cases)
	return f
}

// policiesNote explains why who blunders is not harder to beat with shortest.
func (l *ladder) policiesNote(d arena.Estimate) string {
	if d.High < 0 {
		return fmt.Sprintf("On %s it is the other way round. Who has lost holds out the longest with `shortest`, which gives the opponent more moves to go "+
			"wrong; but among the moves that keep a win it chooses by the steps of perfect play, and not by how easily this opponent goes wrong.", boardName(l.board))
	}
	return fmt.Sprintf("On %s the difference is not above what chance makes of it. Without blunders the games lost to `shortest` have %s plies on average, "+
		"those lost to `optimal` %s: the closer these are, the less there is to gain.", boardName(l.board), meanLength(l.climb(quick)), meanLength(l.climb(perfect)))
}

// meanLength is the mean number of plies of the games lost in all points.
func meanLength(points []matchPoint) string {
	lost, plies := 0, 0
	for _, p := range points {
		lost += p.Lost
		plies += p.LostPlies
	}
	if lost == 0 {
		return "-"
	}
	return oneDigit(float64(plies) / float64(lost))
}

// difference is the mean difference of strengths measured in pairs.
type difference struct {
	pairs         int
	sum, variance float64
}

func (d *difference) add(p, q matchPoint) {
	d.pairs++
	d.sum += p.Strength - q.Strength
	d.variance += varianceOf(p) + varianceOf(q)
}

// varianceOf is the greatest variance that the strength of a point can have, that of
// games without draws. Two wins and two losses more keep it above 0 where all games
// went the same way (Agresti and Coull).
func varianceOf(p matchPoint) float64 {
	n := float64(gameCount(p))
	mean := (p.Strength/100*n + 2) / (n + 4)
	return 100 * 100 * mean * (1 - mean) / n
}

func (d *difference) mean() arena.Estimate {
	n := float64(d.pairs)
	half := arena.Normal95 * math.Sqrt(d.variance) / n
	return arena.Estimate{Value: d.sum / n, Low: d.sum/n - half, High: d.sum/n + half}
}

// learning: Q-learning stays far below mcts.
func (g *ladders) learning() finding {
	f := finding{
		Claim: "Q-learning with linear features stays far below MCTS.",
		Method: "Its strength against a player without blunders, and its accuracy in random positions by the lenient measure. Visible on a board where the intervals of " +
			"both are below those of mcts with the most iterations.",
		Rows: [][]string{{"board", "strength of qlearning", "of mcts", "passed by mcts with", "accuracy of qlearning", "of mcts", "here"}},
	}
	seen, cases := 0, 0
	for _, l := range g.boards {
		q, okQ := l.against(learned, perfect)
		points := l.climb(perfect)
		eq, okE := l.exam(learned)
		exams := l.exams()
		if !okQ || !okE || len(points) == 0 || len(exams) == 0 {
			continue
		}
		best, bestExam := points[len(points)-1], exams[len(exams)-1]
		below := q.StrengthHigh < best.StrengthLow && eq.LenientHigh < bestExam.LenientLow
		cases++
		seen += boolCount(below)
		f.Rows = append(f.Rows, []string{boardName(l.board), strengthText(q), strengthText(best), passedBy(q, points),
			percentText(eq.lenient()), percentText(bestExam.lenient()), verdict(boolCount(below), 1)})
		switch {
		case best.Strength <= q.Strength:
			f.note("On %s mcts has not climbed above it with %d iterations.", boardName(l.board), best.Iterations)
		case !below:
			f.note("On %s mcts is %.1f above it in strength and %.1f %% in accuracy, and the intervals of one of them overlap.", boardName(l.board),
				best.Strength-q.Strength, 100*(bestExam.LenientShare-eq.LenientShare))
		}
	}
	f.Verdict = verdict(seen, cases)
	return f
}

// passedBy is the least number of iterations from which on all points are above one.
func passedBy(q matchPoint, points []matchPoint) string {
	passed := "none"
	for i := len(points) - 1; i >= 0 && points[i].Strength > q.Strength; i-- {
		passed = fmt.Sprintf("%d iterations", points[i].Iterations)
	}
	return passed
}

func boolCount(b bool) int {
	if b {
		return 1
	}
	return 0
}

func gameCount(p matchPoint) int { return p.began().Games() + p.replied().Games() }

// boardName is what a board is called on the page: Quixo 3×3, Nim 1-3-5.
func boardName(b board) string {
	g, err := games.Lookup(b.game)
	if err != nil {
		return b.word()
	}
	info := g.New(b.size).Info()
	return g.Title + strings.TrimPrefix(info.String(), info.Name)
}

func strengthText(p matchPoint) string { return estimateText(p.strength(), "%.1f") }

func oneDigit(x float64) string { return fmt.Sprintf("%.1f", x) }

func shareOf(count, n int) string { return fmt.Sprintf("%.0f %%", 100*float64(count)/float64(n)) }

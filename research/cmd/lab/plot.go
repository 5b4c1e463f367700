package main

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"backsolve/cmd/cli"
	"backsolve/internal/player"
	"backsolve/internal/player/arena"
	"backsolve/research/internal/chart"
	"backsolve/research/internal/files"
	"backsolve/research/internal/interval"
)

func plotCommand(s *shared) *cobra.Command {
	c := &curves{shared: s}
	cmd := &cobra.Command{
		Use:   "plot DIR... [FILE]",
		Short: "Draw results of lab strength and lab run, or the progress of trainings",
		Long: `Draw the results in a directory of lab strength or lab run as SVG, and write tables as
CSV: strengths, accuracies and lengths of a game's boards side by side, over
iterations and time; the depth of each ladder, which is how often the time for a move
doubles from 10 to 90 % of what perfect play scores; and its rungs, agents that each
beat the one below. Of trainings that lab run has measured: how many of the wins that a
random mover gives away the networks of each arm keep, over the number of won positions.

For directories of trainings that differ only in their seeds, networks are graded, and
the means over the seeds are drawn with 95 % intervals: the share of won states in which
the network keeps the win, the share of right signs, the losses, and ratings. Published
data are drawn with them: FILE is CSV of measure,heaps,iteration,value.`,
		Example: `  lab plot results/ladder --out docs/reports/ladder
  lab plot nim-5-1 nim-5-2 nim-5-3 --every 30 --out docs/reports/learning
  lab elo nim-5-1 --every 3 --sims 50 --json > elo-1.json
  lab plot nim-5-1 nim-5-2 published.csv --elo elo-1.json,elo-2.json`,
		Args:              cli.Args(1, maxArgs),
		ValidArgsFunction: completeDirs,
		RunE: func(cmd *cobra.Command, dirs []string) error {
			if last := len(dirs) - 1; last > 0 && filepath.Ext(dirs[last]) == ".csv" {
				c.published, dirs = dirs[last], dirs[:last]
			}
			if err := checkNumbers(number{"every", c.every, 1, 1_000_000}, number{"states", c.states, 0, maxStates}); err != nil {
				return err
			}
			if err := files.Writable(c.out); err != nil {
				return err
			}
			if _, err := os.Stat(dirs[0]); err != nil {
				return fmt.Errorf("the results cannot be read: %w", err)
			}
			if _, err := os.Stat(filepath.Join(dirs[0], runFile)); err == nil {
				return c.draw(cmd, dirs)
			}
			if len(dirs) > 1 {
				return cli.Usagef("%s has no training; name one directory of results, or those of trainings", dirs[0])
			}
			trials, err := loadData[trial](filepath.Join(dirs[0], trialsName))
			if err == nil {
				return drawArms(c.out, trials.Points)
			}
			boards, err := loadLadders(dirs[0])
			if err != nil {
				return err
			}
			return errors.Join(drawLadders(c.out, boards), writeLadders(c.out, boards))
		},
	}
	f := cmd.Flags()
	f.IntVar(&c.every, "every", 10, "grade the network of every Nth iteration")
	f.IntVar(&c.states, "states", 0, "number of random states that are graded, 0 for all that play can reach")
	f.StringSliceVar(&c.elo, "elo", nil, "`FILE` output of lab elo --json, to be drawn; one of each training, all with one --every")
	f.StringVar(&c.out, "out", ".", "`DIR` directory of the plots and tables")
	return cmd
}

// drawArms draws what the networks of each arm keep of the wins that a random mover gives away, over
// the number of won positions that differ to them.
func drawArms(dir string, trials []trial) error {
	kept, won := map[string][]float64{}, map[string]*shares{}
	for _, t := range trials {
		if e := t.Grades[0].won(); e != nil {
			won[t.Arm] = e.Won
			kept[t.Arm] = append(kept[t.Arm], 100*(e.Won.Keep-e.Won.Random)/(1-e.Won.Random))
		}
	}
	var lines []chart.Line
	rows := [][]string{{"arm", "seeds", "won positions", "kept", "low", "high"}}
	for _, arm := range slices.Sorted(maps.Keys(kept)) {
		n, random := won[arm].Different, won[arm].Random
		e := interval.Mean(kept[arm], -100*random/(1-random), 100)
		lines = append(lines, chart.Line{Name: arm, Points: []chart.Point{{X: float64(n), Y: e.Value, Low: e.Low, High: e.High}}})
		rows = append(rows, slices.Concat([]string{arm, fmt.Sprint(len(kept[arm])), fmt.Sprint(n)}, digitsOf(e)))
	}
	f := chart.Frame{Title: "Wins that networks keep of those that a random mover gives away", X: chart.Axis{Name: "won positions", Log: true}, Y: chart.Axis{Name: "%", To: 100}}
	return errors.Join(chart.Lines(f, lines).Write(filepath.Join(dir, "arms")), files.WriteTable(filepath.Join(dir, "arms.csv"), rows))
}

var (
	perfect = player.Strength{Policy: player.Optimal}
	quick   = player.Strength{Policy: player.Shortest}
)

// drawLadders draws plots of each game, of each board against opponents that blunder, and of depth.
func drawLadders(dir string, boards []*ladder) error {
	byGame := map[string][]*ladder{}
	for _, l := range boards {
		if l.accuracy.Points == nil && l.length.Points == nil {
			continue // without a table
		}
		s := l.strength.Settings
		byGame[s.Game] = append(byGame[s.Game], l)
		points := climbing(l.strength.Points, func(matchPoint) bool { return true })
		for _, policy := range bothPolicies {
			if err := strengthPlot(s, points, policy).byIterations(dir); err != nil {
				return err
			}
		}
	}
	for game, boards := range byGame {
		plots := []plot{
			{file: "strength-" + game, title: game + ": strength against optimal without blunders", axis: strengthAxis},
			{file: "accuracy-" + game, title: game + ": right moves in random positions", axis: accuracyAxis},
			{file: "length-" + game, title: game + ": length of the games lost to a perfect player", axis: lengthAxis},
			{file: "held-" + game, title: game + ": length of the games lost as the second player", axis: lengthAxis},
		}
		for _, l := range boards {
			size := fmt.Sprintf("%d×%[1]d", l.strength.Settings.Size)
			lost := l.climb(quick)
			if len(lost) == 0 {
				lost = l.climb(perfect)
			}
			for i, samples := range [][]sample{
				curvesOf(l.climb(perfect), func(p matchPoint) (string, arena.Estimate, bool) { return size, p.strength(), true }),
				accuracyCurves(size+" ", climbing(l.accuracy.Points, func(accuracyPoint) bool { return true })),
				lengthCurves(size+", ", lost),
				lengthCurves(size+", ", l.losses()),
			} {
				plots[i].samples = append(plots[i].samples, samples...)
			}
		}
		for _, p := range plots {
			if err := p.byIterations(dir); err != nil {
				return err
			}
		}
	}
	return plotDepths(dir, climbs(boards))
}

func oneDigit(x float64) string { return fmt.Sprintf("%.1f", x) }

func digitsOf(e arena.Estimate) []string {
	return []string{oneDigit(e.Value), oneDigit(e.Low), oneDigit(e.High)}
}

type sample struct {
	curve, agent string
	iterations   int     // noIterations if the agent has none
	seconds      float64 // of a move
	value        arena.Estimate
}

// curvesOf returns the samples of points for curves: of mcts, and of each agent without iterations.
// value returns the name of a point's curve and its value, false if it has none.
func curvesOf[P point](points []P, value func(P) (name string, value arena.Estimate, ok bool)) (all []sample) {
	for _, p := range points {
		if name, value, ok := value(p); ok {
			s := p.sample()
			if s.curve, s.value = name, value; s.iterations == noIterations {
				s.curve = s.agent + ", " + name
			}
			all = append(all, s)
		}
	}
	return all
}

type plot struct {
	file, title string
	axis        chart.Axis
	samples     []sample
}

const timeName = "milliseconds of a move"

func byTime(s sample) []float64 {
	if s.seconds == 0 {
		return nil
	}
	return []float64{1000 * s.seconds}
}

// byIterations draws agents without iterations as horizontal lines, and nothing if no agent has some.
func (p plot) byIterations(dir string) error {
	var all []int
	for _, s := range p.samples {
		if s.iterations != noIterations {
			all = append(all, s.iterations)
		}
	}
	if len(all) == 0 || slices.Max(all) == 0 {
		return nil
	}
	return p.draw(dir, "", "iterations of a move", func(s sample) []float64 {
		if s.iterations == noIterations {
			return []float64{float64(slices.Min(all)), float64(slices.Max(all))}
		}
		return []float64{float64(s.iterations)}
	})
}

// draw draws the samples at their places, if there are any. Times on a busy machine are not in the
// order of the iterations, so each axis has its own.
func (p plot) draw(dir, suffix, x string, places func(sample) []float64) error {
	var lines []chart.Line
	for _, s := range p.samples {
		i := slices.IndexFunc(lines, func(l chart.Line) bool { return l.Name == s.curve })
		if i < 0 {
			i, lines = len(lines), append(lines, chart.Line{Name: s.curve})
		}
		for _, x := range places(s) {
			lines[i].Points = append(lines[i].Points, chart.Point{X: x, Y: s.value.Value, Low: s.value.Low, High: s.value.High})
		}
	}
	if lines = slices.DeleteFunc(lines, func(l chart.Line) bool { return l.Points == nil }); len(lines) == 0 {
		return nil
	}
	for _, l := range lines {
		slices.SortStableFunc(l.Points, func(a, b chart.Point) int { return cmp.Compare(a.X, b.X) })
	}
	return chart.Lines(chart.Frame{Title: p.title, X: chart.Axis{Name: x, Log: true}, Y: p.axis}, lines).Write(filepath.Join(dir, p.file+suffix))
}

var (
	// strengthAxis shows what a perfect agent reaches.
	strengthAxis = chart.Axis{Name: "strength: score for 100 games", From: 0, To: 50}
	lengthAxis   = chart.Axis{Name: "plies of a lost game, on average"}
	accuracyAxis = chart.Axis{Name: "right moves in %", To: 100}
)

func (st *store[P]) draw(dir string) error {
	var plots []plot
	s := st.Settings
	switch points := any(st.Points).(type) {
	case []accuracyPoint:
		plots = []plot{s.plot("", "right moves in random positions", accuracyAxis, accuracyCurves("", points))}
	case []matchPoint:
		if s.Measure == lengthMeasure {
			plots = []plot{s.plot("", "length of the games lost to a perfect player", lengthAxis, lengthCurves("against ", points))}
			break
		}
		for _, policy := range bothPolicies {
			plots = append(plots, strengthPlot(s, points, policy))
		}
	}
	for _, p := range plots {
		if err := errors.Join(p.byIterations(dir), p.draw(dir, "-time", timeName, byTime)); err != nil {
			return err
		}
	}
	return nil
}

func (s settings) plot(suffix, title string, axis chart.Axis, samples []sample) plot {
	return plot{s.file() + suffix, fmt.Sprintf("%s %d×%[2]d: %s", s.Game, s.Size, title), axis, samples}
}

// strengthPlot plots points against a policy, a curve for each probability of a blunder.
func strengthPlot(s settings, points []matchPoint, policy player.Policy) plot {
	agent := func(p matchPoint) string {
		if p.Iterations == noIterations {
			return p.Agent
		}
		return "" // mcts comes first
	}
	points = slices.Clone(points)
	slices.SortStableFunc(points, func(a, b matchPoint) int {
		return cmp.Or(cmp.Compare(agent(a), agent(b)), cmp.Compare(a.Opponent, b.Opponent))
	})
	return s.plot("-"+string(policy), fmt.Sprintf("strength against %s with probability p of a blunder", policy), strengthAxis,
		curvesOf(points, func(p matchPoint) (string, arena.Estimate, bool) {
			name, text, _ := strings.Cut(p.Opponent, ":blunder=")
			blunder, err := strconv.ParseFloat(cmp.Or(text, "0"), 64)
			return "p = " + strconv.FormatFloat(blunder, 'g', -1, 64), p.strength(), err == nil && name == string(policy)
		}))
}

func lengthCurves(prefix string, points []matchPoint) []sample {
	return curvesOf(points, func(p matchPoint) (string, arena.Estimate, bool) {
		e, ok := p.length()
		return prefix + p.Opponent, e, ok
	})
}

func accuracyCurves(prefix string, points []accuracyPoint) []sample {
	lenient := curvesOf(points, func(p accuracyPoint) (string, arena.Estimate, bool) {
		return prefix + "lenient", inPercent(p.lenient()), true
	})
	return append(lenient, curvesOf(points, func(p accuracyPoint) (string, arena.Estimate, bool) {
		e, ok := p.strict()
		return prefix + "strict", inPercent(e), ok
	})...)
}

package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"slices"
	"strconv"
	"time"

	"github.com/dustin/go-humanize"
	"github.com/spf13/cobra"

	"backsolve/cmd/cli"
	"backsolve/game"
	"backsolve/game/games"
	"backsolve/game/notakto"
	"backsolve/internal/machine"
	"backsolve/probe/endgame"
	"backsolve/search"
)

// endgames measures the endgame solver with random positions of Notakto by their marks.
type endgames struct {
	size      int
	marks     []int
	positions int
	threads   int
	seed      uint64
	most      time.Duration // for one position
	search    time.Duration // for one position that is searched
	steps     bool
	markdown  bool
}

const endgameLong = `Measure how long it takes to solve endgames of Notakto, as tbquery does if no table
knows a position. For each number of marks, print the median and the worst time over
random positions, the processor time and the memory, and the same of a depth-first
search. The search stops for a number of marks once a position takes longer than
--search.`

func endgameCommand() *cobra.Command {
	var r endgames
	cmd := &cobra.Command{
		Use: "endgame", Short: "Measure the endgame solver", Long: endgameLong,
		Example: "  bench endgame --size 7 --marks 24,20,16,13 --positions 9\n  bench endgame --size 8 --marks 34,30 --markdown",
		Args:    cobra.NoArgs,
		RunE:    func(cmd *cobra.Command, _ []string) error { return r.run(cmd.Context(), cmd.OutOrStdout()) },
	}
	f := cmd.Flags()
	f.IntVar(&r.size, "size", 7, "number of rows of the board")
	f.IntSliceVar(&r.marks, "marks", []int{28, 24, 21, 19, 17, 15}, "`LIST` numbers of marks")
	f.IntVar(&r.positions, "positions", 9, "number of positions for each")
	f.IntVar(&r.threads, "threads", 0, "number of threads, 0 for all cores")
	f.Uint64Var(&r.seed, "seed", 1, "which positions are drawn")
	f.DurationVar(&r.most, "most", time.Hour, "time limit for one position")
	f.DurationVar(&r.search, "search", 10*time.Second, "time limit for searching one position, 0 for no search")
	f.BoolVar(&r.steps, "steps", false, "with the steps to the end")
	f.BoolVar(&r.markdown, "markdown", false, "print a table of Markdown")
	return cmd
}

// measured are the figures of one number of marks.
type measured struct {
	open     []int
	sweep    []time.Duration
	cpu      []time.Duration
	memory   int64
	searched []time.Duration
}

func (r *endgames) run(ctx context.Context, out io.Writer) error {
	rules, err := games.New("notakto", r.size)
	if err != nil {
		return &cli.UsageError{Err: err}
	}
	if r.positions < 1 {
		return cli.Usagef("--positions must be more than 0")
	}
	rows := [][]string{{"marks", "open cells", "median", "worst", "processor time, median", "memory, most", "search, median", "search, worst"}}
	for _, marks := range r.marks {
		if marks < 0 || marks > r.size*(r.size-1) {
			return cli.Usagef("%d marks are not 0 to %d, with which no line need be complete", marks, r.size*(r.size-1))
		}
		m, err := r.measure(ctx, rules, marks)
		if err != nil {
			return fmt.Errorf("%d marks: %w", marks, err)
		}
		rows = append(rows, m.row(marks))
	}
	if r.markdown {
		return markdownGrid(out, rows)
	}
	return textGrid(out, rows)
}

// measure measures random positions with a number of marks.
func (r *endgames) measure(ctx context.Context, rules game.Rules, marks int) (*measured, error) {
	random := rand.New(rand.NewPCG(r.seed, uint64(marks)))
	m := new(measured)
	for range r.positions {
		w := drawNotakto(random, r.size, marks)
		state, err := rules.Parse(notakto.NewWide(r.size).Format(w))
		if err != nil {
			return nil, err
		}
		// A new search for each, so that it reuses no results.
		s := endgame.New(endgame.Limits{Timeout: r.most, Threads: r.threads})
		_, bytes, err := s.Estimate(rules, state, r.steps)
		if err != nil {
			return nil, err
		}
		answers, err := s.Answerer(ctx, rules, r.steps)
		if err != nil {
			return nil, err
		}
		began, used := time.Now(), machine.ProcessorTime()
		if _, _, err := answers.Rate(rules, state, nil); err != nil {
			return nil, err
		}
		m.sweep, m.cpu = append(m.sweep, time.Since(began)), append(m.cpu, machine.ProcessorTime()-used)
		m.memory = max(m.memory, bytes)
		left, _ := notakto.EndgameOf(w)
		m.open = append(m.open, len(left.Open))
		if err := r.searchFor(ctx, left, m); err != nil {
			return nil, err
		}
	}
	return m, nil
}

// searchFor measures the depth-first search, unless it has taken too long before.
func (r *endgames) searchFor(ctx context.Context, left notakto.Endgame, m *measured) error {
	if r.search == 0 || slices.Contains(m.searched, r.search) {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, r.search)
	defer cancel()
	began := time.Now()
	_, err := search.NewMarking(1<<22).Lost(ctx, left.Lines, len(left.Free))
	took := time.Since(began)
	if errors.Is(err, context.DeadlineExceeded) || errors.Is(err, search.ErrMemory) {
		took, err = r.search, nil
	}
	m.searched = append(m.searched, took)
	return err
}

// drawNotakto draws an open position with a number of marks.
func drawNotakto(r *rand.Rand, n, marks int) notakto.Wide {
	for {
		w := notakto.EmptyWide(n)
		for _, cell := range r.Perm(n * n)[:marks] {
			w = w.Mark(cell)
		}
		if !w.Complete() {
			return w
		}
	}
}

// row is the row of a table.
func (m *measured) row(marks int) []string {
	slices.Sort(m.open)
	row := []string{strconv.Itoa(marks), fmt.Sprintf("%d to %d", m.open[0], m.open[len(m.open)-1])}
	row = append(row, spread(m.sweep)...)
	row = append(row, spread(m.cpu)[0], humanize.IBytes(uint64(max(m.memory, 1<<20))))
	if len(m.searched) == 0 {
		return append(row, "", "")
	}
	searched := spread(m.searched)
	if len(m.searched) < len(m.sweep) {
		searched[0], searched[1] = "", "more than "+searched[1]
	}
	return append(row, searched...)
}

// spread writes the median and the greatest of some times.
func spread(times []time.Duration) []string {
	slices.Sort(times)
	return []string{cli.SecondsText(times[len(times)/2].Seconds()), cli.SecondsText(times[len(times)-1].Seconds())}
}

package endgame

import (
	"context"
	"errors"
	"math/rand/v2"
	"runtime"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"backsolve/game"
	"backsolve/internal/probe"
)

// ask asks a solver for a position.
func ask(t testing.TB, s *Solver, r game.Rules, text string, steps bool) (*probe.Answer, error) {
	t.Helper()
	a, err := s.Answerer(context.Background(), r, steps)
	if err != nil {
		t.Fatal(err)
	}
	return a.Ask(text, probe.NoLine)
}

// FuzzLimits asks with any limits: the answer is right, or refused for them.
func FuzzLimits(f *testing.F) {
	table := tables.Open(f, "notakto", 4, true)
	r := rules(f, "notakto", 4)
	f.Add(uint16(0), uint32(0), uint32(0), false)
	f.Add(uint16(0), uint32(100_000_000), uint32(1<<30), true)
	f.Add(uint16(1<<5), uint32(50_000), uint32(24<<20), true)
	f.Fuzz(func(t *testing.T, marks uint16, think, memory uint32, steps bool) {
		p := game.Position{X: uint64(marks)}
		s := New(Limits{Timeout: time.Duration(think), Memory: int64(memory), Threads: 2})
		a, err := s.Answerer(context.Background(), r, steps)
		if err != nil {
			t.Fatal(err)
		}
		got, moves, err := a.Rate(r, p, nil)
		if errors.Is(err, probe.ErrUnknown) && think < 1<<31 {
			return
		}
		want, known, tableErr := table.Rate(r, p, nil)
		if err != nil || tableErr != nil {
			t.Fatal(err, tableErr)
		}
		if got.Outcome != want.Outcome || steps && got != want || len(moves) != len(known) {
			t.Fatalf("%s is %v with %d moves, in the table %v with %d", r.Format(p), got, len(moves), want, len(known))
		}
		for i := range moves {
			if steps && moves[i] != known[i] || moves[i].Outcome != known[i].Outcome {
				t.Fatalf("%s: move %d is %v, in the table %v", r.Format(p), i, moves[i], known[i])
			}
		}
	})
}

// TestCancel cancels solves at any moment: they end soon with the cause, leave no goroutine
// behind, and do not change later answers.
func TestCancel(t *testing.T) {
	r := rules(t, "notakto", 6)
	const text = "XX..../.X..../..X.../...X../..X.../X....X" // its steps take seconds
	s := New(Limits{Timeout: time.Hour, Threads: 2})
	want, err := ask(t, s, r, text, false)
	if err != nil {
		t.Fatal(err)
	}
	before := runtime.NumGoroutine()
	cause := errors.New("no more")
	random := rand.New(rand.NewPCG(1, 1))
	cancelled, times := 0, 20
	if testing.Short() {
		times = 10
	}
	for i := range times {
		if i%10 == 0 {
			s = New(Limits{Timeout: time.Hour, Threads: 2})
		}
		ctx, cancel := context.WithCancelCause(context.Background())
		a, err := s.Answerer(ctx, r, random.IntN(2) == 0)
		if err != nil {
			t.Fatal(err)
		}
		stop := time.AfterFunc(time.Duration(random.IntN(20))*time.Millisecond, func() { cancel(cause) })
		_, err = a.Ask(text, probe.NoLine)
		stop.Stop()
		cancel(nil)
		if err != nil && !errors.Is(err, cause) {
			t.Fatalf("the error is %v, not the cause", err)
		}
		if err != nil {
			cancelled++
		}
		if i%10 == 9 {
			got, err := ask(t, s, r, text, false)
			if err != nil || got.Value != want.Value {
				t.Fatalf("after a solve that was cancelled the answer is %v, %v, not %v", got, err, want.Value)
			}
		}
	}
	if cancelled < 3 {
		t.Errorf("%d of %d solves were cancelled only", cancelled, times)
	}
	for range 100 {
		if runtime.NumGoroutine() <= before {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	t.Errorf("%d goroutines are left, there were %d", runtime.NumGoroutine(), before)
}

// TestCancelIsSoon cancels a solve of minutes.
func TestCancelIsSoon(t *testing.T) {
	if testing.Short() {
		t.Skip("takes more memory than the race detector leaves")
	}
	r := rules(t, "notakto", 7)
	p := endgameOf(t, r, game.Position{X: 1<<3 | 1<<9 | 1<<20 | 1<<22 | 1<<33 | 1<<40 | 1<<46 | 1<<48 | 1<<13 | 1<<28 | 1<<36 | 1<<1 | 1<<17 | 1<<31}, true)
	ctx, cancel := context.WithCancel(context.Background())
	var ended time.Time
	time.AfterFunc(300*time.Millisecond, func() { ended = time.Now(); cancel() })
	_, _, err := p.solve(ctx, limits)
	if took := time.Since(ended); err != context.Canceled || took > 2*time.Second {
		t.Errorf("it ended with %v %v after it was cancelled", err, took)
	}
}

// TestTimeout solves an endgame that takes longer than estimated.
func TestTimeout(t *testing.T) {
	r := rules(t, "notakto", 6)
	s := New(Limits{Timeout: time.Millisecond, Threads: 1})
	_, err := s.rate(briefly(t), slow{}, r, r.Start(), false)
	tooMuch, ok := errors.AsType[*LimitError](err)
	if !ok || tooMuch.Seconds < 0.002 || !errors.Is(err, probe.ErrUnknown) {
		t.Errorf("the error is %v", err)
	}
}

// briefly returns a context for a question of a millisecond.
func briefly(t *testing.T) context.Context {
	ctx, cancel := context.WithTimeoutCause(context.Background(), time.Millisecond, errTimeout)
	t.Cleanup(cancel)
	return ctx
}

// slow is a board whose endgames are estimated to take no time, and never end.
type slow struct{}

func (slow) endgame(game.State, bool) (endgame, error) { return slow{}, nil }
func (slow) cost(Limits) cost                          { return cost{} }
func (slow) solve(ctx context.Context, _ Limits) (probe.Value, []probe.Rated, error) {
	<-ctx.Done()
	return probe.Value{}, nil, context.Cause(ctx)
}

// TestConcurrency asks as many questions as allowed, which work, and one more, which does not.
func TestConcurrency(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := rules(t, "notakto", 3)
		s := New(Limits{Timeout: time.Hour, Concurrency: 2, Threads: 1})
		s.small = 0
		ctx, cancel := context.WithCancel(t.Context())
		var working sync.WaitGroup
		for _, m := range r.Moves(nil, r.Start())[:2] {
			working.Go(func() { s.rate(ctx, slow{}, r, r.Play(r.Start(), m), false) })
		}
		synctest.Wait()
		if _, err := s.rate(ctx, slow{}, r, r.Start(), false); err != probe.ErrBusy {
			t.Errorf("a third question: %v", err)
		}
		cancel()
		working.Wait()
		if _, err := s.rate(ctx, slow{}, r, r.Start(), false); err != context.Canceled {
			t.Errorf("a question when the others have ended: %v", err)
		}
	})
}

// TestRefused checks what is refused, and with which estimates.
func TestRefused(t *testing.T) {
	for _, c := range []struct {
		name   string
		n      int
		limits Limits
		want   []string
	}{
		{"notakto", 7, Limits{Timeout: time.Second}, []string{"takes about", "more memory than there is", "more than allowed: 1s"}},
		{"notakto", 6, Limits{Timeout: 24 * time.Hour, Memory: 2 << 20}, []string{"more than allowed: 2.0 MiB of memory"}},
		{"notakto", 6, Limits{Timeout: time.Nanosecond, Memory: 2 << 20}, []string{"more than allowed: 1ns and 2.0 MiB of memory"}},
		{"notakto", 9, Limits{Timeout: time.Hour}, []string{"more than 64 cells are left"}},
		{"quixo", 5, Limits{Timeout: time.Second, Memory: 1 << 30}, []string{"1s and 1.0 GiB of memory"}},
	} {
		r := rules(t, c.name, c.n)
		_, err := ask(t, New(c.limits), r, r.Format(r.Start()), false)
		for _, part := range c.want {
			if !errors.Is(err, probe.ErrUnknown) || !strings.Contains(err.Error(), part) {
				t.Errorf("%s %d: %v, want an ErrUnknown with %q", c.name, c.n, err, part)
			}
		}
	}
	r := rules(t, "nim", 3)
	if _, err := New(limits).Answerer(context.Background(), r, false); !errors.Is(err, probe.ErrUnknown) {
		t.Errorf("nim: %v", err)
	}
}

// If few positions are left, they are searched before anything is planned, which could take long on a
// busy machine.
func TestSmallTree(t *testing.T) {
	s := New(Limits{Timeout: time.Minute, Threads: 1})
	for _, c := range []struct {
		name, size, text string
		want             probe.Value
	}{
		{"tictactoe", "5", "XOXOX/OXOXO/OXOXO/XOXOX/XOO.X x", probe.Value{Outcome: game.Draw, Steps: -1}},
		{"tictactoe", "4", "XOX./OX.O/O.X./OX.. x", probe.Value{Outcome: game.Win, Steps: 1}},
		{"tictactoe", "6", "XOXOXO/OXOXOX/OXOXOX/XOXOXO/XOXOXO/OXOXX. o", probe.Value{Outcome: game.Draw, Steps: -1}},
		{"notakto", "4", "X..X/.XX./XX../..X.", probe.Value{Outcome: game.Win, Steps: 4}},
	} {
		n, _ := game.ParseSize(c.size)
		r := rules(t, c.name, int(n))
		board, err := newBoard(r)
		state, wrong := r.Parse(c.text)
		if err != nil || wrong != nil {
			t.Fatal(err, wrong)
		}
		b := &counted{board: board}
		got, err := s.rate(t.Context(), b, r, state, true)
		if err != nil || got.Value != c.want || b.solved > 0 || len(got.Moves) != len(r.Moves(nil, state)) {
			t.Errorf("%s %s %s: %v, %v; %d were solved", c.name, c.size, c.text, got, err, b.solved)
		}
	}
}

// Estimate returns what solving a state that is not over takes: seconds by the clock, and
// bytes of memory. The error wraps probe.ErrUnknown if it cannot be solved at all.
func (s *Solver) Estimate(rules game.Rules, state game.State, steps bool) (seconds float64, bytes int64, err error) {
	b, err := newBoard(rules)
	if err != nil {
		return 0, 0, err
	}
	if b, ok := b.(bounded); ok {
		return 0, 0, b.why
	}
	e, err := b.endgame(state, steps)
	if err != nil {
		return 0, 0, err
	}
	estimate := s.estimate(e)
	return estimate.Seconds, estimate.Bytes, nil
}

// TestEstimate gives a solver as much memory as it estimates for a position, and a byte less. With
// less, Quixo is searched some plies deep.
func TestEstimate(t *testing.T) {
	for _, c := range []struct {
		name  string
		n     int
		steps bool
	}{{"notakto", 4, false}, {"notakto", 4, true}, {"quixo", 3, true}} {
		r := rules(t, c.name, c.n)
		one, bytes, err := New(Limits{Threads: 1}).Estimate(r, r.Start(), c.steps)
		if err != nil || one <= 0 || bytes < 1<<20 {
			t.Fatalf("%v: %v seconds, %d bytes: %v", c, one, bytes, err)
		}
		if four, _, err := New(Limits{Threads: 4}).Estimate(r, r.Start(), c.steps); err != nil || 4*four != one {
			t.Errorf("%v: %v seconds of one thread, %v of four: %v", c, one, four, err)
		}
		for _, l := range []struct {
			memory int64
			atOnce int
			enough bool
		}{{bytes, 1, true}, {bytes - 1, 1, false}, {2 * bytes, 2, true}, {2*bytes - 1, 2, false}} {
			_, err := ask(t, New(Limits{Timeout: time.Hour, Threads: 1, Memory: l.memory, Concurrency: l.atOnce}), r, r.Format(r.Start()), c.steps)
			if tooMuch, ok := errors.AsType[*LimitError](err); ok == (l.enough || c.name == "quixo") || ok && tooMuch.Bytes != bytes || !ok && err != nil {
				t.Errorf("%v with %+v of %d bytes: %v", c, l, bytes, err)
			}
		}
	}
	for _, c := range []struct {
		name string
		n    int
	}{{"quixo", 6}, {"notakto", 9}} {
		r := rules(t, c.name, c.n)
		if seconds, bytes, err := New(limits).Estimate(r, r.Start(), false); !errors.Is(err, probe.ErrUnknown) || seconds != 0 || bytes != 0 {
			t.Errorf("%v: %v seconds, %d bytes: %v", c, seconds, bytes, err)
		}
	}
}

// TestSecondsText writes times in words.
func TestSecondsText(t *testing.T) {
	for seconds, want := range map[float64]string{
		1.49: "a second", 1.5: "2 seconds", 119: "119 seconds", 120: "2 minutes", 7199: "120 minutes", 7200: "2 hours",
		172799: "48 hours", 172800: "2 days", 94672799: "1096 days", 94672800: "3 years", 31557599999: "1000 years", 31557600000: "thousands of years",
	} {
		if got := secondsText(seconds); got != want {
			t.Errorf("%v seconds are %q, want %q", seconds, got, want)
		}
	}
}

// TestGrids compares all positions of small boards that can be partitioned with their tables.
func TestGrids(t *testing.T) {
	for _, b := range []struct {
		name string
		n    int
	}{{"quixo", 2}, {"quixo", 3}, {"tictactoe", 3}} {
		r := rules(t, b.name, b.n)
		table := tables.Open(t, b.name, b.n, true)
		s := New(Limits{Timeout: time.Hour, Threads: 1})
		random := rand.New(rand.NewPCG(3, uint64(b.n)))
		positions := 40
		if testing.Short() {
			positions = 8 // one thread takes long under the race detector
		}
		for i := range positions {
			s.small = i % 2 * smallTree
			text := r.Format(probe.RandomPosition(table.Rules(), random))
			for _, steps := range []bool{false, true} {
				got, err := ask(t, s, r, text, steps)
				want, tableErr := table.Ask(text, probe.NoLine)
				if err != nil || tableErr != nil {
					t.Fatal(err, tableErr)
				}
				if got.Outcome != want.Outcome || steps && got.Value != want.Value || len(got.Moves) != len(want.Moves) {
					t.Fatalf("%s %s is %v, in the table %v", b.name, text, got, want)
				}
				for i := range want.Moves {
					if steps && got.Moves[i] != want.Moves[i] || got.Moves[i].Outcome != want.Moves[i].Outcome {
						t.Fatalf("%s %s: move %d is %v, in the table %v", b.name, text, i, got.Moves[i], want.Moves[i])
					}
				}
			}
		}
	}
}

// TestLine follows a main line, which must end as soon as the steps say.
func TestLine(t *testing.T) {
	r := rules(t, "notakto", 5)
	a, err := New(limits).Answerer(context.Background(), r, true)
	if err != nil {
		t.Fatal(err)
	}
	answer, err := a.Ask("X..../.X.X./...../XX.../.....", probe.WholeLine)
	if err != nil {
		t.Fatal(err)
	}
	if len(answer.Line.Plies) != answer.Steps || answer.Line.Truncated || answer.Line.Repeats >= 0 {
		t.Errorf("the line of %v is %+v", answer.Value, answer.Line)
	}
}

// An error says which limits are exceeded, and a question may take its share of the memory.
func TestLimitError(t *testing.T) {
	const rest = "solving the rest of the game now takes about 3 minutes and "
	l := Limits{Timeout: time.Minute, Memory: 2 << 30, Disk: 1 << 20, Concurrency: 2}
	for _, c := range []struct {
		e    LimitError
		want string
	}{
		{LimitError{180, 1 << 29, 0, l}, rest + "512 MiB of memory, which is more than allowed: 1m0s"},
		{LimitError{180, 1 << 30, 0, l}, rest + "1.0 GiB of memory, which is more than allowed: 1m0s"},
		{LimitError{180, 1<<30 + 1, 0, l}, rest + "1.0 GiB of memory, which is more than allowed: 1m0s and 2.0 GiB of memory"},
		{LimitError{180, 1 << 50, 0, l}, rest + "more memory than there is, which is more than allowed: 1m0s and 2.0 GiB of memory"},
		{LimitError{180, 1, 1 << 20, l}, rest + "1.0 MiB of memory and 1.0 MiB of work files, which is more than allowed: 1m0s"},
		{LimitError{180, 1, 1<<20 + 1, l}, rest + "1.0 MiB of memory and 1.0 MiB of work files, which is more than allowed: 1m0s and 1.0 MiB of work files"},
		{LimitError{60, 1 << 60, 0, Limits{Timeout: time.Minute}}, "solving the rest of the game now takes about 60 seconds and more memory than there is, which is more than allowed: "},
	} {
		if got := c.e.Error(); got != c.want || !errors.Is(&c.e, probe.ErrUnknown) {
			t.Errorf("%+v: %s, want %s", c.e, got, c.want)
		}
	}
}

// Moves are ordered by value, then by score, then as the rules have them, and must lead to the value.
func TestSortMoves(t *testing.T) {
	move := func(cell uint8) game.Move { return game.Move{From: cell, To: cell} }
	legal := []game.Move{move(5), move(3), move(9), move(1)}
	won, drawn := probe.Value{Outcome: game.Win, Steps: 3}, probe.Value{Outcome: game.Draw, Steps: -1}
	r := probe.Rating{Value: won, Moves: []probe.Rated{
		{Move: move(1), Value: drawn}, {Move: move(9), Value: won, Score: probe.NewNumber(2)}, {Move: move(3), Value: won, Score: probe.NewNumber(4)}, {Move: move(5), Value: won, Score: probe.NewNumber(2)},
	}}
	if err := sortMoves(&r, legal); err != nil || r.Partial {
		t.Error(r.Partial, err)
	}
	for i, want := range []game.Move{move(3), move(5), move(9), move(1)} {
		if r.Moves[i].Move != want {
			t.Errorf("move %d is %v, want %v", i, r.Moves[i].Move, want)
		}
	}
	r.Moves = r.Moves[:3]
	if err := sortMoves(&r, legal); err != nil || !r.Partial {
		t.Error(r.Partial, err)
	}
	for _, moves := range [][]probe.Rated{nil, {{Move: move(1), Value: drawn}}} {
		r.Moves = moves
		if err := sortMoves(&r, legal); err == nil {
			t.Errorf("%v lead to %v", moves, r.Value)
		}
	}
}

// An endgame whose solve was ended has no moves.
func TestSolveEnded(t *testing.T) {
	e := endgameOf(t, rules(t, "notakto", 4), game.Position{X: 1 | 1<<5}, false)
	lost := errors.New("no more")
	ended, cancel := context.WithCancelCause(t.Context())
	cancel(lost)
	if _, moves, err := e.solve(ended, limits); !errors.Is(err, lost) || moves != nil {
		t.Errorf("after the end: %d moves, %v", len(moves), err)
	}
}

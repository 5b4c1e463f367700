package selfplay

import (
	"context"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"backsolve/internal/player/arena"
	"backsolve/internal/player/zero"
)

// The same description gives the same network, to the bit, with any number of threads;
// another seed gives another one.
func TestThreadsGiveTheSameNetwork(t *testing.T) {
	for _, r := range []Run{smallRun(), smallDQN(), smallLSTM(), smallPublished(), smallOthello(), smallAveraged(), smallFrom()} {
		checkThreads(t, r)
	}
}

func checkThreads(t *testing.T, r Run) {
	t.Helper()
	want := newLearner(t, r, 1)
	reports := steps(t, want, 2)
	for _, threads := range []int{2, 5} {
		got := newLearner(t, r, threads)
		if again := steps(t, got, 2); !reflect.DeepEqual(again, reports) {
			t.Errorf("%d threads: %+v", threads, again[1])
		}
		sameAs(t, "threads", got, want)
	}
	r.Seed++
	other := newLearner(t, r, 1)
	steps(t, other, 2)
	if reflect.DeepEqual(other.Best.Parameters, want.Best.Parameters) {
		t.Error("the seed makes no difference")
	}
}

// A training that was stopped within an iteration and resumed ends as an undisturbed one.
func TestResumeEndsWithTheSameNetwork(t *testing.T) {
	fixed := smallRun()
	fixed.Acceptance = Acceptance{Rule: Fixed, Threshold: 0.55, Games: 10}
	refused := smallAveraged()
	refused.Training.Slow, refused.Training.SlowRate = 2, 1e-4
	refused.Acceptance = Acceptance{Rule: Fixed, Threshold: 0.6, Games: 10}
	for _, r := range []Run{smallRun(), fixed, smallDQN(), smallLSTM(), smallPublished(), smallOthello(), smallWide(), smallAveraged(), refused, smallFrom(), smallQuixo(), smallUltimate()} {
		whole := newLearner(t, r, 2)
		steps(t, whole, 3)

		broken := newLearner(t, r, 1)
		steps(t, broken, 1)
		path := filepath.Join(t.TempDir(), "checkpoint")
		if err := broken.Save(path); err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		if _, err := broken.Step(ctx); err == nil {
			t.Error("an iteration is finished that was stopped")
		}
		again, err := Load(path, 2)
		if err != nil {
			t.Fatal(err)
		}
		steps(t, again, 2)
		sameAs(t, string(r.Learner)+string(r.Acceptance.Rule), again, whole)
	}
}

func TestCheckpointsAreRefused(t *testing.T) {
	l := newLearner(t, smallRun(), 1)
	steps(t, l, 1)
	path := filepath.Join(t.TempDir(), "checkpoint")
	if err := l.Save(path); err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for what, content := range map[string][]byte{"cut": data[:len(data)-5], "foreign": []byte("backsolve zero weights 1\n{}\n"), "damaged": append(append([]byte{}, data[:len(data)/2]...), data[len(data)/2+1:]...)} {
		if err := os.WriteFile(path, content, 0o644); err != nil {
			t.Fatal(err)
		}
		if _, err := Load(path, 1); err == nil || !strings.HasPrefix(err.Error(), path+" cannot be resumed: ") {
			t.Errorf("%s: %v", what, err)
		}
	}
	// The checksum holds, but the numbers are not those of the header.
	h := saved{Run: l.Run, Parameters: len(l.Best.Parameters), Replay: []int{1}}
	numbers := make([]byte, 4*4*h.Parameters)
	for _, more := range [][]byte{nil, {1, 2, 3}, append(make([]byte, 28), 200, 0), make([]byte, 40)} {
		if err := format.Write(path, &h, append(numbers, more...)); err != nil {
			t.Fatal(err)
		}
		if _, err := Load(path, 1); err == nil {
			t.Errorf("a sample of %d bytes is read", len(more))
		}
	}
}

// The learning rate is that of the description, also after it changes.
func TestSlowRate(t *testing.T) {
	r := smallRun()
	fast := newLearner(t, r, 1)
	r.Training.Slow, r.Training.SlowRate = 1, r.Training.Rate/1000
	slow := newLearner(t, r, 1)
	moved := func(l *Learner) float64 {
		before, sum := slices.Clone(l.trainer.Network.Parameters), 0.0
		steps(t, l, 1)
		for i, p := range l.trainer.Network.Parameters {
			sum += math.Abs(float64(p - before[i]))
		}
		return sum
	}
	if a, b := moved(fast), moved(slow); a != b {
		t.Errorf("the first iterations move by %v and %v", a, b)
	}
	if a, b := moved(fast), moved(slow); b == 0 || b > a/500 {
		t.Errorf("the second iterations move by %v and %v", a, b)
	}
}

// A rate that falls by tenths does so after as many iterations each time.
func TestTenth(t *testing.T) {
	o := smallPublished().Training
	o.Rate, o.Tenth = 0.01, 200
	for iterations, want := range map[int]float64{0: 1e-2, 199: 1e-2, 200: 1e-3, 399: 1e-3, 400: 1e-4} {
		if got := o.rateAfter(iterations); math.Abs(got/want-1) > 1e-9 {
			t.Errorf("after %d iterations the rate is %v, want %v", iterations, got, want)
		}
	}
}

// The same games serve for several iterations, each of which makes as many steps as they have
// batches.
func TestGamesServeAgain(t *testing.T) {
	l := newLearner(t, smallPublished(), 1)
	made, positions := 0, 0
	for i, r := range steps(t, l, 5) {
		if again := i%2 == 1; again != (r.Games == 0) || again != (r.Positions == 0) || again && r.FirstWins != -1 {
			t.Errorf("iteration %d: %+v", i+1, r)
		}
		if r.Games > 0 {
			positions = r.Positions
		}
		made += positions / l.Run.Training.Batch
		if r.PolicyLoss == 0 {
			t.Errorf("iteration %d learns nothing", i+1)
		}
	}
	if l.trainer.Steps != made {
		t.Errorf("%d steps, want %d", l.trainer.Steps, made)
	}
}

// Noise that is renewed makes other games.
func TestRenewedNoise(t *testing.T) {
	r := smallPublished()
	renewed := newLearner(t, r, 1)
	r.Games.Renewed = false
	once := newLearner(t, r, 1)
	steps(t, renewed, 1)
	steps(t, once, 1)
	if reflect.DeepEqual(renewed.replay, once.replay) {
		t.Error("renewing the noise makes no difference")
	}
}

// The network that plays is the mean of the trained ones.
func TestAveragedPlays(t *testing.T) {
	l := newLearner(t, smallAveraged(), 1)
	steps(t, l, 2)
	if !reflect.DeepEqual(l.Best.Parameters, l.trainer.Mean) || reflect.DeepEqual(l.Best.Parameters, l.trainer.Network.Parameters) {
		t.Error("another network plays")
	}
}

// The replay has the last iterations only.
func TestReplay(t *testing.T) {
	l := newLearner(t, smallRun(), 1)
	var positions []int
	for _, r := range steps(t, l, 3) {
		positions = append(positions, r.Positions)
	}
	if len(l.replay) != 2 || len(l.replay[0]) != positions[1] || len(l.replay[1]) != positions[2] {
		t.Errorf("%d iterations are kept", len(l.replay))
	}
}

// The queue has the last positions only.
func TestQueue(t *testing.T) {
	r := smallDQN()
	l := newLearner(t, r, 1)
	var all []Sample
	for i := range 12 {
		samples := make([]Sample, i%5*9)
		for j := range samples {
			samples[j].State[0] = uint64(len(all) + j)
		}
		all = append(all, samples...)
		l.keep(samples)
		var kept []Sample
		for _, s := range l.replay {
			kept = append(kept, s...)
		}
		want := all[max(0, len(all)-r.Training.Queue):]
		if len(kept) != len(want) || len(kept) > 0 && !reflect.DeepEqual(kept, want) {
			t.Fatalf("%d are kept of %d", len(kept), len(all))
		}
	}
}

// Held-out states are never learned from, the others are.
func TestHeldOutIsNotLearned(t *testing.T) {
	whole := newLearner(t, smallRun(), 1)
	all := steps(t, whole, 1)[0].Positions
	r := smallRun()
	r.HeldOut = 0.4
	l := newLearner(t, r, 1)
	kept := steps(t, l, 1)[0].Positions
	held := 0
	for _, s := range whole.replay[0] { // the first games are the same
		if zero.HeldOut(r.HeldOut, r.Seed, s.State) {
			held++
		}
	}
	for _, s := range l.replay[0] {
		if zero.HeldOut(r.HeldOut, r.Seed, s.State) {
			t.Fatalf("%v is held out, and kept", s.State)
		}
	}
	if held == 0 || kept != all-held || len(l.replay[0]) != kept {
		t.Errorf("%d of %d positions are kept, and %d held out", kept, all, held)
	}
	if w, err := l.Weights(); err != nil || w.HeldOut != r.HeldOut {
		t.Errorf("the weights say that %v are held out, %v", w.HeldOut, err)
	}
}

// The rules of acceptance, by numbers of games.
func TestAccepts(t *testing.T) {
	for _, c := range []struct {
		a         Acceptance
		m         Match
		firstWins float64
		want      bool
	}{
		{Acceptance{Rule: Fixed, Threshold: 0.55}, Match{First: arena.Tally{Wins: 6, Losses: 4}, Second: arena.Tally{Wins: 5, Losses: 5}}, 0, false},
		{Acceptance{Rule: Fixed, Threshold: 0.55}, Match{First: arena.Tally{Wins: 10}, Second: arena.Tally{Wins: 2, Losses: 8}}, 0, true},
		{Acceptance{Rule: Fixed, Threshold: 0.55}, Match{First: arena.Tally{Draws: 10}, Second: arena.Tally{Draws: 10}}, 0, false},
		{Acceptance{Rule: Dynamic}, Match{First: arena.Tally{Wins: 9, Losses: 1}, Second: arena.Tally{Losses: 10}}, 0.9, false},
		{Acceptance{Rule: Dynamic}, Match{First: arena.Tally{Wins: 9, Losses: 1}, Second: arena.Tally{Losses: 10}}, 0.89, true},
		{Acceptance{Rule: Dynamic}, Match{First: arena.Tally{Losses: 10}, Second: arena.Tally{Wins: 2, Losses: 8}}, 0.85, true},
		{Acceptance{Rule: Dynamic}, Match{First: arena.Tally{Losses: 8}, Second: arena.Tally{Wins: 2, Losses: 6}}, 0.75, false},
	} {
		if got := c.a.accepts(&c.m, c.firstWins); got != c.want {
			t.Errorf("%+v, %+v, %v: %t", c.a, c.m, c.firstWins, got)
		}
	}
}

// A refused network changes nothing; without a match every network is accepted.
func TestRefusedNetworkIsDropped(t *testing.T) {
	r := smallAveraged()
	r.Acceptance = Acceptance{Rule: Fixed, Threshold: 1, Games: 6}
	l := newLearner(t, r, 1)
	before := l.Best.Clone()
	report := steps(t, l, 1)[0]
	played := report.Match.First.Wins + report.Match.First.Losses + report.Match.Second.Wins + report.Match.Second.Losses
	if report.Accepted || played != 6 || !reflect.DeepEqual(l.Best.Parameters, before.Parameters) ||
		!reflect.DeepEqual(l.trainer.Network.Parameters, before.Parameters) || !reflect.DeepEqual(l.trainer.Mean, before.Parameters) || l.trainer.Steps != 0 || l.trainer.First[0] != 0 {
		t.Errorf("%+v", report)
	}
}

// A short training improves the network.
func TestLearns(t *testing.T) {
	if testing.Short() {
		t.Skip("takes long under the race detector")
	}
	r := smallRun()
	r.Training.Steps, r.Games.Number, r.Search.Simulations = 100, 40, 20
	dqn := smallDQN()
	dqn.Training.Steps, dqn.Training.Queue, dqn.Games.Number, dqn.Search.Simulations = 100, 2000, 60, 20
	dqn.Games.RandomStarts, dqn.Encoding.Canonical = 0.9, zero.LineGroup
	nim := r
	nim.Game, nim.Size, nim.Encoding = "nim", 3, zero.Encoding{Canonical: zero.HeapOrder}
	othello := r
	othello.Game, othello.Size, othello.Encoding = "othello", 4, zero.Encoding{Canonical: zero.SquareGroup}
	othello.Games.RandomStarts, othello.Games.Number, othello.Training.Steps = 0.9, 120, 200
	for _, r := range []Run{r, dqn, nim} {
		checkLearns(t, r, 3)
	}
	checkLearns(t, othello, 2) // of ten times as many states
}

// checkLearns wants the number of states with a wrong sign to fall by a factor.
func checkLearns(t *testing.T, r Run, times int) {
	t.Helper()
	l := newLearner(t, r, 1)
	wrong := func() (wrong int) {
		e := zero.NewEvaluator(l.view, l.Best, 256, 1<<20, 1)
		seen := map[zero.State]bool{}
		var visit func(s zero.State)
		visit = func(s zero.State) {
			if _, over := l.view.Terminal(s); over || seen[s] {
				return
			}
			seen[s] = true
			if r.Search.KeyStates && !safe(l.view, s) {
				return // to the search it is over
			}
			if (e.One(s).Value > 0) != (force(l.view, s) > 0) {
				wrong++
			}
			for _, a := range l.view.Legal(nil, s) {
				visit(l.view.Play(s, int(a)))
			}
		}
		visit(l.view.Start())
		return wrong
	}
	before := wrong()
	reports := steps(t, l, 8)
	if after := wrong(); after > before/times || reports[7].ValueLoss >= reports[0].ValueLoss {
		t.Errorf("%s %s: the sign of the value is wrong in %d states, and was in %d; %+v", r.Learner, r.Game, after, before, reports[7])
	}
}

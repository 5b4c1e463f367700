package selfplay

import (
	"encoding/json"
	"reflect"
	"slices"
	"testing"

	"backsolve/game"
	"backsolve/internal/player/zero"
	"backsolve/research/nn"
)

// smallRun is a training of milliseconds.
func smallRun() Run {
	r := DefaultRun(game.Info{Name: "notakto", Size: 3})
	r.Iterations = 3
	r.Network.Width = 32
	r.Search.Simulations = 12
	r.Games = Games{Number: 20, Exploring: 4, Noise: 0.25, Alpha: 0.35, RandomStarts: 0.5}
	r.Training = Training{Options: nn.Options{Batch: 32, Rate: 2e-3, Decay: 1e-5}, Steps: 6, Replay: 2}
	return r
}

// smallAveraged averages its networks and takes half of the target values from the search.
func smallAveraged() Run {
	r := smallRun()
	r.Training.Average, r.Training.Searched = 0.9, 0.5
	return r
}

// smallLSTM has the published settings for Nim, on three heaps.
func smallLSTM() Run {
	r := smallRun()
	r.Game = "nim"
	r.Encoding = zero.Encoding{Canonical: zero.NoGroup, Heaps: zero.Unary}
	r.Network = Network{Width: 32, LSTM: true}
	return r
}

// smallPublished has those of the published program: games serve for two iterations, of as
// many batches as there are positions for, and the noise is drawn for each simulation.
func smallPublished() Run {
	r := smallLSTM()
	r.Encoding.Heaps = zero.UnaryLast
	r.Network.Initial = Uniform
	r.Games.Every, r.Games.Renewed = 2, true
	r.Training.Steps, r.Training.Whole, r.Training.AllActions, r.Training.Replay = 0, true, true, 1
	return r
}

// smallOthello trains on the smallest board of Othello.
func smallOthello() Run {
	r := smallRun()
	r.Game, r.Size = "othello", 4
	r.Encoding = zero.Encoding{Canonical: zero.SquareGroup}
	r.Search.KeyStates, r.Search.Proved = true, false
	return r
}

// smallWide trains on a board whose states need all their words.
func smallWide() Run {
	r := smallRun()
	r.Size, r.Encoding = 12, zero.Encoding{Canonical: zero.SquareGroup}
	r.Search.Simulations, r.Search.KeyStates = 3, true
	r.Games.Number, r.Games.RandomStarts = 4, 1
	return r
}

// smallFrom starts from a position in which the second player is to move.
func smallFrom() Run {
	r := smallLSTM()
	r.Network = Network{Width: 32}
	r.Games.Start = "1/2/1 o"
	r.Acceptance = Acceptance{Rule: Dynamic, Games: 6}
	return r
}

// smallQuixo trains convolutions on turned boards of a game that can cycle, in trees that are kept.
func smallQuixo() Run {
	r := smallRun()
	r.Game, r.Encoding = "quixo", zero.Encoding{}
	r.Network.Convolutions, r.Network.Channels = 1, 32
	r.Search.Discount, r.Search.Keep = 0.9, true
	r.Games.Limit, r.Games.RandomBoards = 12, 0.5
	r.Training.Images = zero.SquareGroup
	return r
}

// smallUltimate trains on nine boards.
func smallUltimate() Run {
	r := smallRun()
	r.Game, r.Size, r.Encoding = "uttt", 9, zero.Encoding{Canonical: zero.SquareGroup}
	r.Search.Simulations, r.Games.Number, r.Games.RandomStarts = 3, 4, 1
	return r
}

// smallDQN is the small training with Deep-Notakto's algorithm.
func smallDQN() Run {
	r := DefaultDQN(game.Info{Name: "notakto", Size: 3})
	r.Iterations = 3
	r.Network.Width = 32
	r.Search.Simulations = 12
	r.Training = Training{Options: nn.Options{Batch: 32, Rate: 2e-3, Decay: 1e-5}, Steps: 6, Queue: 80}
	return r
}

func newLearner(t testing.TB, r Run, threads int) *Learner {
	t.Helper()
	l, err := New(r, threads)
	if err != nil {
		t.Fatal(err)
	}
	return l
}

// steps does iterations and returns their reports.
func steps(t testing.TB, l *Learner, number int) (reports []*Report) {
	t.Helper()
	for range number {
		r, err := l.Step(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		r.Seconds = 0
		reports = append(reports, r)
	}
	return reports
}

// sameAs wants two learners to be equal, to the bit.
func sameAs(t testing.TB, what string, a, b *Learner) {
	t.Helper()
	for i, part := range a.vectors() {
		if !slices.Equal(part, b.vectors()[i]) {
			t.Errorf("%s: other numbers in part %d", what, i)
		}
	}
	if a.Iteration != b.Iteration || a.trainer.Steps != b.trainer.Steps || !reflect.DeepEqual(a.Run, b.Run) {
		t.Errorf("%s: iteration %d, step %d; want %d, %d", what, a.Iteration, a.trainer.Steps, b.Iteration, b.trainer.Steps)
	}
	one, err := json.Marshal(a.replay)
	if err != nil {
		t.Fatal(err)
	}
	other, err := json.Marshal(b.replay)
	if err != nil {
		t.Fatal(err)
	}
	if string(one) != string(other) {
		t.Errorf("%s: other samples", what)
	}
}

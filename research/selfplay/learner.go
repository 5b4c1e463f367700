package selfplay

import (
	"context"
	"encoding/json"
	"math/rand/v2"
	"slices"
	"time"

	"backsolve/internal/player/arena"
	"backsolve/internal/player/zero"
	"backsolve/internal/player/zero/network"
	"backsolve/internal/search"
	"backsolve/research/nn"
)

// Learner is a training. It is not safe for concurrent use.
type Learner struct {
	Run       Run
	Iteration int              // of finished ones
	Best      *network.Network // plays the games

	view    zero.View
	images  zero.Symmetric // of positions to learn from, or nil
	start   zero.State
	threads int
	trainer *nn.Trainer // trains a copy of Best
	replay  [][]Sample  // of the last iterations, the oldest first
}

// Report is the result of an iteration.
type Report struct {
	Iteration int `json:"iteration"`
	// Games is the number of games, Plies their mean length, and Positions the number of
	// samples that can be learned from: all 0 if the games of the last iteration serve again.
	Games      int     `json:"games"`
	Positions  int     `json:"positions"`
	Plies      float64 `json:"plies"`
	FirstWins  float64 `json:"first_wins"` // the first player's mean score from the start position, −1 of no game
	Asked      int64   `json:"asked"`      // states to be evaluated
	Evaluated  int64   `json:"evaluated"`  // those of them that were not cached
	ValueLoss  float64 `json:"value_loss"` // mean over the steps, as the next
	PolicyLoss float64 `json:"policy_loss"`
	Accepted   bool    `json:"accepted"`        // the network replaced its predecessor
	Match      *Match  `json:"match,omitempty"` // of both
	Seconds    float64 `json:"seconds"`
}

const cacheBytes = 256 << 20

// New begins a training.
func New(r Run, threads int) (*Learner, error) {
	if err := r.Check(); err != nil {
		return nil, err
	}
	view, err := r.View()
	if err != nil {
		return nil, err
	}
	start, err := r.begin(view)
	if err != nil {
		return nil, err
	}
	images, err := r.images()
	if err != nil {
		return nil, err
	}
	first := network.New(r.shape(view))
	if begin := chance(r.Seed, 0, ofInit, 0); r.Network.Initial == Uniform {
		first.InitUniform(begin)
	} else {
		first.Init(begin)
	}
	l := &Learner{Run: r, Best: first, view: view, images: images, start: start, threads: threads}
	l.trainer = nn.NewTrainer(first.Clone(), r.Training.Options, threads)
	return l, nil
}

// Weights returns the network that plays the games, with its description.
func (l *Learner) Weights() (*zero.Weights, error) {
	run, err := json.Marshal(l.Run)
	return &zero.Weights{Network: l.Best, Made: zero.Made{
		Game: l.Run.Game, Size: l.Run.Size, Encoding: l.Run.Encoding, Shape: l.Best.Shape, Search: l.Run.Search,
		Seed: l.Run.Seed, Iteration: l.Iteration, HeldOut: l.Run.HeldOut, Run: run,
	}}, err
}

// Step does an iteration. The only error is the cause of ctx, after which the learner cannot
// be used: Load its checkpoint.
func (l *Learner) Step(ctx context.Context) (*Report, error) {
	begun := time.Now()
	report := &Report{Iteration: l.Iteration + 1}
	report.FirstWins = -1
	if every := l.Run.Games.Every; every == 0 || l.Iteration%every == 0 {
		if err := l.play(ctx, report); err != nil {
			return nil, err
		}
	}
	before, steps := [][]float32{}, l.trainer.Steps
	for _, vector := range l.trained() {
		before = append(before, slices.Clone(vector))
	}
	if err := l.learn(ctx, report); err != nil {
		return nil, err
	}
	next := network.New(l.Best.Shape)
	next.Set(l.trainer.Averaged())
	if err := l.accept(ctx, next, report); err != nil {
		return nil, err
	}
	if report.Accepted {
		l.Best = next
	} else {
		for i, vector := range l.trained() {
			copy(vector, before[i])
		}
		l.trainer.Network.Pack()
		l.trainer.Steps = steps
	}
	l.Iteration++
	report.Seconds = time.Since(begun).Seconds()
	return report, nil
}

// trained returns the numbers that learning changes.
func (l *Learner) trained() [][]float32 {
	vectors := [][]float32{l.trainer.Network.Parameters, l.trainer.First, l.trainer.Second}
	if l.trainer.Mean != nil {
		vectors = append(vectors, l.trainer.Mean)
	}
	return vectors
}

func (l *Learner) play(ctx context.Context, report *Report) error {
	e := zero.NewEvaluator(l.view, l.Best, l.Run.Games.Number, cacheBytes, l.threads)
	var episodes []*episode
	for i := range l.Run.Games.Number {
		episodes = append(episodes, l.episode(chance(l.Run.Seed, l.Iteration, ofGames, i), e, e, true))
	}
	if err := lockstep(ctx, episodes, l.threads); err != nil {
		return err
	}
	var samples []Sample
	plies, fromStart, wins := 0, 0, 0.0
	for _, e := range episodes {
		for _, s := range e.samples {
			if !zero.HeldOut(l.Run.HeldOut, l.Run.Seed, s.State) {
				samples = append(samples, s)
			}
		}
		plies += e.ply
		if !e.random {
			fromStart++
			wins += float64(1+search.Sign(e.outcome)) / 2
		}
	}
	report.Games, report.Positions = len(episodes), len(samples)
	report.Plies = float64(plies) / float64(len(episodes))
	report.Asked, report.Evaluated = e.Asked, e.Evaluated
	if fromStart > 0 {
		report.FirstWins = wins / float64(fromStart)
	}
	l.keep(samples)
	return nil
}

// keep adds the samples of an iteration and drops the oldest ones beyond the limit.
func (l *Learner) keep(samples []Sample) {
	l.replay = append(l.replay, samples)
	if l.Run.Learner != DQN {
		if first := len(l.replay) - l.Run.Training.Replay; first > 0 {
			l.replay = l.replay[first:]
		}
		return
	}
	over := -l.Run.Training.Queue
	for _, s := range l.replay {
		over += len(s)
	}
	for ; over > 0; l.replay = l.replay[1:] {
		if first := l.replay[0]; over < len(first) {
			l.replay[0] = first[over:]
			break
		}
		over -= len(l.replay[0])
	}
}

func (l *Learner) episode(r *rand.Rand, first, second *zero.Evaluator, learns bool) *episode {
	return &episode{
		view: l.view, start: l.start, games: &l.Run.Games, rand: r, evaluators: [2]*zero.Evaluator{first, second}, learns: learns,
		tree: zero.NewTree(l.view, l.Run.Search), simulations: l.Run.Search.Simulations,
		keeps: l.Run.Search.Keep && first == second, discount: l.Run.Search.Discount,
		searchShare: float32(l.Run.Training.Searched),
	}
}

func (l *Learner) learn(ctx context.Context, report *Report) error {
	var all []*Sample
	for _, samples := range l.replay {
		for i := range samples {
			all = append(all, &samples[i])
		}
	}
	steps := l.Run.Training.Steps
	if l.Run.Training.Whole {
		steps = len(all) / l.Run.Training.Batch
	}
	if len(all) == 0 || steps == 0 {
		return nil
	}
	l.trainer.SetRate(l.Run.Training.rateAfter(l.Iteration))
	r := chance(l.Run.Seed, l.Iteration, ofTraining, 0)
	targets := make([]nn.Target, l.Run.Training.Batch)
	for range steps {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		for i := range targets {
			s := *all[r.IntN(len(all))]
			if l.images != nil {
				s = s.image(l.images, r.IntN(l.images.Images()))
			}
			l.view.Encode(l.trainer.Input(i), s.State)
			targets[i] = s.Target
		}
		loss := l.trainer.Step(targets)
		report.ValueLoss += loss.Value / float64(steps)
		report.PolicyLoss += loss.Policy / float64(steps)
	}
	return nil
}

// Match is the result of a trained network against its predecessor.
type Match struct {
	First  arena.Tally `json:"first"` // games that the trained network began
	Second arena.Tally `json:"second"`
}

// winRate is the share of wins among decided games, 0 if there are none.
func winRate(wins, losses int) float64 { return float64(wins) / float64(max(1, wins+losses)) }

// accepts reports whether the trained network replaces its predecessor. firstWins is the
// first player's score in the games that it learned from.
func (a *Acceptance) accepts(m *Match, firstWins float64) bool {
	if a.Rule == Fixed {
		return winRate(m.First.Wins+m.Second.Wins, m.First.Losses+m.Second.Losses) > a.Threshold
	}
	return winRate(m.First.Wins, m.First.Losses) > firstWins || winRate(m.Second.Wins, m.Second.Losses) > 1-firstWins
}

// accept plays the trained network against its predecessor, without noise, if the rule asks for it.
func (l *Learner) accept(ctx context.Context, next *network.Network, report *Report) error {
	a := &l.Run.Acceptance
	if a.Rule == Always {
		report.Accepted = true
		return nil
	}
	evaluators := [2]*zero.Evaluator{
		zero.NewEvaluator(l.view, next, a.Games, cacheBytes/2, l.threads),
		zero.NewEvaluator(l.view, l.Best, a.Games, cacheBytes/2, l.threads),
	}
	var episodes []*episode
	for i := range a.Games {
		episodes = append(episodes, l.episode(chance(l.Run.Seed, l.Iteration, ofAcceptance, i), evaluators[i%2], evaluators[1-i%2], false))
	}
	if err := lockstep(ctx, episodes, l.threads); err != nil {
		return err
	}
	report.Match = &Match{}
	for i, e := range episodes {
		if i%2 == 0 {
			report.Match.First.Count(e.outcome)
		} else {
			report.Match.Second.Count(e.outcome.Flip())
		}
	}
	firstWins := report.FirstWins
	if firstWins < 0 {
		firstWins = 0.5 // no game began at the start
	}
	report.Accepted = a.accepts(report.Match, firstWins)
	return nil
}

package selfplay

import (
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"time"

	"backsolve/internal/player/arena"
	"backsolve/internal/player/zero"
	"backsolve/internal/player/zero/network"
	"backsolve/internal/sealed"
	"backsolve/internal/search"
	"backsolve/research/nn"
)

// Learner is a training. It is not safe for concurrent use.
type Learner struct {
	Run       Run
	Iteration int              // of finished ones
	Best      *network.Network // plays the games

	board
	threads int
	trainer *nn.Trainer // trains a copy of Best
	replay  [][]Sample  // of the last iterations, the oldest first
}

// Report is the result of an iteration.
type Report struct {
	Iteration int `json:"iteration"`
	// Games, Positions and Plies are 0 if the games of the last iteration serve again.
	Games      int     `json:"games"`
	Positions  int     `json:"positions"`  // samples that can be learned from
	Plies      float64 `json:"plies"`      // mean of a game
	FirstWins  float64 `json:"first_wins"` // the first player's mean score from the start position, −1 of no game
	Asked      int64   `json:"asked"`      // states to be evaluated
	Evaluated  int64   `json:"evaluated"`  // those of them that were not cached
	ValueLoss  float64 `json:"value_loss"` // mean over the steps, as the next
	PolicyLoss float64 `json:"policy_loss"`
	Accepted   bool    `json:"accepted"`        // the network replaced its predecessor
	Match      *Match  `json:"match,omitempty"` // of both
	Seconds    float64 `json:"seconds"`
}

const cacheBytes = 256 << 20 // of evaluations

// New begins a training.
func New(r Run, threads int) (*Learner, error) {
	b, err := r.board()
	if err != nil {
		return nil, err
	}
	first := network.New(r.shape(b.view))
	if begin := chance(r.Seed, 0, ofInit, 0); r.Network.Initial == Uniform {
		first.InitUniform(begin)
	} else {
		first.Init(begin)
	}
	l := &Learner{Run: r, Best: first, board: b, threads: threads}
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

// Step does an iteration. The only error is the cause of ctx; after it, Load the checkpoint.
func (l *Learner) Step(ctx context.Context) (*Report, error) {
	begun := time.Now()
	report := &Report{Iteration: l.Iteration + 1, FirstWins: -1}
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
		l.replay = l.replay[max(0, len(l.replay)-l.Run.Training.Replay):]
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

// format is the format of checkpoints, which hold all that the next iteration needs.
var format = sealed.Format{Name: "backsolve learn checkpoint", Version: 2, MaxSize: 16 << 30}

// saved is the header of a checkpoint. 32-bit numbers follow, padding included: the parameters of the
// best network and of the trained one, Adam's means, the mean of the parameters if any, the samples.
type saved struct {
	Run        Run   `json:"run"`
	Iteration  int   `json:"iteration"`
	Steps      int   `json:"steps"`
	Parameters int   `json:"parameters"`
	Replay     []int `json:"replay"` // the number of samples of each iteration
}

// Save writes a checkpoint to a file, replacing an existing one.
func (l *Learner) Save(path string) error {
	h := saved{Run: l.Run, Iteration: l.Iteration, Steps: l.trainer.Steps, Parameters: len(l.Best.Parameters)}
	var numbers []byte
	for _, vector := range l.vectors() {
		numbers = zero.AppendFloats(numbers, vector)
	}
	for _, samples := range l.replay {
		h.Replay = append(h.Replay, len(samples))
		for i := range samples {
			numbers = samples[i].append(numbers)
		}
	}
	if err := format.Write(path, &h, numbers); err != nil {
		return fmt.Errorf("the checkpoint is not saved: %w", err)
	}
	return nil
}

// vectors returns the numbers of a checkpoint before the samples.
func (l *Learner) vectors() [][]float32 {
	return append([][]float32{l.Best.Parameters}, l.trained()...)
}

var errSamples = errors.New("its numbers do not match its header")

// Load resumes a training from a checkpoint. The error is a sentence that names the file.
func Load(path string, threads int) (*Learner, error) {
	l, err := load(path, threads)
	if err != nil {
		return nil, fmt.Errorf("%s cannot be resumed: %w; start over with lab train", path, err)
	}
	return l, nil
}

func load(path string, threads int) (*Learner, error) {
	var h saved
	numbers, err := format.Read(path, &h)
	if err != nil {
		return nil, err
	}
	l, err := New(h.Run, threads)
	if err != nil {
		return nil, err
	}
	vectors := l.vectors()
	if h.Parameters != len(l.Best.Parameters) || len(numbers) < 4*len(vectors)*h.Parameters || h.Iteration < 0 || h.Steps < 0 {
		return nil, errSamples
	}
	for _, vector := range vectors {
		copy(vector, zero.Floats(numbers[:4*len(vector)]))
		numbers = numbers[4*len(vector):]
	}
	l.Best.Pack()
	l.trainer.Network.Pack()
	l.Iteration, l.trainer.Steps = h.Iteration, h.Steps
	for _, count := range h.Replay {
		var samples []Sample
		for range count {
			var s Sample
			if numbers, err = s.read(numbers); err != nil {
				return nil, err
			}
			samples = append(samples, s)
		}
		l.replay = append(l.replay, samples)
	}
	if len(numbers) > 0 {
		return nil, errSamples
	}
	return l, nil
}

// sampleHead is the part of a sample that has the same length in all.
type sampleHead struct {
	State   zero.State
	Value   float32
	Actions uint16 // their number
}

func (s *Sample) append(dst []byte) []byte {
	for _, part := range []any{sampleHead{s.State, s.Value, uint16(len(s.Actions))}, s.Actions, s.Policy} {
		dst, _ = binary.Append(dst, binary.LittleEndian, part) // these types have no errors
	}
	return dst
}

func (s *Sample) read(data []byte) ([]byte, error) {
	var head sampleHead
	n, err := binary.Decode(data, binary.LittleEndian, &head)
	if err != nil {
		return nil, errSamples
	}
	s.State, s.Value = head.State, head.Value
	s.Actions, s.Policy = make([]int16, head.Actions), make([]float32, head.Actions)
	for _, part := range []any{s.Actions, s.Policy} {
		data = data[n:]
		if n, err = binary.Decode(data, binary.LittleEndian, part); err != nil {
			return nil, errSamples
		}
	}
	return data[n:], nil
}

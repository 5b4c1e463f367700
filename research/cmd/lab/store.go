package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"

	"backsolve/cmd/cli"
	"backsolve/game"
	"backsolve/internal/durable"
	"backsolve/internal/machine"
	"backsolve/internal/player"
	"backsolve/internal/player/agents"
	"backsolve/internal/player/arena"
	"backsolve/research/grade"
	"backsolve/research/internal/files"
)

// settings are common to all points of a file.
type settings struct {
	Measure   string `json:"measure"`
	Game      string `json:"game"`
	Size      int    `json:"size"`
	Table     string `json:"table"` // its identity
	Start     string `json:"start"` // the value of the empty board
	Games     int    `json:"games"` // for each point
	TurnLimit int    `json:"turn_limit"`
	Replies   bool   `json:"replies,omitempty"` // the opponent begins all games
	States    int    `json:"states"`            // for each point
	Seed      uint64 `json:"seed"`              // of each point, so that lab match replays it
	Outcomes  bool   `json:"-"`                 // the table has no steps
}

// String returns the settings as JSON.
func (s settings) String() string {
	text, _ := json.Marshal(s) // numbers and words have no errors
	return string(text)
}

// takes reports whether points of other settings belong to those of s. An optimal player has
// the same moves and probabilities by a table without steps, so its matches may be added to
// those by a table with steps. The games differ, as steps change the order of the moves.
func (s settings) takes(other settings) bool {
	if other.Outcomes && other.Games > 0 && strings.HasPrefix(s.Start, other.Start) {
		other.Table, other.Start = s.Table, s.Start
	}
	other.Outcomes = s.Outcomes
	return s == other
}

// run says how points were made.
type run struct {
	Command string            `json:"command"`
	Version string            `json:"version"`
	Machine machine.Machine   `json:"machine"`
	Threads int               `json:"threads"`
	Table   string            `json:"table,omitempty"`  // its identity, if not that of the settings
	Inputs  map[string]string `json:"inputs,omitempty"` // SHA-256 of files that were read, by their paths
}

func newRun(threads int, inputs map[string]string) run {
	words := []string{filepath.Base(os.Args[0])}
	for _, arg := range os.Args[1:] {
		words = append(words, cli.ShellWord(arg))
	}
	return run{Command: strings.Join(words, " "), Version: cli.Version(), Machine: machine.This(), Threads: threads, Inputs: inputs}
}

type data[P any] struct {
	Settings settings `json:"settings"`
	Runs     []run    `json:"runs"`
	Points   []P      `json:"points"`
}

// loadData reads the file path.json, and rates its points anew.
func loadData[P any](path string) (*data[P], error) {
	d := &data[P]{}
	err := files.ReadJSON(path+".json", d)
	for i := range d.Points {
		if p, ok := any(&d.Points[i]).(interface{ rate() }); ok {
			p.rate()
		}
	}
	return d, err
}

// store is a locked file of points, replaced with each new point so that a kill loses none.
type store[P any] struct {
	data[P]
	path string // without a suffix
	run  run    // that adds points
	lock *durable.Locked
	env  *agents.Env // of the points
}

// openStore opens path.json. It refuses a file of other settings, unless force discards it.
func openStore[P any](path string, s settings, r run, force bool, env *agents.Env) (*store[P], error) {
	if err := durable.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return nil, err
	}
	lock, err := durable.Lock(path)
	if err != nil {
		return nil, err
	}
	st := &store[P]{data[P]{Settings: s}, path, r, lock, env}
	read, err := loadData[P](path)
	if force || errors.Is(err, fs.ErrNotExist) {
		return st, nil
	}
	if err == nil && !read.Settings.takes(s) {
		err = fmt.Errorf("%s.json was made with other settings, %v instead of %v", path, read.Settings, s)
	}
	if err != nil {
		return nil, errors.Join(cli.Usagef("%w; remove the file to start over, or name another place with --out", err), lock.Unlock())
	}
	if st.data = *read; read.Settings.Table != s.Table {
		st.run.Table = s.Table
	}
	return st, nil
}

// add adds a point, and before the first one of a run the run.
func (st *store[P]) add(point P) error {
	if n := len(st.Runs); n == 0 || !reflect.DeepEqual(st.Runs[n-1], st.run) {
		st.Runs = append(st.Runs, st.run)
	}
	st.Points = append(st.Points, point)
	return files.WriteJSON(st.path+".json", st.data)
}

func (st *store[P]) close() error { return st.lock.Unlock() }

// job adds one point to a file.
type job struct {
	what string  // mcts:1000 against optimal
	cost float64 // time, relative to other jobs
	// do works, and reports the share of the job that is done.
	do func(ctx context.Context, report func(share float64)) error
}

// run does the jobs, the cheapest first so that a short run yields points of each kind. After the
// deadline, unless it is zero, it begins no further one. It returns how many are left.
func (r *runner) run(title string, deadline time.Time) (left int, err error) {
	jobs := r.jobs
	if len(jobs) == 0 {
		return 0, nil
	}
	slices.SortStableFunc(jobs, func(a, b job) int { return cmp.Compare(a.cost, b.cost) })
	done, total := 0.0, 0.0
	for _, j := range jobs {
		total += j.cost
	}
	p, stop := r.watch(r.cmd, "series", title, "units", 0, total)
	defer stop()
	for i, j := range jobs {
		if !deadline.IsZero() && time.Now().After(deadline) {
			return len(jobs) - i, nil
		}
		p.Update(j.what, done)
		if err := j.do(r.cmd.Context(), func(share float64) { p.Update(j.what, done+share*j.cost) }); err != nil {
			return len(jobs) - i, withRemedy(err)
		}
		done += j.cost
	}
	return 0, nil
}

type contender struct {
	name  string // on a command line
	label string // in the points; the same label is the same agent
}

// cost is the approximate time of a move, in iterations.
func (c *contender) cost() float64 {
	if depth, ok := strings.CutPrefix(c.label, "minimax:depth="); ok {
		n, _ := strconv.Atoi(depth)
		return math.Pow(6, float64(n))
	}
	return float64(max(0, iterationsOf(c.label))) + 20
}

// missing returns the job that measures a contender and adds the point, none if that exists.
func missing[P any](st *store[P], c contender, what string, games float64, exists func(P) bool, measure func(ctx context.Context, a player.Agent, report func(share float64)) (P, error)) []job {
	if slices.ContainsFunc(st.Points, exists) {
		return nil
	}
	return []job{{st.Settings.word() + ": " + what, games * c.cost(), func(ctx context.Context, report func(share float64)) error {
		agent, err := parseAgent(ctx, c.name, st.env)
		if err != nil {
			return err
		}
		p, err := measure(ctx, agent, report)
		if err != nil {
			return err
		}
		return st.add(p)
	}}}
}

func match(st *store[matchPoint], c contender, opponent string) []job {
	exists := func(p matchPoint) bool { return p.Agent == c.label && p.Opponent == opponent }
	set := st.Settings
	return missing(st, c, c.label+" against "+opponent, float64(set.Games), exists, func(ctx context.Context, a player.Agent, report func(share float64)) (p matchPoint, err error) {
		other := a
		if opponent != itself {
			if other, err = parseAgent(ctx, opponent, st.env); err != nil {
				return p, err
			}
		}
		m := arena.Match{
			Rules: st.env.Rules, Start: st.env.Rules.Start(), Agents: [2]player.Agent{a, other},
			Games: set.Games, Replies: set.Replies, Turns: set.TurnLimit, Seed: set.Seed, Threads: st.run.Threads,
		}
		summary, different, err := grade.Play(ctx, &m, func(r *arena.Record) { report(float64(r.Number) / float64(set.Games)) })
		if err != nil {
			return p, err
		}
		return newMatchPoint(c.label, opponent, summary, different), nil
	})
}

// dozen is the approximate number of moves in a game; each costs as much as a question.
const dozen = 12

func exam(st *store[accuracyPoint], c contender) []job {
	exists := func(p accuracyPoint) bool { return p.Agent == c.label }
	states := float64(st.Settings.States)
	return missing(st, c, "accuracy of "+c.label, states/dozen, exists, func(ctx context.Context, a player.Agent, report func(share float64)) (p accuracyPoint, err error) {
		table, err := st.env.Table()
		if err != nil {
			return p, err
		}
		done := 0.0
		subject := grade.Subject{Rules: st.env.Rules, Answers: table, Agent: a, Seed: st.Settings.Seed, Threads: st.run.Threads}
		marks, err := subject.Exam(ctx, st.Settings.States, func() {
			done++
			report(done / states)
		})
		if err != nil {
			return p, err
		}
		return newAccuracyPoint(c.label, marks), nil
	})
}

const (
	timed = 20 // positions
	// leastTimed is the least time of a measurement, as the system counts processor time coarsely.
	leastTimed    = 20 * time.Millisecond
	longestRandom = 400 // positions, as some games do not end
)

func clock(st *store[timePoint], c contender) []job {
	exists := func(p timePoint) bool { return p.Agent == c.label }
	return missing(st, c, "time of "+c.label, float64(st.Settings.States)/dozen, exists, func(ctx context.Context, agent player.Agent, _ func(float64)) (p timePoint, err error) {
		positions := middlePositions(st.env.Rules, st.Settings.Seed, st.Settings.States)
		runtime.GC() // that earlier work is owed
		subject := grade.Subject{Agent: agent}
		moves, begun := 0, machine.ProcessorTime()
		for moves == 0 || machine.ProcessorTime()-begun < leastTimed {
			for i, s := range positions {
				if _, _, err := subject.Timed(ctx, s, arena.Seed(st.Settings.Seed, i, 1)); err != nil {
					return p, err
				}
				moves++
			}
		}
		return timePoint{c.label, len(positions), perMove(machine.ProcessorTime()-begun, moves)}, nil
	})
}

// middlePositions returns positions of random games, one of each at any ply of it.
func middlePositions(rules game.Rules, seed uint64, n int) (all []game.State) {
	for i := range n {
		r := player.NewRand(arena.Seed(seed, i, 0))
		var seen []game.State
		for s := rules.Start(); len(seen) < longestRandom; {
			moves := rules.Moves(nil, s)
			if len(moves) == 0 {
				break
			}
			seen = append(seen, s)
			s = rules.Play(s, moves[r.IntN(len(moves))])
		}
		all = append(all, seen[r.IntN(len(seen))])
	}
	return all
}

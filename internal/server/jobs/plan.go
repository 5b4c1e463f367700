package jobs

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/dustin/go-humanize"

	"backsolve/game/custom"
	"backsolve/game/games"
	"backsolve/internal/probe"
	"backsolve/internal/server/api"
	"backsolve/internal/solve"
	"backsolve/tablebase"
)

// IsListed reports whether a game is defined by its positions. Its tables always have steps.
func IsListed(name string) bool {
	rules, _ := games.New(name, 1)
	_, listed := rules.(custom.Listed)
	return listed
}

func steps(r api.JobRequest) bool { return api.Or(r.HasSteps, false) || IsListed(r.Game) }

func (q *Queue) arguments(request api.JobRequest) []string {
	args := []string{request.Game}
	rules := filepath.Join(tablesName, probe.RulesOf(request.Game+probe.FileSuffix))
	if _, err := os.Stat(filepath.Join(q.o.Dir, rules)); err == nil {
		args[0] = rules
	}
	if !IsListed(request.Game) {
		args = append(args, request.Size.String())
		if steps(request) {
			args = append(args, "--steps")
		}
		if api.Or(request.Packed, false) {
			args = append(args, "--packed")
		}
		if after := api.Or(request.After, ""); after != "" {
			args = append(args, "--after="+after)
		}
	}
	if api.Or(request.Force, false) {
		args = append(args, "--force")
	}
	return append(args, q.options()...)
}

func (q *Queue) options() []string {
	return []string{fmt.Sprintf("--memory=%d", max(q.o.Memory, 1<<20)), "--dir=" + tablesName, "--json"}
}

// Bounds of a plan, more than twice what tbsolve takes for one. Tests make them small.
var (
	planTime         = 12 * time.Second
	planMemory int64 = 512 << 20
)

const (
	planAge  = time.Minute
	maxPlans = 256
)

// planned is a plan as tbsolve prints it, shared by requests at the same time and soon after.
type planned struct {
	plan *solve.Plan
	err  error
	made time.Time
	done chan struct{} // closed when the above are set
	// ofJob is closed when a job waits for the plan.
	ofJob chan struct{}

	waiting int // requests
	cancel  context.CancelFunc
}

// Plan estimates what a job takes on a board that exists. The error is the cause of ctx, or why there is no plan.
func (q *Queue) Plan(ctx context.Context, request api.JobRequest) (api.Plan, error) {
	return q.plan(ctx, request, false)
}

// IsPlanned reports whether a fresh plan is at hand.
func (q *Queue) IsPlanned(request api.JobRequest) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	p := q.plans[strings.Join(q.arguments(request), " ")]
	return p != nil && p.isFresh()
}

func (p *planned) isFresh() bool {
	select {
	case <-p.done:
		return p.err == nil && time.Since(p.made) < planAge
	default:
		return false
	}
}

// plan is Plan. A job, whose client may solve, does not wait for the plans of others.
func (q *Queue) plan(ctx context.Context, request api.JobRequest, job bool) (api.Plan, error) {
	p := q.await(ctx, q.arguments(request), job)
	if p == nil {
		return api.Plan{}, context.Cause(ctx)
	}
	if p.err != nil {
		return api.Plan{}, p.err
	}
	plan := api.Plan{
		Game: request.Game, Size: request.Size, HasSteps: steps(request),
		StoredStates: int64(p.plan.States), MemoryBytes: p.plan.Memory, DiskBytes: p.plan.Disk, Seconds: float64(p.plan.Seconds), Possible: true,
	}
	if p.plan.Low > 0 { // counted states have no bounds
		plan.StoredStatesLow, plan.SecondsLow = new(int64(p.plan.Low)), new(float64(p.plan.SecondsLow))
		if p.plan.High > 0 {
			plan.StoredStatesHigh, plan.SecondsHigh = new(int64(p.plan.High)), new(float64(p.plan.SecondsHigh))
		}
	}
	if why, remedy := q.obstacle(&plan, p.plan.Why); why != "" {
		plan.Possible, plan.Why = false, &why
		if remedy != "" {
			plan.Remedy = &remedy
		}
	}
	return plan, nil
}

// await returns a plan that is at hand or being made, or makes one; nil if ctx ends first. A plan that
// no request waits for any longer is given up.
func (q *Queue) await(ctx context.Context, args []string, job bool) *planned {
	key := strings.Join(args, " ")
	q.mu.Lock()
	p := q.plans[key]
	if p == nil || p.waiting == 0 && !p.isFresh() {
		p = q.beginPlan(key, args)
	}
	p.waiting++
	if job && p.ofJob != nil {
		close(p.ofJob)
		p.ofJob = nil
	}
	q.mu.Unlock()
	defer func() {
		q.mu.Lock()
		defer q.mu.Unlock()
		if p.waiting--; p.waiting == 0 {
			p.cancel()
		}
	}()
	select {
	case <-p.done:
		return p
	case <-ctx.Done():
		return nil
	}
}

func (q *Queue) beginPlan(key string, args []string) *planned {
	if len(q.plans) >= maxPlans {
		clear(q.plans)
	}
	ctx, cancel := context.WithCancel(context.Background())
	p := &planned{done: make(chan struct{}), ofJob: make(chan struct{}), cancel: cancel}
	q.plans[key] = p
	go func(ofJob <-chan struct{}) {
		defer close(p.done)
		place := q.takePlace(ctx, ofJob)
		if place == nil {
			p.err = ctx.Err()
			return
		}
		defer func() { <-place }()
		p.plan, p.err = q.makePlan(ctx, args)
		p.made = time.Now()
	}(p.ofJob)
	return p
}

// takePlace waits for a place for a plan. It returns nil when ctx ends.
func (q *Queue) takePlace(ctx context.Context, ofJob <-chan struct{}) chan struct{} {
	select {
	case q.planning <- struct{}{}:
		return q.planning
	case <-ofJob:
	case <-ctx.Done():
		return nil
	}
	select {
	case q.planningJobs <- struct{}{}:
		return q.planningJobs
	case <-ctx.Done():
		return nil
	}
}

var errPlan = errors.New("what solving this takes cannot be estimated, as the plan alone takes more time or memory than the server allows")

func (q *Queue) makePlan(ctx context.Context, args []string) (p *solve.Plan, err error) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	most := planMemory
	timer := time.AfterFunc(planTime, func() { cancel(errPlan) })
	defer timer.Stop()
	runtime.LockOSThread() // see solve
	defer runtime.UnlockOSThread()
	cmd := q.command(ctx, 0, append(slices.Clip(args), "--plan"))
	cmd.WaitDelay, cmd.Cancel = time.Second, func() error { return cmd.Process.Kill() } // a plan leaves nothing behind
	var text, said bytes.Buffer
	cmd.Stdout, cmd.Stderr = &text, &said
	if err = cmd.Start(); err == nil {
		go watch(ctx, cancel, memoryEvery, errPlan, func() bool { return memoryOf(cmd.Process.Pid) > most })
		err = cmd.Wait()
	}
	switch cause := context.Cause(ctx); {
	case cause == errPlan:
		return &solve.Plan{Why: errPlan.Error()}, nil
	case cause != nil:
		return nil, cause
	}
	if malformed := json.Unmarshal(text.Bytes(), &p); malformed != nil { // a plan that is impossible is printed, too
		q.o.Log.Error("there is no plan", "arguments", args, "said", said.String(), "error", errors.Join(err, malformed))
		return nil, fmt.Errorf("there is no plan: %s", complaint(strings.Split(said.String(), "\n")))
	}
	return p, nil
}

// obstacle says why a plan cannot be done, "" if it can, and what the client can do. other is what tbsolve says.
func (q *Queue) obstacle(p *api.Plan, other string) (why, remedy string) {
	const (
		exceeds   = "solving this takes about %s of %s, but the server allows a job %s"
		elsewhere = "choose a smaller board, or solve this one on a machine of your own"
	)
	bytes := func(n int64) string { return humanize.IBytes(uint64(n)) }
	switch {
	case p.StoredStates == 0 && p.StoredStatesLow != nil:
		return fmt.Sprintf("what solving this takes cannot be estimated; the game has at least %s states", humanize.Comma(*p.StoredStatesLow)), elsewhere
	case p.MemoryBytes > q.o.Memory:
		return fmt.Sprintf(exceeds, bytes(p.MemoryBytes), "memory", bytes(q.o.Memory)), elsewhere
	case p.Seconds > q.maxTime.Seconds():
		return fmt.Sprintf(exceeds, time.Duration(p.Seconds*float64(time.Second)).Round(time.Second), "time", q.maxTime), elsewhere
	case strings.Contains(other, tablebase.ErrBusy.Error()):
		return "", "" // a job, after which the next one begins
	}
	cause, _, _ := strings.Cut(other, "; ") // what to do about it is for those who run tbsolve
	return withoutFiles(cause), ""
}

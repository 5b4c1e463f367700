package jobs

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/dustin/go-humanize"

	"backsolve/game/custom"
	"backsolve/game/games"
	"backsolve/server/api"
)

// printed is a plan as tbsolve prints it.
type printed struct {
	// Of a board.
	StoredStates     int64   `json:"stored_states"`
	MemoryBytes      int64   `json:"memory_bytes"`
	DiskBytes        int64   `json:"disk_bytes"`
	EstimatedSeconds float64 `json:"estimated_seconds"`
	Obstacle         string  `json:"obstacle"`
	// Of a game that is defined by its positions.
	States     int64   `json:"states"`
	MinMemory  int64   `json:"min_memory"`
	Disk       int64   `json:"disk"`
	CPUSeconds float64 `json:"cpu_seconds"`
}

// IsListed reports whether a game is defined by its positions. Its tables always have steps.
func IsListed(name string) bool {
	rules, err := games.New(name, 1)
	if err != nil {
		return false
	}
	_, listed := rules.(custom.Listed)
	return listed
}

// steps reports whether the table of a job has steps.
func steps(of api.JobRequest) bool { return is(of.HasSteps) || IsListed(of.Game) }

func is(option *bool) bool { return option != nil && *option }

// after returns the moves after which the game is solved, "" for all of it.
func after(of api.JobRequest) string {
	if of.After == nil {
		return ""
	}
	return *of.After
}

// arguments returns the command line of tbsolve for a job.
func (q *Queue) arguments(of api.JobRequest) []string {
	args := []string{of.Game}
	if !IsListed(of.Game) {
		args = append(args, of.Size.String())
		for _, option := range []struct {
			given bool
			flag  string
		}{{steps(of), "--steps"}, {is(of.Packed), "--packed"}, {after(of) != "", "--after=" + after(of)}} {
			if option.given {
				args = append(args, option.flag)
			}
		}
	}
	if is(of.Force) {
		args = append(args, "--force")
	}
	return append(args, fmt.Sprintf("--memory=%d", max(q.o.Memory, 1<<20)), "--dir="+tablesName, "--json")
}

// Plan estimates what a job takes. The board must exist. Plans are made one at a time; the error
// is the cause of ctx, or why there is no plan.
func (q *Queue) Plan(ctx context.Context, of api.JobRequest) (api.Plan, error) {
	select {
	case q.planning <- struct{}{}:
		defer func() { <-q.planning }()
	case <-ctx.Done():
		return api.Plan{}, context.Cause(ctx)
	}
	cmd := q.command(ctx, 0, append(q.arguments(of), "--plan"))
	var text, said bytes.Buffer
	cmd.Stdout, cmd.Stderr = &text, &said
	err := cmd.Run()
	if ctx.Err() != nil {
		return api.Plan{}, context.Cause(ctx)
	}
	var p printed
	if malformed := json.Unmarshal(text.Bytes(), &p); malformed != nil { // a plan that is impossible is printed, too
		if _, ok := errors.AsType[*exec.ExitError](err); ok {
			err = errors.New(complaint(strings.Split(said.String(), "\n")))
		}
		return api.Plan{}, fmt.Errorf("there is no plan: %w", errors.Join(err, malformed))
	}
	plan := api.Plan{
		Game: of.Game, Size: of.Size, HasSteps: steps(of),
		States: max(p.StoredStates, p.States), MemoryBytes: max(p.MemoryBytes, p.MinMemory), DiskBytes: max(p.DiskBytes, p.Disk),
		Seconds: max(p.EstimatedSeconds, p.CPUSeconds), Possible: true,
	}
	if obstacle := q.obstacle(&plan, p.Obstacle); obstacle != "" {
		plan.Possible, plan.Obstacle = false, &obstacle
	}
	return plan, nil
}

// obstacle says why a plan cannot be done, "" if it can. other is what tbsolve says.
func (q *Queue) obstacle(p *api.Plan, other string) string {
	const exceeds = "solving this takes about %s of %s, but the server allows a job %s"
	bytes := func(n int64) string { return humanize.IBytes(uint64(n)) }
	if p.MemoryBytes > q.o.Memory {
		return fmt.Sprintf(exceeds, bytes(p.MemoryBytes), "memory", bytes(q.o.Memory))
	}
	if q.o.Disk > 0 && p.DiskBytes > q.o.Disk {
		return fmt.Sprintf(exceeds, bytes(p.DiskBytes), "disk", bytes(q.o.Disk))
	}
	if left := q.o.AllDisk - q.used(); q.o.AllDisk > 0 && p.DiskBytes > left {
		return fmt.Sprintf("solving this takes about %s of disk, but only %s are left for all jobs", bytes(p.DiskBytes), bytes(max(left, 0)))
	}
	if p.Seconds > q.o.Time.Seconds() {
		return fmt.Sprintf(exceeds, time.Duration(p.Seconds*float64(time.Second)).Round(time.Second), "time", q.o.Time)
	}
	cause, _, _ := strings.Cut(other, "; ") // what to do about it is for those who run tbsolve
	return cause
}

// used returns the bytes of all tables of jobs, unfinished ones included.
func (q *Queue) used() (bytes int64) {
	filepath.WalkDir(TablesDir(q.o.Dir), func(_ string, entry fs.DirEntry, err error) error {
		if err != nil {
			return nil // a file that has vanished
		}
		if info, err := entry.Info(); err == nil && entry.Type().IsRegular() {
			bytes += info.Size()
		}
		return nil
	})
	return bytes
}

package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"
)

// The fates of mutants.
const (
	killed    = "killed"
	timedOut  = "timed out"
	survived  = "survived"
	notViable = "not viable"
)

// result is what became of a mutant.
type result struct {
	mutant
	Key  string `json:"key"`
	Fate string `json:"fate"`
	// By is the pattern of the packages whose tests have found it.
	By      string  `json:"by,omitempty"`
	Seconds float64 `json:"seconds"`
}

// runner tries mutants.
type runner struct {
	root    string
	targets []target
	jobs    int
	log     *logFile
	out     io.Writer
	// limits are the times that the tests of a pattern may take: several times what
	// they take on the code as it is.
	limits map[string]time.Duration
}

// run tries those of the mutants that are not in the log.
func (r *runner) run(ctx context.Context, all []mutant) error {
	open, err := r.open(all)
	if err != nil || len(open) == 0 {
		return err
	}
	if err := r.measure(ctx, open); err != nil {
		return err
	}
	queue := make(chan *result)
	var working sync.WaitGroup
	var mu sync.Mutex
	var failed error
	done := 0
	for range r.jobs {
		working.Go(func() {
			for one := range queue {
				err := r.try(ctx, one)
				mu.Lock()
				if err == nil {
					err = r.log.add(one)
				}
				failed = firstError(failed, err)
				done++
				fmt.Fprintf(r.out, "%d of %d: %s:%d %s: %s %s\n", done, len(open), one.File, one.Line, one.Change, one.Fate, one.By)
				mu.Unlock()
			}
		})
	}
	for _, one := range open {
		mu.Lock()
		stop := failed != nil || ctx.Err() != nil
		mu.Unlock()
		if stop {
			break
		}
		queue <- one
	}
	close(queue)
	working.Wait()
	if err := context.Cause(ctx); err != nil {
		return err
	}
	return failed
}

func firstError(first, next error) error {
	if first != nil {
		return first
	}
	return next
}

// open returns the mutants that are not in the log.
func (r *runner) open(all []mutant) (open []*result, err error) {
	for _, m := range all {
		source, err := os.ReadFile(r.fileOf(&m))
		if err != nil {
			return nil, err
		}
		if key := m.key(source); !r.log.has(key) {
			open = append(open, &result{mutant: m, Key: key})
		}
	}
	return open, nil
}

func (r *runner) fileOf(m *mutant) string { return filepath.Join(r.root, filepath.FromSlash(m.File)) }

// testsOf returns the patterns of packages whose tests should find a mutant.
func (r *runner) testsOf(m *mutant) []string {
	i := slices.IndexFunc(r.targets, func(t target) bool { return t.pkg == m.Package })
	if own := r.targets[i].tests; len(own) > 0 {
		return own
	}
	return []string{"./" + path.Dir(m.File)}
}

// measure runs the tests on the code as it is. They must pass, or every mutant
// would seem to be caught.
func (r *runner) measure(ctx context.Context, open []*result) error {
	r.limits = map[string]time.Duration{}
	for _, one := range open {
		for _, pattern := range r.testsOf(&one.mutant) {
			if _, known := r.limits[pattern]; known {
				continue
			}
			fmt.Fprintf(r.out, "testing %s as it is\n", pattern)
			start := time.Now()
			if out, err := r.test(ctx, pattern, "", 10*time.Minute); err != nil {
				return fmt.Errorf("the tests of %s fail without any change: %w\n%s", pattern, err, out)
			}
			r.limits[pattern] = 30*time.Second + 5*time.Since(start)
		}
	}
	return nil
}

// try builds a mutant and tests it, one pattern after the other, until it is found.
func (r *runner) try(ctx context.Context, one *result) error {
	dir, err := os.MkdirTemp("", "mutant-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	overlay, err := r.overlay(dir, &one.mutant)
	if err != nil {
		return err
	}
	start := time.Now()
	defer func() { one.Seconds = time.Since(start).Seconds() }()
	build := r.goCommand(ctx, "./"+path.Dir(one.File), "build", "-overlay", overlay)
	if out, err := build.CombinedOutput(); err != nil {
		if _, ran := errors.AsType[*exec.ExitError](err); !ran {
			return fmt.Errorf("%w: %s", err, out)
		}
		one.Fate = notViable
		return context.Cause(ctx)
	}
	one.Fate = survived
	for _, pattern := range r.testsOf(&one.mutant) {
		out, err := r.test(ctx, pattern, overlay, r.limits[pattern])
		if _, ran := errors.AsType[*exec.ExitError](err); err != nil && !ran {
			return fmt.Errorf("%w: %s", err, out)
		}
		if err != nil {
			one.Fate, one.By = killed, pattern
			if hangs(out) {
				one.Fate = timedOut
			}
			break
		}
	}
	return context.Cause(ctx)
}

// hangs reports whether tests that wrote something have not ended in time.
func hangs(out []byte) bool { return bytes.Contains(out, []byte("panic: test timed out")) }

// overlay writes a file for go test -overlay that replaces the file of the mutant.
func (r *runner) overlay(dir string, m *mutant) (string, error) {
	source, err := os.ReadFile(r.fileOf(m))
	if err != nil {
		return "", err
	}
	changed := filepath.Join(dir, "mutant.go")
	if err := os.WriteFile(changed, m.apply(source), 0o644); err != nil {
		return "", err
	}
	original, err := filepath.Abs(r.fileOf(m))
	if err != nil {
		return "", err
	}
	text, err := json.Marshal(map[string]any{"Replace": map[string]string{original: changed}})
	if err != nil {
		return "", err
	}
	overlay := filepath.Join(dir, "overlay.json")
	return overlay, os.WriteFile(overlay, text, 0o644)
}

// apply returns the source with the mutant's change.
func (m *mutant) apply(source []byte) []byte {
	return slices.Concat(source[:m.from], []byte(m.by), source[m.to:])
}

// test runs the short tests of packages.
func (r *runner) test(ctx context.Context, pattern, overlay string, limit time.Duration) ([]byte, error) {
	// -count=1, as cached results do not show how long tests take.
	args := []string{"test", "-short", "-failfast", "-vet=off", "-count=1", "-timeout", limit.String()}
	if overlay != "" {
		args = append(args, "-overlay", overlay)
	}
	return r.goCommand(ctx, pattern, args...).CombinedOutput()
}

// goCommand is a go command for packages, which may be of a module below the root. It leaves
// room for the other jobs.
func (r *runner) goCommand(ctx context.Context, pattern string, args ...string) *exec.Cmd {
	folder, below := strings.CutSuffix(pattern, "/...")
	packages := "."
	if below {
		packages = "./..."
	}
	cmd := exec.CommandContext(ctx, "go", append(args, packages)...)
	cmd.Dir = filepath.Join(r.root, filepath.FromSlash(folder))
	cmd.Env = append(os.Environ(), "GOFLAGS="+strings.TrimSpace(os.Getenv("GOFLAGS")+" -p=1"))
	cmd.WaitDelay = 10 * time.Second
	return cmd
}

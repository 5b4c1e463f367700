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

	"backsolve/internal/parallel"
)

// runner tries mutants.
type runner struct {
	options
	targets []target
	logged  []result
	out     io.Writer
	// limits are the times that the tests of a pattern may take: several times what
	// they take on the code as it is.
	limits map[string]time.Duration
}

// run tries those of the mutants that are not in the log.
func (r *runner) run(ctx context.Context, all []mutant) error {
	var open []*result
	for _, m := range all {
		source, err := os.ReadFile(r.fileOf(&m))
		if err != nil {
			return err
		}
		key := m.key(source)
		if !slices.ContainsFunc(r.logged, func(known result) bool { return known.Key == key }) {
			open = append(open, &result{mutant: m, Key: key})
		}
	}
	if err := r.measure(ctx, open); err != nil {
		return err
	}
	var lock sync.Mutex
	done := 0
	return parallel.Each(len(open), r.jobs, func(next func() (int, bool)) error {
		for i, more := next(); more; i, more = next() {
			one := open[i]
			if err := r.try(ctx, one); err != nil {
				return err
			}
			lock.Lock()
			done++
			fmt.Fprintf(r.out, "%d of %d: %s:%d %s: %s %s\n", done, len(open), one.File, one.Line, one.Change, one.Fate, one.By)
			err := r.add(one)
			lock.Unlock()
			if err != nil {
				return err
			}
		}
		return nil
	})
}

// add appends a result to the log.
func (r *runner) add(one *result) error {
	text, err := json.Marshal(one)
	if err != nil {
		return err
	}
	f, err := os.OpenFile(r.log, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o644)
	if err != nil {
		return err
	}
	_, err = f.Write(append(text, '\n'))
	r.logged = append(r.logged, *one)
	return errors.Join(err, f.Close())
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
			if r.limits[pattern] > 0 {
				continue
			}
			fmt.Fprintf(r.out, "testing %s as it is\n", pattern)
			start := time.Now()
			if out, err := r.test(ctx, pattern, 10*time.Minute); err != nil {
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
	fails := func(out []byte, err error) (bool, error) {
		if _, ran := errors.AsType[*exec.ExitError](err); err != nil && !ran {
			return true, fmt.Errorf("%w: %s", err, out)
		}
		return err != nil, context.Cause(ctx)
	}
	one.Fate = notViable
	broken, err := fails(r.goCommand(ctx, "./"+path.Dir(one.File), "build", "-overlay", overlay).CombinedOutput())
	if !broken {
		one.Fate = survived
		for _, pattern := range r.testsOf(&one.mutant) {
			var out []byte
			var found bool
			out, err = r.test(ctx, pattern, r.limits[pattern], "-overlay", overlay)
			if found, err = fails(out, err); found {
				one.Fate, one.By = killed, pattern
				if bytes.Contains(out, []byte("panic: test timed out")) {
					one.Fate = timedOut
				}
				break
			}
		}
	}
	one.Seconds = time.Since(start).Seconds()
	return err
}

// overlay writes a file for go test -overlay that replaces the file of the mutant.
func (r *runner) overlay(dir string, m *mutant) (string, error) {
	source, err := os.ReadFile(r.fileOf(m))
	if err != nil {
		return "", err
	}
	original, err := filepath.Abs(r.fileOf(m))
	if err != nil {
		return "", err
	}
	changed, overlay := filepath.Join(dir, "mutant.go"), filepath.Join(dir, "overlay.json")
	text, err := json.Marshal(map[string]any{"Replace": map[string]string{original: changed}})
	return overlay, errors.Join(err, os.WriteFile(changed, m.apply(source), 0o644), os.WriteFile(overlay, text, 0o644))
}

// test runs the short tests of packages. Cached results do not show how long tests take.
func (r *runner) test(ctx context.Context, pattern string, limit time.Duration, more ...string) ([]byte, error) {
	args := append([]string{"test", "-short", "-failfast", "-vet=off", "-count=1", "-timeout", limit.String()}, more...)
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
	// A mutant that takes memory without end fails, and not the machine.
	const bounded = `ulimit -v 33554432 2>/dev/null; exec go "$@"`
	cmd := exec.CommandContext(ctx, "sh", append(append([]string{"-c", bounded, "go"}, args...), packages)...)
	cmd.Dir = filepath.Join(r.root, filepath.FromSlash(folder))
	cmd.Env = append(os.Environ(), "GOFLAGS="+strings.TrimSpace(os.Getenv("GOFLAGS")+" -p=1"))
	cmd.WaitDelay = 10 * time.Second
	return cmd
}

package solve

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"backsolve/internal/plan"
	"backsolve/retro/outofcore"
)

// shared is a Sharing whose processes are this one. It notes what is called.
type shared struct {
	t        *testing.T
	calls    []string
	failures map[string]error // by what is called, once
	unready  bool
}

func (s *shared) call(what string) error {
	s.calls = append(s.calls, what)
	err := s.failures[what]
	delete(s.failures, what)
	return err
}

func (s *shared) PlanTable(*Job, int64) (Processes, error) {
	return Processes{Count: 3, Own: 1 << 20, Memory: 2 << 20, Store: 5}, s.failures["plan"]
}

func (s *shared) PlanStream(_ *Job, o *outofcore.Options, _ int64) (Processes, plan.Work, error) {
	o.Packed = true
	return Processes{Count: 2, Own: 1 << 21, Memory: 1 << 22, Store: 7}, plan.Work{Disk: 11, Written: 12, Read: 13}, s.failures["plan"]
}

func (s *shared) Table(context.Context, *Job) (*Shared, error) { return nil, s.call("table") }
func (s *shared) Lost(err error) bool                          { return errors.Is(err, errLost) }

func (s *shared) Stream(ctx context.Context, j *Job, o outofcore.Options, startOver bool) (*Shared, error) {
	files, err := outofcore.Open(filepath.Join(s.t.TempDir(), "work"), j.Space, false)
	if err != nil {
		return nil, err
	}
	return &Shared{
		Stages: func() (*outofcore.Result, error) {
			if err := s.call(map[bool]string{false: "solve", true: "start over"}[startOver]); err != nil {
				return nil, err
			}
			return files.Solve(ctx, o)
		},
		Saving: func(result string) error { return s.call("saving " + result) },
		Finish: func() error { return s.call("finish") },
		Close:  func() { s.call("close"); files.Close() },
	}, nil
}

func (s *shared) CleanUp(_ context.Context, _ *Job, result string) (bool, error) {
	return !s.unready, s.call("clean up " + result)
}

var errLost, errOther = errors.New("the store is gone"), errors.New("the line is cut")

// Processes that share a solve are told when its result is saved, start over only where that is asked
// for, and are cleaned up after once nothing is to be solved.
func TestSharing(t *testing.T) {
	b := newBoards(t, 3)
	want := b.must(Options{Keep: KeepResult}).(*Saved)
	saving := "saving " + want.SHA256
	for name, c := range map[string]struct {
		failures map[string]error
		force    bool
		calls    []string
		err      error
		says     string
		saved    bool
	}{
		"all is well":          {nil, false, []string{"solve", saving, "finish", "close"}, nil, "", true},
		"no room":              {map[string]error{"plan": errOther}, false, nil, errOther, "", false},
		"a line is cut":        {map[string]error{"solve": errOther}, true, []string{"solve", "close"}, errOther, "", false},
		"all is lost":          {map[string]error{"solve": errLost}, false, []string{"solve", "close"}, errLost, "", false},
		"it may be lost":       {map[string]error{"solve": errLost}, true, []string{"solve", "close", "start over", saving, "finish", "close"}, nil, "", true},
		"files may be lost":    {map[string]error{"solve": outofcore.ErrDamaged}, true, []string{"solve", "close", "start over", saving, "finish", "close"}, nil, "", true},
		"files may be gone":    {map[string]error{"solve": outofcore.ErrGone}, true, []string{"solve", "close", "start over", saving, "finish", "close"}, nil, "", true},
		"they do not hear it":  {map[string]error{saving: errOther}, false, []string{"solve", saving, "close"}, errOther, "", false},
		"they do not clean up": {map[string]error{"finish": errOther}, false, []string{"solve", saving, "finish", "close"}, errOther, "the result is saved, but ", true},
	} {
		b := newBoards(t, 3)
		s := &shared{t: t, failures: c.failures}
		o := Options{Keep: KeepResult, Sharing: s, Force: c.force}
		r, err := b.solve(o)
		if !errors.Is(err, c.err) || err != nil && !strings.HasPrefix(err.Error(), c.says) || !slices.Equal(s.calls, c.calls) || errors.As(err, new(*Refusal)) != (name == "no room") {
			t.Errorf("%s: %v; %v", name, err, s.calls)
		}
		if saved, is := r.(*Saved); err == nil && (!is || !saved.Shared || saved.SHA256 != want.SHA256 || saved.Work != WorkPacked) {
			t.Errorf("%s: %+v", name, r)
		}
		if saved, err := readResult(b.job(o).resultPath()); err != nil || (saved != nil) != c.saved {
			t.Errorf("%s: saved is %v, %v", name, saved, err)
		}
	}
}

// Processes that cannot be started end a solve into a table.
func TestSharingFails(t *testing.T) {
	b := newBoards(t, 3)
	s := &shared{t: t, failures: map[string]error{"table": errOther}}
	if _, err := b.solve(Options{Sharing: s}); !errors.Is(err, errOther) || !slices.Equal(s.calls, []string{"table"}) {
		t.Errorf("%v; %v", err, s.calls)
	}
	s.failures["plan"] = errOther
	if _, err := b.solve(Options{Sharing: s}); !errors.Is(err, errOther) || !errors.As(err, new(*Refusal)) || len(s.calls) != 1 {
		t.Errorf("no room: %v; %v", err, s.calls)
	}
	if s := b.must(Options{}).(*Summary); s.Existing {
		t.Errorf("%+v", s)
	}
}

// Once a board is solved, what its processes have left goes, unless they are not done with it.
func TestSharingIsCleanedUp(t *testing.T) {
	for _, o := range []Options{{Keep: KeepResult}, {}} {
		b := newBoards(t, 3)
		b.must(o)
		j := b.job(o)
		result := ""
		if o.Keep == KeepResult {
			saved, err := readResult(j.resultPath())
			if err != nil {
				t.Fatal(err)
			}
			result = saved.SHA256
		}
		for _, c := range []struct {
			unready bool
			failure error
		}{{true, nil}, {false, errOther}, {false, nil}} {
			if err := os.MkdirAll(j.SharedDir(), 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(j.SavedMark(), nil, 0o644); err != nil {
				t.Fatal(err)
			}
			s := &shared{t: t, unready: c.unready, failures: map[string]error{"clean up " + result: c.failure}}
			o.Sharing = s
			r, err := b.solve(o)
			if r == nil || !errors.Is(err, c.failure) || c.failure != nil && !errors.Is(err, ErrLeftInCluster) || !slices.Equal(s.calls, []string{"clean up " + result}) {
				t.Errorf("%+v: %v, %v; %v", c, r, err, s.calls)
			}
			if _, err := os.Stat(j.SharedDir()); (err == nil) != (c.unready || c.failure != nil) {
				t.Errorf("%+v: %v", c, err)
			}
		}
	}
}

// A plan has what the processes take.
func TestSharingIsPlanned(t *testing.T) {
	b := newBoards(t, 4)
	s := &shared{t: t, failures: map[string]error{}}
	p := b.job(Options{Sharing: s}).Plan()
	if p.Workers != 3 || p.WorkerMemory != 2<<20 || p.Store != 5 || p.Memory != 1<<20 || !p.Possible {
		t.Errorf("%+v", p)
	}
	small := b.job(Options{Sharing: s, Limit: Limit{Bytes: 1 << 20}})
	if err := small.CheckMemory(); err != nil {
		t.Error(err)
	}
	small.Limit.Bytes--
	var e *MemoryError
	if err := small.CheckMemory(); !errors.As(err, &e) || e.Need != 1<<20 {
		t.Error(err)
	}
	p = b.job(Options{Sharing: s, Keep: KeepResult}).Plan()
	if p.Workers != 2 || p.WorkerMemory != 1<<22 || p.Store != 7 || p.Memory != 1<<21 || p.Disk != 11 || p.Written != 12 || p.Read != 13 || p.Work != WorkPacked || !p.Possible || p.What != "notakto 4×4, result only" {
		t.Errorf("%+v", p)
	}
	s.failures["plan"] = errOther
	for _, o := range []Options{{Sharing: s}, {Sharing: s, Keep: KeepResult}} {
		if p := b.job(o).Plan(); p.Possible || !errors.Is(p.Err, errOther) || !errors.As(p.Err, new(*Refusal)) {
			t.Errorf("no room: %+v", p)
		}
	}
}

package solving

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/spf13/cobra"

	"backsolve/cmd/cli"
	"backsolve/cmd/cli/progress"
	"backsolve/internal/machine"
	"backsolve/partition/spacetest"
	"backsolve/retro"
	"backsolve/solve"
)

var newSpace = spacetest.New

// A user who stops a solve sees at once what it waits for.
func TestFollowStopping(t *testing.T) {
	rules, space := newSpace(t, "quixo", 4)
	for path, doing := range map[string]string{"quixo-4x4.tb": "written", "quixo-4x4.tb.zst": "packed"} {
		p, cmd := progress.New("table", "quixo 4×4"), &cobra.Command{}
		var stderr bytes.Buffer
		cmd.SetErr(&stderr)
		stop := progress.Flags(cmd).Show(cmd, p)
		follow(p, &solve.Job{Rules: rules, Space: space, Path: path})(retro.Event{Class: 9, Stopping: true})
		want := fmt.Sprintf("stopping when class 9, which is solved, is %s; a second Ctrl-C ends at once, and class 9 is solved again then", doing)
		if got := stderr.String(); !strings.Contains(got, want) {
			t.Errorf("%s: it says %q, not %q", path, got, want)
		}
		if _, ok := p.Now(); ok {
			t.Errorf("%s: that is taken for progress", path)
		}
		stop()
	}
}

// What was done before a solve resumed does not count for its speed.
func TestFollow(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		rules, space := newSpace(t, "notakto", 4)
		p := progress.New("table", "")
		tell := follow(p, &solve.Job{Rules: rules, Space: space})
		if _, ok := p.Now(); ok {
			t.Error("there is progress before the first event")
		}
		tell(retro.Event{Class: 7, Done: 500, States: 1000})
		time.Sleep(2 * time.Second)
		tell(retro.Event{Class: 6, Done: 750, States: 1000})
		tell(retro.Event{Class: 7, Sealed: true, Done: 800, States: 1000})
		m, ok := p.Now()
		if !ok || m.At != "class 6" || m.Done != 49152 || m.Total != 65536 || m.Rate() != "8.2 k states/s" || m.LeftText() != "2s" {
			t.Errorf("%v, %+v", ok, m)
		}
	})
}

// A solve down to a class is complete when that class is.
func TestFollowDownToClass(t *testing.T) {
	rules, space := newSpace(t, "quixo", 4)
	p := progress.New("table", "")
	tell := follow(p, &solve.Job{Options: solve.Options{Engine: retro.Options{DownTo: 14}}, Rules: rules, Space: space})
	tell(retro.Event{Class: 14, Done: 40, States: 80})
	if m, ok := p.Now(); !ok || m.Done != 1277952 || m.Total != 1<<16+16<<15+120<<14 {
		t.Errorf("%v, %+v", ok, m)
	}
}

func TestMemoryLimit(t *testing.T) {
	const plenty = 1 << 40
	for _, c := range []struct {
		allowed   cli.BytesValue
		available int64
		limit     int64
		source    string
	}{
		{5 << 20, plenty, 5 << 20, "that is what --memory allows"},
		{5 << 20, machine.Unknown, 5 << 20, "that is what --memory allows"},
		{5 << 20, 4 << 20, 4 << 20, "--memory allows more, but that is what is available now"},
		{0, 4 << 20, 3 << 20, "three quarters of what is available now"},
		{0, machine.Unknown, 0, ""},
	} {
		if got, want := MemoryLimit(c.allowed, c.available), (solve.Limit{Bytes: c.limit, Source: c.source, Available: c.available}); got != want {
			t.Errorf("%d allowed, %d available: %+v, want %+v", c.allowed, c.available, got, want)
		}
	}
}

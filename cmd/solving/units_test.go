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
	"backsolve/plan"
	"backsolve/retro"
)

var newSpace = spacetest.New

// Who stops a solve hears at once what it waits for.
func TestFollowStopping(t *testing.T) {
	rules, space := newSpace(t, "quixo", 4)
	for path, doing := range map[string]string{"quixo-4x4.tb": "written", "quixo-4x4.tb.zst": "packed"} {
		p, cmd := progress.New("table", "quixo 4×4"), &cobra.Command{}
		var stderr bytes.Buffer
		cmd.SetErr(&stderr)
		stop := progress.Flags(cmd).Show(cmd, p)
		follow(p, &Target{Rules: rules, Space: space, Path: path}, 0)(retro.Event{Class: 9, Stopping: true})
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

// What a resumed solve found done does not count for its speed.
func TestFollow(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		rules, space := newSpace(t, "notakto", 4)
		p := progress.New("table", "")
		tell := follow(p, &Target{Rules: rules, Space: space}, 0)
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

// A solve down to a class is done when that class is.
func TestFollowDownToClass(t *testing.T) {
	rules, space := newSpace(t, "quixo", 4)
	p := progress.New("table", "")
	tell := follow(p, &Target{Rules: rules, Space: space}, 14)
	tell(retro.Event{Class: 14, Done: 40, States: 80})
	if m, ok := p.Now(); !ok || m.Done != 1277952 || m.Total != 1<<16+16<<15+120<<14 {
		t.Errorf("%v, %+v", ok, m)
	}
}

// Left to itself, a solve packs its work files where they would not fit the disk.
func TestWorkIsPackedWhereItDoesNotFit(t *testing.T) {
	for _, c := range []struct {
		choice    string
		raw, free int64
		want      bool
	}{
		{"", 100, 100, false}, {"", 101, 100, true}, {"", 101, machine.Unknown, false},
		{workRaw, 101, 100, false}, {workPacked, 1, 100, true},
	} {
		if got := Packs(c.choice, c.raw, c.free); got != c.want {
			t.Errorf("%+v: packed %v", c, got)
		}
	}
}

func TestCheckDisk(t *testing.T) {
	_, space := newSpace(t, "quixo", 5)
	for _, free := range []int64{machine.Unknown, 1 << 40} {
		if err := checkDisk(space, retro.Options{}, false, "tables", free); err != nil {
			t.Errorf("%d bytes free: %v", free, err)
		}
	}
	err := checkDisk(space, retro.Options{}, false, "tables", 20<<30)
	const want = "the table of quixo 5×5 without steps takes about 25 GiB, but only 20 GiB are free in tables; " +
		"make room there, or choose another place with --dir"
	if err == nil || err.Error() != want {
		t.Errorf("20 GiB free: %v", err)
	}
}

func TestCheckMemory(t *testing.T) {
	_, space := newSpace(t, "quixo", 5)
	need := plan.New(space, plan.Options{}).Memory()
	for _, limit := range []int64{0, need} {
		if err := checkMemory(space, retro.Options{Memory: limit}, MemorySource{}); err != nil {
			t.Errorf("limit %d: %v", limit, err)
		}
	}
	// What --memory can change is to be changed by it; else room must be made.
	const much = "solving quixo 5×5 without steps takes about 16 GiB of memory, but no more than 16 GiB may be used (for a test); "
	for available, remedy := range map[int64]string{
		machine.Unknown: "--memory 16GiB would suffice",
		need:            "--memory 16GiB would suffice",
		need - 1:        "so much is not available here: end other programs, raise the limit of the control group or of ulimit -v, or take a larger machine, and give --memory 16GiB",
	} {
		err := checkMemory(space, retro.Options{Memory: need - 1}, MemorySource{"for a test", available})
		if err == nil || err.Error() != much+remedy {
			t.Errorf("%d bytes of %d, %d available: %v", need-1, need, available, err)
		}
	}
	err := checkMemory(space, retro.Options{Memory: need, Steps: true}, MemorySource{"for a test", machine.Unknown})
	if err == nil || !strings.HasSuffix(err.Error(), "and without --steps it takes about "+cli.BytesText(need)) {
		t.Errorf("with steps: %v", err)
	}
}

// The reckoned size of a table is that of the file, but for the checksums and
// counts at its end.
func TestTableBytes(t *testing.T) {
	for _, b := range []struct {
		game  string
		n     int
		bytes int64 // of the file without steps
	}{{"notakto", 4, 118_264}, {"quixo", 3, 120_000}, {"quixo", 4, 1_641_452}, {"notakto", 6, 48_186_240}} {
		_, space := newSpace(t, b.game, b.n)
		got := plan.New(space, plan.Options{}).Table(false)
		if ratio := float64(got) / float64(b.bytes); ratio < 0.9 || ratio > 1.1 {
			t.Errorf("%s %d: %d bytes reckoned, the file has %d", b.game, b.n, got, b.bytes)
		}
		if with := plan.New(space, plan.Options{Steps: true}).Table(false); with <= got {
			t.Errorf("%s %d: %d bytes with steps, %d without", b.game, b.n, with, got)
		}
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
		if limit, source := MemoryLimit(c.allowed, c.available); limit != c.limit || source.text != c.source || source.available != c.available {
			t.Errorf("%d allowed, %d available: limit %d, %q; want %d, %q", c.allowed, c.available, limit, source, c.limit, c.source)
		}
	}
}

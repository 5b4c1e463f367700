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
	"backsolve/game"
	"backsolve/internal/machine"
	"backsolve/internal/solve"
	"backsolve/partition"
	"backsolve/partition/spacetest"
	"backsolve/retro"
	"backsolve/tablebase"
)

var newSpace = spacetest.New

// A user who stops a solve sees at once what it waits for.
func TestFollowStopping(t *testing.T) {
	rules, space := newSpace(t, "quixo", 4)
	for path, doing := range map[string]string{"quixo-4x4.tb": "written", "quixo-4x4.tb.zst": "packed"} {
		p, cmd := progress.New("table", "quixo 4×4"), &cobra.Command{}
		var stderr bytes.Buffer
		cmd.SetErr(&stderr)
		progress.Flags(cmd, cmd.Flags())
		stop := p.Show(cmd)
		follow(p, &solve.Job{Rules: rules, Space: space, Path: path})(tablebase.Event{At: 9, Stage: tablebase.Stopping})
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
		tell(tablebase.Event{At: 7, Done: 500, Total: 1000})
		time.Sleep(2 * time.Second)
		tell(tablebase.Event{At: 6, Done: 750, Total: 1000})
		tell(tablebase.Event{At: 7, Stage: tablebase.Sealed, Done: 800, Total: 1000})
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
	tell(tablebase.Event{At: 14, Done: 40, Total: 80})
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

// recorded has the milliseconds of processor time of the classes of solves, from the fullest on, many
// without the last.
var recorded = []struct {
	game    string
	size    string
	options solve.Options
	took    []float64
}{
	{"notakto", "6", solve.Options{Engine: retro.Options{Steps: true}}, []float64{35, 19, 3.3, 4.5, 36, 58, 180, 465, 1000, 1686, 2513, 2991, 3016, 3266, 2973, 2112, 1200, 651, 259, 83, 39, 8.9, 2, 0.3}},
	{"notakto", "6", solve.Options{}, []float64{0.1, 0.1, 0.1, 0.2, 0.4, 1, 3, 11.5, 20.6, 33.5, 57.5, 65.3, 63, 58, 70.9, 52.4, 20.8, 11.6, 5.2, 1.7, 0.7, 0.2, 0.1, 0.1, 24.2}},
	{"quixo", "3x6", solve.Options{Engine: retro.Options{Steps: true, Threads: 1}, Limit: solve.Limit{Bytes: 144e6}}, []float64{7.3, 10.9, 40.9, 121.1, 305, 527.2, 693.9, 1180.7, 1340.5, 1019.3, 763.4, 367, 164.6, 143.4, 43.7, 10.5, 1.4, 0.6}},
	{"quixo", "3x6", solve.Options{Engine: retro.Options{Steps: true, Threads: 1}, Limit: solve.Limit{Bytes: 150e6}}, []float64{5.8, 13.8, 40.5, 117.6, 300.1, 553.6, 594.1, 665.4, 1053, 942.9, 476.9, 254.9, 163.3, 145.4, 42.6, 5.5, 0.9, 0.2}},
	{"quixo", "3x6", solve.Options{}, []float64{6.1, 8.4, 22, 54, 109, 175, 273, 316, 340, 257, 197, 127, 72, 83, 19, 4, 1.6, 0.4}},
	{"quixo", "3x6", solve.Options{Engine: retro.Options{Steps: true}}, []float64{7, 12.9, 39.7, 109, 239, 505, 678, 759, 784, 533, 389, 252, 164, 161, 36, 6.3, 1.4, 0.2}},
	{"quixo", "4x5", solve.Options{}, []float64{20, 48, 110, 259, 535, 993, 1237, 1415, 1424, 1345, 1213, 816, 565, 301, 137, 159, 21, 5.5, 1.1, 0.3}},
	{"quixo", "4x5", solve.Options{Engine: retro.Options{Threads: 1}, Limit: solve.Limit{Bytes: 70e6}}, []float64{20, 52, 111, 419, 990, 1741, 3174, 4347, 4523, 3863, 2897, 1842, 1117, 440, 142, 126, 24, 5.7, 1.5, 0.3}},
	{"quixo", "4x5", solve.Options{Engine: retro.Options{Steps: true}}, []float64{44, 136, 443, 1123, 2938, 6424, 9417, 13285, 13538, 11567, 8292, 5552, 3290, 1481, 745, 716, 186, 33, 5.1, 0.9}},
}

// After a tenth of a solve, the time left is right within a third, or at the end within a thirtieth of
// the whole, though states take many times longer in small blocks or with steps.
func TestTimeLeft(t *testing.T) {
	for _, r := range recorded {
		t.Run(r.game+r.size, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				n, _ := game.ParseSize(r.size)
				rules, space := newSpace(t, r.game, int(n))
				p := progress.New("table", "")
				j := &solve.Job{Options: r.options, Rules: rules, Space: space}
				tell := follow(p, j)
				var all, states, done uint64
				whole := time.Duration(0)
				for i, c := range j.Classes() {
					if all += c.States; i < len(r.took) {
						whole += time.Duration(r.took[i] * 1e6)
					}
				}
				began := time.Now()
				check := func(class int) {
					took := time.Since(began)
					left, m := whole-took, progress.Moment{}
					if m, _ = p.Now(); took >= whole/10 && (m.Left-left).Abs() > max(left/3, whole/30) {
						t.Errorf("%s %s, %+v: %v left in class %d after %v, not %v", r.game, r.size, r.options.Engine.Steps, m.Left, class, took, left)
					}
				}
				for i, ms := range r.took {
					class := j.Classes()[i]
					states, done = class.States, done+class.States
					tell(tablebase.Event{At: class.Class, Done: done - states, Total: all})
					for part := range uint64(10) {
						time.Sleep(time.Duration(ms * 1e5))
						counted := states / 2 // when the class is open, and the others at its end
						if space.Kind == partition.FixedSlice {
							counted = states * (part + 1) / 10
						}
						tell(tablebase.Event{At: class.Class, Done: done - states + counted, Total: all})
						check(class.Class)
					}
				}
			})
		})
	}
}

package progress

import (
	"bytes"
	"context"
	"io"
	"log/slog"
	"strings"
	"testing"
	"testing/synctest"
	"time"
	"unicode/utf8"

	"github.com/spf13/cobra"
)

// Where there is no terminal, a line comes every five seconds, and none before
// there is something to tell.
func TestProgressLines(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var out bytes.Buffer
		p := New("table", "quixo 4×4")
		stop := p.showLog(&out)
		time.Sleep(7 * time.Second)
		if out.Len() > 0 {
			t.Errorf("before the work began: %s", out.String())
		}
		p.Begin("states", 2000, 10_000)
		time.Sleep(2 * time.Second)
		p.Update("class 12", 4000)
		time.Sleep(2 * time.Second)
		stop()
		const want = `time=2000-01-01T00:00:10.000Z level=INFO msg=working table="quixo 4×4" at="class 12" ` +
			`done=4000 total=10000 rate="666.7 states/s" eta=9s` + "\n"
		if got := strings.ReplaceAll(out.String(), "+00:00", "Z"); got != want {
			t.Errorf("printed %q, not %q", got, want)
		}
		time.Sleep(time.Minute)
		if strings.Count(out.String(), "\n") != 1 {
			t.Errorf("after the end: %s", out.String())
		}
	})
}

// What is in work does most at once and takes long for the rest: the end does not move
// away meanwhile, but comes nearer, until it is late.
func TestTheEndStaysWhereItIs(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := New("table", "quixo 5×5")
		p.Begin("states", 0, 1000)
		left := func(want time.Duration) {
			t.Helper()
			if m, ok := p.Now(); !ok || m.Left != want {
				t.Errorf("%v left, want %v", m.Left, want)
			}
		}
		p.Update("class 2", 0)
		left(-1)
		time.Sleep(time.Second)
		p.Update("class 2", 100)
		left(9 * time.Second)
		time.Sleep(9 * time.Second) // so that 100 take 10 s
		p.Update("class 1", 100)
		left(90 * time.Second)
		time.Sleep(time.Second)
		p.Update("class 1", 400)
		left(89 * time.Second)
		time.Sleep(19 * time.Second)
		left(70 * time.Second)
		time.Sleep(40 * time.Second) // 30 s longer than the 300 should take
		left(60 * time.Second)
	})
}

// The time left counts work if that is known, even in a part that has counted half of it. It is
// unknown if more is done than there should be.
func TestWeigh(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := New("table", "quixo 4×4")
		p.Weigh(func(done float64) float64 { return min(done, 500) + 9*max(done-500, 0) })
		p.Begin("states", 0, 1000)
		p.Update("class 2", 250)
		time.Sleep(10 * time.Second)
		p.Update("class 1", 500)
		for _, c := range []struct {
			wait, left time.Duration
			done       float64
		}{{0, 90 * time.Second, 500}, {30 * time.Second, 60 * time.Second, 750}, {30 * time.Second, 45 * time.Second, 750}, {time.Second, -1, 1001}} {
			time.Sleep(c.wait)
			p.Update("class 1", c.done)
			if m, _ := p.Now(); m.Left != c.left {
				t.Errorf("%+v: %v left", c, m.Left)
			}
		}
	})
}

// Programs get a line of JSON a second, with whole states.
func TestProgressJSON(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var out bytes.Buffer
		p := New("table", "quixo 4×4")
		stop := p.showJSON(&out)
		p.Begin("states", 2000, 10_000)
		p.Update("class 12", 2000.25)
		time.Sleep(1500 * time.Millisecond)
		p.Update("class 12", 3999.75)
		time.Sleep(time.Second)
		stop()
		const want = `{"kind":"table","title":"quixo 4×4","at":"class 12","unit":"states","done":2000,"total":10000,"per_second":0.25,"seconds_left":31999}
{"kind":"table","title":"quixo 4×4","at":"class 12","unit":"states","done":4000,"total":10000,"per_second":999.875,"seconds_left":6.001000125}
`
		if got := out.String(); got != want {
			t.Errorf("printed %s, not %s", got, want)
		}
	})
}

// What is said comes at once, in the log and for other programs, between the lines of the
// progress.
func TestSay(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for _, c := range []struct {
			show func(p *Progress, w io.Writer) (stop func())
			want string
		}{
			{(*Progress).showLog, `level=INFO msg="it ends soon" table="quixo 4×4"` + "\n"},
			{(*Progress).showJSON, `{"kind":"table","title":"quixo 4×4","level":"info","message":"it ends soon"}` + "\n"},
		} {
			var out bytes.Buffer
			p := New("table", "quixo 4×4")
			p.Log(slog.LevelInfo, "nobody hears this")
			stop := c.show(p, &out)
			p.Log(slog.LevelInfo, "it ends soon")
			if got := out.String(); !strings.HasSuffix(got, c.want) || strings.Count(got, "\n") != 1 {
				t.Errorf("printed %q, not %q", got, c.want)
			}
			stop()
		}
	})
}

// A command shows its progress until it says that this ends, and hears nothing after that.
func TestShowEnds(t *testing.T) {
	for _, how := range []string{showLog, showJSON, showAuto, showNone} {
		cmd, p := &cobra.Command{}, New("table", "quixo 4×4")
		var out bytes.Buffer
		cmd.SetErr(&out)
		Flags(cmd, cmd.Flags())
		if err := cmd.Flags().Set("progress", how); err != nil {
			t.Fatal(err)
		}
		stop := p.Show(cmd)
		p.Log(slog.LevelInfo, "before the end")
		stop()
		p.Log(slog.LevelInfo, "behind it")
		if got := out.String(); strings.Contains(got, "before the end") == (how == showNone) || strings.Contains(got, "behind it") {
			t.Errorf("%s: printed %q", how, got)
		}
	}
}

// On a terminal a bar is drawn over and over on one line, with messages above it. It goes
// where the work ends, and stays where that is interrupted.
func TestProgressBar(t *testing.T) {
	for name, interrupted := range map[string]bool{"done": false, "interrupted": true} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var out bytes.Buffer
				ctx, cancel := context.WithCancel(t.Context())
				defer cancel()
				p := New("table", "quixo 4×4")
				stop := p.showBar(ctx, &out, func() int { return 71 })
				p.Begin("states", 0, 10_000)
				time.Sleep(time.Second + time.Millisecond)
				p.Update("class 12", 2500)
				time.Sleep(time.Second)
				p.Log(slog.LevelInfo, "resumed")
				if interrupted {
					cancel()
				}
				stop()
				screen := out.String()
				for _, line := range strings.FieldsFunc(screen, func(r rune) bool { return r == '\r' || r == '\n' }) {
					if n := utf8.RuneCountInString(line); n > 70 {
						t.Errorf("%d columns: %q", n, line)
					}
				}
				const bar = "quixo 4×4 class 12 [====--------------]  25 %, 1.2 k states/s, 6s left"
				last := "\rresumed" + strings.Repeat(" ", 70-len("resumed")) + "\n" + bar
				if interrupted {
					last += "\n"
				} else {
					last += "\r" + strings.Repeat(" ", 70) + "\r"
				}
				if !strings.HasSuffix(screen, last) {
					t.Errorf("the end is %q, want %q", screen[max(0, len(screen)-len(last)):], last)
				}
			})
		})
	}
	if got := barText("quixo 4×4", Moment{At: "class 12", Done: 1, Total: 4, Left: -1, unit: "states"}, 20); got != "quixo 4×4 class 12 2" {
		t.Errorf("a narrow terminal shows %q", got)
	}
}

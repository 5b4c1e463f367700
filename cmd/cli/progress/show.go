package progress

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"os"
	"sync"
	"time"

	"github.com/spf13/cobra"
	"github.com/vbauerster/mpb/v8"
	"github.com/vbauerster/mpb/v8/decor"
	"golang.org/x/term"

	"backsolve/cmd/cli"
)

// How progress is shown: by a bar on a terminal and else in the log, always in the log,
// as lines of JSON, or not at all.
const (
	showAuto = "auto"
	showLog  = "log"
	showJSON = "json"
	showNone = "none"
)

// Display is how a command shows its progress.
type Display struct {
	choice *cli.Choice
	quiet  bool
}

// Flags adds --progress, and --quiet for --progress none, to a command.
func Flags(cmd *cobra.Command) *Display {
	d := &Display{choice: cli.NewChoice(showAuto, showLog, showJSON, showNone)}
	d.choice.Register(cmd, "progress", "how progress is shown: auto, a bar on a terminal and else a log; log; json, a line a second; none")
	cmd.Flags().BoolVarP(&d.quiet, "quiet", "q", false, "show no progress")
	return d
}

// Off reports whether no progress is shown.
func (d *Display) Off() bool { return d.quiet || d.choice.String() == showNone }

// Show shows the progress on standard error until stop is called. What a bar shows
// last stays where the command was interrupted.
func (d *Display) Show(cmd *cobra.Command, p *Progress) (stop func()) {
	w, end := cmd.ErrOrStderr(), func() {}
	switch {
	case d.Off():
		return end
	case d.choice.String() == showJSON:
		end = p.showJSON(w)
	case d.choice.String() == showAuto && hasBar(w):
		end = p.showBar(cmd.Context(), w)
	default:
		end = p.showLog(w)
	}
	return func() {
		p.hear(nil)
		end()
	}
}

// hasBar reports whether there is room for a bar: a terminal that has a size.
func hasBar(w io.Writer) bool {
	f, ok := w.(*os.File)
	if !ok {
		return false
	}
	width, height, err := term.GetSize(int(f.Fd()))
	return err == nil && width > 0 && height > 0
}

// logEvery is how often the log hears of the work, jsonEvery other programs, and
// barEvery who looks at the bar.
const (
	logEvery  = 5 * time.Second
	jsonEvery = time.Second
	barEvery  = 100 * time.Millisecond
)

func (p *Progress) showLog(w io.Writer) (stop func()) {
	log := slog.New(slog.NewTextHandler(w, nil)).With(p.kind, p.title)
	p.hear(func(text string) { log.Info(text) })
	return every(logEvery, func() {
		if m, ok := p.Now(); ok {
			log.Info("working", "at", m.At,
				"done", fmt.Sprintf("%.0f", m.Done), "total", fmt.Sprintf("%.0f", m.Total),
				"rate", m.Rate(), "eta", m.LeftText())
		}
	})
}

// line is the progress for other programs.
type line struct {
	Kind      string   `json:"kind"` // table
	Title     string   `json:"title"`
	At        string   `json:"at"` // what is in work
	Unit      string   `json:"unit"`
	Done      float64  `json:"done"`
	Total     float64  `json:"total"`
	PerSecond float64  `json:"per_second"`
	Left      *float64 `json:"seconds_left"` // null where nothing tells it
}

// message is something else for other programs.
type message struct {
	Kind    string `json:"kind"`
	Title   string `json:"title"`
	Message string `json:"message"`
}

func (p *Progress) showJSON(w io.Writer) (stop func()) {
	var lock sync.Mutex
	write := func(v any) {
		lock.Lock()
		defer lock.Unlock()
		json.NewEncoder(w).Encode(v) // who does not read it any more does not want it
	}
	p.hear(func(text string) { write(message{p.kind, p.title, text}) })
	return every(jsonEvery, func() {
		m, ok := p.Now()
		if !ok {
			return
		}
		l := line{p.kind, p.title, m.At, m.unit, m.Done, m.Total, m.PerSecond, nil}
		if m.Left >= 0 {
			seconds := m.Left.Seconds()
			l.Left = &seconds
		}
		write(l)
	})
}

// barParts is the number of steps in which the bar grows.
const barParts = 1000

func (p *Progress) showBar(ctx context.Context, w io.Writer) (stop func()) {
	container := mpb.New(mpb.WithOutput(w))
	p.hear(func(text string) { fmt.Fprintln(container, text) }) // above the bar
	text := func(format func(m Moment) string) decor.Decorator {
		return decor.Any(func(decor.Statistics) string {
			if m, ok := p.Now(); ok {
				return format(m)
			}
			return ""
		})
	}
	bar := container.New(barParts, mpb.BarStyle(),
		mpb.PrependDecorators(decor.Name(p.title), text(func(m Moment) string { return " " + m.At + " " })),
		mpb.AppendDecorators(text(func(m Moment) string {
			return fmt.Sprintf(" %3.0f %%, %s, %s left", 100*m.Done/m.Total, m.Rate(), m.LeftText())
		})),
	)
	stopMoving := every(barEvery, func() {
		if m, ok := p.Now(); ok {
			// A full bar would end itself.
			bar.SetCurrent(min(int64(m.Done/m.Total*barParts), barParts-1))
		}
	})
	return func() {
		stopMoving()
		bar.Abort(ctx.Err() == nil)
		container.Wait()
	}
}

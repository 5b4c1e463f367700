package progress

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"os"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"github.com/spf13/cobra"
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
	d.choice.Register(cmd, "progress", "progress display: auto (a bar on a terminal, else a log), log, json (a line a second) or none")
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
	case d.choice.String() == showAuto && columns(w) > 0:
		end = p.showBar(cmd.Context(), w, func() int { return columns(w) })
	default:
		end = p.showLog(w)
	}
	return func() {
		p.hear(nil)
		end()
	}
}

// columns is the width of a terminal, and 0 of anything else.
func columns(w io.Writer) int {
	f, ok := w.(*os.File)
	if !ok {
		return 0
	}
	width, _, err := term.GetSize(int(f.Fd()))
	if err != nil {
		return 0
	}
	return width
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

// A bar drawn on a line of its own, over and over; messages scroll above it.
type bar struct {
	lock  sync.Mutex
	w     io.Writer
	width func() int // of the terminal, in columns
	shown string
}

// draw replaces the line with what format makes of a width. The text is padded rather than
// the line erased, as not every terminal knows escape sequences.
func (b *bar) draw(above string, format func(width int) string) {
	b.lock.Lock()
	defer b.lock.Unlock()
	width := max(b.width()-1, 1) // a full line would wrap
	if format != nil {
		b.shown = format(width)
	}
	text := ""
	if above != "" {
		text = pad(above, width) + "\n"
	}
	fmt.Fprint(b.w, "\r"+text+pad(b.shown, width))
}

// pad fills a text up to a width in columns.
func pad(text string, width int) string {
	return text + strings.Repeat(" ", max(width-utf8.RuneCountInString(text), 0))
}

// barText is how far the work is, in at most width columns: the bar takes what the words
// leave, and the words are cut where even they do not fit.
func barText(title string, m Moment, width int) string {
	part := m.Done / max(m.Total, 1)
	before := title + " " + m.At + " "
	after := fmt.Sprintf(" %3.0f %%, %s, %s left", 100*part, m.Rate(), m.LeftText())
	if room := width - utf8.RuneCountInString(before+after) - len("[]"); room > 0 {
		full := min(int(part*float64(room)), room)
		return before + "[" + strings.Repeat("=", full) + strings.Repeat("-", room-full) + "]" + after
	}
	words := []rune(before + strings.TrimSpace(after))
	return string(words[:min(len(words), width)])
}

// showBar draws a bar until stop is called. Work that ended well leaves none; the bar of
// interrupted work stays, to say how far it came.
func (p *Progress) showBar(ctx context.Context, w io.Writer, width func() int) (stop func()) {
	b := &bar{w: w, width: width}
	p.hear(func(text string) { b.draw(text, nil) })
	stopDrawing := every(barEvery, func() {
		if m, ok := p.Now(); ok {
			b.draw("", func(width int) string { return barText(p.title, m, width) })
		}
	})
	return func() {
		stopDrawing()
		switch {
		case ctx.Err() == nil:
			b.draw("", func(int) string { return "" })
			fmt.Fprint(w, "\r")
		case b.shown != "":
			fmt.Fprintln(w)
		}
	}
}

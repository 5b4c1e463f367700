package progress

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"math"
	"os"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"golang.org/x/term"

	"backsolve/cmd/cli"
)

const (
	showAuto = "auto"
	showLog  = "log"
	showJSON = "json"
	showNone = "none"
)

// Flags adds --progress, and --quiet for --progress none, to the flags of a command.
func Flags(cmd *cobra.Command, flags *pflag.FlagSet) {
	words := []string{showAuto, showLog, showJSON, showNone}
	flags.Var(cli.NewChoice(words...), "progress", "progress display: auto (a bar on a terminal, else a log), log, json (a line a second) or none")
	cobra.CheckErr(cmd.RegisterFlagCompletionFunc("progress", cobra.FixedCompletions(words, cobra.ShellCompDirectiveNoFileComp)))
	flags.BoolP("quiet", "q", false, "show no progress")
}

// word is the value of --progress, for a command that has the flags or is below one that has them.
func word(cmd *cobra.Command) string {
	f := cmd.Flags().Lookup("progress")
	if f == nil || cmd.Flags().Lookup("quiet").Value.String() == "true" {
		return showNone
	}
	return f.Value.String()
}

// Off reports whether a command shows no progress.
func Off(cmd *cobra.Command) bool { return word(cmd) == showNone }

// Begin returns the progress of the work of a command, shown until stop is called: see New and Show.
func Begin(cmd *cobra.Command, kind, title string) (p *Progress, stop func()) {
	p = New(kind, title)
	return p, p.Show(cmd)
}

// Show shows the progress on standard error until stop is called. The bar of interrupted work remains.
func (p *Progress) Show(cmd *cobra.Command) (stop func()) {
	w, end := cmd.ErrOrStderr(), func() {}
	switch word := word(cmd); {
	case word == showNone:
		return end
	case word == showJSON:
		end = p.showJSON(w)
	case word == showAuto && columns(w) > 0:
		end = p.showBar(cmd.Context(), w, func() int { return columns(w) })
	default:
		end = p.showLog(w)
	}
	return func() {
		p.log.Store(nil)
		end()
	}
}

func columns(w io.Writer) int {
	width := 0
	if f, ok := w.(*os.File); ok {
		width, _, _ = term.GetSize(int(f.Fd())) // negative where it fails
	}
	return max(width, 0)
}

const (
	logEvery  = 5 * time.Second
	jsonEvery = time.Second
	barEvery  = 100 * time.Millisecond
)

func (p *Progress) showLog(w io.Writer) (stop func()) {
	log := slog.New(slog.NewTextHandler(w, nil)).With(p.kind, p.title)
	p.logTo(func(level slog.Level, text string) { log.Log(context.Background(), level, text) })
	return every(logEvery, func() {
		if m, ok := p.Now(); ok {
			log.Info("working", "at", m.At,
				"done", fmt.Sprintf("%.0f", m.Done), "total", fmt.Sprintf("%.0f", m.Total),
				"rate", m.Rate(), "eta", m.LeftText())
		}
	})
}

type line struct {
	Kind      string   `json:"kind"` // table
	Title     string   `json:"title"`
	At        string   `json:"at"` // the current part
	Unit      string   `json:"unit"`
	Done      int64    `json:"done"`
	Total     int64    `json:"total"`
	PerSecond float64  `json:"per_second"`
	Left      *float64 `json:"seconds_left"` // null if unknown
}

type message struct {
	Kind    string `json:"kind"`
	Title   string `json:"title"`
	Level   string `json:"level"` // info, warn or error
	Message string `json:"message"`
}

func (p *Progress) showJSON(w io.Writer) (stop func()) {
	var lock sync.Mutex
	write := func(v any) {
		lock.Lock()
		defer lock.Unlock()
		cli.WriteJSON(w, v) // the reader may have gone
	}
	p.logTo(func(level slog.Level, text string) {
		write(message{p.kind, p.title, strings.ToLower(level.String()), text})
	})
	return every(jsonEvery, func() {
		m, ok := p.Now()
		if !ok {
			return
		}
		l := line{p.kind, p.title, m.At, m.unit, int64(math.Round(m.Done)), int64(math.Round(m.Total)), m.PerSecond, nil}
		if m.Left >= 0 {
			seconds := m.Left.Seconds()
			l.Left = &seconds
		}
		write(l)
	})
}

func pad(text string, width int) string {
	return text + strings.Repeat(" ", max(width-utf8.RuneCountInString(text), 0))
}

// barText returns the progress in at most width columns: a bar between words, which are truncated if necessary.
func barText(title string, m Moment, width int) string {
	part := 0.0 // if the total is unknown
	if m.Done <= m.Total {
		part = m.Done / max(m.Total, 1)
	}
	before := title + " " + m.At + " "
	after := fmt.Sprintf(" %3.0f %%, %s, %s left", 100*part, m.Rate(), m.LeftText())
	if space := width - utf8.RuneCountInString(before+after) - len("[]"); space > 0 {
		full := min(int(part*float64(space)), space)
		return before + "[" + strings.Repeat("=", full) + strings.Repeat("-", space-full) + "]" + after
	}
	words := []rune(before + strings.TrimSpace(after))
	return string(words[:min(len(words), width)])
}

// showBar draws a bar on the last line of a terminal. Messages scroll above it. It stays if the work is interrupted.
func (p *Progress) showBar(ctx context.Context, w io.Writer, width func() int) (stop func()) {
	var lock sync.Mutex
	shown := ""
	// draw pads the text instead of erasing the line, as not every terminal knows escape sequences.
	draw := func(above string, format func(width int) string) {
		lock.Lock()
		defer lock.Unlock()
		width := max(width()-1, 1) // a full line would wrap
		if format != nil {
			shown = format(width)
		}
		if above != "" {
			above = pad(above, width) + "\n"
		}
		fmt.Fprint(w, "\r"+above+pad(shown, width))
	}
	p.logTo(func(_ slog.Level, text string) { draw(text, nil) })
	stopDrawing := every(barEvery, func() {
		if m, ok := p.Now(); ok {
			draw("", func(width int) string { return barText(p.title, m, width) })
		}
	})
	return func() {
		stopDrawing()
		switch {
		case ctx.Err() == nil:
			draw("", func(int) string { return "" })
			fmt.Fprint(w, "\r")
		case shown != "":
			fmt.Fprintln(w)
		}
	}
}

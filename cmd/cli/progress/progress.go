// Package progress shows how far some work is and how long it will take: a bar on
// a terminal, else a log line every few seconds.
package progress

import (
	"fmt"
	"io"
	"log/slog"
	"os"
	"sync"
	"time"

	"github.com/dustin/go-humanize"
	"github.com/vbauerster/mpb/v8"
	"github.com/vbauerster/mpb/v8/decor"
	"golang.org/x/term"
)

// logEvery is how often work is heard of where there is no terminal.
const logEvery = 5 * time.Second

// Progress follows some work and reckons how long it will take. Its methods may be
// called from any goroutine.
type Progress struct {
	kind, title string

	lock     sync.Mutex
	unit     string  // what is counted: states
	total    float64 // of them
	at       string  // what is in work: class 12
	done     float64 // of the total
	began    time.Time
	previous float64 // done before this run began
}

// New returns the progress of work on something, which is named by its kind and its
// title: table, quixo 4×4.
func New(kind, title string) *Progress { return &Progress{kind: kind, title: title} }

// Begin says what will be counted from here on, and how much of it was done
// before. Until the first call there is nothing to show.
func (p *Progress) Begin(unit string, done, total float64) {
	p.lock.Lock()
	defer p.lock.Unlock()
	p.unit, p.total, p.done, p.previous, p.began = unit, total, done, done, time.Now()
}

// Tell says what is in work and how much is done.
func (p *Progress) Tell(at string, done float64) {
	p.lock.Lock()
	defer p.lock.Unlock()
	p.at, p.done = at, done
}

// Moment is how far the work is.
type Moment struct {
	// At is what is in work.
	At string
	// Done of Total is done, in the unit given to Begin.
	Done, Total float64
	// Rate and Left are the speed and the time to the end for people.
	Rate, Left string
}

// Now returns how far the work is, and false before it has begun.
func (p *Progress) Now() (Moment, bool) {
	p.lock.Lock()
	defer p.lock.Unlock()
	if p.began.IsZero() {
		return Moment{}, false
	}
	m := Moment{At: p.at, Done: p.done, Total: p.total, Left: "unknown"}
	elapsed, newly := time.Since(p.began), p.done-p.previous
	rate := 0.0
	if elapsed > 0 && newly > 0 {
		rate = newly / elapsed.Seconds()
		m.Left = time.Duration(float64(elapsed) * (p.total - p.done) / newly).Round(time.Second).String()
	}
	m.Rate = RateText(rate, p.unit)
	return m, true
}

// RateText writes a number a second for people: 38.4 M states/s.
func RateText(rate float64, unit string) string {
	value, prefix := humanize.ComputeSI(rate)
	if prefix != "" {
		unit = prefix + " " + unit
	}
	return fmt.Sprintf("%.1f %s/s", value, unit)
}

// Show shows the progress until stop is called: a bar on a terminal, else a log
// line every few seconds.
func (p *Progress) Show(w io.Writer) (stop func()) {
	if f, ok := w.(*os.File); ok {
		// A terminal without a size has no room for a bar.
		if width, height, err := term.GetSize(int(f.Fd())); err == nil && width > 0 && height > 0 {
			return p.showBar(w)
		}
	}
	return p.showLines(w)
}

func (p *Progress) showLines(w io.Writer) (stop func()) {
	log := slog.New(slog.NewTextHandler(w, nil)).With(p.kind, p.title)
	return every(logEvery, func() {
		if m, ok := p.Now(); ok {
			log.Info("working", "at", m.At,
				"done", fmt.Sprintf("%.0f", m.Done), "total", fmt.Sprintf("%.0f", m.Total),
				"rate", m.Rate, "eta", m.Left)
		}
	})
}

// barParts is the number of steps in which the bar grows.
const barParts = 1000

func (p *Progress) showBar(w io.Writer) (stop func()) {
	container := mpb.New(mpb.WithOutput(w))
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
			return fmt.Sprintf(" %3.0f %%, %s, %s left", 100*m.Done/m.Total, m.Rate, m.Left)
		})),
	)
	const refresh = 100 * time.Millisecond
	stopMoving := every(refresh, func() {
		if m, ok := p.Now(); ok {
			// A full bar would end itself.
			bar.SetCurrent(min(int64(m.Done/m.Total*barParts), barParts-1))
		}
	})
	return func() {
		stopMoving()
		bar.Abort(true)
		container.Wait()
	}
}

// every calls do at an interval until stop is called, and not after that.
func every(interval time.Duration, do func()) (stop func()) {
	ticker := time.NewTicker(interval)
	done := make(chan struct{})
	var running sync.WaitGroup
	running.Go(func() {
		for {
			select {
			case <-ticker.C:
				do()
			case <-done:
				return
			}
		}
	})
	return func() {
		ticker.Stop()
		close(done)
		running.Wait()
	}
}

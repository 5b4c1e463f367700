package main

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

// progress follows some work and reckons how long it will take.
type progress struct {
	title string

	lock     sync.Mutex
	unit     string  // what is counted: states
	total    float64 // of them
	at       string  // what is in work: class 12
	done     float64 // of the total
	began    time.Time
	previous float64 // done before this run began
}

// begin says what will be counted from here on, and how much of it was done
// before. Until the first call there is nothing to show.
func (p *progress) begin(unit string, done, total float64) {
	p.lock.Lock()
	defer p.lock.Unlock()
	p.unit, p.total, p.done, p.previous, p.began = unit, total, done, done, time.Now()
}

// tell says what is in work and how much is done.
func (p *progress) tell(at string, done float64) {
	p.lock.Lock()
	defer p.lock.Unlock()
	p.at, p.done = at, done
}

// moment is how far the work is.
type moment struct {
	at          string
	done, total float64
	rate, left  string // for people
}

// now returns how far the work is, and false before it has begun.
func (p *progress) now() (moment, bool) {
	p.lock.Lock()
	defer p.lock.Unlock()
	if p.began.IsZero() {
		return moment{}, false
	}
	m := moment{at: p.at, done: p.done, total: p.total, left: "unknown"}
	elapsed, newly := time.Since(p.began), p.done-p.previous
	rate := 0.0
	if elapsed > 0 && newly > 0 {
		rate = newly / elapsed.Seconds()
		m.left = time.Duration(float64(elapsed) * (p.total - p.done) / newly).Round(time.Second).String()
	}
	m.rate = rateText(rate, p.unit)
	return m, true
}

// rateText writes a rate for people: 38.4 M states/s.
func rateText(rate float64, unit string) string {
	value, prefix := humanize.ComputeSI(rate)
	if prefix != "" {
		unit = prefix + " " + unit
	}
	return fmt.Sprintf("%.1f %s/s", value, unit)
}

// show shows the progress until stop is called: a bar on a terminal, else a log
// line every few seconds.
func (p *progress) show(w io.Writer) (stop func()) {
	if f, ok := w.(*os.File); ok {
		// A terminal without a size has no room for a bar.
		if width, height, err := term.GetSize(int(f.Fd())); err == nil && width > 0 && height > 0 {
			return p.showBar(w)
		}
	}
	return p.showLines(w)
}

func (p *progress) showLines(w io.Writer) (stop func()) {
	log := slog.New(slog.NewTextHandler(w, nil)).With("table", p.title)
	return every(logEvery, func() {
		if m, ok := p.now(); ok {
			log.Info("working", "at", m.at,
				"done", fmt.Sprintf("%.0f", m.done), "total", fmt.Sprintf("%.0f", m.total),
				"rate", m.rate, "eta", m.left)
		}
	})
}

// barParts is the number of steps in which the bar grows.
const barParts = 1000

func (p *progress) showBar(w io.Writer) (stop func()) {
	container := mpb.New(mpb.WithOutput(w))
	text := func(format func(m moment) string) decor.Decorator {
		return decor.Any(func(decor.Statistics) string {
			if m, ok := p.now(); ok {
				return format(m)
			}
			return ""
		})
	}
	bar := container.New(barParts, mpb.BarStyle(),
		mpb.PrependDecorators(decor.Name(p.title), text(func(m moment) string { return " " + m.at + " " })),
		mpb.AppendDecorators(text(func(m moment) string {
			return fmt.Sprintf(" %3.0f %%, %s, %s left", 100*m.done/m.total, m.rate, m.left)
		})),
	)
	const refresh = 100 * time.Millisecond
	stopMoving := every(refresh, func() {
		if m, ok := p.now(); ok {
			// A full bar would end itself.
			bar.SetCurrent(min(int64(m.done/m.total*barParts), barParts-1))
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

package main

import (
	"fmt"
	"io"
	"log/slog"
	"os"
	"sync"
	"time"

	"github.com/vbauerster/mpb/v8"
	"github.com/vbauerster/mpb/v8/decor"
	"golang.org/x/term"

	"backsolve/retro"
)

// logEvery is how often a solve is heard of where there is no terminal.
const logEvery = 5 * time.Second

// progress follows a solve and reckons how long it will take. Numbers of states
// are of the whole game.
type progress struct {
	title  string
	states float64 // of the whole game

	lock   sync.Mutex
	event  retro.Event
	began  time.Time // of the first event; until then there is nothing to tell
	before uint64    // stored states that were decided then
}

// moment is how far a solve is.
type moment struct {
	class     int
	done      float64 // of all states, 0 to 1
	rate      float64 // states a second
	remaining time.Duration
}

// tell is for retro.Options. That a class was written says nothing of the class
// in work.
func (p *progress) tell(e retro.Event) {
	if e.Sealed {
		return
	}
	p.lock.Lock()
	defer p.lock.Unlock()
	if p.began.IsZero() {
		p.began, p.before = time.Now(), e.Done
	}
	p.event = e
}

// now returns how far the solve is, and false before it has begun.
func (p *progress) now() (moment, bool) {
	p.lock.Lock()
	defer p.lock.Unlock()
	if p.began.IsZero() {
		return moment{}, false
	}
	e := p.event
	m := moment{class: e.Class, done: float64(e.Done) / float64(e.States)}
	elapsed, newly := time.Since(p.began), float64(e.Done-p.before)
	if elapsed > 0 && newly > 0 {
		m.rate = newly / float64(e.States) * p.states / elapsed.Seconds()
		m.remaining = time.Duration(float64(elapsed) * float64(e.States-e.Done) / newly)
	}
	return m, true
}

// eta writes the time that is left, as far as it can be told.
func (m moment) eta() string {
	if m.rate == 0 {
		return "unknown"
	}
	return m.remaining.Round(time.Second).String()
}

// show shows the progress until stop is called: a bar on a terminal, else a log
// line every few seconds.
func (p *progress) show(w io.Writer) (stop func()) {
	if f, ok := w.(*os.File); ok && term.IsTerminal(int(f.Fd())) {
		return p.showBar(w)
	}
	return p.showLines(w)
}

func (p *progress) showLines(w io.Writer) (stop func()) {
	log := slog.New(slog.NewTextHandler(w, nil)).With("table", p.title)
	return every(logEvery, func() {
		if m, ok := p.now(); ok {
			log.Info("solving", "class", m.class,
				"done", fmt.Sprintf("%.0f", m.done*p.states), "total", fmt.Sprintf("%.0f", p.states),
				"rate", rateText(m.rate), "eta", m.eta())
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
		mpb.PrependDecorators(decor.Name(p.title), text(func(m moment) string { return fmt.Sprintf(" class %d ", m.class) })),
		mpb.AppendDecorators(text(func(m moment) string {
			return fmt.Sprintf(" %3.0f %% %s, %s left", 100*m.done, rateText(m.rate), m.eta())
		})),
	)
	const refresh = 100 * time.Millisecond
	stopMoving := every(refresh, func() {
		if m, ok := p.now(); ok {
			// A full bar would end itself.
			bar.SetCurrent(min(int64(m.done*barParts), barParts-1))
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

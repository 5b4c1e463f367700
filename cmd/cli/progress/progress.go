// Package progress shows how far some work is and how long it will take: by a bar on
// a terminal, else by a log line every few seconds, or in JSON for other programs.
package progress

import (
	"fmt"
	"sync"
	"time"

	"github.com/dustin/go-humanize"
)

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
	// entered is when what is in work was begun, and what was done then.
	entered struct {
		at   time.Time
		done float64
	}
	said func(text string) // nil: nobody hears
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
	p.entered.at, p.entered.done = p.began, done
}

// Grow says that there is so much to do, where that becomes known while it is done.
func (p *Progress) Grow(total float64) {
	p.lock.Lock()
	defer p.lock.Unlock()
	p.total = total
}

// Tell says what is in work and how much is done.
func (p *Progress) Tell(at string, done float64) {
	p.lock.Lock()
	defer p.lock.Unlock()
	if at != p.at {
		p.entered.at, p.entered.done = time.Now(), p.done
	}
	p.at, p.done = at, done
}

// Stage says how much of the total of a stage is done. The first call for a stage begins it.
func (p *Progress) Stage(stage, unit string, done, total float64) {
	p.lock.Lock()
	begun := p.at == stage
	p.lock.Unlock()
	if !begun {
		p.Begin(unit, 0, total)
	}
	p.Tell(stage, done)
}

// Follow returns what tells how much of a total is done of what is in work. Its first call
// begins the work.
func (p *Progress) Follow(unit, at string) func(done, total uint64) {
	var begin sync.Once
	return func(done, total uint64) {
		begin.Do(func() { p.Begin(unit, 0, float64(total)) })
		p.Tell(at, min(float64(done), float64(total)))
	}
}

// Say tells who watches something beside how far the work is, at once.
func (p *Progress) Say(text string) {
	p.lock.Lock()
	said := p.said
	p.lock.Unlock()
	if said != nil {
		said(text)
	}
}

// hear lets a function, unless it is nil, have what is said from now on.
func (p *Progress) hear(said func(text string)) {
	p.lock.Lock()
	defer p.lock.Unlock()
	p.said = said
}

// Moment is how far the work is.
type Moment struct {
	// At is what is in work.
	At string
	// Done of Total is done, in the unit given to Begin.
	Done, Total float64
	// PerSecond is the speed since the work began.
	PerSecond float64
	// Left is the time to the end, negative where nothing tells it.
	Left time.Duration
	unit string
}

// Rate is the speed for people.
func (m Moment) Rate() string { return RateText(m.PerSecond, m.unit) }

// LeftText is the time to the end for people.
func (m Moment) LeftText() string {
	if m.Left < 0 {
		return "unknown"
	}
	return m.Left.Round(time.Second).String()
}

// Now returns how far the work is, and false before it has begun.
func (p *Progress) Now() (Moment, bool) {
	p.lock.Lock()
	defer p.lock.Unlock()
	if p.began.IsZero() {
		return Moment{}, false
	}
	m := Moment{At: p.at, Done: p.done, Total: p.total, Left: -1, unit: p.unit}
	if elapsed, newly := time.Since(p.began), p.done-p.previous; elapsed > 0 && newly > 0 {
		m.PerSecond = newly / elapsed.Seconds()
		m.Left = p.left(elapsed.Seconds() / newly)
	}
	return m, true
}

// left reckons the time to the end, where what is done took so many seconds for each of
// the unit. What is in work may do most of what it counts at once and then take long for
// the rest, so it is given the time that such things took before: only where it takes
// longer does the end move.
func (p *Progress) left(each float64) time.Duration {
	seconds := (p.total - p.done) * each
	if before := p.entered.done - p.previous; before > 0 {
		each = p.entered.at.Sub(p.began).Seconds() / before
		seconds = max((p.total-p.entered.done)*each-time.Since(p.entered.at).Seconds(), (p.total-p.done)*each)
	}
	return time.Duration(seconds * float64(time.Second))
}

// RateText writes a number a second for people: 38.4 M states/s.
func RateText(rate float64, unit string) string {
	value, prefix := humanize.ComputeSI(rate)
	if prefix != "" {
		unit = prefix + " " + unit
	}
	return fmt.Sprintf("%.1f %s/s", value, unit)
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

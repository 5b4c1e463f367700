// Package progress shows the progress of long work as a bar on a terminal, as log lines, or as JSON for programs.
package progress

import (
	"fmt"
	"log/slog"
	"math"
	"sync"
	"sync/atomic"
	"time"

	"github.com/dustin/go-humanize"

	"backsolve/tablebase"
)

// Progress tracks work and estimates the time left. It is safe for concurrent use.
type Progress struct {
	kind, title string

	lock        sync.Mutex
	unit        string // states
	total       float64
	at          string  // the current part: class 12
	done        float64 // of the total
	began       time.Time
	previous    float64 // done before this run began
	weigh       func(done float64) (work float64)
	enteredAt   time.Time                                           // start of the current part
	enteredDone float64                                             // then
	log         atomic.Pointer[func(level slog.Level, text string)] // nil if nothing is shown
}

// New returns the progress of work on something with a kind and a title: table, quixo 4×4.
func New(kind, title string) *Progress {
	return &Progress{kind: kind, title: title, weigh: func(done float64) float64 { return done }}
}

// Weigh makes the estimate of the time left go by work, which proceeds more steadily than units:
// work returns how much of it the first done units take, and must increase.
func (p *Progress) Weigh(work func(done float64) float64) {
	p.lock.Lock()
	defer p.lock.Unlock()
	p.weigh = work
}

// Begin starts counting a unit, some of which was done before. Nothing is shown until the first call.
func (p *Progress) Begin(unit string, done, total float64) {
	p.lock.Lock()
	defer p.lock.Unlock()
	p.unit, p.total, p.done, p.previous, p.began = unit, total, done, done, time.Now()
	p.enteredAt, p.enteredDone = p.began, done
}

// Grow sets a new total.
func (p *Progress) Grow(total float64) {
	p.lock.Lock()
	defer p.lock.Unlock()
	p.total = total
}

// Update sets the current part and how much of the total is done.
func (p *Progress) Update(at string, done float64) {
	p.lock.Lock()
	defer p.lock.Unlock()
	if at != p.at {
		p.enteredAt, p.enteredDone = time.Now(), p.done
		if p.at != "" { // the previous part may not have counted all of its work
			p.enteredDone = done
		}
	}
	p.at, p.done = at, done
}

// Event is Update for a stage with its own total. The first event of a stage begins it.
func (p *Progress) Event(e tablebase.Event) {
	p.lock.Lock()
	begun := p.at == e.Stage
	p.lock.Unlock()
	if !begun {
		p.Begin(e.Unit, 0, float64(e.Total))
	}
	p.Update(e.Stage, float64(e.Done))
}

// Log shows a message without disturbing the progress.
func (p *Progress) Log(level slog.Level, text string) {
	if log := p.log.Load(); log != nil {
		(*log)(level, text)
	}
}

func (p *Progress) logTo(log func(level slog.Level, text string)) { p.log.Store(&log) }

// Moment is the progress at some time.
type Moment struct {
	At          string        // the current part
	Done, Total float64       // in the unit given to Begin
	PerSecond   float64       // since the work began
	Left        time.Duration // negative if unknown
	unit        string
}

// Rate returns the speed as text.
func (m Moment) Rate() string { return RateText(m.PerSecond, m.unit) }

// LeftText returns the time left as text.
func (m Moment) LeftText() string {
	if m.Left < 0 {
		return "unknown"
	}
	return m.Left.Round(time.Second).String()
}

// Now returns the current progress, false before Begin.
func (p *Progress) Now() (Moment, bool) {
	p.lock.Lock()
	defer p.lock.Unlock()
	if p.began.IsZero() {
		return Moment{}, false
	}
	m := Moment{At: p.at, Done: p.done, Total: p.total, Left: -1, unit: p.unit}
	if elapsed, newly := time.Since(p.began), p.done-p.previous; elapsed > 0 && newly > 0 {
		m.PerSecond = newly / elapsed.Seconds()
		if p.done <= p.total { // otherwise the total is unknown
			m.Left = p.left(elapsed.Seconds())
		}
	}
	return m, true
}

// left estimates the time left after elapsed seconds. A part may count most of its work
// early and take long for the rest, so it is given the average time of earlier parts; the
// estimate grows only if it takes longer.
func (p *Progress) left(elapsed float64) time.Duration {
	previous, entered, left := p.weigh(p.previous), p.weigh(p.enteredDone), p.weigh(p.total)-p.weigh(p.done)
	each := elapsed / max(p.weigh(p.done)-previous, math.SmallestNonzeroFloat64)
	seconds := left * each
	if before := entered - previous; before > 0 {
		each = p.enteredAt.Sub(p.began).Seconds() / before
		seconds = max((p.weigh(p.total)-entered)*each-time.Since(p.enteredAt).Seconds(), left*each)
	}
	return time.Duration(min(max(seconds, 0)*float64(time.Second), math.MaxInt64))
}

// RateText returns a rate as text: 38.4 M states/s.
func RateText(rate float64, unit string) string {
	value, prefix := humanize.ComputeSI(rate)
	if prefix != "" {
		unit = prefix + " " + unit
	}
	return fmt.Sprintf("%.1f %s/s", value, unit)
}

// every calls do at an interval until stop is called, and not after that.
func every(interval time.Duration, do func()) (stop func()) {
	done := make(chan struct{})
	var running sync.WaitGroup
	running.Go(func() {
		for tick := time.Tick(interval); ; {
			select {
			case <-tick:
				do()
			case <-done:
				return
			}
		}
	})
	return func() {
		close(done)
		running.Wait()
	}
}

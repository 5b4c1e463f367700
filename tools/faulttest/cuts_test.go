package faulttest

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"
	"time"
)

// After a power cut at any moment the job ends with the right bytes, whatever unsynced
// data was lost. After the job has ended its result is durable.
func TestPowerCuts(t *testing.T) {
	needsTracer(t)
	y := newTally(t, "power cuts")
	eachCase(t, jobs(), 5, 36, func(t *testing.T, j *job, random *rand.Rand) {
		found, calls, kept := j.found, j.undisturbed(t), 0
		if random.IntN(3) == 0 { // it resumes after a kill
			dir := writeFiles(t, found)
			killed := j.trace(t, dir, Fault{At: 1 + random.IntN(len(calls)), Action: KillAfter})
			left := read(t, dir)
			if again := j.trace(t, dir, Fault{}); again.Status == 0 {
				found, calls, kept = left, again.Calls, j.finished(killed.Calls)
			}
		}
		places := 2 * len(calls)
		if random.IntN(8) > 0 {
			places = random.IntN(places + 1)
		}
		dir, style := cut(t, found, calls, places, random)
		whole := j.checkFinal(t, dir)
		if places == 2*len(calls) && !whole {
			t.Errorf("it had ended, and %s is gone", j.final)
		}
		if j.streamed() {
			kept += j.finished(until(calls, places))
		} else {
			kept = 0 // five seconds may be lost, and this takes less
		}
		y.fault(j.name, places, style)
		y.ended(j.recover(t, dir, kept))
	})
}

// until returns the calls that had begun.
func until(calls []Call, places int) []Call {
	return slices.DeleteFunc(slices.Clone(calls), func(c Call) bool { return c.Begin > places })
}

// A power cut costs a solve that keeps its table at most five seconds plus the current
// class.
func TestPowerCutsCostSeconds(t *testing.T) {
	needsTracer(t)
	y := newTally(t, "power cuts")
	for _, j := range jobs() {
		if j.streamed() || !j.solves() || !long() && j.name != "quixo_3" {
			continue
		}
		t.Run(j.name, func(t *testing.T) {
			t.Parallel()
			j.prepare(t)
			frames := framesOf(j.undisturbed(t))
			if len(frames) < 3 {
				t.Skip("after the second class there is nothing that could be lost")
			}
			which := j.random(-1).IntN(len(frames) - 2)
			hold := Fault{At: frames[which] + 1, Action: Hold, Hold: 5100 * time.Millisecond}
			calls := j.trace(t, writeFiles(t, j.found), hold).Calls
			frames = framesOf(calls)
			begin, safe := calls[frames[which]].End, calls[frames[which+1]].End
			for n := range 20 {
				t.Run(fmt.Sprint(n), func(t *testing.T) {
					onFailure(t)
					random := j.random(n)
					places := begin + 1 + random.IntN(2*len(calls)-begin)
					dir, style := cut(t, j.found, calls, places, random)
					kept := 0
					if safe <= places { // what was held has been flushed
						kept = which + 1
					}
					y.fault(j.name, places, style)
					y.ended(j.recover(t, dir, kept))
				})
			}
		})
	}
}

// cut returns a directory with the files that a cut leaves after a number of begins and
// ends of calls.
func cut(t *testing.T, found Files, calls []Call, places int, random *rand.Rand) (string, Style) {
	t.Helper()
	d := New(found)
	if err := d.Replay(calls, places); err != nil {
		t.Fatal(err)
	}
	style := Styles[random.IntN(len(Styles))]
	t.Logf("cut at %d of %d begins and ends of calls, leaving %s", places, 2*len(calls), style)
	return writeFiles(t, d.Cut(style, random)), style
}

// The tracer and the disk miss nothing: replaying the calls gives exactly the files on the disk.
func TestReplayLeavesTheFiles(t *testing.T) {
	needsTracer(t)
	for _, j := range jobs() {
		t.Run(j.name, func(t *testing.T) {
			j.prepare(t)
			d := New(j.found)
			calls := j.undisturbed(t)
			if err := d.Replay(calls, 2*len(calls)); err != nil {
				t.Fatal(err)
			}
			if got := d.Now(); !maps.EqualFunc(got, j.want, slices.Equal) {
				t.Errorf("%d files, other than the %d that are there", len(got), len(j.want))
			}
		})
	}
}

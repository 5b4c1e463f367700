package solving

import (
	"fmt"
	"log/slog"
	"math"
	"strings"

	"backsolve/cmd/cli/progress"
	"backsolve/internal/plan"
	"backsolve/internal/solve"
	"backsolve/tablebase"
)

// follow returns a function that shows the events of a job in states of the whole game. Each
// stored state stands for the same number of them. The time left is estimated from the planned work,
// as a state takes more in classes that have few.
func follow(p *progress.Progress, j *solve.Job) func(tablebase.Event) {
	states := 0.0
	for class := j.Engine.DownTo; class <= j.Space.MaskBits; class++ {
		states += float64(j.Space.Masks(class)) * math.Exp2(float64(j.Space.IndexBits[class]))
	}
	work := plan.WorkOf(j.Classes())
	p.Weigh(func(done float64) float64 { return work(done / states) })
	began := false
	doing := "written"
	if strings.HasSuffix(j.Path, tablebase.PackedSuffix) {
		doing = "packed"
	}
	return func(e tablebase.Event) {
		switch e.Stage {
		case tablebase.Sealed:
			return // the class in work is another one
		case tablebase.Stopping:
			p.Log(slog.LevelInfo, fmt.Sprintf("stopping when class %d, which is solved, is %s; a second Ctrl-C ends at once, and class %[1]d is solved again then", e.At, doing))
			return
		}
		done := float64(e.Done) / float64(e.Total) * states
		if !began {
			p.Begin("states", done, states)
			began = true
		}
		p.Update(fmt.Sprintf("class %d", e.At), done)
	}
}

package solving

import (
	"fmt"
	"math"
	"strings"

	"github.com/spf13/cobra"

	"backsolve/cmd/cli/progress"
	"backsolve/retro"
	"backsolve/tablebase"
)

// watch shows progress until the function it returns is called.
func (s *solver) watch(cmd *cobra.Command, o *retro.Options, t *Target) (p *progress.Progress, stop func()) {
	p = progress.New("table", t.Name())
	o.Progress = follow(p, t, s.downTo)
	return p, s.progress.Show(cmd, p)
}

// follow tells the progress of a solve in states of the whole game, each stored
// one standing for equally many of them.
func follow(p *progress.Progress, t *Target, downTo int) func(retro.Event) {
	states := 0.0
	for class := downTo; class <= t.Space.MaskBits; class++ {
		states += float64(t.Space.Masks(class)) * math.Exp2(float64(t.Space.IndexBits[class]))
	}
	began := false
	doing := "written"
	if strings.HasSuffix(t.Path, tablebase.PackedSuffix) {
		doing = "packed"
	}
	return func(e retro.Event) {
		switch {
		case e.Sealed:
			return // says nothing of the class in work
		case e.Stopping:
			p.Say(fmt.Sprintf("stopping when class %d, which is solved, is %s; a second Ctrl-C ends at once, and class %[1]d is solved again then", e.Class, doing))
			return
		}
		done := float64(e.Done) / float64(e.States) * states
		if !began {
			p.Begin("states", done, states)
			began = true
		}
		p.Tell(fmt.Sprintf("class %d", e.Class), done)
	}
}

package retro

import (
	"testing"
	"unsafe"

	"backsolve/plan"
)

// TestPlanKnowsStructures compares the sizes that a plan assumes with the structures.
func TestPlanKnowsStructures(t *testing.T) {
	for what, c := range map[string]struct{ planned, is int }{
		"a link":            {plan.LinkBytes, int(unsafe.Sizeof(link{}) + unsafe.Sizeof(parent{}))},
		"a listed block":    {plan.ListedBlockBytes, int(unsafe.Sizeof(span{}))},
		"buffers of thread": {plan.ScratchBuffers, digitBuffers},
	} {
		if c.planned != c.is {
			t.Errorf("%s: planned for %d, it is %d", what, c.planned, c.is)
		}
	}
}

package plan

import (
	"math"
	"testing"

	"backsolve/partition"
	"backsolve/partition/spacetest"
)

// A plan has the classes, blocks and states of the cut, without making it.
func TestPlanIsTheCut(t *testing.T) {
	for _, b := range []struct {
		game string
		n    int
	}{{"notakto", 1}, {"notakto", 5}, {"quixo", 2}, {"quixo", 4}} {
		_, space := spacetest.New(t, b.game, b.n)
		cut, err := partition.NewCut(space, 2)
		if err != nil {
			t.Fatal(err)
		}
		p := New(space, Options{})
		if len(p.Classes) != space.MaskBits+1 {
			t.Errorf("%s %d: %d classes, want %d", b.game, b.n, len(p.Classes), space.MaskBits+1)
		}
		for i, c := range p.Classes {
			want := cut.Class(space.MaskBits - i)
			if c.Class != want.Class || c.Blocks != int64(len(want.Masks)) || c.States != uint64(len(want.Masks))<<uint(want.IndexBits) {
				t.Errorf("%s %d: planned %+v, the cut has %d blocks in class %d", b.game, b.n, c, len(want.Masks), want.Class)
			}
		}
		if !(p.Seconds() > 0) || math.IsInf(p.Seconds(), 0) {
			t.Errorf("%s %d: %v seconds", b.game, b.n, p.Seconds())
		}
		cut.Free()
	}
}

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

// The estimated length of a table is that of the file, but for the checksums and counts at
// its end.
func TestTableBytes(t *testing.T) {
	for _, b := range []struct {
		game  string
		n     int
		bytes int64 // of the file without steps
	}{{"notakto", 4, 118_264}, {"quixo", 3, 120_000}, {"quixo", 4, 1_641_452}, {"notakto", 6, 48_186_240}} {
		_, space := spacetest.New(t, b.game, b.n)
		got := New(space, Options{}).Table()
		if ratio := float64(got) / float64(b.bytes); ratio < 0.9 || ratio > 1.1 {
			t.Errorf("%s %d: %d bytes are estimated, the file has %d", b.game, b.n, got, b.bytes)
		}
		if with := New(space, Options{Steps: true}).Table(); with <= got {
			t.Errorf("%s %d: %d bytes with steps, %d without", b.game, b.n, with, got)
		}
	}
}

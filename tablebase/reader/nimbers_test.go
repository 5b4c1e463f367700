package reader_test

import (
	"bytes"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"math/bits"
	"path/filepath"
	"testing"

	"backsolve/internal/bitslice"
	"backsolve/tablebase"
	"backsolve/tablebase/internal/tabletest"
	"backsolve/tablebase/writer"
)

var nimbersShape = tablebase.Shape{Game: "notakto", Size: 4, Planes: 1, Nimbers: true}

// nimbersTable returns the classes of testdata/v3.tb, by a formula as goldenTable does.
// The last class has no digits: all its states are terminal or have the nimber 0.
func nimbersTable() (classes []tabletest.Sealed) {
	next := uint64(0)
	word := func() uint64 {
		next += 0x9e3779b97f4a7c15
		return bits.RotateLeft64(next*next, 32) ^ next
	}
	for _, c := range []tablebase.Class{{Class: 8, IndexBits: 8, Masks: []uint64{255}}, {Class: 7, IndexBits: 9, Masks: []uint64{127, 191, 223}}, {Class: 1, IndexBits: 3, Masks: []uint64{1, 4}}, {Class: 0, IndexBits: 0, Masks: []uint64{0}}} {
		n, digits, valid := len(c.Masks)*bitslice.Words(c.IndexBits), 3, ^uint64(0)
		if c.IndexBits == 0 {
			digits = 0
		}
		if c.IndexBits < 6 {
			valid = 1<<(1<<c.IndexBits) - 1
		}
		s := tabletest.Sealed{Class: c, Planes: tablebase.Planes{Win: make([]uint64, n), Steps: make([][]uint64, digits)}}
		for w := range s.Planes.Win {
			s.Planes.Win[w] = word() & valid
		}
		for d := range s.Planes.Steps {
			s.Planes.Steps[d] = make([]uint64, n)
			for w := range s.Planes.Steps[d] {
				s.Planes.Steps[d][w] = word() & s.Planes.Win[w]
			}
		}
		s.Counts = nimberCounts(c, digits, word)
		classes = append(classes, s)
	}
	return classes
}

// nimberCounts makes counts that add up, of a table with nimbers. They are not those
// of any planes.
func nimberCounts(c tablebase.Class, digits int, word func() uint64) tablebase.Counts {
	n := tablebase.Counts{ByWeight: make([]tablebase.OutcomeCounts, c.IndexBits+1), BySteps: make([]tablebase.StepCounts, 1<<digits)}
	binomial := uint64(1)
	for i := range n.ByWeight {
		states := uint64(len(c.Masks)) * binomial
		wins := word() % (states + 1)
		terminal := wins
		if digits > 0 {
			terminal = word() % (wins + 1)
		}
		n.ByWeight[i] = tablebase.OutcomeCounts{Wins: wins, Losses: states - wins, TerminalWins: terminal}
		n.BySteps[0].Wins += terminal
		n.BySteps[0].Losses += states - wins
		n.BySteps[len(n.BySteps)-1].Wins += wins - terminal
		binomial = binomial * uint64(c.IndexBits-i) / uint64(i+1)
	}
	return n
}

// A table with nimbers has them and no steps, mapped and packed.
func TestNimbersAreLookedUp(t *testing.T) {
	classes := nimbersTable()
	path := tabletest.Write(t, nimbersShape, classes)
	if _, err := writer.Pack(t.Context(), path, false, nil); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{path, path + tablebase.PackedSuffix} {
		table := tabletest.Open(t, path)
		checkAll(t, table, nimbersShape, classes)
		if err := table.Verify(t.Context(), 1, nil); err != nil {
			t.Error(err)
		}
	}
}

// Counts and planes in which a nimber is not one are refused.
func TestSealRefusesNimbers(t *testing.T) {
	for name, spoil := range map[string]func(c *tabletest.Sealed){
		"a lost state with a nimber":   func(c *tabletest.Sealed) { c.Counts.BySteps[0].Losses--; c.Counts.BySteps[3].Losses++ },
		"a terminal state with one":    func(c *tabletest.Sealed) { c.Counts.BySteps[0].Wins--; c.Counts.BySteps[3].Wins++ },
		"a win that is not terminal":   func(c *tabletest.Sealed) { c.Counts.ByWeight[4].TerminalWins++ },
		"a terminal loss":              func(c *tabletest.Sealed) { c.Counts.ByWeight[4].TerminalLosses++ },
		"a win too many":               func(c *tabletest.Sealed) { c.Counts.BySteps[5].Wins++ },
		"counts that overflow":         func(c *tabletest.Sealed) { c.Counts.BySteps[5].Wins = 1 << 63; c.Counts.BySteps[6].Wins = 1 << 63 },
		"no counts":                    func(c *tabletest.Sealed) { c.Counts.BySteps = nil },
		"a digit of a lost state":      func(c *tabletest.Sealed) { c.Planes.Steps[2][1] |= ^c.Planes.Win[1] },
		"digits that are read in runs": func(c *tabletest.Sealed) { c.Planes.Reader = &tablebase.RunReader{Digits: 3, Run: 1 << 13} },
	} {
		t.Run(name, func(t *testing.T) {
			c := nimbersTable()[0]
			c.Counts.ByWeight[4] = tablebase.OutcomeCounts{Wins: 40, Losses: 30, TerminalWins: 20}
			c.Counts = sumNimbers(c.Counts)
			w := tabletest.Create(t, filepath.Join(t.TempDir(), "t.tb"), nimbersShape, false)
			spoil(&c)
			if err := w.Seal(c.Class, c.Planes, c.Counts); !errors.Is(err, tablebase.ErrInput) {
				t.Errorf("Seal: %v", err)
			}
			if n := len(w.Sealed()); n != 0 {
				t.Errorf("%d classes sealed", n)
			}
		})
	}
	for _, shape := range []tablebase.Shape{
		{Game: "notakto", Size: 4, Planes: 2, Nimbers: true},
		{Game: "notakto", Size: 4, Planes: 1, Nimbers: true, Steps: true},
		{Game: "notakto", Size: 4, Planes: 1, Nimbers: true, Opening: true},
	} {
		if _, err := writer.Create(filepath.Join(t.TempDir(), "t.tb"), shape, false); !errors.Is(err, tablebase.ErrInput) {
			t.Errorf("%+v: %v", shape, err)
		}
	}
}

// sumNimbers makes the counts by nimber those that the counts by weight ask for.
func sumNimbers(n tablebase.Counts) tablebase.Counts {
	clear(n.BySteps)
	for _, t := range n.ByWeight {
		n.BySteps[0].Wins += t.TerminalWins
		n.BySteps[0].Losses += t.Losses
		n.BySteps[len(n.BySteps)-1].Wins += t.Wins - t.TerminalWins
	}
	return n
}

// TestGoldenNimbers is TestGolden for format version 3, which tables with nimbers have.
func TestGoldenNimbers(t *testing.T) {
	const identity = "32d4f2d1e682872ee715856d534d41a0c5db42aa50b5fb9c5d8be99c6ca4b314"
	path := tabletest.Golden("v3.tb")
	table := tabletest.Open(t, path)
	if id := table.Identity(); hex.EncodeToString(id[:]) != identity {
		t.Errorf("identity %x, want %s", id, identity)
	}
	if table.Shape() != nimbersShape {
		t.Errorf("shape %v", table.Shape())
	}
	checkAll(t, table, nimbersShape, nimbersTable())
	if err := table.Verify(t.Context(), 1, nil); err != nil {
		t.Error(err)
	}
	b := tabletest.ReadFile(t, path)
	if binary.LittleEndian.Uint32(b[8:]) != 3 || binary.LittleEndian.Uint32(b[56:]) != 4 || binary.LittleEndian.Uint32(b[60:]) != 4 {
		t.Errorf("version %d, flags %d, %d classes", binary.LittleEndian.Uint32(b[8:]), binary.LittleEndian.Uint32(b[56:]), binary.LittleEndian.Uint32(b[60:]))
	}
	if !bytes.Equal(tabletest.ReadFile(t, tabletest.Write(t, nimbersShape, nimbersTable())), b) {
		t.Error("the same classes are written with other bytes")
	}
}

package cluster

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"backsolve/retro"
)

var anySolve = &Solve{ID: "x", Game: "notakto", Size: 5, Steps: true, GroupBytes: 100}

// randomPart returns a part with random content.
func randomPart(blocks, words, digits int, seed uint64) (*retro.SolvedBlocks, group) {
	random := rand.New(rand.NewPCG(seed, 1))
	numbers := func(n int) []uint64 {
		all := make([]uint64, n)
		for i := range all {
			all[i] = random.Uint64()
		}
		return all
	}
	g := group{subclass: subclass{class: 3}, first: 17, blocks: blocks}
	p := &retro.SolvedBlocks{Class: g.class, First: g.first, Words: words, Win: numbers(blocks * words)}
	for range digits {
		p.Digits = append(p.Digits, numbers(blocks*words))
	}
	p.Counts = retro.StateCounts{Wins: numbers(4), Losses: numbers(4), TerminalWins: numbers(4), TerminalLosses: numbers(4), StepsWins: numbers(digits), StepsLosses: numbers(digits)}
	return p, g
}

// decodeBytes decodes the bytes of an object.
func decodeBytes(b []byte, decode func(r io.Reader) error) error {
	r := bytes.NewReader(b)
	if err := decode(r); err != nil {
		return err
	}
	return readEnd(r)
}

// readPart decodes the bytes of a part.
func readPart(b []byte, s *Solve, g group, words int) (p *retro.SolvedBlocks, err error) {
	err = decodeBytes(b, func(r io.Reader) (err error) {
		p, err = decodePart(r, s, g, words)
		return err
	})
	return p, err
}

// A decoded part equals the encoded one.
func TestPartRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		words := rapid.IntRange(1, 40).Draw(t, "words")
		p, g := randomPart(rapid.IntRange(1, 300).Draw(t, "blocks"), words, rapid.IntRange(0, 5).Draw(t, "digits"), rapid.Uint64().Draw(t, "seed"))
		got, err := readPart(appendPart([]byte("before"), anySolve, p)[len("before"):], anySolve, g, words)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(p, got); diff != "" {
			t.Fatalf("(-put +read):\n%s", diff)
		}
	})
}

// A part that is cut anywhere, longer or another one is refused. The store's checksums find
// changed bytes.
func TestDamagedPart(t *testing.T) {
	p, g := randomPart(2, 3, 1, 1)
	whole := appendPart(nil, anySolve, p)
	refused := func(what string, at int, b []byte, s *Solve, g group, words int) {
		t.Helper()
		if _, err := readPart(b, s, g, words); !errors.Is(err, errObject) {
			t.Errorf("%s %d: %v", what, at, err)
		}
	}
	for i := range whole {
		refused("cut at", i, whole[:i], anySolve, g, 3)
	}
	refused("longer", 0, append(bytes.Clone(whole), 1), anySolve, g, 3)
	refused("of another board", 0, whole, &Solve{Game: "notakto", Size: 5}, g, 3)
	refused("of another class", 0, whole, anySolve, group{subclass: subclass{class: 4}, first: 17, blocks: 2}, 3)
	refused("of another block", 0, whole, anySolve, group{subclass: subclass{class: 3}, first: 18, blocks: 2}, 3)
	refused("of more blocks", 0, whole, anySolve, group{subclass: subclass{class: 3}, first: 17, blocks: 3}, 3)
	refused("of other slices", 0, whole, anySolve, g, 4)
}

// The groups of a class have all of its blocks, once, in order, and are not too many.
func TestGroupsOfClass(t *testing.T) {
	space := newSpace(t, 5)
	rapid.Check(t, func(t *rapid.T) {
		s := Solve{Game: "notakto", Size: 5, GroupBytes: rapid.Int64Range(1, 1<<22).Draw(t, "bytes")}
		blocks := rapid.IntRange(1, 100_000).Draw(t, "blocks")
		next := 0
		groups := s.groups(space, 3, blocks)
		for _, g := range groups {
			if g.first != next || g.blocks < 1 || g.class != 3 {
				t.Fatalf("%+v comes instead of block %d", g, next)
			}
			next += g.blocks
		}
		if next != blocks || len(groups) > maxGroups {
			t.Fatalf("%d groups have %d of %d blocks", len(groups), next, blocks)
		}
	})
}

// Words are stored as little-endian bytes on every machine.
func TestByteOrder(t *testing.T) {
	defer func(here bool) { littleEndian = here }(littleEndian)
	plane, want := make([]uint64, 20_000), []byte("before")
	random := rand.New(rand.NewPCG(4, 4))
	for i := range plane {
		plane[i] = random.Uint64()
		want = binary.LittleEndian.AppendUint64(want, plane[i])
	}
	for _, littleEndian = range []bool{littleEndian, false} { // both ways are right on this machine
		if b := appendWords([]byte("before"), plane); !bytes.Equal(b, want) {
			t.Errorf("lowest first %t: other bytes", littleEndian)
		}
		got := make([]uint64, len(plane))
		if err := readWords(bytes.NewReader(want[len("before"):]), got); err != nil || !slices.Equal(got, plane) {
			t.Errorf("lowest first %t: other words, %v", littleEndian, err)
		}
		if err := readWords(bytes.NewReader(want[len("before")+1:]), got); !errors.Is(err, errObject) {
			t.Errorf("lowest first %t: cut short: %v", littleEndian, err)
		}
	}
}

package cluster

import (
	"bytes"
	"encoding/binary"
	"errors"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"backsolve/retro"
)

var anySolve = &Solve{ID: "x", Game: "notakto", Size: 5, Steps: true, GroupBytes: 100}

// randomPart makes a part of any group with any numbers.
func randomPart(blocks, words, digits int, seed uint64) (*retro.SolvedBlocks, group) {
	random := rand.New(rand.NewPCG(seed, 1))
	numbers := func(n int) []uint64 {
		all := make([]uint64, n)
		for i := range all {
			all[i] = random.Uint64()
		}
		return all
	}
	g := group{layer: layer{class: 3}, first: 17, blocks: blocks}
	p := &retro.SolvedBlocks{Class: g.class, First: g.first, Words: words, Win: numbers(blocks * words)}
	for range digits {
		p.Digits = append(p.Digits, numbers(blocks*words))
	}
	p.Counts = retro.StateCounts{Wins: numbers(4), Losses: numbers(4), TerminalWins: numbers(4), TerminalLosses: numbers(4), StepsWins: numbers(digits), StepsLosses: numbers(digits)}
	return p, g
}

// A part comes back as it was put.
func TestPartRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		words := rapid.IntRange(1, 40).Draw(t, "words")
		p, g := randomPart(rapid.IntRange(1, 300).Draw(t, "blocks"), words, rapid.IntRange(0, 5).Draw(t, "digits"), rapid.Uint64().Draw(t, "seed"))
		b := appendPart([]byte("before"), anySolve, p)[len("before"):]
		got, err := readPart(bytes.NewReader(b), anySolve, g, words)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(p, got); diff != "" {
			t.Fatalf("(-put +read):\n%s", diff)
		}
	})
}

// Whatever byte is changed, wherever a part is cut, and where it is another one: it is
// refused.
func TestPartIsChecked(t *testing.T) {
	p, g := randomPart(2, 3, 1, 1)
	whole := appendPart(nil, anySolve, p)
	refused := func(what string, at int, b []byte, s *Solve, g group, words int) {
		t.Helper()
		if _, err := readPart(bytes.NewReader(b), s, g, words); !errors.Is(err, errPart) {
			t.Errorf("%s %d: %v", what, at, err)
		}
	}
	for i := range whole {
		refused("cut at", i, whole[:i], anySolve, g, 3)
		changed := bytes.Clone(whole)
		changed[i] ^= 1 << (i % 8)
		refused("changed at", i, changed, anySolve, g, 3)
	}
	refused("longer", 0, append(bytes.Clone(whole), 1), anySolve, g, 3)
	refused("of another board", 0, whole, &Solve{Game: "notakto", Size: 5}, g, 3)
	refused("of another class", 0, whole, anySolve, group{layer: layer{class: 4}, first: 17, blocks: 2}, 3)
	refused("of another block", 0, whole, anySolve, group{layer: layer{class: 3}, first: 18, blocks: 2}, 3)
	refused("of more blocks", 0, whole, anySolve, group{layer: layer{class: 3}, first: 17, blocks: 3}, 3)
	refused("of other slices", 0, whole, anySolve, g, 4)
}

// Groups are all blocks of a class, once, in order, and no more than there may be.
func TestGroupsAreTheClass(t *testing.T) {
	space := newSpace(t, 5)
	rapid.Check(t, func(t *rapid.T) {
		s := Solve{Game: "notakto", Size: 5, GroupBytes: rapid.Int64Range(1, 1<<22).Draw(t, "bytes")}
		blocks := rapid.IntRange(1, 100_000).Draw(t, "blocks")
		next := 0
		groups := s.groups(space, 3, blocks)
		for _, g := range groups {
			if g.first != next || g.blocks < 1 || g.class != 3 {
				t.Fatalf("%+v comes where block %d is due", g, next)
			}
			next += g.blocks
		}
		if next != blocks || len(groups) > mostGroups {
			t.Fatalf("%d groups have %d of %d blocks", len(groups), next, blocks)
		}
	})
}

// The words of a part are the same bytes on every machine: those of the lowest first.
func TestWordsOfAnyMachine(t *testing.T) {
	defer func(here bool) { lowFirst = here }(lowFirst)
	plane, want := make([]uint64, 20_000), []byte("before")
	random := rand.New(rand.NewPCG(4, 4))
	for i := range plane {
		plane[i] = random.Uint64()
		want = binary.LittleEndian.AppendUint64(want, plane[i])
	}
	for _, lowFirst = range []bool{lowFirst, false} { // the way of other machines is right here, too
		if b := appendWords([]byte("before"), plane); !bytes.Equal(b, want) {
			t.Errorf("lowest first %t: other bytes", lowFirst)
		}
		got := make([]uint64, len(plane))
		if err := readWords(bytes.NewReader(want[len("before"):]), got); err != nil || !slices.Equal(got, plane) {
			t.Errorf("lowest first %t: other words, %v", lowFirst, err)
		}
		if err := readWords(bytes.NewReader(want[len("before")+1:]), got); !errors.Is(err, errPart) {
			t.Errorf("lowest first %t: cut short: %v", lowFirst, err)
		}
	}
}

package partition_test

import (
	"path/filepath"
	"testing"

	"backsolve/bitboard"
	"backsolve/game"
	"backsolve/partition"
	"backsolve/tablebase"
	"backsolve/tablebase/reader"
)

// triangle returns the lines of a triangle of n cells a side, which are its three sides, and
// its mirror image.
func triangle(n int) (lines []uint64, mirror bitboard.Perm) {
	at := func(row, column int) int { return row*(row+1)/2 + column }
	lines = make([]uint64, 3)
	mirror = bitboard.Identity(n * (n + 1) / 2)
	for i := range n {
		lines[0] |= 1 << at(i, 0)
		lines[1] |= 1 << at(i, i)
		lines[2] |= 1 << at(n-1, i)
		for column := range i + 1 {
			mirror[at(i, column)] = uint8(at(i, i-column))
		}
	}
	return lines, mirror
}

// plain returns the value of a position by its moves, for the player with the first mask.
func plain(lines []uint64, full, mine, theirs uint64, known map[[2]uint64]tablebase.Entry) (v tablebase.Entry) {
	if v, ok := known[[2]uint64{mine, theirs}]; ok {
		return v
	}
	defer func() { known[[2]uint64{mine, theirs}] = v }()
	for _, line := range lines {
		if theirs&line == line {
			return tablebase.Entry{Outcome: game.Lose}
		}
	}
	free := full &^ (mine | theirs)
	if free == 0 {
		return tablebase.Entry{Outcome: game.Draw}
	}
	v = tablebase.Entry{Outcome: game.Lose}
	for ; free != 0; free &= free - 1 {
		after := plain(lines, full, theirs, mine|free&-free, known)
		after.Outcome, after.Steps = after.Outcome.Flip(), after.Steps+1
		rank := map[game.Outcome]int{game.Win: 2, game.Draw: 1, game.Lose: 0}
		better := rank[after.Outcome] - rank[v.Outcome]
		if better == 0 && (after.Outcome == game.Lose) == (after.Steps > v.Steps) {
			better = 1
		}
		if better > 0 {
			v = after
		}
	}
	if v.Outcome == game.Draw {
		v.Steps = 0
	}
	return v
}

// A game of your own has boards of any sizes, here from 2 on: each has the values that its
// rules give, in all positions that play can reach.
func TestOwnSizes(t *testing.T) {
	for n := 2; n <= 4; n++ {
		cells := n * (n + 1) / 2
		lines, mirror := triangle(n)
		marks := partition.NewTwoMarks(cells, lines, []bitboard.Perm{bitboard.Identity(cells), mirror})
		space, err := partition.NewSpace(marks.Facts("sides", n, partition.Acyclic), marks, marks)
		if err != nil {
			t.Fatal(err)
		}
		path := filepath.Join(t.TempDir(), "sides.tb")
		if err := solve(path, space); err != nil {
			t.Fatal(err)
		}
		table, err := reader.Open(path)
		if err != nil {
			t.Fatal(err)
		}
		defer table.Close()
		known := map[[2]uint64]tablebase.Entry{}
		plain(lines, 1<<cells-1, 0, 0, known)
		for masks, want := range known {
			at := space.Locate(game.Position{X: masks[0], O: masks[1]})
			block, _, err := table.Find(at.Class, at.Mask)
			if err != nil {
				t.Fatal(err)
			}
			got, err := table.Lookup(at.Class, block, uint64(at.Index))
			got.Nimber = 0
			if got.Outcome == game.Draw {
				got.Steps = 0
			}
			if err != nil || got != want {
				t.Fatalf("size %d, X on %b, O on %b: %v, want %v: %v", n, masks[0], masks[1], got, want, err)
			}
		}
	}
}

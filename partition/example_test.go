package partition_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"backsolve/bitboard"
	"backsolve/game"
	"backsolve/partition"
	"backsolve/retro"
	"backsolve/tablebase"
	"backsolve/tablebase/reader"
	"backsolve/tablebase/writer"
)

// A game of your own in which players mark cells needs its lines and symmetries. On a
// triangle of ten cells, 0 at the top and 6 to 9 at the bottom, three in a row win:
//
//	   0
//	  1 2
//	 3 4 5
//	6 7 8 9
func ExampleNewTwoMarks() {
	var lines []uint64
	for _, cells := range [][3]int{
		{3, 4, 5}, {6, 7, 8}, {7, 8, 9}, {0, 1, 3}, {1, 3, 6}, {2, 4, 7}, {0, 2, 5}, {2, 5, 9}, {1, 4, 8},
	} {
		lines = append(lines, 1<<cells[0]|1<<cells[1]|1<<cells[2])
	}
	mirror := bitboard.Perm{0, 2, 1, 5, 4, 3, 9, 8, 7, 6}
	marks := partition.NewTwoMarks(10, lines, []bitboard.Perm{bitboard.Identity(10), mirror})
	space, err := partition.NewSpace(marks.Facts("triangle", 4, partition.Acyclic), marks, marks)
	if err != nil {
		fmt.Println(err)
		return
	}
	dir, err := os.MkdirTemp("", "")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "triangle.tb")
	if err := solve(path, space); err != nil {
		fmt.Println(err)
		return
	}
	table, err := reader.Open(path)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer table.Close()
	for _, p := range []game.Position{{}, {X: 1 << 4, O: 1 << 0, Mark: game.X}} {
		at := space.Locate(p)
		block, _, err := table.Find(at.Class, at.Mask)
		if err != nil {
			fmt.Println(err)
			return
		}
		value, err := table.Lookup(at.Class, block, uint64(at.Index))
		fmt.Println(value.Outcome, value.Steps, err)
	}
	// Output:
	// win 7 <nil>
	// win 5 <nil>
}

// solve writes the table of a space, with steps.
func solve(path string, space *partition.Space) error {
	w, err := writer.Create(path, tablebase.Shape{Game: space.Game, Size: space.Size, Planes: space.Planes(), Steps: true}, false)
	if err != nil {
		return err
	}
	defer w.Close()
	_, err = retro.Solve(context.Background(), space, w, retro.Options{Steps: true})
	return err
}

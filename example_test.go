package backsolve_test

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log"
	"os"

	"backsolve"
)

// Solve a small board, and ask what a position is worth and what to play.
func Example() {
	dir, err := os.MkdirTemp("", "tables")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	table, err := backsolve.Solve(context.Background(), dir, "quixo", 3, backsolve.Options{Steps: true})
	if err != nil {
		log.Fatal(err)
	}
	defer table.Close()
	answer, err := table.Ask("X.O/.X./..O x")
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%v, by %s\n", answer.Value, answer.Moves[0].Move)
	// Output:
}

// The table is one that tbsolve has made, or Solve.
func ExampleOpen() {
	table, err := backsolve.Open(dir, "notakto", 3)
	if errors.Is(err, fs.ErrNotExist) {
		log.Fatal(err) // has the command that makes the table
	} else if err != nil {
		log.Fatal(err)
	}
	defer table.Close()
	board := table.Board()
	value, err := table.Value(board.Start)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%s begins with %s: %v\n", board.Name, board.Start, value)
	// Output:
}

// The moves come ranked, the best first.
func ExampleTable_Ask() {
	table, err := backsolve.Open(dir, "quixo", 3)
	if err != nil {
		log.Fatal(err)
	}
	defer table.Close()
	answer, err := table.Ask("XO./.../..X o")
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(answer.Value)
	for _, m := range answer.Moves {
		fmt.Println(m.Move, m.Value)
	}
	// Output:
}

// The position after the best move can be asked about in turn: so goes the main line.
func ExampleTable_Ask_line() {
	table, err := backsolve.Open(dir, "notakto", 3)
	if err != nil {
		log.Fatal(err)
	}
	defer table.Close()
	for position := table.Board().Start; ; {
		answer, err := table.Ask(position)
		if err != nil {
			log.Fatal(err)
		}
		if answer.Terminal {
			break
		}
		fmt.Print(answer.Moves[0].Move, " ")
		position = answer.Moves[0].Position
	}
	// Output:
}

// An engine that keeps its board in masks need not write it as text.
func ExampleTable_Lookup() {
	table, err := backsolve.Open(dir, "quixo", 3)
	if err != nil {
		log.Fatal(err)
	}
	defer table.Close()
	// XO./.../..X with O to move: bit 0 is the cell at the top left.
	value, err := table.Lookup(0b100_000_001, 0b000_000_010, true)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(value)
	// Output:
}

// How many states does each player win, and which takes longest?
func ExampleTable_States() {
	table, err := backsolve.Open(dir, "quixo", 3)
	if err != nil {
		log.Fatal(err)
	}
	defer table.Close()
	states := map[backsolve.Outcome]uint64{}
	longest := backsolve.State{}
	for s, err := range table.States() {
		if err != nil {
			log.Fatal(err)
		}
		states[s.Outcome] += s.Images
		if s.Steps > longest.Steps {
			longest = s
		}
	}
	fmt.Println(states)
	fmt.Println(longest.Position, longest.Value)
	// Output:
}

// Where the table is there already, Solve opens it.
func ExampleSolve() {
	solved := 0
	options := backsolve.Options{Steps: true, Progress: func(done, total uint64) {
		if done == total {
			solved++
		}
	}}
	for range 2 {
		table, err := backsolve.Solve(context.Background(), dir, "quixo", 3, options)
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(table.Board().Name)
		table.Close()
	}
	fmt.Println("solved now:", solved > 0)
	// Output:
	// quixo 3×3
	// quixo 3×3
	// solved now: false
}

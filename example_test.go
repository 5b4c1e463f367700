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
	table, err := backsolve.Solve(context.Background(), dir, "quixo 3", backsolve.Options{Steps: true})
	if err != nil {
		log.Fatal(err)
	}
	defer table.Close()
	answer, err := table.Ask(".../.X./O.. x")
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%v, by %s\n", answer.Value, answer.Moves[0].Move)
	// Output: win in 5, by a2a1
}

// The table is one that tbsolve has made, or Solve.
func ExampleOpen() {
	table, err := backsolve.Open(dir, "notakto 3")
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
	// notakto 3×3 begins with .../.../...: win in 6
}

// The moves come ranked, the best first.
func ExampleTable_Ask() {
	table, err := backsolve.Open(dir, "quixo 3")
	if err != nil {
		log.Fatal(err)
	}
	defer table.Close()
	answer, err := table.Ask("XO./.../..X o")
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(answer.Value)
	for _, m := range answer.Moves[:3] {
		fmt.Println(m.Move, m.Value)
	}
	// Output:
	// lose in 6
	// b1b3 lose in 6
	// a1a3 lose in 4
	// a1c1 lose in 4
}

// The position after the best move can be asked about in turn: so goes the main line.
func ExampleTable_Ask_line() {
	table, err := backsolve.Open(dir, "notakto 3")
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
	// b2 a1 a3 b1 c2 a2
}

// If lines must not be completed and a player who cannot move loses, nimbers settle positions on
// several boards: a player who leaves an XOR of 0 wins.
func ExampleTable_Nimber() {
	table, err := backsolve.Solve(context.Background(), dir, "notakto 3", backsolve.Options{Steps: true, Nimbers: true})
	if err != nil {
		log.Fatal(err)
	}
	defer table.Close()
	sum := 0
	for _, position := range []string{".../.../...", ".../.X./..."} {
		nimber, err := table.Nimber(position)
		if err != nil {
			log.Fatal(err)
		}
		value, _ := nimber.Value()
		sum ^= value
		fmt.Println(position, nimber)
	}
	fmt.Println("together", sum)
	// Output:
	// .../.../... 1
	// .../.X./... 0
	// together 1
}

// An engine that keeps its board in masks need not write it as text.
func ExampleTable_Lookup() {
	table, err := backsolve.Open(dir, "quixo 3")
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
	// lose in 6
}

// How many states does each player win, and which takes longest?
func ExampleTable_States() {
	table, err := backsolve.Open(dir, "quixo 3")
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
	// map[win:12748 lose:6935]
	// .O./OX./... x lose in 8
}

// If the table exists already, Solve opens it.
func ExampleSolve() {
	solved := 0
	options := backsolve.Options{Steps: true, Progress: func(e backsolve.Event) {
		if e.Done == e.Total {
			solved++
		}
	}}
	for range 2 {
		table, err := backsolve.Solve(context.Background(), dir, "quixo 3", options)
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

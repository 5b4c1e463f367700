package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"backsolve/cmd/cli/scripts"
)

var program = scripts.Program{Main: main, Root: newRoot, Others: map[string]func(){"solve": solve}}

func TestMain(m *testing.M) { program.TestMain(m) }

// solve stands for a solve: it is busy for a while and prints its arguments.
func solve() {
	busy := 0
	for i := range 100_000_000 {
		busy += i
	}
	fmt.Fprintln(os.Stderr, "working", busy)
	fmt.Println(strings.Join(os.Args[1:], " "))
}

func TestScripts(t *testing.T) {
	docs, err := filepath.Abs(filepath.Join("..", "..", "..", "docs", "reports"))
	if err != nil {
		t.Fatal(err)
	}
	program.Test(t, docs) // which $TABLES is then
}

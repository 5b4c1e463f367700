package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"backsolve/cmd/cli/scripts"
)

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"simulate": main, "solve": solve})
}

// solve stands for a solve: it prints its arguments, after having been busy for a while.
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
	scripts.Run(t, "simulate", "testdata/scripts", docs) // which $TABLES is then
}

// Package policy holds rules for the whole tree of sources.
package policy

import (
	"os"
	"path/filepath"
	"testing"
)

func TestMain(m *testing.M) {
	if err := os.Chdir(filepath.Join("..", "..")); err != nil { // to the root of the module
		panic(err)
	}
	os.Exit(m.Run())
}

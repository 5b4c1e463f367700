// Package policy tests rules for all sources of the project.
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

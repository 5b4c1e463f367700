//go:build !linux

package reader

import (
	"os"

	"backsolve/tablebase/format"
)

// adviseSoon does nothing where the system takes no such advice of a file.
func adviseSoon(*os.File, format.Extent) {}

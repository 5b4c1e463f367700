//go:build !linux

package container

import (
	"os"

	"backsolve/tablebase/format"
)

// adviseSoon does nothing, as the system takes no such advice.
func adviseSoon(*os.File, format.Extent) {}

//go:build !linux

package container

import (
	"os"

	"backsolve/tablebase/format"
)

func adviseSoon(*os.File, format.Extent) {}

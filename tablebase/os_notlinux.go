//go:build !linux

package tablebase

import "os"

// adviseSoon does nothing where the system takes no such advice of a file.
func adviseSoon(*os.File, Extent) {}

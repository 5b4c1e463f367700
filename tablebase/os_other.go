//go:build !unix

package tablebase

import "os"

// openFlags open a file for reading.
const openFlags = os.O_RDONLY

// adviseRandom does nothing where the system takes no such advice.
func adviseRandom([]byte) {}

// syncDir does nothing where a directory cannot be flushed.
func syncDir(string) error { return nil }

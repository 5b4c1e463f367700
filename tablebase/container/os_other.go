//go:build !unix

package container

import "os"

// openFlags open a file for reading.
const openFlags = os.O_RDONLY

// adviseRandom does nothing, as the system takes no such advice.
func adviseRandom([]byte) {}

//go:build !unix

package tablebase

// adviseRandom does nothing where the system takes no such advice.
func adviseRandom([]byte) {}

// syncDir does nothing where a directory cannot be flushed.
func syncDir(string) error { return nil }

//go:build unix

package files

import "os"

// readable lets everybody read a file that was made for its owner alone.
func readable(f *os.File) error { return f.Chmod(0o644) }

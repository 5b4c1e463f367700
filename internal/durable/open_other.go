//go:build !unix

package durable

import (
	"io/fs"
	"os"
)

// Flags of opening, of which there are none here.
const (
	asRead = 0
	asFile = 0
)

// checkBefore finds a link before it is followed. It may be put there a moment later.
func checkBefore(path string) error {
	info, err := os.Lstat(path)
	if err != nil {
		return nil // opening says what is wrong
	}
	return ours(info)
}

// otherNames is not known here.
func otherNames(fs.FileInfo) bool { return false }

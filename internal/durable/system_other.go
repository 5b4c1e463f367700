//go:build !unix

package durable

import (
	"io/fs"
	"os"
)

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

func otherNames(fs.FileInfo) bool { return false }

// syncDir does nothing where a directory cannot be flushed.
func syncDir(string) error { return nil }

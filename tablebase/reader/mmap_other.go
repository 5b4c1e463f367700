//go:build !unix && !windows

package reader

import (
	"errors"
	"os"
)

// mapFile says that the system maps no files: they are read instead.
func mapFile(*os.File, int64) ([]byte, error) { return nil, errors.ErrUnsupported }

func unmapFile([]byte) error { return nil }

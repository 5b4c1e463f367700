//go:build !unix && !windows

package durable

import (
	"errors"
	"os"
)

// tryLock fails: in a browser nothing is written.
func tryLock(*os.File) (bool, error) { return false, errors.ErrUnsupported }

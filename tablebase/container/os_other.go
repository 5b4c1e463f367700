//go:build !unix

package container

import "os"

const openFlags = os.O_RDONLY

func adviseRandom([]byte) {}

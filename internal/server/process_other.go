//go:build !unix

package server

func maxFiles() (n uint64, ok bool) { return 0, false }

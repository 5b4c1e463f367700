//go:build !unix

package durable

// syncDir does nothing where a directory cannot be flushed.
func syncDir(string) error { return nil }

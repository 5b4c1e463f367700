//go:build !(linux && amd64)

package faulttest

// Run returns ErrUnavailable.
func Run(Command, Fault) (*Result, error) { return nil, ErrUnavailable }

//go:build !(linux && amd64)

package tracer

// Run returns ErrUnavailable.
func Run(Command, Fault) (*Result, error) { return nil, ErrUnavailable }

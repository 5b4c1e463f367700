//go:build !((linux || darwin) && (amd64 || arm64))

package onnx

import "fmt"

// Model is a network; there is none on this platform.
type Model struct{}

var errPlatform = fmt.Errorf("%w: it is used on Linux and macOS on amd64 and arm64 only", ErrMissing)

func open([]byte) (*Model, error) { return nil, errPlatform }

// Close does nothing.
func (*Model) Close() {}

// HasValue reports false.
func (*Model) HasValue() bool { return false }

// Metadata fails.
func (*Model) Metadata(string) (string, error) { return "", errPlatform }

// Run fails.
func (*Model) Run([]float32, ...int) ([][]float32, error) { return nil, errPlatform }

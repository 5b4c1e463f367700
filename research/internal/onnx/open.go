// Package onnx runs networks in ONNX files with onnxruntime, whose library it loads at run time.
package onnx

import (
	"errors"
	"fmt"
	"os"
)

// Variable names the environment variable with the path of onnxruntime's library.
const Variable = "BACKSOLVE_ONNXRUNTIME"

// ErrMissing says that there is no onnxruntime.
var ErrMissing = errors.New("onnxruntime cannot be loaded")

// Open loads the network of an ONNX file. Close it when it is not used any more. The error is
// ErrMissing, or a sentence that names the file and what is wrong with it.
func Open(path string) (*Model, error) {
	content, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("the network cannot be read: %w; name an ONNX file", err)
	}
	m, err := open(content)
	if err != nil && !errors.Is(err, ErrMissing) {
		err = fmt.Errorf("%s is of no use as a network: %w", path, err)
	}
	return m, err
}

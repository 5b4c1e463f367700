package onnx

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Where onnxruntime cannot be loaded, the error says how to get it, and does not blame the network.
func TestNoRuntime(t *testing.T) {
	t.Setenv(Variable, filepath.Join(t.TempDir(), "libonnxruntime.so"))
	network := filepath.Join(t.TempDir(), "x.onnx")
	if err := os.WriteFile(network, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	_, err := Open(network)
	if !errors.Is(err, ErrMissing) || strings.Contains(err.Error(), network) {
		t.Error(err)
	}
	if err != nil && !strings.Contains(err.Error(), "$"+Variable) && !strings.Contains(err.Error(), "Linux and macOS") {
		t.Errorf("%v: no remedy", err)
	}
}

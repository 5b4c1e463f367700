package nn

import (
	"archive/zip"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"backsolve/player/zero"
)

// NPZ returns the parameters of weights as a file for numpy.load, each an array of float32. The
// array made has what is known of the network, zero.Made as JSON in bytes.
func NPZ(w *zero.Weights) ([]byte, error) {
	made, err := json.Marshal(w.Made)
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	err = writeNPY(z, "made", "|u1", []int{len(made)}, made)
	for _, t := range tensors(w.Network) {
		if err == nil {
			err = writeNPY(z, t.name, "<f4", t.shape, zero.AppendFloats(nil, t.data))
		}
	}
	if err == nil {
		err = z.Close()
	}
	return b.Bytes(), err
}

// writeNPY writes an array in version 1.0 of NumPy's format.
func writeNPY(z *zip.Writer, name, kind string, shape []int, data []byte) error {
	to, err := z.Create(name + ".npy")
	if err != nil {
		return err
	}
	dims := strings.ReplaceAll(strings.Trim(fmt.Sprint(shape), "[]"), " ", ", ")
	header := fmt.Sprintf("{'descr': '%s', 'fortran_order': False, 'shape': (%s,), }", kind, dims)
	const before, multiple = 10, 64 // bytes before the header; data begins at a multiple
	header += strings.Repeat(" ", multiple-1-(before+len(header))%multiple) + "\n"
	_, err = io.WriteString(to, "\x93NUMPY\x01\x00"+string([]byte{byte(len(header)), byte(len(header) >> 8)})+header)
	if err == nil {
		_, err = to.Write(data)
	}
	return err
}

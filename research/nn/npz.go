package nn

import (
	"archive/zip"
	"bytes"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"backsolve/internal/player/zero"
)

// Played are moves that an agent makes: in states with these inputs of its network, which are
// whole numbers from −128 to 127, the numbers of the actions.
type Played struct {
	Inputs  [][]float32
	Actions []int
}

// NPZ returns the parameters of weights as a file for numpy.load, each an array of float32. The
// array made has what is known of the network, zero.Made as JSON in bytes. Where an agent's moves
// are given, the arrays seen, of int8, and played, of int32, have them.
func NPZ(w *zero.Weights, p *Played) ([]byte, error) {
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
	if err == nil && p != nil {
		err = p.write(z, w.Shape.Inputs)
	}
	if err == nil {
		err = z.Close()
	}
	return b.Bytes(), err
}

func (p *Played) write(z *zip.Writer, inputs int) error {
	var seen, played []byte
	for i, row := range p.Inputs {
		for _, x := range row {
			if x != float32(int8(x)) {
				return fmt.Errorf("the network has inputs such as %v, and moves are kept by whole numbers; leave out --sims", x)
			}
			seen = append(seen, byte(int8(x)))
		}
		played = binary.LittleEndian.AppendUint32(played, uint32(p.Actions[i]))
	}
	err := writeNPY(z, "seen", "|i1", []int{len(p.Inputs), inputs}, seen)
	if err == nil {
		err = writeNPY(z, "played", "<i4", []int{len(p.Actions)}, played)
	}
	return err
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

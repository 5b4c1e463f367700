package nn

import (
	"archive/zip"
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"backsolve/internal/player/zero"
	"backsolve/internal/player/zero/network"
)

// tensor is an array of the parameters, as ONNX and NumPy have it.
type tensor struct {
	name  string
	shape []int
	data  []float32
}

// tensors returns the parameters of a network without the padding, the last layer cut into the
// policy's and the value's. Weights have a row for each input.
func tensors(n *network.Network) (all []tensor) {
	for i, l := range n.Layers {
		switch name := fmt.Sprintf("layer%d", i); {
		case n.LSTM && i == 0:
			all = append(all, lstmTensors(n)...)
		case i < n.Convolution.Layers:
			all = append(all, kernels(l, name)...)
		case i == len(n.Layers)-1:
			all = append(all, columns(l, "policy", 0, n.Actions)...)
			all = append(all, columns(l, "value", n.Actions, l.Outputs)...)
		default:
			all = append(all, columns(l, name, 0, l.Outputs)...)
		}
	}
	return all
}

func columns(l *network.Layer, name string, first, end int) []tensor {
	weights := tensor{name + ".weight", []int{l.Inputs, end - first}, nil}
	for input := range l.Inputs {
		weights.data = append(weights.data, l.Weights.Row(input)[first:end]...)
	}
	return []tensor{weights, {name + ".bias", []int{end - first}, slices.Clone(l.Bias[first:end])}}
}

// kernels returns the kernels of a convolution by output, input channel, row and column.
func kernels(l *network.Layer, name string) []tensor {
	all := columns(l, name, 0, l.Outputs)
	channels := l.Inputs / 9
	weights := &all[0]
	weights.shape, weights.data = []int{l.Outputs, channels, 3, 3}, nil
	for out := range l.Outputs {
		for channel := range channels {
			for k := range 9 {
				weights.data = append(weights.data, l.Weights.Row(k*channels + channel)[out])
			}
		}
	}
	return all
}

// lstmTensors returns the tensors of an LSTM as ONNX defines them: W of the input, R of h, and B with
// the biases of both; the second ones are 0. The gates are i, o, f and g.
func lstmTensors(n *network.Network) []tensor {
	l, width := n.Layers[0], n.Width
	w := tensor{"lstm.W", []int{1, network.Gates * width, 1}, nil}
	r := tensor{"lstm.R", []int{1, network.Gates * width, width}, nil}
	b := tensor{"lstm.B", []int{1, 2 * network.Gates * width}, nil}
	for _, gate := range []int{0, 3, 1, 2} { // ours are i, f, g and o
		for at := gate * width; at < (gate+1)*width; at++ {
			for h := range width {
				r.data = append(r.data, l.Weights.Row(h)[at])
			}
			w.data, b.data = append(w.data, l.Weights.Row(width)[at]), append(b.data, l.Bias[at])
		}
	}
	b.data = append(b.data, make([]float32, network.Gates*width)...)
	return []tensor{w, r, b}
}

// MadeKey is the key of an ONNX file's metadata under which zero.Made stands as JSON.
const MadeKey = "backsolve"

// message is a message of protocol buffers. The numbers of fields are those of onnx.proto.
type message []byte

func (m message) number(field, n int) message {
	m = binary.AppendUvarint(m, uint64(field)<<3)
	return binary.AppendUvarint(m, uint64(n))
}

func (m message) integers(field int, all ...int) message {
	for _, n := range all {
		m = m.number(field, n)
	}
	return m
}

func (m message) bytes(field int, data []byte) message {
	m = binary.AppendUvarint(m, uint64(field)<<3|2)
	return append(binary.AppendUvarint(m, uint64(len(data))), data...)
}

func (m message) texts(field int, all ...string) message {
	for _, s := range all {
		m = m.bytes(field, []byte(s))
	}
	return m
}

// ONNX returns weights as an ONNX file: from input, float32 of shape (batch, inputs), to policy,
// the logits of the actions of shape (batch, actions), and value of shape (batch, 1).
func ONNX(w *zero.Weights) ([]byte, error) {
	made, err := json.Marshal(w.Made)
	if err != nil {
		return nil, err
	}
	const version, opset = 7, 13 // which onnxruntime 1.11 reads
	graph := nodesOf(w).texts(2, w.Game)
	for _, t := range tensors(w.Network) {
		graph = graph.bytes(5, t.floats())
	}
	graph = graph.bytes(11, array("input", w.Shape.Inputs)).bytes(12, array("policy", w.Shape.Actions)).bytes(12, array("value", 1))
	m := message{}.number(1, version).texts(2, "backsolve").bytes(7, graph).bytes(8, message{}.number(2, opset))
	return m.bytes(14, message{}.texts(1, MadeKey).bytes(2, made)), nil
}

// nodesOf returns the operations of a graph, and the constants that are no parameters.
func nodesOf(w *zero.Weights) (graph message) {
	node := func(op, out string, in ...string) {
		graph = graph.bytes(1, message{}.texts(1, in...).texts(2, out).texts(4, op))
	}
	dense := func(out, in, layer string) { node("Gemm", out, in, layer+".weight", layer+".bias") }
	h := "input"
	c := w.Shape.Convolution
	if c.Layers > 0 {
		node("Reshape", "input.planes", "input", "planes")
		graph = graph.bytes(5, integers("planes", 0, w.Shape.Inputs/c.Cells(), c.Rows, c.Columns)) // 0: as before
		h = "input.planes"
	}
	for i := range w.Network.Layers[:len(w.Network.Layers)-1] {
		layer := fmt.Sprintf("layer%d", i)
		out := layer + ".out"
		switch {
		case w.Shape.LSTM && i == 0:
			// The operator wants (steps, batch, 1), and gives the last h as (1, batch, width).
			node("Transpose", "input.steps", "input")
			node("Unsqueeze", "input.sequence", "input.steps", "axis.last")
			width := message{}.texts(1, "hidden_size").number(3, w.Shape.Width).number(20, attributeInt)
			graph = graph.bytes(1, message{}.texts(1, "input.sequence", "lstm.W", "lstm.R", "lstm.B").texts(2, "", "lstm.h").texts(4, "LSTM").bytes(5, width))
			node("Squeeze", out, "lstm.h", "axis.first")
			graph = graph.bytes(5, integers("axis.first", 0)).bytes(5, integers("axis.last", 2))
		case i < c.Layers:
			pads := message{}.texts(1, "pads").integers(8, 1, 1, 1, 1).number(20, attributeInts)
			graph = graph.bytes(1, message{}.texts(1, h, layer+".weight", layer+".bias").texts(2, layer+".sum").texts(4, "Conv").bytes(5, pads))
		default:
			dense(layer+".sum", h, layer)
		}
		switch {
		case w.Shape.LSTM && i == 0:
		case w.Shape.Adds(i):
			node("Relu", layer+".found", layer+".sum")
			node("Add", out, h, layer+".found")
		default:
			node("Relu", out, layer+".sum")
		}
		h = out
		if i == c.Layers-1 { // the channels of a cell side by side
			perm := message{}.texts(1, "perm").integers(8, 0, 2, 3, 1).number(20, attributeInts)
			graph = graph.bytes(1, message{}.texts(1, h).texts(2, "cells").texts(4, "Transpose").bytes(5, perm))
			node("Flatten", "flat", "cells")
			h = "flat"
		}
	}
	dense("policy", h, "policy")
	dense("value.sum", h, "value")
	node("Tanh", "value", "value.sum")
	return graph
}

// The types of attributes and of numbers.
const (
	attributeInt  = 2
	attributeInts = 7
	tensorFloat32 = 1
	tensorInt64   = 7
)

func (t tensor) floats() (m message) {
	for _, n := range t.shape {
		m = m.number(1, n)
	}
	return m.number(2, tensorFloat32).texts(8, t.name).bytes(9, zero.AppendFloats(nil, t.data))
}

// integers returns a constant, such as the number of an axis.
func integers(name string, all ...int) message {
	return message{}.number(1, len(all)).number(2, tensorInt64).integers(7, all...).texts(8, name)
}

// array describes an input or an output: a batch of rows of some length.
func array(name string, length int) message {
	shape := message{}.bytes(1, message{}.texts(2, "batch")).bytes(1, message{}.number(1, length))
	kind := message{}.bytes(1, message{}.number(1, tensorFloat32).bytes(2, shape))
	return message{}.texts(1, name).bytes(2, kind)
}

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
		err = errors.Join(err, writeNPY(z, t.name, "<f4", t.shape, zero.AppendFloats(nil, t.data)))
	}
	if p != nil {
		err = errors.Join(err, p.write(z, w.Shape.Inputs))
	}
	err = errors.Join(err, z.Close()) // which writes the rest
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
	return errors.Join(writeNPY(z, "seen", "|i1", []int{len(p.Inputs), inputs}, seen), writeNPY(z, "played", "<i4", []int{len(p.Actions)}, played))
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

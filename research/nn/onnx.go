package nn

import (
	"encoding/binary"
	"encoding/json"
	"fmt"

	"backsolve/internal/player/zero"
)

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

// floats returns a parameter.
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

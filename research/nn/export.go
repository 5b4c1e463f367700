package nn

import (
	"fmt"
	"slices"

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

// columns returns the weights and biases of some outputs of a layer.
func columns(l *network.Layer, name string, first, end int) []tensor {
	weights := tensor{name + ".weight", []int{l.Inputs, end - first}, nil}
	for input := range l.Inputs {
		weights.data = append(weights.data, l.Weights.Row(input)[first:end]...)
	}
	return []tensor{weights, {name + ".bias", []int{end - first}, slices.Clone(l.Bias[first:end])}}
}

// kernels returns those of a convolution as ONNX and PyTorch define them: by output, input channel,
// row and column.
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

// lstmTensors returns those of an LSTM as ONNX defines them: W of the input, R of h, and B with
// the biases of both, of which the second are 0. The gates are i, o, f and g.
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

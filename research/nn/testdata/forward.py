"""Computes networks that lab export has written as NPZ, with nothing but NumPy.

forward.py [FILE.npz INPUTS.npy POLICY.npy VALUE.npy ...] writes both outputs of a batch of inputs for each network.
"""

import json
import sys

import numpy as np


def forward(npz, x):
    """Return the logits of the actions, (batch, actions), and the values, (batch, 1)."""
    shape = json.loads(bytes(npz["made"]))["network"]
    dense = lambda name, h: h @ npz[name + ".weight"] + npz[name + ".bias"]  # noqa: E731
    first = shape.get("convolution", {}).get("layers", 0)
    h = convolutions(npz, x, shape) if first else x
    h = lstm(npz, x) if shape.get("lstm") else np.maximum(dense(f"layer{first}", h), 0)
    for i in range(first + 1, first + shape["layers"] + 1):
        found = np.maximum(dense(f"layer{i}", h), 0)
        h = h + found if shape["residual"] else found
    return dense("policy", h), np.tanh(dense("value", h))


def convolutions(npz, x, shape):
    """Return what 3×3 kernels find of planes of cells: the channels of each cell side by side."""
    of = shape["convolution"]
    rows, columns = of["rows"], of["columns"]
    h = x.reshape(len(x), -1, rows, columns)
    for i in range(of["layers"]):
        weights, padded = npz[f"layer{i}.weight"], np.pad(h, ((0, 0), (0, 0), (1, 1), (1, 1)))
        found = npz[f"layer{i}.bias"][None, :, None, None]
        for r, c in np.ndindex(3, 3):
            found = found + np.einsum("oi,bijk->bojk", weights[:, :, r, c], padded[:, :, r : r + rows, c : c + columns])
        found = np.maximum(found, 0)
        h = h + found if shape["residual"] and i else found
    return h.transpose(0, 2, 3, 1).reshape(len(x), -1)


def lstm(npz, x):
    """Return the last h of an LSTM that takes the inputs of each row one after another."""
    w, r, b = npz["lstm.W"][0], npz["lstm.R"][0], npz["lstm.B"][0]
    width = r.shape[1]
    sigmoid = lambda v: 1 / (1 + np.exp(-v))  # noqa: E731
    h = c = np.zeros((len(x), width), np.float32)
    for column in x.T:
        i, o, f, g = np.split(column[:, None] * w[:, 0] + h @ r.T + b[: 4 * width], 4, axis=1)
        c = sigmoid(f) * c + sigmoid(i) * np.tanh(g)
        h = sigmoid(o) * np.tanh(c)
    return h


if __name__ == "__main__":
    for network, inputs, *outputs in zip(*[iter(sys.argv[1:])] * 4):
        for path, output in zip(outputs, forward(np.load(network), np.load(inputs))):
            np.save(path, output.astype(np.float32))

"""Writes quixo-3.onnx and tictactoe-3.onnx with PyTorch 1.13, and what the Python package's grade says of them.

Run it with the package installed: python3 foreign.py DIRECTORY. The first is convolutional and gives a value, the
second takes bytes and gives none. A minute of training leaves them with mistakes.
"""

import json
import sys
from pathlib import Path

import numpy as np
import torch
from torch import nn

import backsolve

HERE = Path(__file__).parent


class Conv(nn.Module):
    def __init__(self, shape, actions):
        super().__init__()
        planes, rows, columns = shape
        self.body = nn.Sequential(nn.Conv2d(planes, 12, 3, padding=1), nn.ReLU(), nn.Conv2d(12, 8, 3, padding=1), nn.ReLU(), nn.Flatten())
        self.policy, self.value = nn.Linear(8 * rows * columns, actions), nn.Linear(8 * rows * columns, 1)

    def forward(self, x):
        h = self.body(x)
        return torch.softmax(self.policy(h), 1), torch.tanh(self.value(h))


class Dense(nn.Module):
    def __init__(self, shape, actions):
        super().__init__()
        self.body = nn.Sequential(nn.Flatten(), nn.Linear(int(np.prod(shape)), 24), nn.SiLU(), nn.Linear(24, actions))

    def forward(self, x):
        return self.body(x.float())


def make(board, size, network, dtype, states, graded, directory):
    backsolve.solve(board, size, dir=directory, steps=True)
    games = backsolve.Games(board, size, states)
    games.draw(7)
    view, ratings = games.observe(), games.rate(directory)
    model = network(games.observation_shape, games.num_actions)
    good = view.legal & (ratings.action_outcome == ratings.outcome[:, None])
    target = torch.tensor(good / good.sum(axis=1, keepdims=True), dtype=torch.float32)
    value = torch.tensor([0.0, 1.0, -1.0])[ratings.outcome.astype(np.int64)]
    x = torch.tensor(view.observation).to(dtype)
    optimizer = torch.optim.Adam(model.parameters(), 3e-3)
    for _ in range(150):
        out = model(x)
        policy = torch.log(out[0] + 1e-9) if isinstance(out, tuple) else torch.log_softmax(out, 1)
        loss = -(target * policy).sum(1).mean()
        if isinstance(out, tuple):
            loss = loss + ((out[1][:, 0] - value) ** 2).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()

    names = ["policy", "value"] if isinstance(out, tuple) else ["policy"]
    path = HERE / f"{board}-{size}.onnx"
    torch.onnx.export(model, x[:2], str(path), input_names=["observation"], output_names=names,
                      dynamic_axes={name: {0: "batch"} for name in ["observation", *names]})

    def policy(observations, legal):
        with torch.no_grad():
            out = model(torch.tensor(observations).to(dtype))
        return tuple(part.numpy() for part in out) if isinstance(out, tuple) else out.numpy()

    grade = backsolve.grade(policy, board, size, directory, states=graded)
    print(path.name, path.stat().st_size, grade.all)
    return {"all": grade.all._asdict(), "won": grade.won._asdict(), "champion": [walk._asdict() for walk in grade.champion]}


torch.manual_seed(1)
torch.set_num_threads(1)
grades = {
    "quixo": make("quixo", 3, Conv, torch.float32, 3000, 1000, sys.argv[1]),
    "tictactoe": make("tictactoe", 3, Dense, torch.uint8, 1000, 0, sys.argv[1]),
}
(HERE / "foreign.json").write_text(json.dumps(grades, indent=1) + "\n")

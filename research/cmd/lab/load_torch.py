"""Read the benchmark as a dataset of PyTorch: DataLoader(Problems("bench/v2", "train", "quixo-4x4"), 64)."""

import load
import torch


class Problems(torch.utils.data.Dataset):
    """Pairs of a position, its text as bytes padded by 0 to a common length, and its outcome: 0 loss, 1 draw, 2 win."""

    def __init__(self, directory, split, board):
        self.problems = load.problems(directory, split, board)
        texts = [p["position"].encode() for p in load.problems(directory, "train", board) + self.problems]
        self.length = max(map(len, texts))

    def __len__(self):
        return len(self.problems)

    def __getitem__(self, i):
        problem = self.problems[i]
        return torch.tensor(list(problem["position"].encode().ljust(self.length, b"\0"))), "ldw".index(problem["outcome"][0])

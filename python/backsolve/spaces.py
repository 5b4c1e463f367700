"""The spaces of observations and actions: Gymnasium's if it is installed, else short ones like them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

try:
    from gymnasium.spaces import Box, Dict, Discrete, MultiDiscrete
except ImportError:

    class Space:  # type: ignore[no-redef]
        """A set of values: ``sample`` draws one, and ``contains`` tests for membership."""

        def __init__(self, shape: tuple[int, ...] | None, dtype: Any, seed: int | None = None) -> None:
            self.shape, self.dtype = shape, None if dtype is None else np.dtype(dtype)
            self.seed(seed)

        def seed(self, seed: int | None = None) -> None:
            """Seed the generator of ``sample``."""
            self.np_random = np.random.default_rng(seed)

        def __contains__(self, x: Any) -> bool:
            return self.contains(x)

        def contains(self, x: Any) -> bool:
            """Return whether x is in the space."""
            raise NotImplementedError

        def __eq__(self, other: object) -> bool:
            same = {k: v for k, v in vars(self).items() if k != "np_random"}
            return type(self) is type(other) and same == {k: v for k, v in vars(other).items() if k != "np_random"}

        def __repr__(self) -> str:
            return f"{type(self).__name__}({self.shape}, {self.dtype})"

    class Discrete(Space):  # type: ignore[no-redef]
        """The numbers from 0 to n - 1."""

        def __init__(self, n: int, seed: int | None = None) -> None:
            super().__init__((), np.int64, seed)
            self.n, self.start = int(n), 0

        def sample(self, mask: Any = None) -> np.int64:
            """Draw a number; with a mask, one of those at which it is 1, or 0 if there are none."""
            if mask is None:
                return np.int64(self.np_random.integers(self.n))
            these = np.flatnonzero(mask)
            return np.int64(self.np_random.choice(these) if len(these) > 0 else 0)

        def contains(self, x: Any) -> bool:
            return isinstance(x, (int, np.integer)) and 0 <= int(x) < self.n

        def __repr__(self) -> str:
            return f"Discrete({self.n})"

    class MultiDiscrete(Space):  # type: ignore[no-redef]
        """Arrays of numbers from 0 to nvec - 1."""

        def __init__(self, nvec: Any, dtype: Any = np.int64, seed: int | None = None) -> None:
            self.nvec = np.asarray(nvec, dtype)
            super().__init__(self.nvec.shape, dtype, seed)

        def sample(self) -> Any:
            """Draw an array."""
            return self.np_random.integers(self.nvec).astype(self.dtype)

        def contains(self, x: Any) -> bool:
            x = np.asarray(x)
            return x.shape == self.shape and x.dtype.kind in "iu" and bool(((0 <= x) & (x < self.nvec)).all())

    class Box(Space):  # type: ignore[no-redef]
        """Arrays of a shape with elements from low to high."""

        def __init__(self, low: Any, high: Any, shape: tuple[int, ...], dtype: Any, seed: int | None = None) -> None:
            super().__init__(tuple(shape), dtype, seed)
            self.low, self.high = low, high

        def sample(self) -> Any:
            """Draw an array."""
            return self.np_random.integers(self.low, self.high, self.shape, endpoint=True).astype(self.dtype)

        def contains(self, x: Any) -> bool:
            return (
                isinstance(x, np.ndarray)
                and x.shape == self.shape
                and np.can_cast(x.dtype, self.dtype)
                and bool(((self.low <= x) & (x <= self.high)).all())
            )

    class Dict(Space):  # type: ignore[no-redef]
        """Dictionaries with an element of each of its spaces."""

        def __init__(self, spaces: Mapping[str, Any], seed: int | None = None) -> None:
            self.spaces = dict(spaces)
            super().__init__(None, None, seed)

        def seed(self, seed: int | None = None) -> None:
            super().seed(seed)
            for i, space in enumerate(self.spaces.values()):
                space.seed(None if seed is None else seed + i)

        def sample(self) -> dict[str, Any]:
            """Draw a dictionary."""
            return {name: space.sample() for name, space in self.spaces.items()}

        def contains(self, x: Any) -> bool:
            return isinstance(x, Mapping) and x.keys() == self.spaces.keys() and all(x[k] in s for k, s in self.spaces.items())

        def __getitem__(self, name: str) -> Any:
            return self.spaces[name]

        def keys(self) -> Any:
            """Return the names."""
            return self.spaces.keys()


__all__ = ["Box", "Dict", "Discrete", "MultiDiscrete"]

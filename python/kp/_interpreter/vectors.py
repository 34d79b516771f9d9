# SPDX-License-Identifier: Apache-2.0
"""Vectors and matrices: NumPy arrays whose components have names, as in kernels."""

from __future__ import annotations

from typing import Any

import numpy as np

_SWIZZLES = ("xyzw", "rgba")


class Vector(np.ndarray[Any, Any]):
    """A vector or a matrix of 2 to 4 rows."""

    def __getattr__(self, name: str) -> Any:
        places = self._places(name)
        return self[places[0]] if len(places) == 1 else self[places]

    def __setattr__(self, name: str, value: Any) -> None:
        self[self._places(name)] = value

    def __getitem__(self, index: Any) -> Any:
        self._require(index)
        return super().__getitem__(index)

    def __setitem__(self, index: Any, value: Any) -> None:
        self._require(index)
        super().__setitem__(index, value)

    def _places(self, name: str) -> list[int]:
        for letters in _SWIZZLES:
            known = letters[: len(self)] if self.ndim == 1 else ""
            if name and all(letter in known for letter in name):
                return [known.index(letter) for letter in name]
        raise AttributeError(f"a vector of {len(self)} components has no '{name}'")

    def _require(self, index: Any) -> None:
        """Fail for an index that NumPy would count from the end."""
        for each in index if isinstance(index, (tuple, list)) else (index,):
            if isinstance(each, (int, np.integer)) and each < 0:
                raise IndexError(f"the index {each} is negative; count from the start")


def vector_of(data: Any) -> Vector:
    """Return a copy of numbers as a vector or a matrix."""
    return np.array(data).view(Vector)

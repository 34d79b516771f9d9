# SPDX-License-Identifier: Apache-2.0
"""Arrays of kernels: parameters, shared and local ones."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from .._jit.types import Type
from .._wording import counted
from .arithmetic import Arithmetic
from .vectors import Vector


class Elements:
    """An array whose elements are numbers, vectors or matrices.

    - `extent_type`: the type of its extents; None for Python's integers, as of local arrays.

    Indices outside of it raise IndexError, as do negative ones.
    """

    def __init__(
        self,
        arithmetic: Arithmetic,
        name: str,
        element: Type,
        data: Any,
        extent_type: Type | None = None,
    ) -> None:
        axes = 0 if element.is_scalar else 2 if element.is_matrix else 1
        self._arithmetic = arithmetic
        self._name = name
        self._element = element
        self._data = data
        self._extents = data.shape[: data.ndim - axes]
        self._extent_type = extent_type

    def _extent(self, value: int) -> Any:
        own = self._extent_type
        return value if own is None else self._arithmetic.convert(value, own)

    @property
    def shape(self) -> tuple[Any, ...]:
        return tuple(self._extent(each) for each in self._extents)

    @property
    def ndim(self) -> int:
        return len(self._extents)

    @property
    def size(self) -> Any:
        return self._extent(int(np.prod(self._extents, dtype=np.int64)))

    @property
    def flat(self) -> Elements:
        data = self._data.reshape(-1, *self._data.shape[self.ndim :])
        return Elements(self._arithmetic, self._name, self._element, data, self._extent_type)

    def __len__(self) -> int:
        return int(self._extents[0])

    def __iter__(self) -> Iterator[Any]:
        return (self[i] for i in range(len(self)))

    def __repr__(self) -> str:
        return repr(self._data)

    def __array__(self, dtype: Any = None, copy: Any = None) -> Any:
        return np.array(self._data, dtype)

    def place(self, index: Any, verb: str) -> tuple[int, ...]:
        """Return the indices of an element. Raises IndexError for indices out of bounds."""
        given = index if isinstance(index, tuple) else (index,)
        if len(given) != self.ndim:
            raise IndexError(
                f"{self._name} has {counted(self.ndim, 'dimension')}, but was given "
                f"{counted(len(given), 'index')}"
            )
        place = tuple(int(each) for each in given)
        for axis, (own, extent) in enumerate(zip(place, self._extents, strict=True)):
            if not 0 <= own < extent:
                along = f" along axis {axis}" if self.ndim > 1 else ""
                raise IndexError(
                    f"element {own} of {self._name} {verb}, which has "
                    f"{counted(int(extent), 'element')}{along}"
                )
        return place

    def ref(self, index: Any) -> Any:
        """Return an element for assigning its components."""
        return self._data[self.place(index, "was written")].view(Vector)

    def __getitem__(self, index: Any) -> Any:
        value = self._data[self.place(index, "was read")]
        if not self._element.is_scalar:
            return value.copy().view(Vector)
        return value != 0 if self._element.kind == "bool" else value

    def __setitem__(self, index: Any, value: Any) -> None:
        place = self.place(index, "was written")
        self._data[place] = self._arithmetic.convert(value, self._element)

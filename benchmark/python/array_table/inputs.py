# SPDX-License-Identifier: Apache-2.0
"""The arrays that cases need, made by their names. Equal names give equal values in every process."""

from __future__ import annotations

import zlib
from collections import OrderedDict
from collections.abc import Callable
from typing import Any

import numpy as np

from .cases import Case

#: The most bytes of arrays that are kept on the host, and on each device.
KEPT = 3 << 30

Shape = tuple[int, ...]

#: Widths of tables that are reduced: by7 has rows of 7.
WIDTHS = (2, 7, 33, 100, 256, 1000)


def side_of(n: int) -> int:
    """Return the side of the largest square of a power of two with at most n elements."""
    return 1 << ((n.bit_length() - 1) // 2)


def edge_of(n: int) -> int:
    """Return the edge of the largest cube of a power of two with at most n elements."""
    return 1 << ((n.bit_length() - 1) // 3)


def axis_of(form: str) -> int:
    """Return the axis along which a form is reduced, sorted or scanned."""
    return {"rows": 1, "narrow": 1, "cube": 1, "pencil": 1}.get(form, 0)


def shape_of(form: str, letter: str, n: int) -> Shape:
    """Return the shape of x, y or z."""
    side, edge = side_of(n), edge_of(n)
    if letter != "x" and form in ("row", "column", "pencil"):
        return {"row": (side,), "column": (side, 1), "pencil": (1, edge, 1)}[form]
    if form == "flat":
        return (n,)
    if form == "strided":
        return (2 * n,)
    if form in ("cube", "pencil"):
        return (edge, edge, edge)
    if form in ("narrow", "tall"):
        return (n // 64, 64)
    return (side, side)


def filled(shape: Shape, dtype: str, low: float, high: float, seed: str) -> np.ndarray:
    """Return random values between limits. Bools are as often true as false."""
    rng = np.random.default_rng(zlib.crc32(seed.encode()))
    kind = np.dtype(dtype)
    if kind.kind == "b":
        return rng.integers(0, 2, shape, np.uint8).astype(bool)
    if kind.kind in "iu":
        limits = np.iinfo(kind)
        first, last = max(int(low), int(limits.min)), min(int(high), int(limits.max))
        return rng.integers(first, last, shape, kind, endpoint=True)
    if kind.kind == "c":
        part = np.float32 if kind.itemsize == 8 else np.float64
        made = rng.random((*shape, 2), part)
        made *= part(high - low)
        made += part(low)
        return made.view(kind)[..., 0]
    made = rng.random(shape, np.float64 if kind.itemsize == 8 else np.float32)
    made *= made.dtype.type(high - low)
    made += made.dtype.type(low)
    return made.astype(kind, copy=False)


def _order(n: int, seed: str) -> np.ndarray:
    return np.random.default_rng(zlib.crc32(seed.encode())).permutation(n)


def _well(shape: Shape, dtype: str) -> np.ndarray:
    """Return matrices that are far from singular."""
    made = filled(shape, dtype, -1, 1, "well")
    made[..., np.arange(shape[-1]), np.arange(shape[-1])] += np.dtype(dtype).type(shape[-1])
    return made


def _definite(shape: Shape, dtype: str) -> np.ndarray:
    """Return Hermitian positive definite matrices."""
    made = _well(shape, dtype)
    return (made + np.conj(np.swapaxes(made, -1, -2))) / 2


def _with_nans(case: Case, n: int) -> np.ndarray:
    made = filled(shape_of(case.form, "x", n), case.dtype, case.low, case.high, "nans")
    made.reshape(-1)[::10] = np.nan
    return made


def _values(shape: Callable[[int], Shape], seed: str) -> Callable[[Case, int], np.ndarray]:
    return lambda case, n: filled(shape(n), case.dtype, case.low, case.high, seed)


#: The inputs by name, but for x, y and z.
NAMED: dict[str, Callable[[Case, int], np.ndarray]] = {
    # of the case's type and values
    "square": _values(lambda n: (side_of(n), side_of(n)), "square"),
    "other": _values(lambda n: (side_of(n), side_of(n)), "other"),
    "vector": _values(lambda n: (side_of(n),), "vector"),
    "vector2": _values(lambda n: (side_of(n),), "vector2"),
    "eighth": _values(lambda n: (n // 8,), "eighth"),
    "window": _values(lambda n: (31,), "window"),
    "window2": _values(lambda n: (5, 5), "window2"),
    "points": _values(lambda n: (n // 4, 3), "points"),
    "points2": _values(lambda n: (n // 4, 3), "points2"),
    "table": _values(lambda n: (n // 64, 64), "table"),
    "features": _values(lambda n: (16, n // 16), "features"),
    "odd": _values(lambda n: (n // 105, 105), "odd"),
    "prime": _values(lambda n: (n // 1009, 1009), "prime"),
    "blocks": _values(lambda n: (n // 256, 16, 16), "blocks"),
    "columns16": _values(lambda n: (n // 256, 16), "columns16"),
    **{f"by{width}": _values(lambda n, w=width: (n // w, w), "by") for width in WIDTHS},
    "nans": _with_nans,
    "ordered": lambda case, n: np.sort(filled((n,), case.dtype, case.low, case.high, "x")),
    "zeroed": lambda case, n: np.pad(
        filled((n - n // 4,), case.dtype, 1, 2, "zeroed"), (n // 8, n // 8)
    ),
    "well": lambda case, n: _well((side_of(n), side_of(n)), case.dtype),
    "definite": lambda case, n: _definite((side_of(n), side_of(n)), case.dtype),
    "wells": lambda case, n: _well((n // 256, 16, 16), case.dtype),
    "definites": lambda case, n: _definite((n // 256, 16, 16), case.dtype),
    "edges": lambda case, n: np.linspace(case.low, case.high, 50).astype(case.dtype),
    "heights": lambda case, n: np.linspace(1, 5, 50).astype(case.dtype) ** 2,
    # of types of their own
    "mask": lambda case, n: filled(shape_of(case.form, "x", n), "bool", 0, 1, "mask"),
    "rarely": lambda case, n: filled((n,), "float32", 0, 1, "rarely") < 0.01,
    "keep": lambda case, n: filled((side_of(n),), "bool", 0, 1, "keep"),
    "places": lambda case, n: _order(n, "places"),
    "places32": lambda case, n: _order(n, "places").astype(np.int32),
    "lines": lambda case, n: _order(side_of(n), "lines"),
    "chosen": lambda case, n: filled((n,), "int64", 0, 3, "chosen"),
    "few": lambda case, n: filled((n,), "int32", 0, 999, "few"),
    "groups": lambda case, n: filled((n,), "int32", 0, max(n // 256, 16) - 1, "groups"),
    "counts": lambda case, n: filled((n,), "int64", 0, 3, "counts"),
    "shifts": lambda case, n: filled((n,), case.dtype, 0, 6, "shifts"),
    "exponents": lambda case, n: filled((n,), "int32", -5, 5, "exponents"),
    "given": lambda case, n: filled((n,), case.dtype, case.low, case.high, "given"),
    "some": lambda case, n: np.arange(0, 1000, 10, dtype=np.int32),
}


#: Names whose arrays do not have the case's type.
OWN_TYPES = frozenset(
    "mask rarely keep places places32 lines chosen few groups counts exponents some rng manager".split()
)


def made(name: str, case: Case, n: int) -> np.ndarray:
    """Return an input on the host."""
    if name in ("x", "y", "z"):
        shape = shape_of(case.form, name, n)
        return filled(shape, case.dtype, case.low, case.high, name)
    return NAMED[name](case, n)


class Kept:
    """Arrays that are used again, the last used ones."""

    def __init__(self) -> None:
        self._arrays: OrderedDict[Any, tuple[Any, int]] = OrderedDict()
        self._bytes = 0

    def get(self, key: Any, make: Callable[[], Any]) -> Any:
        if key in self._arrays:
            self._arrays.move_to_end(key)
            return self._arrays[key][0]
        value = make()
        size = int(value.nbytes)
        self._arrays[key] = value, size
        self._bytes += size
        while self._bytes > KEPT and len(self._arrays) > 1:
            _, (_, freed) = self._arrays.popitem(last=False)
            self._bytes -= freed
        return value

    def clear(self) -> None:
        self._arrays.clear()
        self._bytes = 0


def key_of(name: str, case: Case, n: int) -> Any:
    """Return everything on which an input depends."""
    return name, case.dtype, case.low, case.high, case.form, n

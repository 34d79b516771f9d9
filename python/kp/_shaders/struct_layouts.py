# SPDX-License-Identifier: Apache-2.0
"""Compares the layout of NumPy's structs with shaders'."""

from __future__ import annotations

import functools
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

#: A member of a shader's struct: its name, its offset, the type of its numbers (None: a struct), and
#: a count and a stride for each axis of them.
Member = tuple[str, int, "np.dtype[np.generic] | None", tuple[tuple[int, int], ...]]

#: Numbers of one element that are compared. Larger structs are compared as far as this.
_MOST = 4096


def _numbers_of(
    dtype: np.dtype[np.generic], start: int = 0
) -> Iterator[tuple[int, np.dtype[np.generic]]]:
    """Yield the offset and type of each number of a dtype."""
    if dtype.subdtype is not None:
        base, shape = dtype.subdtype
        for place in range(int(np.prod(shape))):
            yield from _numbers_of(base, start + place * base.itemsize)
    elif dtype.fields is not None:
        for field, offset, *_ in sorted(dtype.fields.values(), key=lambda each: each[1]):
            yield from _numbers_of(field, start + offset)
    elif dtype.kind == "c":
        part = np.dtype(f"f{dtype.itemsize // 2}")
        yield start, part
        yield start + part.itemsize, part
    else:
        yield start, dtype


def _places(axes: Sequence[tuple[int, int]], start: int) -> Iterator[int]:
    if not axes:
        yield start
        return
    count, stride = axes[0]
    for place in range(count):
        yield from _places(axes[1:], start + place * stride)


def _takes(declared: np.dtype[np.generic], given: np.dtype[np.generic]) -> bool:
    """Whether a shader's numbers may be NumPy's: signed and unsigned match."""
    if given.kind == "b":
        return declared.itemsize == 1
    integers = declared.kind in "iu" and given.kind in "iu"
    return declared.itemsize == given.itemsize and (integers or declared.kind == given.kind)


@functools.lru_cache(maxsize=256)
def mismatch(dtype: np.dtype[np.generic], members: tuple[Member, ...]) -> str:
    """Return how a dtype's layout or types differ from a shader's struct; "" if they match."""
    given: dict[int, np.dtype[np.generic]] = {}
    raw: list[tuple[int, int]] = []  # fields without numbers, which may hold anything
    known = dtype.itemsize  # bytes of which all numbers are in `given`
    for place, (offset, number) in enumerate(_numbers_of(dtype)):
        if place == _MOST:
            known = offset
            break
        if number.kind in "biuf":
            given[offset] = number
        else:
            raw.append((offset, offset + number.itemsize))
    fields: Mapping[str, Any] = dtype.fields or {}
    cure = "add padding to the dtype, or declare the buffer with layout(scalar)"
    for name, start, declared, axes in members:
        if name in fields and fields[name][1] != start:
            return f"'{name}' is at {start} in the shader, but at {fields[name][1]} in the array; {cure}"
        if declared is None:
            continue
        for place, offset in enumerate(_places(axes, start)):
            if place == _MOST or offset >= known:
                break
            found = given.get(offset)
            if any(first <= offset < end for first, end in raw):
                continue
            if found is None or not _takes(declared, found):
                has = "no number" if found is None else str(found)
                return (
                    f"'{name}' is {declared} at {start} in the shader, but the array has {has} at byte "
                    f"{offset} of an element; {cure}"
                )
    return ""

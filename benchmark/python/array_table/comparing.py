# SPDX-License-Identifier: Apache-2.0
"""Whether two libraries' results are the same."""

from __future__ import annotations

from typing import Any

import numpy as np

#: Relative errors that count as equal: sums of many elements round differently in each library.
TOLERANCES = {2: 2e-2, 4: 2e-4, 8: 1e-9}

#: Larger results are compared at so many elements: both ends, and as many between them.
COMPARED = 1 << 17


def part(array: np.ndarray) -> np.ndarray:
    """Return the elements of an array that are compared, in one row."""
    flat = array.reshape(-1)
    if flat.size <= COMPARED:
        return flat
    end = COMPARED // 4
    step = flat.size // (COMPARED // 2) | 1  # odd, so that it meets every lane and row
    return np.concatenate([flat[:end], flat[end:-end:step], flat[-end:]])


def tolerance_of(*arrays: np.ndarray) -> float:
    """Return the relative error that the least exact of some arrays may have; 0 for whole numbers."""
    found = 0.0
    for array in arrays:
        if array.dtype.kind in "fc":
            size = array.dtype.itemsize // (2 if array.dtype.kind == "c" else 1)
            found = max(found, TOLERANCES[min(size, 8)])
    return found


def difference(
    ours: list[np.ndarray], theirs: list[np.ndarray], types: bool = True, tolerance: float = 0.0
) -> str:
    """Return how results differ, or "" if they do not. Kinds of floats and of NaN count as NumPy's do."""
    if len(ours) != len(theirs):
        return f"returns {len(ours)} arrays, not {len(theirs)}"
    for place, (mine, other) in enumerate(zip(ours, theirs, strict=True)):
        which = f"result {place}: " if len(ours) > 1 else ""
        if mine.shape != other.shape:
            return f"{which}shape {mine.shape}, not {other.shape}"
        if types and mine.dtype != other.dtype:
            return f"{which}{mine.dtype}, not {other.dtype}"
        found = _values_differ(part(mine), part(other), tolerance)
        if found:
            return which + found
    return ""


def _values_differ(mine: np.ndarray, other: np.ndarray, tolerance: float) -> str:
    allowed = tolerance or tolerance_of(mine, other)
    if not allowed:
        wrong = mine != other
    else:
        wide: Any = np.complex128 if "c" in mine.dtype.kind + other.dtype.kind else np.float64
        a, b = mine.astype(wide), other.astype(wide)
        finite = np.abs(b[np.isfinite(b) & (b != 0)])
        # An element near 0 of a result whose typical element is large has the latter's error.
        scale = float(np.median(finite)) if finite.size else 0.0
        wrong = ~np.isclose(a, b, rtol=allowed, atol=allowed * scale, equal_nan=True)
    count = int(np.count_nonzero(wrong))
    if not count:
        return ""
    place = int(np.argmax(wrong))
    return f"{count} of {wrong.size} differ, first {mine[place]!s}, not {other[place]!s} (element {place})"


def moments(arrays: list[np.ndarray]) -> list[np.ndarray]:
    """Return means and standard deviations, which equal distributions share."""
    found = []
    for array in arrays:
        values = array.astype(np.float64).reshape(-1)
        found.append(np.array([values.mean(), values.std()]))
    return found

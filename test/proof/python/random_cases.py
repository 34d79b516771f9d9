# SPDX-License-Identifier: Apache-2.0
"""What programs with random calls share: random arguments, and comparisons with NumPy's results."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

import kp

INTEGERS = ["int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64"]
REALS = ["float16", "float32", "float64"]
#: Numbers of elements at which kernels change their way.
EDGES = [1, 2, 3, 31, 32, 33, 63, 64, 65, 255, 256, 257, 511, 512, 1023, 1024, 1025, 2049, 4097]


class Case:
    """One call: its random numbers, and its comparisons."""

    def __init__(
        self, manager: kp.Manager, seed: int, number: int, plant: bool, flushes: bool
    ) -> None:
        self.manager = manager
        self.flushes = flushes
        self.rng = np.random.default_rng([seed, number])
        self.plants = plant and number % 100 == 50
        self.text = ""
        self.compared = 0

    def choose(self, values: Sequence[Any]) -> Any:
        """Return one of several values."""
        return values[int(self.rng.integers(len(values)))]

    def maybe(self, odds: float = 0.5) -> bool:
        """Return True with these odds."""
        return bool(self.rng.random() < odds)

    def size(self, least: int = 0) -> int:
        """Return a number of elements: often an edge, sometimes none, sometimes many."""
        kind = self.rng.random()
        if kind < 0.5:
            return max(least, int(self.choose(EDGES)) + int(self.rng.integers(-1, 2)))
        if kind < 0.95:
            return max(least, int(self.rng.integers(0, 300)))
        return int(self.rng.integers(5000, 40000))

    def shape(self, most: int = 4, least: int = 0) -> tuple[int, ...]:
        """Return a shape with up to so many axes."""
        axes = int(self.rng.integers(1, most + 1))
        if axes == 1:
            return (self.size(least),)
        extents = [int(self.rng.integers(max(least, 1), 12)) for _ in range(axes)]
        place = int(self.rng.integers(axes))
        extents[place] = self.size(least) if axes == 2 else int(self.rng.integers(least, 40))
        return tuple(extents)

    def axis(self, shape: tuple[int, ...]) -> int | None:
        """Return an axis, or None for all."""
        return None if self.maybe(0.25) else int(self.rng.integers(-len(shape), len(shape)))

    def values(self, shape: tuple[int, ...], dtype: str, special: bool = False) -> np.ndarray:
        """Return random elements; with `special`, also the ends of the type, NaN and both zeros."""
        kind = np.dtype(dtype).kind
        if kind == "b":
            return self.rng.random(shape) < self.choose([0.02, 0.5, 0.98])
        if kind in "iu":
            limits = np.iinfo(dtype)
            few = self.maybe()
            low, high = (0, 6) if few else (int(limits.min), int(limits.max))
            made = self.rng.integers(low, high, shape, dtype=dtype, endpoint=True)
            ends = [limits.min, limits.max, 0, 1]
        else:
            made = self.rng.standard_normal(shape).astype(dtype)
            if self.maybe(0.4):
                made = np.round(made * 2).astype(dtype)
            tiny = np.finfo(dtype).smallest_subnormal
            ends = [np.nan, -np.nan, np.inf, -np.inf, 0.0, -0.0, tiny, -tiny, np.finfo(dtype).max]
        if special and made.size and self.maybe(0.6):
            places = self.rng.random(shape) < self.choose([0.01, 0.3, 1.0])
            chosen = np.array(ends, dtype)[self.rng.integers(len(ends), size=shape)]
            made = np.where(places, chosen, made).astype(dtype)
        return made

    def given(self, array: np.ndarray) -> Any:
        """Return a tensor or an array of kp."""
        self.text += f" {array.dtype}{list(array.shape)}"
        # Arithmetic of arrays may take denormal numbers for 0; primitives compare bits.
        if self.maybe(0.7) or (self.flushes and has_denormals(array)):
            return self.manager.tensor_t(array)
        self.text += " (kp.array)"
        return kp.array(array)

    def same(self, ours: Any, theirs: Any) -> None:
        """Compare to the bit, but for the sign of zeros and the bits of NaN."""
        self.near(ours, theirs, 0)

    def near(self, ours: Any, theirs: Any, tolerance: Any) -> None:
        """Compare with an absolute tolerance, a number or one per element."""
        given, expected = ours.numpy(), np.asarray(theirs)
        if self.plants and given.size and not self.compared:
            given = given.copy()
            given.flat[-1] = given.flat[-1] == 0
        self.compared += 1
        assert given.shape == expected.shape, f"shape {given.shape} instead of {expected.shape}"
        assert given.dtype == expected.dtype, f"dtype {given.dtype} instead of {expected.dtype}"
        wide = np.complex128 if expected.dtype.kind == "c" else np.float64
        with np.errstate(all="ignore"):
            equal = given == expected
            if expected.dtype.kind in "fc":
                equal |= np.isnan(given) & np.isnan(expected)
                equal |= np.abs(given.astype(wide) - expected.astype(wide)) <= tolerance
        if not equal.all():
            at = np.unravel_index(int(np.argmin(equal)), equal.shape)
            raise AssertionError(
                f"element {[int(i) for i in at]} of {list(equal.shape)} is {given[at]!r} instead of "
                f"{expected[at]!r}; {int((~equal).sum())} differ"
            )


def has_denormals(array: np.ndarray) -> bool:
    """Return True if a 32-bit float is denormal; half is computed as float."""
    if array.dtype != np.float32:
        return False
    size = np.abs(array)
    return bool(((size > 0) & (size < np.finfo(np.float32).smallest_normal)).any())


def flushes_denormals() -> bool:
    """Return True if the device's arithmetic takes denormal numbers for 0, as Vulkan allows."""
    tiny = kp.array(np.full(1, np.finfo(np.float32).smallest_subnormal, np.float32))
    return not bool((tiny > 0).numpy()[0])


def rounding(dtype: Any) -> float:
    """Return the distance of numbers of a type at 1; half is computed as float."""
    return float(np.finfo(dtype).eps)

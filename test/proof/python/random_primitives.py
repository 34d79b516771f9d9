# SPDX-License-Identifier: Apache-2.0
"""Calls primitives with random arguments, and compares the results with NumPy's.

    python random_primitives.py [--count N] [--seed N | --seed date] [--only CALL] [--kind NAME]
                                [--plant result]

A call fails if its result has another shape or dtype than NumPy's, or other values: integers,
flags, orders and places to the bit, sums and products within the rounding of their type. The seed
and the number of the call are printed; --seed and --only (and --kind, if given) make that call
again. --kind makes calls of one kind alone. --plant result changes one result of a hundred.
"""

from __future__ import annotations

import argparse
import faulthandler
import math
import sys
import traceback
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from options import number
from options import seed as seed_option

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


def reduction(case: Case) -> None:
    """Compare sums, products, extremes and counts."""
    name = case.choose("sum prod mean min max argmin argmax any all count_nonzero".split())
    dtype = case.choose([*INTEGERS, *REALS, "bool"])
    if name in ("sum", "prod", "mean") and dtype == "float16":
        dtype = "float32"
    arithmetic = name in ("sum", "prod", "mean")
    needs = name in ("min", "max", "argmin", "argmax", "mean")
    shape = case.shape(least=1 if needs else 0)
    array = case.values(shape, dtype, special=not arithmetic)
    if name == "prod" and dtype in REALS:
        array = (1 + array / 64).astype(dtype)
    axis, keep = case.axis(shape), case.maybe(0.3)
    case.text += f" {name} axis={axis} keepdims={keep}"
    with np.errstate(all="ignore"):
        theirs = getattr(np, name)(array, axis=axis, keepdims=keep)
    ours = getattr(kp, name)(case.given(array), axis=axis, keepdims=keep)
    tolerance: Any = 0
    if arithmetic and np.asarray(theirs).dtype.kind == "f":
        wide = np.abs(array.astype(np.float64))
        scale = (
            np.abs(theirs) if name == "prod" else getattr(np, name)(wide, axis=axis, keepdims=keep)
        )
        steps = 64 if name != "prod" else 64 + 2 * array.size
        tolerance = rounding(np.asarray(theirs).dtype) * steps * scale + 1e-300
    case.near(ours, theirs, tolerance)


def scan(case: Case) -> None:
    """Compare running sums, products and extremes."""
    name = case.choose(["cumsum", "cumprod", "max", "min", "xor"])
    dtype = case.choose([*INTEGERS, "float32", "float64"])
    shape = case.shape()
    axis = case.axis(shape)
    if name in ("cumsum", "cumprod"):
        array = case.values(shape, dtype)
        if name == "cumprod" and dtype in REALS:
            array = (1 + array / 64).astype(dtype)
        with np.errstate(all="ignore"):
            theirs = getattr(np, name)(array, axis=axis)
            scale = getattr(np, name)(np.abs(array.astype(np.float64)), axis=axis)
        case.text += f" {name} axis={axis}"
        ours = getattr(kp, name)(case.given(array), axis=axis)
        steps = 64 + 2 * array.size if name == "cumprod" else 64
        tolerance = rounding(theirs.dtype) * steps * scale if theirs.dtype.kind == "f" else 0
        case.near(ours, theirs, tolerance)
        return
    if name == "xor":
        dtype = case.choose(INTEGERS)
    array = case.values(shape, dtype, special=name != "xor")
    exclusive = case.maybe()
    flat = array.ravel() if axis is None else array
    along = 0 if axis is None else axis
    function = {"max": np.maximum, "min": np.minimum, "xor": np.bitwise_xor}[name]
    none: Any = 0
    if name != "xor":
        limits = np.iinfo(dtype) if np.dtype(dtype).kind in "iu" else None
        ends = (limits.min, limits.max) if limits else (-np.inf, np.inf)
        none = ends[0] if name == "max" else ends[1]
    theirs = function.accumulate(flat, axis=along)
    if exclusive and flat.shape[along]:
        first = np.full(
            [1 if i == along % flat.ndim else n for i, n in enumerate(flat.shape)], none, dtype
        )
        rest = np.take(theirs, range(flat.shape[along] - 1), axis=along)
        theirs = np.concatenate([first, rest], axis=along)
    case.text += f" scan {name} axis={axis} exclusive={exclusive} {dtype}{list(shape)}"
    tensor = case.manager.tensor_t(array)
    case.same(kp.scan(tensor, name, axis=axis, exclusive=exclusive), theirs)


def segments(case: Case) -> None:
    """Compare reductions of segments, which may be empty or reach beyond the input."""
    dtype = case.choose(["int32", "uint8", "float32", "int64"])
    name = case.choose(["sum", "min", "max", "mean", "count_nonzero"])
    array = case.values((case.size(1),), dtype, special=name in ("min", "max", "count_nonzero"))
    kind = case.choose(["int32", "uint32", "int64", "uint64"])
    low = -3 if kind.startswith("i") else 0
    count = int(case.rng.integers(1, 40))
    offsets = np.sort(case.rng.integers(low, array.size + 4, count + 1)).astype(kind)
    out = {"sum": "int64", "count_nonzero": "uint32", "mean": "float64"}.get(name, dtype)
    if name == "sum" and dtype == "float32":
        out = "float32"
    case.text += f" {name} of {count} segments by {kind}, {dtype}[{array.size}] to {out}"
    result = case.manager.tensor_t(np.zeros(count, out))
    tensors = [case.manager.tensor_t(each) for each in (array, offsets)]
    case.manager.sequence().eval(kp.OpReduce(tensors[0], result, name, segments=tensors[1]))
    inside = np.clip(offsets.astype(np.int64), 0, array.size)
    parts = [array[a:b] for a, b in zip(inside[:-1], inside[1:])]
    limits: Any = np.iinfo(dtype) if dtype != "float32" else None
    ends = {"min": limits.max if limits else np.inf, "max": limits.min if limits else -np.inf}
    wide = np.float64 if dtype == "float32" else np.int64
    theirs = []
    for part in parts:
        if name in ends:
            theirs.append(getattr(np, name)(part) if part.size else ends[name])
        elif name == "mean":
            theirs.append(np.mean(part.astype(wide)) if part.size else np.nan)
        else:
            theirs.append(getattr(np, name)(part.astype(wide)))
    scale = float(np.abs(array.astype(np.float64)).max(initial=0)) if name in ("sum", "mean") else 0
    case.near(result, np.array(theirs, out), 1e-6 * scale * max(1, array.size) ** 0.5 * 8)


def order(case: Case) -> None:
    """Compare sorts."""
    dtype = case.choose([*INTEGERS, *REALS, "bool"])
    shape = case.shape(3)
    array = case.values(shape, dtype, special=True)
    axis = case.choose([None, -1])
    down = case.maybe(0.3)
    case.text += f" axis={axis} descending={down}"
    given = case.given(array)
    flat = array.ravel() if axis is None else array
    # A stable descending order: by the negative rank of the value.
    ranks = np.unique(flat, return_inverse=True)[1].reshape(flat.shape)
    theirs = np.argsort(-ranks if down else ranks, axis=-1, kind="stable")
    case.same(kp.argsort(given, axis=axis, descending=down), theirs)
    case.same(kp.sort(given, axis=axis, descending=down), np.take_along_axis(flat, theirs, -1))


def unique(case: Case) -> None:
    """Compare the different elements, their places and counts, and runs."""
    dtype = case.choose([*INTEGERS, *REALS, "bool"])
    array = case.values(case.shape(2), dtype, special=True)
    tensor = case.manager.tensor_t(array)
    case.text += f" {dtype}{list(array.shape)}"
    theirs = list(np.unique(array, True, True, True))
    theirs[2] = theirs[2].reshape(array.shape)
    for ours, expected in zip(kp.unique(tensor, True, True, True), theirs, strict=True):
        case.same(ours, expected)
    case.same(kp.unique(tensor), theirs[0])
    flat = array.ravel()
    heads = np.flatnonzero(np.concatenate([[True], flat[1:] != flat[:-1]])[: flat.size])
    values, lengths = kp.run_lengths(tensor)
    case.same(values, flat[heads])
    case.same(lengths, np.diff(np.append(heads, flat.size)))


def top(case: Case) -> None:
    """Compare the largest and the smallest elements."""
    dtype = case.choose([*INTEGERS, *REALS])
    shape = case.shape(3, least=1)
    array = case.values(shape, dtype, special=True)
    axis = case.axis(shape)
    flat = array.ravel() if axis is None else array
    along = -1 if axis is None else axis
    least = case.maybe()
    k = int(case.rng.integers(0, min(flat.shape[along], case.choose([2, 20, 5000])) + 1))
    case.text += f" k={k} axis={axis} smallest={least} {dtype}{list(shape)}"
    # -0 is before +0, so the order is sort()'s: by value, and then by sign.
    keys = np.signbit(flat) if np.dtype(dtype).kind == "f" else np.zeros(flat.shape, bool)
    ranks = np.unique(flat, return_inverse=True)[1].reshape(flat.shape) * 2
    ranks += np.where(flat == 0, ~keys, False)
    chosen = np.argsort(ranks if least else -ranks, axis=along, kind="stable")
    chosen = np.take(chosen, range(k), axis=along)
    values, indices = kp.top_k(case.manager.tensor_t(array), k, axis=axis, smallest=least)
    case.same(indices, chosen)
    case.same(values, np.take_along_axis(flat, chosen, along))


def bins(case: Case) -> None:
    """Compare histograms, counts and places among sorted elements."""
    kind = case.choose(["histogram", "edges", "bincount", "searchsorted"])
    dtype = case.choose([*INTEGERS, "float32", "float64"])
    array = case.values((case.size(1),), dtype, special=kind in ("edges", "searchsorted"))
    case.text += f" {kind} {dtype}[{array.size}]"
    tensor = case.manager.tensor_t(array)
    if kind == "bincount":
        small = case.rng.integers(0, 90, array.size).astype(
            case.choose(["uint8", "int32", "uint64"])
        )
        case.same(kp.bincount(case.manager.tensor_t(small)), np.bincount(small.astype(np.int64)))
    elif kind == "histogram":
        if dtype in ("int64", "uint64"):
            return  # NumPy bins them as doubles
        low, high = sorted(float(np.round(each, 2)) for each in case.rng.normal(0, 3, 2))
        many, width = int(case.rng.integers(1, 100)), high - low
        if width == 0:
            return
        ours = kp.histogram(tensor, many, range=(low, high))[0].numpy()
        theirs = np.histogram(array.astype(np.float64), many, (low, high))[0]
        # The bins have the tensor's dtype, so a value at an edge may fall to either side.
        edges = np.linspace(low, high, many + 1)
        nearest = np.abs(array.astype(np.float64)[:, None] - edges[None, :]).min(1, initial=np.inf)
        doubtful = int((nearest <= 1e-5 * max(abs(low), abs(high), 1)).sum())
        case.compared += 1
        assert np.abs(ours - theirs).sum() <= 2 * doubtful, f"{ours.tolist()} not {theirs.tolist()}"
    else:
        # NaN is not an edge, and NumPy cannot compare 64-bit integers of both kinds.
        edges = np.unique(case.values((case.size(2),), dtype, special=True))
        edges = edges[~np.isnan(edges)] if dtype in REALS else edges
        if edges.size < 2:
            return
        if kind == "searchsorted":
            side = case.choose(["left", "right"])
            ours = kp.searchsorted(case.manager.tensor_t(edges), tensor, side=side)
            case.same(ours, np.searchsorted(edges, array, side=side))
            return
        ours = kp.histogram(tensor, case.manager.tensor_t(edges))[0]
        inside = array[(array >= edges[0]) & (array <= edges[-1])]
        at = np.searchsorted(edges, inside, side="right") - 1
        at[inside == edges[-1]] = edges.size - 2
        case.same(ours, np.bincount(at, minlength=edges.size - 1).astype(ours.dtype))


def selection(case: Case) -> None:
    """Compare what flags and conditions select."""
    dtype = case.choose([*INTEGERS, *REALS])
    array = case.values((case.size(),), dtype, special=True)
    tensor = case.manager.tensor_t(array)
    case.text += f" {dtype}[{array.size}]"
    flags = case.values(array.shape, "bool")
    case.same(kp.compress(case.manager.tensor_t(flags), tensor), array[flags])
    case.same(kp.flatnonzero(tensor), np.flatnonzero(array))
    parts, count = kp.stable_partition(case.manager.tensor_t(flags), tensor)
    case.same(parts, np.concatenate([array[flags], array[~flags]]))
    assert count == flags.sum()
    if dtype not in ("int64", "uint64", "float16"):
        above = array > 1
        case.same(kp.compress("x > 1", tensor), array[above])


def movement(case: Case) -> None:
    """Compare gathers, scatters, transposes, reversals and concatenations."""
    dtype = case.choose([*INTEGERS, *REALS, "bool"])
    shape = case.shape()
    array = case.values(shape, dtype)
    tensor = case.given(array)
    kind = case.choose(["take", "put", "transpose", "flip", "concatenate"])
    axis = case.axis(shape)
    case.text += f" {kind} axis={axis}"
    if kind == "take":
        extent = array.size if axis is None else shape[axis]
        if extent == 0:
            return
        wanted = (case.choose([1, 7, 300]),) if axis is None or case.maybe() else (2, 3)
        indices = case.rng.integers(-extent, extent, wanted).astype(case.choose(["int32", "int64"]))
        axis = 0 if axis is None and isinstance(tensor, kp.Array) and len(shape) == 1 else axis
        given = (
            kp.array(indices) if isinstance(tensor, kp.Array) else case.manager.tensor_t(indices)
        )
        if axis is not None or isinstance(tensor, kp.Tensor):
            case.same(kp.take(tensor, given, axis=axis), np.take(array, indices, axis=axis))
    elif kind == "put":
        if array.size == 0 or isinstance(tensor, kp.Array):
            return
        places = case.rng.permutation(array.size)[: int(case.rng.integers(1, array.size + 1))]
        values = case.values(places.shape, dtype)
        kp.put(tensor, places - array.size * case.rng.integers(0, 2, places.shape), values)
        theirs = array.copy()
        np.put(theirs, places, values)
        case.same(tensor, theirs)
    elif kind == "transpose":
        axes = tuple(int(each) for each in case.rng.permutation(len(shape)))
        case.same(kp.transpose(tensor, axes), np.transpose(array, axes))
    elif kind == "flip":
        case.same(kp.flip(tensor, axis), np.flip(array, axis))
    else:
        along = 0 if axis is None else axis
        extents = [list(shape) for _ in range(case.choose([1, 2, 5]))]
        for each in extents:
            each[along] = int(case.rng.integers(0, 9))
        arrays = [array, *(case.values(tuple(each), dtype) for each in extents)]
        same_kind = kp.array if isinstance(tensor, kp.Array) else case.manager.tensor_t
        ours = kp.concatenate([tensor, *(same_kind(each) for each in arrays[1:])], axis=along)
        case.same(ours, np.concatenate(arrays, axis=along))


def product(case: Case) -> None:
    """Compare matrix products."""
    dtype = case.choose(["float32", "float64", "float16"])
    sizes = [1, 2, 3, 7, 8, 15, 16, 17, 31, 33, 64, 65, 100, 129]
    m, n, k = (int(case.choose(sizes)) for _ in range(3))
    batch = case.choose([(), (), (1,), (3,), (2, 3)])
    flips = [case.maybe(0.4), case.maybe(0.4)]
    a = case.values(batch + ((k, m) if flips[0] else (m, k)), dtype)
    b = case.values(batch + ((n, k) if flips[1] else (k, n)), dtype)
    case.text += f" {dtype} {batch} m={m} n={n} k={k} transposed={flips}"
    left, right = (x.swapaxes(-1, -2) if t else x for x, t in zip((a, b), flips))
    wide = left.astype(np.float64) @ right.astype(np.float64)
    scale = np.abs(left).astype(np.float64) @ np.abs(right).astype(np.float64)
    given = [kp.array(each) for each in (a, b)]
    x, y = (kp.swapaxes(g, -1, -2) if t else g for g, t in zip(given, flips))
    step = rounding("float32" if dtype == "float16" else dtype)
    tolerance = step * (k + 4) * scale + rounding(dtype) * np.abs(wide)
    case.near(kp.matmul(x, y), wide.astype(dtype), tolerance)
    if not any(flips):
        ours = kp.matmul(case.manager.tensor_t(a), case.manager.tensor_t(b))
        case.near(ours, wide.astype(dtype), tolerance)


def fourier(case: Case) -> None:
    """Compare Fourier transforms."""
    real = case.choose(["float32", "float64"])
    name = case.choose("fft ifft rfft irfft fft2 ifft2 fftn rfftn irfftn rfft2 irfft2".split())
    axes = int(case.rng.integers(2 if name[-1] == "2" else 1, 4))
    lengths = [1, 2, 3, 4, 5, 6, 7, 8, 9, 11, 13, 16, 17, 25, 27, 32, 49, 60, 64]
    shape = tuple(int(case.choose(lengths)) for _ in range(axes))
    if name in ("fft", "ifft", "rfft", "irfft") and case.maybe():
        shape = (
            int(case.choose([1, 2, 3])),
            int(case.choose([100, 121, 128, 210, 256, 1000, 1024, 2310, 4096])),
        )
    norm = case.choose([None, "ortho", "forward", "backward"])
    array = case.values(shape, real)
    if not name.startswith("rfft") and (case.maybe(0.7) or name.startswith("irfft")):
        array = (array + 1j * case.values(shape, real)).astype(
            "complex64" if real == "float32" else "complex128"
        )
    options: dict[str, Any] = {"norm": norm}
    if name in ("fft", "ifft", "rfft", "irfft"):
        options["axis"] = int(case.rng.integers(-len(shape), len(shape)))
        if case.maybe(0.4):
            options["n"] = int(case.choose(lengths))
        length = options.get("n", shape[options["axis"]])
        if name == "irfft" and options.get("n", 2 * (length - 1)) < 1:
            options["n"] = 2
    elif name.startswith("irfft") and shape[-1] < 2:
        return
    case.text += f" {name} {options} {array.dtype}{list(shape)}"
    theirs = getattr(np.fft, name)(array, **options)
    kinds = {"float32": ("float32", "complex64"), "float64": ("float64", "complex128")}[real]
    theirs = np.asarray(theirs).astype(kinds[theirs.dtype.kind == "c"])
    given = case.manager.tensor_t(array) if case.maybe() else kp.array(array)
    scale = float(np.sqrt((np.abs(theirs.astype(np.complex128)) ** 2).mean())) + float(
        np.abs(array).max()
    )
    case.near(
        getattr(kp.fft, name)(given, **options),
        theirs,
        40 * rounding(real) * scale * math.log2(array.size + 2),
    )


def convolution(case: Case) -> None:
    """Compare convolutions."""
    dtype = case.choose(["float32", "float64"])
    mode = case.choose(["full", "same", "valid"])
    first, second = int(case.choose([1, 2, 5, 64, 100, 1000])), int(
        case.choose([1, 2, 3, 17, 64, 500])
    )
    a, b = case.values((first,), dtype), case.values((second,), dtype)
    case.text += f" {mode} {dtype} {first} * {second}"
    theirs = np.convolve(a.astype(np.float64), b.astype(np.float64), mode).astype(dtype)
    scale = float(np.abs(a).sum() * np.abs(b).max() + np.abs(b).sum() * np.abs(a).max())
    case.near(kp.convolve(kp.array(a), kp.array(b), mode), theirs, 40 * rounding(dtype) * scale)


def views(case: Case) -> None:
    """Compare arrays that are parts of others, and writes through them."""
    dtype = case.choose(["int32", "float32", "uint8", "int64", "bool"])
    theirs = base = case.values(case.shape(3, least=1), dtype)
    ours = kept = kp.array(base.copy())
    for _ in range(int(case.rng.integers(1, 6))):
        if theirs.ndim == 0 or theirs.size == 0:
            break
        step = case.choose(
            ["slice", "transpose", "index", "newaxis", "ravel", "mask", "fancy", "set", "add"]
        )
        case.text += f" {step}{list(theirs.shape)}"
        if step == "slice":
            key = tuple(
                slice(*(case.choose([None, int(case.rng.integers(-n - 2, n + 3))]) for _ in "ab"),
                      case.choose([None, 1, 2, 3, -1, -2]))
                for n in theirs.shape
            )  # fmt: skip
            case.text += str([(k.start, k.stop, k.step) for k in key])
            ours, theirs = ours[key], theirs[key]
        elif step == "transpose":
            axes = tuple(int(each) for each in case.rng.permutation(theirs.ndim))
            ours, theirs = kp.permute_dims(ours, axes), theirs.transpose(axes)
        elif step == "index":
            at = int(case.rng.integers(-theirs.shape[0], theirs.shape[0]))
            ours, theirs = ours[at], theirs[at]
            if theirs.ndim == 0:
                break
        elif step == "newaxis" and theirs.ndim < 4:
            ours, theirs = ours[..., None], theirs[..., None]
        elif step == "ravel":
            ours, theirs = kp.ravel(ours).copy(), theirs.ravel().copy()
        elif step == "mask":
            mask = case.values(theirs.shape, "bool")
            ours, theirs = ours[kp.array(mask)], theirs[mask]
        elif step == "fancy":
            n = theirs.shape[0]
            indices = case.rng.integers(-n, n, int(case.rng.integers(1, 9)))
            ours, theirs = ours[kp.array(indices)], theirs[indices]
        elif step == "set":
            part = (slice(None, None, case.choose([1, 2, -1])),) if case.maybe() else (...,)
            value = case.values(theirs[part].shape[-1:], dtype)
            ours[part] = kp.array(value)
            theirs[part] = value
        elif step == "add" and dtype != "bool":
            row = case.values(theirs.shape[-1:], dtype)
            ours, theirs = ours + kp.array(row), theirs + row
    case.same(kp.asarray(ours), theirs)
    case.same(kept, base)


def part_of(case: Case, dtype: str) -> tuple[Any, np.ndarray]:
    """Return a random part of an array of 48 x 20 elements: kp's, and NumPy's."""
    theirs = case.rng.integers(0, 1000, (48, 20)).astype(dtype)  # sums and products are exact
    ours = kp.array(theirs.copy())
    if case.maybe():
        ours, theirs = ours.T, theirs.T
    rows, columns = (
        slice(*sorted(int(each) for each in case.rng.choice(n + 1, 2, replace=False)),
              case.choose([1, 1, 2, 3]))
        for n in theirs.shape
    )  # fmt: skip
    key: Any = case.choose([rows, (rows, columns), (slice(None), columns), (..., -1), rows.start])
    case.text += f" {key}"
    return ours[key], theirs[key]


def kernels(case: Case) -> None:
    """Compare kernels whose arguments are parts of arrays, each at its own index."""
    dtype = case.choose(["int32", "float32", "uint32"])
    glsl = {"int32": "int", "float32": "float", "uint32": "uint"}[dtype]
    count = int(case.rng.integers(1, 4))
    given = [part_of(case, dtype) for _ in range(count)]
    size = min(theirs.size for _, theirs in given)
    terms = " + ".join(f"{3 + k} * x{k}[i]" for k in range(count))
    arguments = ", ".join(f"in {glsl} x{k}[]" for k in range(count))
    kernel = kp.kernel(
        f"kernel void k({arguments}, inout {glsl} y[]) {{ if (i < {size}) y[i] += {terms}; }}"
    )
    written, expected = part_of(case, dtype)
    expected = expected.copy()
    threads = min(size, expected.size)
    flat = expected.reshape(-1)
    for k, (_, theirs) in enumerate(given):
        flat[:threads] += theirs.reshape(-1)[:threads] * np.array(3 + k, dtype)
    kernel[threads](*[ours for ours, _ in given], written)
    case.same(written, flat.reshape(expected.shape))


KINDS: dict[str, Callable[[Case], None]] = {
    each.__name__: each
    for each in (
        reduction, scan, segments, order, unique, top, bins, selection, movement, product, fourier,
        convolution, views, kernels,
    )
}  # fmt: skip


def main() -> int:
    """Make the calls. Returns the exit status."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--count", type=number(1), default=2000)
    parser.add_argument("--seed", type=seed_option, default=1)
    parser.add_argument("--only", type=number(0))
    parser.add_argument("--kind", choices=list(KINDS))
    parser.add_argument("--plant", choices=["", "result"], default="")
    options = parser.parse_args()
    faulthandler.enable()
    np.seterr(all="ignore")
    manager = kp.Manager()
    flushes = flushes_denormals()
    numbers = range(options.count) if options.only is None else [options.only]
    failures = compared = 0
    for call in numbers:
        case = Case(manager, options.seed, call, options.plant != "", flushes)
        name = options.kind or list(KINDS)[call % len(KINDS)]
        try:
            KINDS[name](case)
        except Exception as error:
            failures += 1
            what = str(error) if isinstance(error, AssertionError) else traceback.format_exc()
            print(f"seed {options.seed}, call {call}: {name}{case.text}: {what}", flush=True)
        compared += case.compared
    if failures:
        return 1
    print(
        f"{len(numbers)} calls of primitives, {compared} results, seed {options.seed}: as NumPy's"
    )
    return 0


if __name__ == "__main__":
    sys.exit(main())

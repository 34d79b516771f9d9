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
import sys
import traceback
from collections.abc import Callable
from typing import Any

import numpy as np
from options import number
from options import seed as seed_option
from random_cases import INTEGERS, REALS, Case, flushes_denormals, rounding
from random_products import convolution, fourier, product

import kp


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

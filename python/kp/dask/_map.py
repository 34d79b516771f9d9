# SPDX-License-Identifier: Apache-2.0
"""Dask's map_blocks and map_overlap for Kompute functions."""

from __future__ import annotations

import inspect
import os
from collections.abc import Mapping
from functools import lru_cache
from typing import Any

import dask.array as da
import numpy as np
from dask.array.overlap import coerce_boundary, coerce_depth
from dask.base import is_dask_collection
from numpy.typing import DTypeLike, NDArray

from ._kernel import BlockKernel
from ._location import Halo
from ._managers import Device
from ._prepared import Prepared
from ._task import BlockTask, Function
from ._types import native_dtype


def map_blocks(
    function: Function | str | bytes | os.PathLike[str],
    *arrays: Any,
    dtype: DTypeLike | None = None,
    chunks: Any = None,
    drop_axis: Any = None,
    new_axis: Any = None,
    name: str | None = None,
    device: Device | None = None,
    **arguments: Any,
) -> da.Array:
    """Apply a function to the blocks of arrays. Return a lazy Dask array.

    - `function`: a BlockKernel, or a shader for one (SPIR-V, GLSL text, a path); a Prepared; or a
      function(manager, *blocks, **arguments), which gets the Manager of the worker.
    - `arrays`: Dask arrays are passed block by block, other arrays as a whole. Blocks for a kernel
      are broadcast to the shape of the result, unless `chunks`, `drop_axis` or `new_axis` is given.
    - `dtype`: the dtype of the result. The default for a shader is its output's type, and for a
      function the dtype of the first Dask array.
    - `chunks`, `drop_axis`, `new_axis`, `name`: as in dask.array.map_blocks.
    - `device`: a device as in manager(). The default is the worker's.
    - `arguments`: push constants by name, or keyword arguments of the function. A function with a
      parameter block_info or block_id gets Dask's value.

    Raises InvalidArgument, ShaderError or TypeError if the arguments do not match.
    """
    function = _function(function)
    shaped = {"chunks": chunks, "drop_axis": drop_axis, "new_axis": new_axis}
    shaped = {key: value for key, value in shaped.items() if value is not None}
    arrays = tuple(_argument(array, function) for array in arrays)
    kind = _result_dtype(function, arrays, dtype)
    _check(function, arrays, kind, shaped, arguments)
    task = _task(function, arrays, kind, bool(shaped), device, None)
    return da.map_blocks(
        task, *arrays, dtype=kind, meta=_meta(kind), name=name, **shaped, **arguments
    )


def map_overlap(
    function: Function | str | bytes | os.PathLike[str],
    *arrays: da.Array,
    depth: Any,
    boundary: Any = None,
    trim: bool = True,
    dtype: DTypeLike | None = None,
    chunks: Any = None,
    drop_axis: Any = None,
    new_axis: Any = None,
    name: str | None = None,
    align_arrays: bool = True,
    allow_rechunk: bool = True,
    device: Device | None = None,
    **arguments: Any,
) -> da.Array:
    """Apply a function to blocks that overlap their neighbours. Return a lazy Dask array.

    `depth`, `boundary`, `align_arrays` and `allow_rechunk`: as in dask.array.map_overlap. All other
    parameters: as in map_blocks(), except that every array is a Dask array.

    With `trim`, the function returns a block of the shape that it got, and the overlap is cut off.
    Without it, the function returns the block without the overlap.
    """
    if not arrays or not all(isinstance(array, da.Array) for array in arrays):
        kinds = ", ".join(type(array).__name__ for array in arrays) or "none"
        raise TypeError(f"map_overlap needs one or more Dask arrays, not {kinds}")
    function = _function(function)
    kind = _result_dtype(function, arrays, dtype)
    shaped = {"chunks": chunks, "drop_axis": drop_axis, "new_axis": new_axis}
    shaped = {key: value for key, value in shaped.items() if value is not None}
    _check(function, arrays, kind, shaped, arguments)
    halo = _halo(arrays, depth, boundary) if trim else None
    task = _task(function, arrays, kind, bool(shaped) or not trim, device, halo)
    return da.map_overlap(
        task,
        *arrays,
        depth=depth,
        boundary=boundary,
        trim=trim,
        align_arrays=align_arrays,
        allow_rechunk=allow_rechunk,
        dtype=kind,
        meta=_meta(kind),
        name=name,
        **shaped,
        **arguments,
    )


# --- checks of the arguments ----------------------------------------------------------------------


def _function(function: Any) -> Function:
    if isinstance(function, (BlockKernel, Prepared)):
        return function
    if isinstance(function, (str, bytes)):
        return _kernel(function)
    if isinstance(function, (bytearray, memoryview, os.PathLike)):
        return BlockKernel(function)
    if not callable(function):
        raise TypeError(
            "function must be a BlockKernel, SPIR-V, source text, a path, a Prepared, or a "
            f"function of a Manager and blocks, not {type(function).__name__}"
        )
    called: Function = function
    return called


@lru_cache(maxsize=64)
def _text(source: str) -> BlockKernel:
    return BlockKernel(source)


def _kernel(shader: str | bytes) -> BlockKernel:
    # Only source text is cached. A file is read again, because it may have changed.
    keep = isinstance(shader, str) and "\n" in shader
    return _text(shader) if keep else BlockKernel(shader)


def _argument(array: Any, function: Function) -> Any:
    """Convert an argument of a kernel to an array. Functions take any object."""
    if isinstance(array, da.Array) or not isinstance(function, BlockKernel):
        return array
    return np.asarray(array)


def _result_dtype(
    function: Function, arrays: tuple[Any, ...], dtype: DTypeLike | None
) -> np.dtype[Any]:
    if dtype is not None:
        return native_dtype(dtype)
    if isinstance(function, BlockKernel):
        return function.output_dtype(len(arrays))
    for array in arrays:
        if isinstance(array, da.Array):
            return native_dtype(array.dtype)
    raise TypeError("there is no Dask array to take the dtype of the result from; give dtype")


def _meta(dtype: np.dtype[Any]) -> NDArray[Any]:
    """Return an empty array, so that Dask does not call the function to find its result's type."""
    return np.empty((0,), dtype)


def _check(
    function: Function,
    arrays: tuple[Any, ...],
    dtype: np.dtype[Any],
    shaped: Mapping[str, Any],
    arguments: Mapping[str, Any],
) -> None:
    """Raise at once the errors that would otherwise be raised for every block."""
    split = [array for array in arrays if isinstance(array, da.Array)]
    if not split and "chunks" not in shaped:
        raise TypeError("there is no Dask array to take the shape of the result from; give chunks")
    if not isinstance(function, BlockKernel):
        return
    ndim = max((array.ndim for array in split), default=0)
    if "chunks" in shaped:
        ndim = max(ndim, len(shaped["chunks"]))
    function.check([array.dtype for array in arrays], dtype, ndim)
    known = {key: value for key, value in arguments.items() if not is_dask_collection(value)}
    later = {key: 0 for key in arguments if key not in known}
    function.check_push({**known, **later}, complete=True)


def _halo(arrays: tuple[da.Array, ...], depth: Any, boundary: Any) -> Halo:
    """Return the overlap of the array with the most axes, which Dask trims the result by."""
    position = max(range(len(arrays)), key=lambda number: (arrays[number].ndim, -number))
    ndim = arrays[position].ndim
    depths = coerce_depth(ndim, depth[position] if isinstance(depth, list) else depth)
    ends = coerce_boundary(ndim, boundary[position] if isinstance(boundary, list) else boundary)
    pairs = [(d, d) if not isinstance(d, tuple) else d for d in map(depths.get, range(ndim))]
    return Halo(
        position,
        tuple(front for front, _ in pairs),
        tuple(behind for _, behind in pairs),
        tuple(ends[axis] == "none" for axis in range(ndim)),
    )


def _task(
    function: Function,
    arrays: tuple[Any, ...],
    dtype: np.dtype[Any],
    planned: bool,
    device: Device | None,
    halo: Halo | None,
) -> BlockTask:
    wanted: tuple[str, ...]
    if isinstance(function, BlockKernel):
        wanted = ("block_info",) if planned or function.located else ()
    elif isinstance(function, Prepared):
        wanted = ("block_info",) if function.block_info else ()
    else:
        wanted = _block_arguments(function)
    split = tuple(isinstance(array, da.Array) for array in arrays)
    return BlockTask(function, dtype, split, wanted, planned, device, halo)


def _block_arguments(function: Any) -> tuple[str, ...]:
    """Return Dask's keyword arguments that the function has parameters for."""
    try:
        names = inspect.signature(function).parameters
    except (TypeError, ValueError):
        return ()
    return tuple(name for name in ("block_info", "block_id") if name in names)

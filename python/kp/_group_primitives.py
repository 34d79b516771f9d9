# SPDX-License-Identifier: Apache-2.0
"""Reductions, sorts and products over sharded buffers, as methods of a group that run at once."""

from __future__ import annotations

from typing import Any

from numpy.typing import DTypeLike

from ._kp import Buffer, DeviceGroup, wait_all
from ._wording import counted, kind_of
from .arrays.reducing.by_operator import reduced_type
from .arrays.reducing.reductions import sum_type


__all__: list[str] = []


def _rows(buffer: Buffer) -> list[int]:
    return [shard.shape[0] for shard in buffer.shards]


def _require_buffer(name: str, buffer: object) -> None:
    if not isinstance(buffer, Buffer):
        raise TypeError(f"{name} must be a kp.Buffer, not {kind_of(buffer)}")


def _result(
    group: DeviceGroup, buffer: Buffer, axis: int | None, dtype: DTypeLike, out: Buffer | None
) -> Buffer:
    """Return `out`, or a new buffer for a reduction."""
    if out is not None:
        _require_buffer("out", out)
        return out
    if axis is None:
        return Buffer(1, dtype, group=group)
    shape = list(buffer.shape)
    if not -len(shape) <= axis < len(shape):
        raise ValueError(
            f"axis {axis} does not exist in a buffer of {counted(len(shape), 'dimension')}"
        )
    del shape[axis]
    if axis % len(buffer.shape) == 0:
        return Buffer(shape or 1, dtype, group=group)
    return Buffer(shape, dtype, group=group, placement="sharded", shard_rows=_rows(buffer))


def _reduce(
    group: DeviceGroup,
    buffer: Buffer,
    op: str | tuple[str, str],
    axis: int | None,
    dtype: DTypeLike,
    out: Buffer | None,
) -> Buffer:
    result = _result(group, buffer, axis, dtype, out)
    wait_all(group.reduce_into(buffer, result, op, axis))
    return result


def _typed(name: str, op: str, words: str) -> Any:
    """Return a method that reduces in the type of a sum or mean, unless the caller gives one."""

    def method(
        self: DeviceGroup,
        buffer: Buffer,
        axis: int | None = None,
        dtype: DTypeLike | None = None,
        out: Buffer | None = None,
    ) -> Buffer:
        _require_buffer("buffer", buffer)
        own = sum_type(buffer.dtype, None) if op != "mean" else reduced_type(op, buffer.dtype)
        return _reduce(self, buffer, op, axis, dtype or own, out)

    return _named(method, name, words)


def _untyped(op: str, words: str) -> Any:
    """Return a method that reduces in the type of the operator."""

    def method(
        self: DeviceGroup, buffer: Buffer, axis: int | None = None, out: Buffer | None = None
    ) -> Buffer:
        _require_buffer("buffer", buffer)
        return _reduce(self, buffer, op, axis, reduced_type(op, buffer.dtype), out)

    return _named(method, op, words)


def _named(method: Any, name: str, words: str) -> Any:
    method.__name__ = name
    method.__doc__ = f"Return {words}"
    return method


_REDUCTIONS = (
    _typed(
        "sum",
        "sum",
        """the sum of all elements of a sharded buffer, or along an axis.

        The result is `out` or a new buffer: of one element, or without the axis. It is replicated, or
        for an axis other than 0 sharded as `buffer`. Integers are summed in 64 bits unless `dtype` says
        otherwise.
        """,
    ),
    _typed(
        "prod",
        "product",
        "the product of all elements of a sharded buffer, or along an axis; see sum().",
    ),
    _typed(
        "mean",
        "mean",
        """the mean of all elements of a sharded buffer, or along an axis; see sum().

        The mean of integers is the default float.
        """,
    ),
    _untyped(
        "min", "the smallest element of a sharded buffer, or NaN if any element is; see sum()."
    ),
    _untyped(
        "max", "the largest element of a sharded buffer, or NaN if any element is; see sum()."
    ),
    _untyped(
        "argmin", "the index (int64) of the first smallest element, or of the first NaN; see sum()."
    ),
    _untyped(
        "argmax", "the index (int64) of the first largest element, or of the first NaN; see sum()."
    ),
    _untyped("any", "whether any element of a sharded buffer is not 0; see sum()."),
    _untyped("all", "whether no element of a sharded buffer is 0; see sum()."),
    _untyped(
        "count_nonzero",
        "the number (int64) of elements of a sharded buffer that are not 0; see sum().",
    ),
)


def reduce(
    self: DeviceGroup,
    buffer: Buffer,
    op: str | tuple[str, str],
    axis: int | None = None,
    out: Buffer | None = None,
) -> Buffer:
    """Return a reduction of a sharded buffer by an operator, in its type; see sum().

    `op` is as for kp.reduce: a name, or a GLSL expression over a and b and its identity.
    """
    _require_buffer("buffer", buffer)
    return _reduce(self, buffer, op, axis, buffer.dtype, out)


def sort(
    self: DeviceGroup, keys: Buffer, values: Buffer | None = None, *, descending: bool = False
) -> None:
    """Sort a sharded buffer of one dimension in place, as kp.OpSort: stable, NaN last.

    `values`, a buffer with the same shards and elements of 4 or 8 bytes, moves with the keys.
    """
    wait_all(self.sort_async(keys, values, descending=descending))


def matmul(self: DeviceGroup, a: Buffer, b: Buffer, out: Buffer | None = None) -> Buffer:
    """Return the product of matrices, sharded by rows as `a`.

    `a` is sharded. `b` is a matrix or a vector, replicated or sharded.
    """
    _require_buffer("a", a)
    _require_buffer("b", b)
    if out is None:
        out = Buffer(
            (*a.shape[:1], *b.shape[1:]),
            a.dtype,
            group=self,
            placement="sharded",
            shard_rows=_rows(a) if a.placement == "sharded" else None,
        )
    wait_all(self.matmul_into(a, b, out))
    return out


def install() -> None:
    """Add the functions of this module to DeviceGroup."""
    for method in (*_REDUCTIONS, reduce, sort, matmul):
        method.__qualname__ = f"DeviceGroup.{method.__name__}"
        setattr(DeviceGroup, method.__name__, method)

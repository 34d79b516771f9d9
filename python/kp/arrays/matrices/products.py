# SPDX-License-Identifier: Apache-2.0
"""NumPy's products of arrays: inner, outer, of Kronecker, and sums by subscripts (einsum)."""

from __future__ import annotations

import math
import string
from typing import Any

from numpy.typing import DTypeLike

from ..._axes import normalized
from ..._wording import counted
from ..array import Array, converted
from ..elementwise import apply, as_array, conj, into, manager_of, result_dtype
from ..groups.traits import by_rows
from ..reducing import reductions
from ..shapes.manipulation import (
    expand_dims,
    given,
    in_c_order,
    moveaxis,
    permute_dims,
    ravel,
    reshape,
    squeeze,
)
from ..types import number
from . import linear_algebra

__all__ = [
    "cross",
    "diagonal",
    "dot",
    "einsum",
    "inner",
    "kron",
    "matvec",
    "trace",
    "vdot",
    "vecmat",
]


@by_rows("products.dot")
def dot(a: Any, b: Any, out: Array | None = None) -> Array:
    """Return the sums of products over the last axis of a and the second to last one of b.

    This is the inner product of vectors, the product of matrices, and with a number, the multiple.
    """
    first, second = _pair(a, b)
    if not first.ndim or not second.ndim:
        result = apply("multiply", first, second)
    elif first.ndim <= 2 and second.ndim <= 2:
        result = linear_algebra.matmul(first, second)
    else:
        axis = -1 if second.ndim == 1 else -2
        result = linear_algebra.tensordot(first, second, axes=((-1,), (axis,)))
    return into(out, result)


def _pair(a: Any, b: Any) -> tuple[Array, Array]:
    manager = manager_of(a, b)
    return as_array(a, manager), as_array(b, manager)


def inner(a: Any, b: Any) -> Array:
    """Return the sums of products over the last axes of both arrays."""
    first, second = _pair(a, b)
    if not first.ndim or not second.ndim:
        return apply("multiply", first, second)
    return linear_algebra.tensordot(first, second, axes=((-1,), (-1,)))


def vdot(a: Any, b: Any) -> Array:
    """Return the inner product of the flat arrays, the first one conjugated."""
    first, second = _pair(a, b)
    if first.size != second.size:
        raise ValueError(
            f"vdot takes as many elements twice, but there are {first.size} and {second.size}"
        )
    return linear_algebra.vecdot(ravel(first), ravel(second))


def matvec(x1: Any, x2: Any, /) -> Array:
    """Return the products of matrices with vectors. Stacks of both broadcast."""
    return squeeze(linear_algebra.matmul(x1, expand_dims(x2, axis=-1)), axis=-1)


def vecmat(x1: Any, x2: Any, /) -> Array:
    """Return the products of conjugated vectors with matrices. Stacks of both broadcast."""
    rows = expand_dims(given(x1), axis=-2)
    rows = conj(rows) if rows._dtype.kind == "c" else rows
    return squeeze(linear_algebra.matmul(rows, x2), axis=-2)


def kron(a: Any, b: Any) -> Array:
    """Return the Kronecker product: all of b in place of each element of a, times that element."""
    first, second = _pair(a, b)
    ndim = first.ndim if first.ndim > second.ndim else second.ndim
    shape_a = (1,) * (ndim - first.ndim) + first.shape
    shape_b = (1,) * (ndim - second.ndim) + second.shape
    left = reshape(first, tuple(e for extent in shape_a for e in (extent, 1)))
    right = reshape(second, tuple(e for extent in shape_b for e in (1, extent)))
    whole = tuple(x * y for x, y in zip(shape_a, shape_b, strict=True))
    return reshape(apply("multiply", left, right), whole)


def cross(
    a: Any, b: Any, axisa: int = -1, axisb: int = -1, axisc: int = -1, axis: int | None = None
) -> Array:
    """Return the cross products of vectors of 3 elements, along axes of a, of b and of the result."""
    if axis is not None:
        axisa = axisb = axisc = axis
    first, second = _pair(a, b)
    left, right = moveaxis(first, axisa, -1), moveaxis(second, axisb, -1)
    return in_c_order(moveaxis(linear_algebra.cross(left, right), -1, axisc))


@by_rows(view=True)
def diagonal(a: Any, offset: int = 0, axis1: int = 0, axis2: int = 1) -> Array:
    """Return a view of the diagonals of the matrices along two axes, as the last axis."""
    return linear_algebra.diagonal(_matrices(a, axis1, axis2), offset=offset)


def trace(
    a: Any,
    offset: int = 0,
    axis1: int = 0,
    axis2: int = 1,
    dtype: DTypeLike | None = None,
    out: Array | None = None,
) -> Array:
    """Return the sums of the diagonals of the matrices along two axes."""
    total = linear_algebra.trace(_matrices(a, axis1, axis2), offset=offset, dtype=dtype)
    return into(out, total)


def _matrices(a: Any, axis1: int, axis2: int) -> Array:
    array = given(a)
    if array.ndim < 2:
        raise ValueError(f"an array with a diagonal has at least 2 axes, not {array.ndim}")
    first, second = normalized(axis1, array.ndim), normalized(axis2, array.ndim)
    if first == second:
        raise ValueError("axis1 and axis2 are different axes")
    return moveaxis(array, (first, second), (-2, -1))


# --- einsum ---------------------------------------------------------------------------------------


def einsum(
    subscripts: str,
    /,
    *operands: Any,
    out: Array | None = None,
    dtype: DTypeLike | None = None,
    optimize: Any = False,
) -> Array:
    """Return sums of products of arrays, whose axes are named by letters.

    ``kp.einsum("ij,jk->ik", a, b)`` is the product of matrices: letters that are missing after the
    arrow are summed over. Without an arrow, the result has the letters that occur once, in
    alphabetical order. "..." stands for any axes. Arrays are multiplied two at a time, from the
    left, as matrices, regardless of `optimize`. They are converted to `dtype` first.
    """
    if not isinstance(subscripts, str):
        raise TypeError("einsum takes subscripts first, as in kp.einsum('ij,jk->ik', a, b)")
    manager = manager_of(*operands)
    arrays = [as_array(each, manager) for each in operands]
    names, wanted = _subscripts(subscripts, arrays)
    kinds = [each._dtype for each in arrays]
    kind = number(dtype).dtype if dtype else result_dtype(*kinds, manager=manager)
    parts = [
        _without_repeats(converted(array, kind), name)
        for array, name in zip(arrays, names, strict=True)
    ]
    _check_extents(parts)
    array, name = parts[0]
    for i, (other, letters) in enumerate(parts[1:], 1):
        later = {letter for _, each in parts[i + 1 :] for letter in each} | set(wanted)
        array, name = _contracted(array, name, other, letters, later)
    array, name = _summed(array, name, set(wanted))
    result = permute_dims(array, tuple(name.index(letter) for letter in wanted))
    # An operand without summed axes may stay a view, as in NumPy. Others stay expressions, which
    # become a part of the sum's kernel.
    whole = len(arrays) == 1 and set(names[0]) == set(wanted)
    if not whole or result._memory_id != arrays[0]._memory_id:
        result = in_c_order(result)
    return into(out, result)


def _subscripts(subscripts: str, arrays: list[Array]) -> tuple[list[str], str]:
    """Return a letter for each axis of the operands and of the result."""
    text = subscripts.replace(" ", "")
    inputs, arrow, output = text.partition("->")
    names = inputs.split(",")
    if len(names) != len(arrays):
        raise ValueError(
            f"{subscripts!r} names {counted(len(names), 'array')}, but was given {len(arrays)}"
        )
    free = [letter for letter in string.ascii_letters if letter not in text]
    most = 0
    for i, (name, array) in enumerate(zip(names, arrays, strict=True)):
        before, dots, after = name.partition("...")
        count = array.ndim - len(before) - len(after) if dots else 0
        if count < 0 or len(before) + len(after) + count != array.ndim:
            raise ValueError(f"{name!r} does not fit an array of the shape {array.shape}")
        names[i] = before + "".join(free[len(free) - count :]) + after
        most = count if count > most else most
    batch = "".join(free[len(free) - most :]) if most else ""
    everything = "".join(names)
    if not arrow:
        once = sorted(
            letter
            for letter in set(everything)
            if everything.count(letter) == 1 and letter not in batch
        )
        output = batch + "".join(once)
    else:
        output = output.replace("...", batch)
    for letter in output:
        if letter.isalpha() and letter not in everything:
            raise ValueError(f"{letter!r} is in no input of {subscripts!r}, only after the arrow")
        if output.count(letter) > 1:
            raise ValueError(f"{letter!r} occurs more than once after the arrow of {subscripts!r}")
    wrong = [each for each in everything + output if not (each.isalpha() and each.isascii())]
    if wrong:
        raise ValueError(
            f"{subscripts!r} are not subscripts, which are letters, commas, '...' and one '->'"
        )
    return names, output


def _without_repeats(x: Array, name: str) -> tuple[Array, str]:
    """Return the diagonal of axes of one letter."""
    if len(set(name)) == len(name):
        return x, name
    view = x.evaluate()
    letters = "".join(dict.fromkeys(name))
    shape, strides = [], []
    for letter in letters:
        axes = [axis for axis, each in enumerate(name) if each == letter]
        if len({view.shape[axis] for axis in axes}) > 1:
            raise ValueError(f"the axes named {letter!r} of one array have different extents")
        shape.append(view.shape[axes[0]])
        strides.append(sum(view._strides[axis] for axis in axes))
    return view._strided(view._offset, shape, strides, False), letters


def _check_extents(parts: list[tuple[Array, str]]) -> None:
    extents: dict[str, int] = {}
    for array, name in parts:
        for letter, extent in zip(name, array.shape, strict=True):
            known = extents.get(letter, 1)
            if 1 not in (known, extent) and known != extent:
                raise ValueError(f"axes named {letter!r} have {known} and {extent} elements")
            extents[letter] = extent if known == 1 else known


def _summed(x: Array, name: str, kept: set[str]) -> tuple[Array, str]:
    """Sum over the axes that are no longer needed."""
    axes = tuple(axis for axis, letter in enumerate(name) if letter not in kept)
    if not axes:
        return x, name
    if x._dtype.kind == "b":
        total = reductions.any(x, axes)
    else:
        total = reductions.sum(x, axes, dtype=x._dtype)
    return total, "".join(letter for letter in name if letter in kept)


def _contracted(a: Array, ia: str, b: Array, ib: str, kept: set[str]) -> tuple[Array, str]:
    """Multiply two arrays as stacks of matrices, and sum over axes that are no longer needed."""
    a, ia = _summed(a, ia, kept | set(ib))
    b, ib = _summed(b, ib, kept | set(ia))
    size = dict(zip(ia, a.shape, strict=True))
    other = dict(zip(ib, b.shape, strict=True))
    shared = [letter for letter in ia if letter in other]
    inner = [letter for letter in shared if letter not in kept]
    if not inner or [letter for letter in shared if size[letter] != other[letter]]:
        return _summed(*_multiplied(a, ia, b, ib), kept)
    stack = [letter for letter in shared if letter in kept]
    rows = [letter for letter in ia if letter not in other]
    columns = [letter for letter in ib if letter not in size]

    def matrices(x: Array, name: str, groups: tuple[list[str], ...]) -> Array:
        order = [name.index(letter) for group in groups for letter in group]
        extents = size | other
        shape = tuple(math.prod(extents[letter] for letter in group) for group in groups)
        return reshape(permute_dims(x, order), shape)

    left, right = matrices(a, ia, (stack, rows, inner)), matrices(b, ib, (stack, inner, columns))
    product = linear_algebra.matmul(left, right)
    letters = "".join([*stack, *rows, *columns])
    extents = size | other
    return reshape(product, tuple(extents[letter] for letter in letters)), letters


def _multiplied(a: Array, ia: str, b: Array, ib: str) -> tuple[Array, str]:
    """Multiply elements that have the same letters."""
    letters = ia + "".join(letter for letter in ib if letter not in ia)

    def wide(x: Array, name: str) -> Array:
        order = [name.index(letter) for letter in letters if letter in name]
        missing = tuple(i for i, letter in enumerate(letters) if letter not in name)
        moved = permute_dims(x, order)
        return expand_dims(moved, axis=missing) if missing else moved

    return apply("multiply", wide(a, ia), wide(b, ib)), letters

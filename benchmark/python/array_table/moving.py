# SPDX-License-Identifier: Apache-2.0
"""Functions that move, join and reshape, and compute nothing."""

from __future__ import annotations

from collections.abc import Iterator

from .cases import Case, cases

SIZES = "int8 float16 float32 float64 complex128"


def copies() -> Iterator[Case]:
    family = "copies"
    yield from cases(family, "x.copy()", SIZES)
    yield from cases(family, "x.copy()", "float32", "strided transposed")
    yield from cases(family, "x.copy()", "int8 float64", "transposed")
    yield from cases(family, ("x[::-1].copy()", "x[1:-1].copy()", "x[::7].copy()"), "float32")
    yield from cases(family, ("x[:, ::-1].copy()", "x[::2, ::2].copy()", "x[:, 3].copy()", "x[3].copy()",
                              "x[1:-1, 1:-1].copy()"), "float32", "rows")  # fmt: skip
    yield from cases(family, "xp.moveaxis(x, 0, 2).copy()", "float32", "cube")
    yield from cases(family, "xp.swapaxes(x, 0, 1).copy()", "float32", "cube")
    yield from cases(family, "xp.transpose(x, (2, 1, 0)).copy()", "float32", "cube")
    yield from cases(family, "xp.permute_dims(x, (1, 2, 0)).copy()", "float32", "cube",
                     others=("xp.transpose(x, (1, 2, 0)).copy()",))  # fmt: skip
    yield from cases(family, "xp.rollaxis(x, 2).copy()", "float32", "cube")
    yield from cases(family, "xp.matrix_transpose(x).copy()", "float32", "rows cube",
                     others=("xp.swapaxes(x, -1, -2).copy()",))  # fmt: skip
    for name in ("flip", "fliplr", "flipud", "rot90"):
        yield from cases(family, f"xp.{name}(x).copy()", "float32", "rows")
    yield from cases(family, "xp.flip(x).copy()", "float32 int8 float64")
    yield from cases(family, "xp.broadcast_to(vector, (side, side)).copy()", "float32")
    yield from cases(family, "xp.ascontiguousarray(x)", "float32 float64", "strided transposed")
    for other in ("int8", "int32", "int64", "float16", "float64", "complex64", "bool"):
        yield from cases(
            family, f"xp.astype(x, '{other}')", "float32", others=(f"x.astype('{other}')",), high=9
        )
    yield from cases(
        family, "x.astype('float32')", "int8 uint8 int32 int64 float16 float64 bool", high=9
    )


def shapes() -> Iterator[Case]:
    family = "views"
    yield from cases(family, ("xp.reshape(x, (-1, 64))", "xp.ravel(x)", "xp.expand_dims(x, 1)", "x[::2]",
                              "xp.broadcast_to(x, (3, n))", "xp.atleast_1d(x)", "xp.atleast_2d(x)",
                              "xp.atleast_3d(x)", "xp.broadcast_arrays(x, y)", "xp.asarray(x)",
                              "xp.asanyarray(x)", "x[None, :]"))  # fmt: skip
    yield from cases(family, ("xp.transpose(x)", "xp.squeeze(x[None])", "x.T", "x.mT", "xp.diagonal(x)",
                              "xp.flatten(x)", "x[..., 0]"), "float32", "rows", others=("x.flatten()",))  # fmt: skip
    yield from cases(
        family,
        "xp.sliding_window_view(x, 5)",
        others=("xp.lib.stride_tricks.sliding_window_view(x, 5)",),
    )
    yield from cases("copies", "xp.sliding_window_view(x, 8).sum(axis=-1)",
                     others=("xp.lib.stride_tricks.sliding_window_view(x, 8).sum(axis=-1)",))  # fmt: skip
    yield from cases(family, ("xp.split(x, 4)", "xp.array_split(x, 5)"))
    yield from cases(family, ("xp.hsplit(x, 4)", "xp.vsplit(x, 4)"), "float32", "rows")
    yield from cases(family, "xp.dsplit(x, 4)", "float32", "cube")
    yield from cases(family, "xp.unstack(features)", others=("tuple(features)",))


def joins() -> Iterator[Case]:
    family = "joins"
    yield from cases(family, "xp.concatenate([x, y])", "int8 float16 float32 float64")
    yield from cases(family, "xp.concatenate([x, y], axis=1)", "float32", "rows")
    yield from cases(family, ("xp.concat([x, y])", "xp.stack([x, y])", "xp.hstack([x, y])", "xp.vstack([x, y])",
                              "xp.dstack([x, y])", "xp.column_stack([x, y])", "xp.append(x, y)",
                              "xp.block([x, y])"), others=("xp.concatenate([x, y])",))  # fmt: skip
    yield from cases(family, ("xp.stack([x, y], axis=1)", "xp.stack([x, y, x, y], axis=-1)"))
    yield from cases(family, ("xp.hstack([x, y])", "xp.vstack([x, y])", "xp.block([[x, y], [y, x]])"), "float32", "rows",
                     others=("xp.concatenate([xp.concatenate([x, y], 1), xp.concatenate([y, x], 1)])",))  # fmt: skip
    yield from cases(
        family, ("xp.repeat(x, 2)", "xp.tile(x, 2)", "xp.resize(x, 2 * n)"), "float32 int8"
    )
    yield from cases(family, "xp.repeat(x, counts)", others=("xp.repeat(x, counts.tolist())",))
    yield from cases(family, "xp.repeat(x, 2, axis=axis)", "float32", "rows columns")
    yield from cases(family, "xp.tile(x, (2, 2))", "float32", "rows")
    yield from cases(
        family,
        "xp.insert(x, 5, 1.0)",
        others=("xp.concatenate([x[:5], xp.ones(1, x.dtype), x[5:]])",),
    )
    yield from cases(family, "xp.delete(x, 5)")
    yield from cases(
        family, "xp.delete(x, slice(3, 9))", others=("xp.concatenate([x[:3], x[9:]])",)
    )
    yield from cases(family, "xp.trim_zeros(zeroed)", "float32 int32")
    yield from cases(family, "xp.roll(x, 5)", "float32 float64 int8")
    yield from cases(
        family,
        ("xp.roll(x, 1, axis=axis)", "xp.roll(x, (1, 2), axis=(0, 1))"),
        "float32",
        "rows columns",
    )
    yield from cases(family, ("xp.roll(x, 1, 0) + xp.roll(x, -1, 0) + xp.roll(x, 1, 1) + xp.roll(x, -1, 1) - 4 * x",), "float32", "rows")  # fmt: skip
    yield from cases(family, "xp.pad(x, 3)", "float32 float64", "flat rows")
    for mode in ("edge", "reflect", "wrap", "symmetric"):
        yield from cases(family, f"xp.pad(x, 3, mode='{mode}')", "float32", "rows")
    yield from cases(family, ("xp.tril(x)", "xp.triu(x, 1)"), "float32 float64", "rows")


def table() -> Iterator[Case]:
    """Yield all of them."""
    for part in (copies, shapes, joins):
        yield from part()

# SPDX-License-Identifier: Apache-2.0
"""Indices, masks and assignments."""

from __future__ import annotations

from collections.abc import Iterator

from .cases import Case, cases


def reads() -> Iterator[Case]:
    family = "indexing"
    yield from cases(family, "x[places]", "int8 float16 float32 float64 int64 complex64")
    yield from cases(family, ("x[places32]", "x[few]", "xp.take(x, places)", "xp.take(x, few)"))
    yield from cases(family, "x[mask]", "int8 float32 float64 complex64")
    yield from cases(family, ("x[rarely]", "x[x > 0.5]", "x[~mask]"))
    yield from cases(family, "x[mask]", "float32", "rows")
    yield from cases(family, ("x[lines]", "x[:, lines]", "x[lines, lines]", "x[lines[:, None], lines]", "x[keep]",
                              "x[lines, 3]", "xp.take(x, lines, axis=axis)", "x[xp.ix_(lines, lines)]"),
                     "float32", "rows")  # fmt: skip
    yield from cases(
        family,
        ("xp.take(x, lines, axis=axis)", "xp.compress(keep, x, axis=axis)"),
        "float32",
        "columns",
    )
    yield from cases(
        family, ("xp.compress(keep, x, axis=axis)", "xp.extract(mask, x)"), "float32", "rows"
    )
    yield from cases(family, ("xp.compress(mask, x)", "xp.extract(x > 0.5, x)"), "float32 float64")
    yield from cases(
        family,
        "xp.take_along_axis(x, xp.argsort(x, axis=axis), axis=axis)",
        "float32",
        "rows columns",
    )
    yield from cases(
        family, ("xp.nonzero(mask)", "xp.flatnonzero(mask)", "xp.argwhere(mask)", "xp.where(mask)")
    )
    yield from cases(family, ("xp.nonzero(mask)", "xp.argwhere(mask)"), "float32", "rows cube")
    yield from cases(family, "xp.nonzero(x)", "float32 int32 bool")
    yield from cases(family, "xp.choose(chosen, [x, y, x, y])", "float32 int32")
    yield from cases(family, "xp.select([x > 0.7, x > 0.3], [x, y], 0)", "float32 float64")
    yield from cases(family, "xp.piecewise(x, [x > 0.5, x <= 0.5], [1.0, 2.0])")
    yield from cases(
        family,
        "xp.stable_partition(mask, x)",
        check="r[0]",
        others=("(xp.concatenate([x[mask], x[~mask]]), 0)",),
    )
    yield from cases(family, ("xp.unravel_index(places, (side, n // side))",
                              "xp.ravel_multi_index((places // side, places % side), (n // side, side))"))  # fmt: skip
    yield from cases(
        family, ("x[3]", "x[-1]", "x.item(3)"), others=("x[3].item()",), other_types=True
    )
    yield from cases(family, ("x[2, 3]", "x[2]", "x[:, 2]"), "float32", "rows")


def writes() -> Iterator[Case]:
    family = "assignments"
    yield from cases(family, "x[:] = y", "int8 float16 float32 float64 complex64")
    yield from cases(family, ("x[:] = 0", "x[::2] = 1", "x[1:] = y[:-1]", "x[::-1] = y", "x[mask] = 0", "x[rarely] = y[rarely]",
                              "x[places] = y", "x[places] = 0", "x[places32] = y", "x[x > 0.5] = 0.5", "x[3] = 1",
                              "x[places] += 1", "x[mask] *= 0.5"))  # fmt: skip
    yield from cases(family, ("x[mask] = 0", "x[places] = y"), "int8 float64 complex64")
    yield from cases(family, ("x[2] = 1", "x[:, 2] = 1", "x[1:-1, 1:-1] = y[1:-1, 1:-1]", "x[lines] = y", "x[:, lines] = y",
                              "x[keep] = 0", "x[lines, lines] = 0", "x[:] = y.T", "x[:] = vector",
                              "x[1:-1] = (y[2:] + y[:-2]) / 2"), "float32", "rows")  # fmt: skip
    yield from cases(family, ("x[:, :, 1] = 0", "x[1] = y[2]"), "float32", "cube")
    for text in ("xp.put(x, places, y)", "xp.putmask(x, mask, y)", "xp.place(x, mask, y)", "xp.copyto(x, y)",
                 "xp.copyto(x, y, where=mask)"):  # fmt: skip
        yield from cases(family, f"{text}; x", changes=True)
    yield from cases(family, "xp.fill_diagonal(x, 1); x", "float32", "rows", changes=True)
    yield from cases(
        family,
        "xp.put_along_axis(x, xp.argmax(x, axis=1, keepdims=True), 0, 1); x",
        "float32",
        "rows",
        changes=True,
    )


def table() -> Iterator[Case]:
    """Yield all of them."""
    for part in (reads, writes):
        yield from part()

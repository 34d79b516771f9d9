# SPDX-License-Identifier: Apache-2.0
"""Sorts, searches and sets."""

from __future__ import annotations

from collections.abc import Iterator

from .cases import Case, cases


def sorts() -> Iterator[Case]:
    family = "sorts"
    yield from cases(
        family,
        "xp.sort(x)",
        "int8 uint8 int16 int32 int64 float16 float32 float64",
        low=-100,
        high=100,
    )
    yield from cases(family, "xp.sort(x)", "bool")
    yield from cases(family, "xp.sort(x)", "complex64", refused=True)
    yield from cases(family, "xp.sort(x, axis=axis)", "float32", "rows columns narrow cube")
    yield from cases(family, "xp.sort(x)", "float32", "strided")
    yield from cases(family, ("xp.sort(few)", "xp.sort(ordered)"))
    # Ties may come in any order: the elements in that order are compared.
    yield from cases(
        family,
        "xp.argsort(x)",
        "int8 int32 int64 float32 float64",
        low=-100,
        high=100,
        check="x[r]",
    )
    yield from cases(
        family, "xp.argsort(x, axis=axis)", "float32", "rows columns", check="np.take_along_axis(x, r, axis)")  # fmt: skip
    yield from cases(family, "xp.lexsort((x, few))", "float32", check="(few[r], x[r])",
                     others=("xp.lexsort(xp.stack([x, few]))",))  # fmt: skip
    yield from cases(
        family,
        "xp.partition(x, n // 2)",
        "float32 int32",
        high=1000,
        check="np.array(r[len(r) // 2])",
    )
    yield from cases(family, "xp.argpartition(x, 10)", "float32", check="np.sort(x[r[:10]])")
    yield from cases(family, "xp.top_k(x, 100)", "float32 int32", high=1e6, check="np.sort(r[0]) if isinstance(r, list) else r",
                     others=("xp.sort(xp.partition(x, -100)[-100:])",), other_types=True)  # fmt: skip


def searches() -> Iterator[Case]:
    family = "searches"
    yield from cases(family, "xp.searchsorted(ordered, x)", "float32 float64 int32", high=1e6)
    yield from cases(
        family,
        ("xp.searchsorted(edges, x)", "xp.searchsorted(edges, x, side='right')"),
        "float32 float64",
    )
    yield from cases(family, ("xp.digitize(x, edges)",), "float32 float64")
    yield from cases(family, "xp.interp(x, edges, heights)", "float32 float64", other_types=True)
    yield from cases(family, ("xp.isin(few, some)", "xp.isin(few, groups)"))


def sets() -> Iterator[Case]:
    family = "sets"
    yield from cases(
        family, ("xp.unique(few)", "xp.unique(groups)", "xp.unique(x)", "xp.unique(ordered)")
    )
    yield from cases(family, "xp.unique(x)", "int8 int64 float64", low=-1e6, high=1e6)
    yield from cases(family, ("xp.unique(few, return_counts=True)", "xp.unique(few, return_inverse=True)",
                              "xp.unique(few, return_index=True, return_inverse=True, return_counts=True)"),
                     check="r[0]")  # fmt: skip
    yield from cases(
        family, "xp.unique_values(few)", check="np.sort(r)", others=("xp.unique(few)",)
    )
    yield from cases(
        family, "xp.unique_counts(few)", others=("xp.unique(few, return_counts=True)",)
    )
    yield from cases(
        family, "xp.unique_inverse(few)", others=("xp.unique(few, return_inverse=True)",)
    )
    yield from cases(family, "xp.unique_all(few)", others=("xp.unique(few, True, True, True)",))
    yield from cases(family, ("xp.union1d(few, some)", "xp.intersect1d(few, some)", "xp.setdiff1d(few, some)",
                              "xp.setxor1d(few, some)", "xp.intersect1d(few, groups)"))  # fmt: skip
    yield from cases(family, "xp.run_lengths(ordered)", "int32", high=1000,
                     others=("xp.unique(ordered, return_counts=True)",), other_types=True)  # fmt: skip


def table() -> Iterator[Case]:
    """Yield all of them."""
    for part in (sorts, searches, sets):
        yield from part()

# SPDX-License-Identifier: Apache-2.0
"""Reductions and scans."""

from __future__ import annotations

from collections.abc import Iterator

from .cases import Case, cases
from .inputs import WIDTHS

REDUCTIONS = "sum prod mean max min any all argmax argmin std var count_nonzero ptp median"
WITHOUT_NANS = "nansum nanprod nanmean nanmax nanmin nanargmax nanargmin nanstd nanvar nanmedian"
#: Axes of x along which it is reduced: all, or one.
ALONG = "rows columns cube narrow tall"


def reductions() -> Iterator[Case]:
    family = "reductions"
    for name in REDUCTIONS.split():
        low = 0.999 if name == "prod" else 0.0
        high = 1.001 if name == "prod" else 1.0
        most = 1 << 24
        yield from cases(
            family, f"xp.{name}(x)", "float32 float64", "flat", low=low, high=high, most=most
        )
        forms = ALONG if name in ("sum", "max", "mean", "argmax") else "rows columns cube"
        yield from cases(family, f"xp.{name}(x, axis=axis)", "float32", forms, low=low, high=high)
    for width in WIDTHS:
        texts = f"xp.sum(by{width}, axis=0)", f"xp.sum(by{width}, axis=1)"
        yield from cases(family, texts, "float32")
    yield from cases(family, "xp.argmin(x, axis=axis)", "float64 int32", "rows columns")
    for name in ("sum", "max", "mean", "std", "argmax"):
        yield from cases(family, f"xp.{name}(x)", "float32", "strided transposed")
        yield from cases(family, f"xp.{name}(x)", "int8 uint8 int16 int32 int64", high=100)
        if name != "std":  # NumPy's overflows
            yield from cases(family, f"xp.{name}(x)", "float16")
        yield from cases(
            family, f"xp.{name}(x, axis=axis)", "float64 int32", "rows columns", high=100
        )
    yield from cases(
        family, ("xp.sum(x)", "xp.mean(x)", "xp.prod(x)"), "complex64", low=0.9, high=0.91
    )
    yield from cases(family, ("xp.any(x)", "xp.all(x)", "xp.sum(x)", "xp.count_nonzero(x)"), "bool")
    yield from cases(family, "xp.sum(x, axis=(0, 2))", "float32", "cube")
    yield from cases(
        family, ("(x * y).sum()", "((x - y) ** 2).mean()", "xp.sum(x > 0.5)"), "float32 float64"
    )
    yield from cases(family, "(x * y).sum(axis=axis)", "float32", "rows columns")
    yield from cases(family, "xp.max(x, axis=axis, keepdims=True)", "float32", "rows columns")
    yield from cases(family, ("xp.average(x)", "xp.average(x, weights=y)"), "float32 float64")
    yield from cases(family, ("xp.percentile(x, 90)", "xp.quantile(x, 0.25)"), "float32 float64")
    yield from cases(family, "xp.percentile(x, 90, axis=axis)", "float32", "rows columns")
    yield from cases(family, "xp.trapezoid(x)", "float32 float64", others=("xp.trapz(x)",))
    yield from cases(
        family,
        ("xp.allclose(x, y)", "xp.array_equal(x, y)", "xp.array_equiv(x, y)"),
        "float32 int32",
    )
    yield from cases(family, "xp.reduce(x, 'sum')", "float32", others=("xp.sum(x)",))


def with_nans() -> Iterator[Case]:
    family = "reductions without NaN"
    for name in WITHOUT_NANS.split():
        low, high = (0.999, 1.001) if name == "nanprod" else (0.0, 1.0)
        yield from cases(family, f"xp.{name}(nans)", "float32 float64", low=low, high=high)
        if name != "nanprod":
            yield from cases(family, f"xp.{name}(nans, axis=axis)", "float32", "rows columns")
    yield from cases(
        family, ("xp.nanpercentile(nans, 90)", "xp.nanquantile(nans, 0.25)"), "float32 float64"
    )
    yield from cases(family, "xp.nan_to_num(nans)", "float32 float64")
    yield from cases(
        family, ("xp.nancumsum(nans)", "xp.nancumprod(nans)"), "float32", low=0.999, high=1.001
    )


def scans() -> Iterator[Case]:
    family = "scans"
    yield from cases(
        family, "xp.cumsum(x)", "float32 float64 int32 int64 complex64", high=10, tolerance=1e-3
    )
    yield from cases(
        family, "xp.cumprod(x)", "float32 float64", low=0.9999, high=1.0001, tolerance=1e-2
    )
    yield from cases(
        family, "xp.cumsum(x, axis=axis)", "float32 int32", ALONG, high=10, tolerance=1e-3
    )
    yield from cases(
        family, "xp.cumprod(x, axis=axis)", "float32", "rows columns", low=0.999, high=1.001
    )
    yield from cases(family, "xp.cumsum(x)", "int8 bool", high=3)
    # NumPy rounds each sum to half precision, so later ones are far off.
    yield from cases(family, "xp.cumsum(x)", "float16", check="r[:256]")
    yield from cases(family, "xp.cumsum(x)", "float32", "strided", tolerance=1e-3)
    for name, old in (("cumulative_sum", "cumsum"), ("cumulative_prod", "cumprod")):
        yield from cases(
            family, f"xp.{name}(x)", low=0.9999, high=1.0001, tolerance=1e-2, others=(f"xp.{old}(x)",))  # fmt: skip
    yield from cases(family, "xp.scan(x, 'sum')", tolerance=1e-3, others=("xp.cumsum(x)",))
    yield from cases(family, ("xp.diff(x)", "xp.ediff1d(x)"), "float32 float64 int32", high=100)
    yield from cases(family, "xp.diff(x, axis=axis)", "float32", "rows columns")
    yield from cases(family, "xp.gradient(x)", "float32 float64")
    yield from cases(family, "xp.gradient(x)", "float32", "rows cube")
    yield from cases(family, "xp.unwrap(x)", "float32 float64", low=-9, high=9, tolerance=1e-2)


def table() -> Iterator[Case]:
    """Yield all of them."""
    for part in (reductions, with_nans, scans):
        yield from part()

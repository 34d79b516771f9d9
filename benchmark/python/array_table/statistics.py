# SPDX-License-Identifier: Apache-2.0
"""Counts, histograms, covariances, filters and polynomials."""

from __future__ import annotations

from collections.abc import Iterator

from .cases import Case, cases


def table() -> Iterator[Case]:
    """Yield all of them."""
    family = "statistics"
    yield from cases(
        family, ("xp.bincount(few)", "xp.bincount(groups)", "xp.bincount(few, minlength=5000)")
    )
    yield from cases(family, ("xp.bincount(few, x)", "xp.bincount(groups, x)"), "float32 float64")
    yield from cases(
        family, ("xp.histogram(x, 100, (0, 1))", "xp.histogram(x)"), "float32 float64", check="r[0]"
    )
    yield from cases(family, "xp.histogram(x, edges)", "float32", check="r[0]")
    yield from cases(family, "xp.histogram(x, 16, (0, 100))", "uint8 int32", high=100, check="r[0]")
    yield from cases(
        family, "xp.histogram(x, 50, (0, 1), weights=y)", check="r[0]", other_types=True
    )
    yield from cases(family, "xp.histogram2d(x, y, 20, [[0, 1], [0, 1]])", check="r[0]")
    yield from cases(family, "xp.histogramdd((x, y), 20, [[0, 1], [0, 1]])", check="r[0]")
    yield from cases(
        family,
        "xp.histogram_bin_edges(x, 10)",
        others=("xp.linspace(x.min(), x.max(), 11)",),
        other_types=True,
    )
    yield from cases(
        family, ("xp.cov(features)", "xp.corrcoef(features)"), "float32 float64", tolerance=2e-3
    )
    family = "filters and polynomials"
    yield from cases(family, ("xp.convolve(x, window)", "xp.convolve(x, window, 'same')",
                              "xp.correlate(x, window, 'valid')"), "float32 float64")  # fmt: skip
    yield from cases(family, "xp.convolve(x, y)", "float32", most=1 << 17, tolerance=1e-3)
    yield from cases(family, "xp.polyval(window, x)", "float32 float64")
    yield from cases(family, "xp.polyfit(x, y, 3)", "float64", tolerance=1e-4)
    yield from cases(family, "xp.vander(vector, 8)", "float32 float64")
    yield from cases(
        family, "xp.apply_along_axis(lambda row: row.sum(), 1, x)", "float32", "rows", most=1 << 14
    )

# SPDX-License-Identifier: Apache-2.0
"""Arrays made of nothing, of numbers, and of other arrays; and grids."""

from __future__ import annotations

from collections.abc import Iterator

from .cases import Case, cases


def table() -> Iterator[Case]:
    """Yield all of them."""
    family = "creation"
    for dtype in ("float32", "float64", "int8"):
        yield from cases(
            family,
            (f"xp.zeros(n, '{dtype}')", f"xp.ones(n, '{dtype}')", f"xp.full(n, 3, '{dtype}')"),
            dtype,
        )
    yield from cases(family, "xp.empty(n, 'float32')", check="")
    yield from cases(family, ("xp.zeros_like(x)", "xp.ones_like(x)", "xp.full_like(x, 2)"))
    yield from cases(family, "xp.empty_like(x)", check="")
    yield from cases(family, ("xp.arange(n)", "xp.arange(0, n, dtype='float32')", "xp.linspace(0, 1, n)",
                              "xp.linspace(0, 1, n, dtype='float32')", "xp.logspace(0, 3, n)", "xp.geomspace(1, 1000, n)",
                              "xp.eye(side)", "xp.identity(side)", "xp.tri(side)", "xp.indices((side, side))",
                              "xp.fromfunction(lambda i, j: i * 2 + j, (side, side))"), "float64")  # fmt: skip
    yield from cases(family, ("x + xp.arange(n)", "xp.sin(xp.linspace(0, 1, n)) * x"), "float64")
    yield from cases(family, ("x + xp.zeros(n, 'float32')", "x * xp.arange(n, dtype='float32')"))
    yield from cases(family, ("xp.meshgrid(vector, vector2)", "xp.ix_(lines, lines)"))
    yield from cases(family, ("xp.mgrid[0:side, 0:side]", "xp.ogrid[0:side, 0:side]"))
    yield from cases(family, ("xp.bartlett(n)", "xp.blackman(n)", "xp.hamming(n)", "xp.hanning(n)", "xp.kaiser(n, 8.6)"), "float64",
                     tolerance=1e-6)  # fmt: skip
    yield from cases(family, ("xp.diag_indices(side)", "xp.tril_indices(side)", "xp.triu_indices(side)",
                              "xp.diag_indices_from(square)", "xp.tril_indices_from(square)",
                              "xp.triu_indices_from(square)"), most=1 << 22)  # fmt: skip
    yield from cases(family, ("xp.array(x)", "xp.asarray(x, dtype='float64')", "xp.array([1.0, 2.0, 3.0])",
                              "xp.asarray([[1, 2], [3, 4]])"))  # fmt: skip
    yield from cases(family, "xp.from_dlpack(x)", "float32")
    yield from cases(
        "to and from the host", ("xp.asarray(given)", "xp.array(given)"), "float32 float64 int8"
    )
    yield from cases(
        "to and from the host",
        ("x.numpy()",),
        "float32 float64 int8",
        others=("x.get()", "x.copy()"),
    )

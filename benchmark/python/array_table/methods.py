# SPDX-License-Identifier: Apache-2.0
"""Methods of arrays that are not measured as functions: the time of the way to the function counts."""

from __future__ import annotations

from collections.abc import Iterator

from .cases import Case, cases


def table() -> Iterator[Case]:
    """Yield all of them."""
    family = "methods"
    for name in "sum mean max min prod std var any all argmax argmin cumsum cumprod".split():
        yield from cases(family, f"x.{name}()", low=0.9999, high=1.0001, tolerance=1e-3)
    yield from cases(family, ("x.round(1)", "x.clip(0.2, 0.8)", "x.compress(mask)", "x.conj()", "x.conjugate()",
                              "x.dot(y)", "x.flatten()", "x.nonzero()", "x.ravel()", "x.repeat(2)", "x.reshape(-1, 64)",
                              "x.take(places)", "x.squeeze()", "x.astype('float64')", "ordered.searchsorted(x)",
                              "x.real", "x.imag", "x.view('int32')"), tolerance=1e-3)  # fmt: skip
    yield from cases(family, ("x.real", "x.imag", "x.conj()"), "complex64")
    yield from cases(family, ("x.trace()", "x.diagonal()", "x.swapaxes(0, 1)", "x.transpose()", "x.sum(axis=axis)",
                              "x.max(axis=axis)"), "float32", "rows")  # fmt: skip
    yield from cases(family, "x.argsort()", check="x[r]")
    yield from cases(family, "chosen.choose([x, y, x, y])")
    yield from cases(family, ("x.fill(2); x", "x.sort(); x", "x.put(places, y); x"), changes=True)
    yield from cases(family, "x.partition(n // 2); x[n // 2]", changes=True)
    yield from cases(
        family,
        ("x.sum().item()", "float(x.sum())", "x.tolist()", "x.tobytes()"),
        most=1 << 18,
        tolerance=1e-3,
    )
    yield from cases(family, "x.get()", others=("x.copy()",))
    yield from cases(family, "(x + 1).evaluate()", others=("x + 1",))
    yield from cases(family, "x.tensor()", others=("x",))
    yield from cases(family, "x.to_device(x.device)", others=("x",))

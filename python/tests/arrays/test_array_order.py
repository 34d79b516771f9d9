# SPDX-License-Identifier: Apache-2.0
"""The order of the elements in memory: C, also where a function computed with moved axes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import kp

#: Functions of an array and an axis whose results are arrays of their own.
ALONG_AXES: dict[str, Callable[[Any, Any, int], Any]] = {
    "sort": lambda xp, x, axis: xp.sort(x, axis=axis),
    "argsort": lambda xp, x, axis: xp.argsort(x, axis=axis),
    "partition": lambda xp, x, axis: xp.partition(x, 1, axis=axis),
    "argpartition": lambda xp, x, axis: xp.argpartition(x, 1, axis=axis),
    "cumsum": lambda xp, x, axis: xp.cumsum(x, axis=axis),
    "cumprod": lambda xp, x, axis: xp.cumprod(x, axis=axis),
    "nancumsum": lambda xp, x, axis: xp.nancumsum(x, axis=axis),
    "nancumprod": lambda xp, x, axis: xp.nancumprod(x, axis=axis),
    "quantile": lambda xp, x, axis: xp.quantile(x, [0.25, 0.5], axis=axis),
    "percentile": lambda xp, x, axis: xp.percentile(x, [25, 50], axis=axis),
    "nanquantile": lambda xp, x, axis: xp.nanquantile(x, [0.25, 0.5], axis=axis),
    "cross": lambda xp, x, axis: xp.cross(x, x + 1, axisa=1, axisb=1, axisc=axis),
    "einsum": lambda xp, x, axis: xp.einsum(f"ijk->{('kj', 'ki', 'ji')[axis]}", x),
    "einsum of two": lambda xp, x, axis: xp.einsum("ijk,ijl->klj", x, x),
}


@pytest.mark.parametrize("axis", [0, 1, 2])
@pytest.mark.parametrize("name", [*ALONG_AXES, "top_k"])
def test_a_write_through_a_flat_view_reaches_a_result_computed_along_an_axis(
    mgr: kp.Manager, name: str, axis: int
) -> None:
    host = np.random.default_rng(3).integers(1, 9, (2, 3, 4)).astype(np.float32)
    x = kp.array(host, device=mgr)
    if name == "top_k":
        result = kp.top_k(x, 2, axis=axis)[0]
        expected = np.flip(np.sort(host, axis=axis), axis).take([0, 1], axis)
    else:
        result = ALONG_AXES[name](kp, x, axis)
        expected = np.array(ALONG_AXES[name](np, host, axis))
    if not name.startswith("arg"):
        np.testing.assert_allclose(result.numpy(), expected, rtol=1e-5)
    assert result.shape == expected.shape
    dense = np.empty(result.shape, result.dtype)
    assert result.strides == dense.strides
    before = result.numpy()
    for place, flat in enumerate((result.ravel(), result.reshape(-1), result.tensor())):
        if isinstance(flat, kp.Tensor):
            flat.write(np.array([99], result.dtype), offset=place)
        else:
            flat[place] = 99
        before.reshape(-1)[place] = 99
    np.testing.assert_array_equal(result.numpy(), before)


def test_einsum_that_computes_nothing_returns_a_view(mgr: kp.Manager) -> None:
    x = kp.zeros((2, 3), device=mgr)
    kp.einsum("ij->ji", x)[2, 1] = 5
    assert x.numpy()[1, 2] == 5

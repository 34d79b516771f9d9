# SPDX-License-Identifier: Apache-2.0
"""Values, shapes and dtypes of the array API standard, compared with array-api-strict's."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest

import kp

strict: Any = pytest.importorskip("array_api_strict")

RANDOM = np.random.default_rng(0)
ARRAYS: dict[str, Any] = {
    "a": RANDOM.normal(size=(3, 4, 5)).astype(np.float32),
    "i": RANDOM.integers(-5, 6, (4, 3)),
    "v": np.array([3, 1, 2, 1, 5], np.int32),
}
ARRAYS["b"] = ARRAYS["a"][0] > 0
ARRAYS["z"] = (ARRAYS["a"][:, :, 0] + 1j * ARRAYS["a"][:, :, 1]).astype(np.complex64)
ARRAYS["m"] = ARRAYS["a"][:, :4, :4]

#: Expressions of the namespace xp and the arrays.
SAME = """
xp.sort(a, axis=0, descending=True)
xp.argsort(v, descending=True, stable=True)
xp.cumulative_sum(a, axis=1, include_initial=True)
xp.cumulative_sum(v, dtype=xp.float32, include_initial=True)
xp.diff(v, prepend=xp.asarray([7], dtype=xp.int32), append=xp.asarray([1, 2], dtype=xp.int32))
xp.searchsorted(v, xp.asarray([1, 4], dtype=xp.int32), sorter=xp.argsort(v))
xp.take_along_axis(i, xp.argsort(i, axis=0), axis=0)
xp.repeat(v, xp.asarray([1, 0, 2, 1, 3]))
xp.tile(i, (2, 1, 2))
xp.roll(i, (1, -2), axis=(0, 1))
xp.unstack(a, axis=1)[2]
xp.concat([i, v[:3][None, :]], axis=0)
xp.meshgrid(v, v[:2], indexing="ij")[1]
xp.linspace(-3.5, 2, 4, dtype=xp.float64, endpoint=False)
xp.arange(10, 0, -3)
xp.eye(2, 4, k=2, dtype=xp.int8)
xp.tril(a, k=-1)
xp.clip(a, xp.zeros((4, 1), dtype=xp.float32), 1.0)
xp.var(a, axis=(0, 2), correction=1)
xp.sum(xp.astype(v, xp.uint8))
xp.all(a, axis=())
xp.argmin(a, keepdims=True)
xp.tensordot(a, a, axes=([0, 2], [0, 2]))
xp.vecdot(z, z, axis=-2)
xp.matmul(xp.ones((2, 1, 4, 3), dtype=xp.int64), xp.ones((5, 3, 2), dtype=xp.int64))
xp.where(b, 1, a[0, ...])
xp.moveaxis(a, (0, 1), (-1, 0))
xp.unique_all(v).indices
xp.unique_counts(z).counts
xp.unique_values(z)
xp.sign(z)
xp.divide(z, xp.zeros((1,), dtype=xp.complex64))
xp.sqrt(z)
a[1, ..., None, ::2]
a[0, ...][xp.asarray([0, 1]), xp.asarray([2, 3])]
i << 1
2 - a
xp.fft.rfft(a, n=8, axis=1, norm="ortho")
xp.fft.hfft(z)
xp.linalg.cross(a[:, :, :3], a[:, :, 1:4])
xp.linalg.diagonal(a, offset=1)
xp.linalg.vector_norm(a, ord=3, axis=2, keepdims=True)
xp.linalg.matrix_norm(a, keepdims=True)
xp.linalg.matrix_power(m, 3)
xp.linalg.matrix_power(m, -2)
xp.linalg.matrix_power(m, 0)
xp.linalg.inv(m)
xp.linalg.slogdet(m).logabsdet
xp.linalg.solve(m, m[:, :, :2])
xp.linalg.svdvals(a)
xp.linalg.qr(m).R
xp.linalg.eigh(m @ xp.matrix_transpose(m)).eigenvalues
xp.linalg.matrix_rank(m)
xp.linalg.eigvals(m)
xp.linalg.eigvals(xp.astype(m, xp.float64))
xp.linalg.eig(m @ xp.matrix_transpose(m)).eigenvalues
xp.linalg.eig(xp.eye(3)).eigenvectors
xp.expand_dims(v, axis=(0, -1))
xp.permute_dims(a, (-1, 0, 1))
xp.searchsorted(xp.sort(v), 2, side="right")
xp.isin(v, xp.asarray([1, 5], dtype=xp.int32))
xp.isin(v, 3)
"""

#: Expressions that are errors.
WRONG = """
xp.sum(a, axis=3)
xp.reshape(a, (7,))
xp.broadcast_to(i, (4, 4))
xp.concat([i, v])
xp.squeeze(a, axis=0)
xp.matmul(i, i)
xp.max(xp.zeros((0,)))
xp.permute_dims(a, (0, 1))
a[0, 0, 0, 0]
xp.sort(z)
xp.cumulative_sum(a)
xp.take(v, xp.asarray([9]))
a @ 2
xp.linalg.inv(a)
"""


def evaluated(xp: Any, text: str) -> Any:
    names = {name: xp.asarray(values) for name, values in ARRAYS.items()}
    return eval(text, {"xp": xp, **names})


@pytest.mark.parametrize("text", SAME.strip().splitlines())
def test_results_are_those_of_the_standard(text: str) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        expected = np.asarray(evaluated(strict, text))
    found = evaluated(kp, text).numpy()
    assert found.shape == expected.shape
    assert found.dtype == expected.dtype
    np.testing.assert_allclose(found, expected, rtol=1e-3, atol=1e-4)


@pytest.mark.parametrize("text", WRONG.strip().splitlines())
def test_errors_are_those_of_the_standard(text: str) -> None:
    with pytest.raises(Exception):  # noqa: B017, it says that these are errors there
        evaluated(strict, text)
    with pytest.raises((ValueError, TypeError, IndexError)):
        evaluated(kp, text)

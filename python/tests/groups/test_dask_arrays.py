# SPDX-License-Identifier: Apache-2.0
"""Dask arrays whose blocks are arrays on the device: Dask's functions give the same results as with
NumPy's."""

from __future__ import annotations

import pickle
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from group_support import make_group

import kp

da: Any = pytest.importorskip("dask.array")
kp_dask: Any = pytest.importorskip("kp.dask")

A = np.random.default_rng(1).normal(size=(20, 12)).astype(np.float32)

EXPRESSIONS: dict[str, Callable[[Any], Any]] = {
    "elementwise": lambda x: da.sqrt(da.absolute(x)) * 2 + x,
    "sums": lambda x: x.sum() + x.sum(axis=0),
    "moments": lambda x: x.mean(axis=1) + x.std() + x.var(axis=1),
    "extremes": lambda x: x.max(axis=0) - x.min(),
    "positions": lambda x: x.argmax(axis=0),
    "truth": lambda x: (x > 2).any(axis=0) | (x > -9).all(axis=0),
    "products": lambda x: x.T @ x + da.tensordot(x, x, axes=((0,), (0,))),
    "slices": lambda x: x[3:18:4, ::-1],
    "rows": lambda x: x[[5, 1, 15]] + x[0],
    "where": lambda x: da.where(x > 0, x, 0),
    "mask": lambda x: x[x > 0],
    "shapes": lambda x: da.concatenate([x, x], axis=1).rechunk((10, 5)).reshape(-1),
    "stack": lambda x: da.stack([x, x]),
    "running sum": lambda x: x.cumsum(axis=0),
    "overlap": lambda x: da.map_overlap(lambda b: b * 2, x, depth=1, boundary="reflect"),
    "largest": lambda x: da.topk(x[:, 0], 3),
    "places of the largest": lambda x: da.argtopk(x[:, 0], -3),
    "position of all": lambda x: x.argmax(),
    "members": lambda x: da.isin(x, [A[0, 0], A[1, 1]], assume_unique=True),
    "averages": lambda x: da.average(x, axis=0, weights=da.arange(20, chunks=7)),
    "bins": lambda x: da.digitize(x, np.array([-1, 0, 1.0])),
    "counts": lambda x: da.bincount((da.absolute(x[:, 0]) * 3).astype(np.int32), minlength=12),
    "spectra": lambda x: da.fft.fft(x.rechunk((20, 5)), axis=0).real,
    "half spectra": lambda x: da.fft.rfft(x.rechunk((7, 12))).imag,
    "medians": lambda x: da.median(x, axis=0),
    "subscripts": lambda x: da.einsum("ij,kj->ik", x, x),
    "choices": lambda x: da.select([x < 0, x > 1], [x, x * 2]),
    "borders": lambda x: da.pad(x, 2, mode="reflect"),
    "gradients": lambda x: da.gradient(x, axis=0),
    "covariances": lambda x: da.cov(x),
    "distinct": lambda x: da.unique(da.sign(x)),
    "without NaN": lambda x: da.nanmax(x, axis=0) + da.nansum(x, axis=0),
    "of NumPy": lambda x: x + np.ones(12, np.float32),
    "like": lambda x: da.zeros_like(x) + da.full_like(x, 3),
    "host functions": lambda x: kp_dask.on_host(x).map_blocks(lambda b: b.round(1)),
}


@pytest.mark.parametrize("name", EXPRESSIONS)
def test_dask_computes_with_arrays(name: str) -> None:
    host = da.from_array(A, chunks=(7, 5))
    x = kp_dask.on_device(host)
    assert isinstance(x._meta, kp.Array)
    expected = EXPRESSIONS[name](host).compute(scheduler="sync")
    found = EXPRESSIONS[name](x).compute()
    assert isinstance(found, np.ndarray if name == "host functions" else kp.Array)
    assert found.dtype == expected.dtype
    np.testing.assert_allclose(np.asarray(found), expected, rtol=1e-4, atol=1e-5)


def test_functions_that_dask_finishes_on_the_host_are_numpys() -> None:
    host = da.from_array(A, chunks=(7, 5))
    x = kp_dask.on_device(host)
    for call in (
        lambda v: da.percentile(v[:, 0], [25, 50]),
        lambda v: da.histogramdd(v[:, :2], bins=3, range=((-2, 2), (-2, 2)))[0],
        lambda v: da.nonzero(v > 0)[1],
    ):
        np.testing.assert_allclose(np.asarray(call(x).compute()), call(host).compute(), rtol=1e-5)


def test_functions_without_a_counterpart_are_named() -> None:
    x = kp_dask.on_device(da.from_array(A, chunks=10))
    with pytest.raises(TypeError, match="numpy.frexp.*kp.Array"):
        da.frexp(x)[0].compute()


def test_arrays_become_dask_arrays_and_back() -> None:
    x = kp.array(A)
    blocks = kp_dask.to_dask(x, chunks=(8, 12))
    assert blocks.chunks == ((8, 8, 4), (12,))
    found = kp_dask.from_dask(blocks * 2)
    assert isinstance(found, kp.Array)
    np.testing.assert_array_equal(found.numpy(), 2 * A)
    np.testing.assert_array_equal(kp_dask.from_dask(da.from_array(A)).numpy(), A)
    with make_group() as group:
        shared = kp_dask.from_dask(blocks, group=group)
        assert shared.rows == (10, 10)
        np.testing.assert_array_equal(shared.numpy(), A)
        with pytest.raises(TypeError, match=r"to_device\(group\[0\]\)"):
            kp_dask.to_dask(shared)
    with pytest.raises(TypeError, match="not a numpy.ndarray"):
        kp_dask.to_dask(A)
    with pytest.raises(TypeError, match=r"to_dask\(\)"):
        kp_dask.on_device(x)


def test_blocks_that_were_pickled_are_on_the_same_device() -> None:
    x = kp_dask.on_device(da.from_array(A, chunks=10)).blocks[0, 0].compute()
    other = pickle.loads(pickle.dumps(x))
    np.testing.assert_array_equal((x + other).numpy(), 2 * A[:10, :10])
    from dask.sizeof import sizeof

    assert sizeof(x) == 400

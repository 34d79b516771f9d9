# SPDX-License-Identifier: Apache-2.0
"""Common code of the tests of sparse solvers, which need SciPy."""

import numpy as np
import pytest

scipy_sparse = pytest.importorskip("scipy.sparse")


def poisson(extent, dtype=np.float64):
    """Return the matrix of Poisson's equation on a square."""
    line = scipy_sparse.diags_array([-1.0, 2.0, -1.0], offsets=[-1, 0, 1], shape=(extent, extent))
    one = scipy_sparse.eye_array(extent)
    return (scipy_sparse.kron(line, one) + scipy_sparse.kron(one, line)).tocsr().astype(dtype)


def side(size):
    return np.random.default_rng(1).random(size)


def steps_of(solver, a, b, **options):
    seen = []
    x, info = solver(a, b, callback=lambda x: seen.append(np.array(x)), **options)
    return seen, info

# SPDX-License-Identifier: Apache-2.0
"""Numbers below the smallest normal one, which GPUs may read as 0. Comparisons tell them apart."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import kp

TINY = np.finfo(np.float32).smallest_subnormal
VALUES = np.array([3, 0, -2, 5, 1, -4, 0, 2], np.float32) * TINY


def same(ours: kp.Tensor, theirs: Any) -> None:
    np.testing.assert_array_equal(ours.numpy(), theirs)


@pytest.mark.parametrize(
    "name", "min max argmin argmax any all count_nonzero sort unique flatnonzero".split()
)
def test_primitives_tell_denormal_numbers_apart(mgr: kp.Manager, name: str) -> None:
    for values in (VALUES, VALUES[4:6]):
        tensor = mgr.tensor_t(values)
        same(getattr(kp, name)(tensor), getattr(np, name)(values))


def test_rows_columns_and_segments_tell_denormal_numbers_apart(mgr: kp.Manager) -> None:
    table = np.resize(VALUES, (100, 7))
    for axis in (0, 1):
        for name in ("max", "argmin", "count_nonzero"):
            ours = getattr(kp, name)(mgr.tensor_t(table), axis=axis)
            same(ours, getattr(np, name)(table, axis=axis))
    offsets = mgr.tensor_t(np.array([0, 3, 8], np.uint32))
    least = mgr.tensor_t(shape=2, dtype="float32")
    mgr.sequence().eval(kp.OpReduce(mgr.tensor_t(VALUES), least, "min", segments=offsets))
    same(least, np.minimum.reduceat(VALUES, [0, 3]))


def test_scans_and_selections_tell_denormal_numbers_apart(mgr: kp.Manager) -> None:
    tensor = mgr.tensor_t(VALUES)
    same(kp.scan(tensor, "max"), np.maximum.accumulate(VALUES))
    same(kp.compress(tensor, mgr.tensor_t(np.arange(8))), np.flatnonzero(VALUES))

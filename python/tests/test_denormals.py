# SPDX-License-Identifier: Apache-2.0
"""Numbers below the smallest normal one, which some devices read as 0 unless a shader asks for them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import kp

TINY = np.finfo(np.float32).smallest_subnormal
VALUES = np.array([3, 0, -2, 5, 1, -4, 0, 2], np.float32) * TINY
FLAGS = np.array([1, 0, 1, 1, 0, 1, 0, 1], np.float32)


@pytest.fixture
def device(mgr: kp.Manager) -> kp.Manager:
    properties = mgr.get_device_properties()
    if not properties["keeps_denormals"] and properties["type"] != "cpu":
        pytest.skip("this device reads denormal numbers as 0")
    return mgr


@pytest.mark.parametrize(
    "name", "min max argmin argmax sum any all count_nonzero cumsum sort unique".split()
)
def test_primitives_keep_denormal_numbers(device: kp.Manager, name: str) -> None:
    tensor = device.tensor_t(VALUES)
    np.testing.assert_array_equal(getattr(kp, name)(tensor).numpy(), getattr(np, name)(VALUES))


def test_selections_and_segments_keep_denormal_numbers(device: kp.Manager) -> None:
    tensor = device.tensor_t(VALUES)
    offsets = device.tensor_t(np.array([0, 3, 8], np.uint32))
    least = device.tensor_t(shape=2, dtype="float32")
    chosen = device.tensor_t(shape=8, dtype="float32")
    number = device.tensor_t(shape=1, dtype="uint32")
    sequence = device.sequence().record(kp.OpReduce(tensor, least, "min", segments=offsets))
    sequence.record(kp.OpSelect(tensor, "x > 0", chosen, number)).eval()
    np.testing.assert_array_equal(least.numpy(), np.minimum.reduceat(VALUES, [0, 3]))
    assert number.item() == 4
    np.testing.assert_array_equal(chosen.numpy()[:4], VALUES[VALUES > 0])


@pytest.mark.parametrize(
    "function",
    [
        lambda of, x, y: x * 1,
        lambda of, x, y: x + x,
        lambda of, x, y: x > 0,
        lambda of, x, y: x == 0,
        lambda of, x, y: abs(x),
        lambda of, x, y: of.where(x, 1, 2),
        lambda of, x, y: of.maximum(x, y),
        lambda of, x, y: of.sign(x),
        lambda of, x, y: x.astype(bool),
        lambda of, x, y: (x * y).sum(),
        lambda of, x, y: of.matmul(x, y),
    ],
)
def test_arrays_keep_denormal_numbers(
    device: kp.Manager, function: Callable[[Any, Any, Any], Any]
) -> None:
    ours = function(kp, kp.array(VALUES), kp.array(FLAGS))
    theirs = function(np, VALUES, FLAGS)
    np.testing.assert_array_equal(ours.numpy(), theirs)

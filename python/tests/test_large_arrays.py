# SPDX-License-Identifier: Apache-2.0
"""Arrays of 160 MiB, which are over the 128 MiB that Vulkan promises for one binding, against NumPy.

test_array_windows.py has more cases, with a limit of some bytes.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import kp

COUNT = 40 << 20
#: A permutation, since the factor is odd.
SHUFFLED = (np.arange(COUNT, dtype=np.uint32) * np.uint32(2654435761)).view(np.int32)
PLACES = SHUFFLED[:1000].astype(np.int64) % COUNT

FUNCTIONS: dict[str, Callable[[Any, Any], Any]] = {
    "elementwise": lambda xp, x: x * 3 + (x >> 7),
    "slices": lambda xp, x: x[7 : COUNT - 3 : 3] - x[::-1][5 : COUNT - 5 : 3],
    "sum": lambda xp, x: (x & 31).sum(dtype=xp.int32),
    "minimum along an axis": lambda xp, x: x.reshape(1024, -1).min(axis=1),
    "sort": lambda xp, x: xp.sort(x),
    "cumulative sum": lambda xp, x: xp.cumulative_sum(x & 15, dtype=xp.int32),
    "take": lambda xp, x: xp.take(x, xp.asarray(PLACES.astype(np.int32)), axis=0),
    "mask": lambda xp, x: x[x > 2_000_000_000],
    "where": lambda xp, x: xp.where(x > 0, x, -x),
}


@pytest.fixture(scope="module")
def large() -> Any:
    if kp.default_manager().get_device_properties()["memory_bytes"] < 2 << 30:
        pytest.skip("the device has less than 2 GiB of memory")
    return kp.array(SHUFFLED)


@pytest.mark.parametrize("name", FUNCTIONS)
def test_functions_of_arrays_over_a_binding_are_numpys(name: str, large: Any) -> None:
    found = FUNCTIONS[name](kp, large).numpy()
    with np.errstate(over="ignore"):
        expected = FUNCTIONS[name](np, SHUFFLED)
    assert found.dtype == expected.dtype
    assert np.array_equal(found, expected)


def test_elements_of_arrays_over_a_binding_are_set(large: Any) -> None:
    x = large.copy()
    expected = SHUFFLED.copy()
    x[3:-2:5] = 7
    x[kp.array(PLACES.astype(np.int32))] = -1
    x[x < -2_000_000_000] = 0
    expected[3:-2:5] = 7
    expected[PLACES] = -1
    expected[expected < -2_000_000_000] = 0
    assert np.array_equal(x.numpy(), expected)

# SPDX-License-Identifier: Apache-2.0
"""Arrays in files: NumPy's functions write them, and pickle."""

from __future__ import annotations

import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import kp


@pytest.fixture(params=["device", "group"])
def array(request: pytest.FixtureRequest, mgr: kp.Manager, group: kp.DeviceGroup) -> Any:
    """An array of a device, or of a group of two."""
    place = {"device": mgr} if request.param == "device" else {"group": group}
    return kp.array(np.arange(6, dtype=np.float32).reshape(2, 3), **place)


def test_an_array_is_saved_and_loaded(array: Any, tmp_path: Path) -> None:
    np.save(tmp_path / "x.npy", array)
    np.testing.assert_array_equal(kp.array(np.load(tmp_path / "x.npy")).numpy(), array.numpy())
    np.savetxt(tmp_path / "x.txt", array)
    np.testing.assert_array_equal(np.loadtxt(tmp_path / "x.txt"), array.numpy())


@pytest.mark.parametrize("save", [np.savez, np.savez_compressed])
def test_several_arrays_are_saved_by_name(save: Any, array: Any, tmp_path: Path) -> None:
    save(tmp_path / "x.npz", array, host=np.ones(2), named=array)
    with np.load(tmp_path / "x.npz") as loaded:
        np.testing.assert_array_equal(loaded["arr_0"], array.numpy())
        np.testing.assert_array_equal(loaded["named"], array.numpy())
        np.testing.assert_array_equal(loaded["host"], np.ones(2))


def test_a_pickled_array_has_its_values(mgr: kp.Manager) -> None:
    x = kp.array([1.5, 2.5], device=mgr)
    assert pickle.loads(pickle.dumps(x)).tolist() == [1.5, 2.5]

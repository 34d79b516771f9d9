# SPDX-License-Identifier: Apache-2.0
"""Reductions, sorts and products over the shards of a group's buffers, against NumPy."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from group_support import make_group

import kp


@pytest.fixture(scope="module")
def group() -> Iterator[kp.DeviceGroup]:
    with make_group(2) as made:
        yield made


def sharded(array: Any, group: kp.DeviceGroup, rows: Any = None) -> kp.Buffer:
    return kp.asbuffer(array, group, "sharded", shard_rows=rows)


@pytest.mark.parametrize(
    "name",
    [
        "sum", "prod", "mean", "min", "max", "argmin", "argmax", "any", "all", "count_nonzero"
    ],  # fmt: skip
)
def test_reductions_are_numpys(group: kp.DeviceGroup, name: str) -> None:
    values = np.random.default_rng(1).integers(-2, 3, (11, 3)).astype(np.int32)
    buffer = sharded(values, group, [4, 7])
    for axis in (None, 0, 1, -1):
        wanted = np.asarray(getattr(np, name)(values, axis=axis))
        found = getattr(group, name)(buffer, axis)
        assert found.dtype == wanted.dtype
        contents = found.read() if axis in (1, -1) else found.read(1)
        np.testing.assert_array_equal(contents.reshape(wanted.shape), wanted)
        assert found.placement == ("sharded" if axis in (1, -1) else "replicated")


def test_a_reduction_takes_an_operator_and_an_output(group: kp.DeviceGroup) -> None:
    buffer = sharded(np.array([1, -7, 3, 5], np.float32), group)
    out = kp.Buffer(1, np.float32, group=group)
    assert group.reduce(buffer, ("max(abs(a), abs(b))", "0"), out=out) is out
    assert out.read().tolist() == [[7], [7]]
    gate = kp.UserEvent()
    events = group.reduce_into(buffer, out, "min", wait_for=gate)
    gate.set()
    kp.wait_all(events)
    assert out.read(0).item() == -7


def test_a_sort_is_stable_and_keeps_the_shards(group: kp.DeviceGroup) -> None:
    rng = np.random.default_rng(2)
    keys = rng.integers(0, 50, 1001).astype(np.float32)
    keys[17] = np.nan
    for descending in (False, True):
        buffer = sharded(keys, group, [901, 100])
        order = sharded(np.arange(1001, dtype=np.int64), group, [901, 100])
        group.sort(buffer, order, descending=descending)
        wanted = np.argsort(-keys if descending else keys, kind="stable")
        if descending:  # NaN first
            wanted = np.concatenate([[17], wanted[wanted != 17]])
        np.testing.assert_array_equal(order.read(), wanted)
        np.testing.assert_array_equal(buffer.read(), keys[wanted])
        assert [shard.shape[0] for shard in buffer.shards] == [901, 100]


@pytest.mark.parametrize("placement", ["replicated", "sharded"])
def test_products_are_numpys(group: kp.DeviceGroup, placement: str) -> None:
    rng = np.random.default_rng(3)
    a = rng.integers(-3, 4, (9, 5)).astype(np.float32)
    for b in (rng.integers(-3, 4, (5, 4)).astype(np.float32), np.arange(5, dtype=np.float32)):
        product = group.matmul(sharded(a, group, [2, 7]), kp.asbuffer(b, group, placement))
        assert product.placement == "sharded"
        np.testing.assert_array_equal(product.read(), a @ b)


def test_unsuitable_arguments_are_refused(group: kp.DeviceGroup) -> None:
    copies = kp.Buffer(4, np.float32, group=group)
    with pytest.raises(ValueError, match="sharded"):
        group.sum(copies)
    with pytest.raises(TypeError, match="kp.Buffer"):
        group.sum(np.ones(4))  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="axis 1 does not exist"):
        group.sum(sharded(np.ones(4, np.float32), group), axis=1)
    with pytest.raises(ValueError, match="sharded"):
        group.sort(copies)
    with pytest.raises(ValueError, match="inner x columns"):
        group.matmul(sharded(np.ones((4, 2), np.float32), group), copies)

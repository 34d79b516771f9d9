# SPDX-License-Identifier: Apache-2.0
"""kp.memory() reports the device memory of a manager."""

from __future__ import annotations

import numpy as np
import pytest

import kp

BYTES = 4 << 20


def ones() -> kp.Array:
    x = kp.asarray(np.ones(BYTES // 4, np.float32))
    x.get()
    return x


@pytest.fixture(autouse=True)
def manager() -> kp.Manager:
    manager = kp.default_manager()
    kp.synchronize()
    manager.clear()
    kp.reset_peak_memory()
    return manager


def test_an_array_counts_from_its_creation_to_its_deletion() -> None:
    before = kp.memory()
    x = ones()
    assert kp.memory().allocated == before.allocated + BYTES
    assert kp.memory().reserved >= kp.memory().allocated
    del x
    assert kp.memory().allocated == before.allocated
    assert kp.memory().cached >= BYTES


def test_clear_gives_back_what_is_cached(manager: kp.Manager) -> None:
    x = ones()
    kp.sort(x).get()
    del x
    kp.synchronize()
    reserved = kp.memory().reserved
    manager.clear()
    assert kp.memory().cached < BYTES
    assert kp.memory().reserved <= reserved


def test_the_peak_stays_until_it_is_reset() -> None:
    before = kp.memory().allocated
    x, y = ones(), ones()
    del x, y
    assert kp.memory().allocated == before
    assert kp.memory().peak == before + 2 * BYTES
    assert kp.memory().peak_reserved >= kp.memory().reserved
    kp.reset_peak_memory()
    assert kp.memory().peak == before


def test_managers_and_groups_count_their_own(manager: kp.Manager) -> None:
    before = kp.memory().allocated
    with kp.Manager() as other, kp.DeviceGroup([0, 0]) as group:
        tensor = other.tensor(shape=BYTES // 4, memory_type="storage")
        assert kp.memory(other).allocated == tensor.nbytes
        assert kp.memory(device=manager).allocated == kp.memory().allocated == before
        members = [kp.memory(member).allocated for member in group]
        buffer = kp.Buffer(BYTES // 4, np.float32, group=group)
        assert [kp.memory(member).allocated - count for member, count in zip(group, members)] == [
            BYTES,
            BYTES,
        ]
        del buffer
        assert [kp.memory(member).allocated for member in group] == members
        assert kp.memory().allocated == before


def test_the_report_is_readable() -> None:
    assert repr(kp.memory()).startswith("<kp.MemoryUsage allocated=")


def test_bad_managers_are_refused() -> None:
    with pytest.raises(TypeError, match="device must be a kp.Manager or None, not int"):
        kp.memory(3)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="device must be a kp.Manager or None, not str"):
        kp.reset_peak_memory("gpu")  # type: ignore[arg-type]
    destroyed = kp.Manager()
    destroyed.destroy()
    with pytest.raises(kp.InvalidArgument, match="destroyed"):
        kp.memory(destroyed)


def test_objects_that_have_memory_are_listed_by_name() -> None:
    manager = kp.Manager()
    weights = manager.tensor(np.ones(4096, np.float32))
    weights.set_name("weights")
    other = manager.tensor(np.ones(16, np.int32))
    first, second = manager.memory_objects()
    assert (first.name, first.kind, first.bytes) == ("weights", "tensor of 4096 eFloat", 16384)
    assert (second.name, second.bytes) == ("", 64)
    assert "weights" in repr(first)
    other.destroy()
    assert len(manager.memory_objects()) == 1


def test_captures_need_renderdoc() -> None:
    with pytest.raises(kp.Unsupported, match="renderdoc"):
        kp.Manager().start_capture()

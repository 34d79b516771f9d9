# SPDX-License-Identifier: Apache-2.0
"""Groups: work on several devices happens once, and in the order of its memory and events."""

from __future__ import annotations

import time
from typing import Any

import numpy as np
import pytest
from conftest import SPIN
from group_support import COUNT, affine, make_group

import kp


@pytest.mark.parametrize("seed", range(6))
def test_random_asynchronous_programs_match_numpy(seed: int) -> None:
    """Compared with one array per device, which is changed in program order."""
    rng = np.random.default_rng(seed)
    count = int(rng.integers(2, 4))
    with make_group(count) as group:
        size = int(rng.integers(1, 300))
        buffer = kp.asbuffer(np.zeros(size, np.uint32), group)
        oracle = np.zeros((count, size), np.uint32)
        kernel = affine(group, buffer)
        events: list[kp.Event] = []
        reads: list[tuple[Any, Any]] = []

        def some_events() -> list[kp.Event]:
            number = min(len(events), int(rng.integers(0, 3)))
            return [events[int(i)] for i in rng.integers(0, max(len(events), 1), number)]

        for _ in range(40):
            what = rng.integers(0, 7)
            one, other = (int(i) for i in rng.permutation(count)[:2])
            waits = some_events()
            if what == 0:
                values = rng.integers(0, 2**32, size, np.uint32)
                every = bool(rng.integers(0, 2))
                events += buffer.write_async(values, None if every else one, wait_for=waits)
                oracle[slice(None) if every else one] = values
            elif what == 1:
                events.append(buffer.copy(one, other, wait_for=waits))
                oracle[other] = oracle[one]
            elif what in (2, 3):
                a, b = (int(n) for n in rng.integers(0, 2**32, 2))
                every = bool(rng.integers(0, 2))
                events += kernel(waits, "all" if every else one, a=a, b=b)
                where = slice(None) if every else one
                oracle[where] = oracle[where] * np.uint32(a) + np.uint32(b)
            elif what == 4:
                every = bool(rng.integers(0, 2))
                array, read = buffer.read_async(None if every else one, wait_for=waits)
                events += read
                reads.append((array, oracle.copy() if every else oracle[one].copy()))
            elif what == 5:
                events += buffer.broadcast(one, wait_for=waits)
                oracle[:] = oracle[one]
            else:
                events += buffer.all_reduce(wait_for=waits)
                oracle[:] = oracle.sum(0, dtype=np.uint32)
        kp.wait_all(events)
        for array, expected in reads:
            assert np.array_equal(array, expected)
        assert np.array_equal(buffer.read(), oracle)


def test_every_launch_on_all_devices_happens_once(group: kp.DeviceGroup) -> None:
    """Even if the devices are busy and far more is launched than they have started."""
    busy = kp.asbuffer(np.zeros(64, np.uint32), group)
    spin = group.kernel(SPIN, [busy, 2_000_000])
    counters = kp.asbuffer(np.zeros(1, np.uint32), group)
    kernel = group.kernel(COUNT, [counters])
    spin()
    events = [event for _ in range(50) for event in kernel()]
    assert len(events) == 100
    kp.wait_all(events)
    assert counters.read().tolist() == [[50], [50]]
    calls = [0, 0]

    def count(manager: kp.Manager, queue: int, wait_for: list[kp.Event]) -> kp.Event:
        calls[queue] += 1
        return group.queue(queue).host_function(lambda: None, wait_for)

    for _ in range(50):
        group.for_each(count)
    group.wait_idle()
    assert calls == [50, 50]


def test_kernels_wait_for_events_of_other_devices(group: kp.DeviceGroup) -> None:
    """The consumer is launched before its producer, which runs on another device."""
    order: list[str] = []
    ready = kp.UserEvent()
    buffer = kp.asbuffer(np.array([1, 2, 3], np.uint32), group)
    kernel = affine(group, buffer)
    consumer = kernel([ready], target=1, a=10, b=0)
    noted = group.queue(1).host_function(lambda: order.append("consumer"), consumer)
    assert consumer[0].status == kp.EventStatus.queued
    producer = kernel(target=0, a=1, b=5)
    passed = group.queue(0).host_function(
        lambda: (order.append("producer"), ready.set()), wait_for=producer
    )
    kp.wait_all([passed, noted])
    assert order == ["producer", "consumer"]
    assert buffer.read().tolist() == [[6, 7, 8], [10, 20, 30]]


def test_chains_run_across_devices_without_the_host(group: kp.DeviceGroup) -> None:
    gate = kp.UserEvent()
    buffer = kp.asbuffer(np.ones(8, np.uint32), group)
    kernel = affine(group, buffer)
    events = kernel([gate], target=0, a=3, b=0)
    for step in range(6):
        events = [buffer.copy(step % 2, 1 - step % 2, wait_for=events)]
        events = kernel(events, target=1 - step % 2, a=3, b=1)
    time.sleep(0.05)
    assert [event.status for event in events] == [kp.EventStatus.queued]
    gate.set()
    kp.wait_all(events)
    value = 3
    for _ in range(6):
        value = value * 3 + 1
    assert np.all(buffer.read(0) == value)


def test_failure_fails_only_the_work_that_waits_for_it(group: kp.DeviceGroup) -> None:
    gate = kp.UserEvent()
    buffer = kp.asbuffer(np.ones(4, np.uint32), group)
    kernel = affine(group, buffer)
    events = kernel([gate], target=0, a=2, b=0)
    moved = buffer.broadcast(0, wait_for=events)
    gate.fail(OSError("no such luck"))
    for event in [*events, *moved]:
        with pytest.raises(OSError, match="no such luck"):
            event.wait()
    kp.wait_all(kernel(a=5, b=0))
    assert np.all(buffer.read() == 5)

# SPDX-License-Identifier: Apache-2.0
"""Waits for groups: Ctrl-C, the end of the interpreter, and other threads meanwhile."""

from __future__ import annotations

import _thread
import sys
import threading
import time
from collections.abc import Callable, Iterator

import numpy as np
import pytest
from conftest import SPIN, run_python
from group_support import affine

import kp

# --- the process ----------------------------------------------------------------------------------


def test_control_c_interrupts_waits(group: kp.DeviceGroup) -> None:
    gate = kp.UserEvent()
    buffer = kp.asbuffer(np.ones(4, np.uint32), group)
    affine(group, buffer)([gate], a=2, b=0)
    for call in (
        lambda: buffer.read(0),
        lambda: buffer.write(np.ones(4, np.uint32)),
        group.wait_idle,
    ):
        timer = threading.Timer(0.05, _thread.interrupt_main)
        with pytest.raises(KeyboardInterrupt):
            timer.start()  # on a busy machine, the interrupt comes before it returns
            call()
        timer.join()
    gate.set()
    assert buffer.read(1).tolist() == [2, 2, 2, 2]


def test_interpreter_exits_with_work_that_never_starts() -> None:
    output = run_python(
        """
import numpy as np
import kp
kp.set_default_group(kp.DeviceGroup(device_ids=[0, 0]))
buffer = kp.asbuffer(np.zeros(1000, np.float32))
gate = kp.UserEvent()
array, events = buffer.read_async(wait_for=[gate])
buffer.write_async(np.ones(1000, np.float32))
shader = "#version 450\\nlayout(binding = 0) buffer V { float v[]; };\\nvoid main() { v[0] = 1; }"
kernel = buffer.group.kernel(shader, [buffer])
kernel(wait_for=events)
print("end")
"""
    )
    assert output == "end\n"


# --- the GIL --------------------------------------------------------------------------------------


class Counter:
    """A thread that counts while it can run, and measures its longest pause."""

    def __init__(self) -> None:
        self._ends = False
        self._count = 0
        self._pause = 0.0
        self._thread = threading.Thread(target=self._run)
        self._thread.start()

    def stop(self) -> None:
        self._ends = True
        self._thread.join()

    def _run(self) -> None:
        last = time.perf_counter()
        while not self._ends:
            now = time.perf_counter()
            self._pause = max(self._pause, now - last)
            last = now
            self._count += 1

    def during(self, call: Callable[[], object]) -> tuple[float, float]:
        """Return the counts per second during a call, and the longest pause as a fraction of it."""
        self._pause = 0.0
        before, start = self._count, time.perf_counter()
        call()
        seconds = time.perf_counter() - start
        return (self._count - before) / seconds, self._pause / seconds


@pytest.fixture
def counter() -> Iterator[Counter]:
    made = Counter()
    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-4)
    yield made
    sys.setswitchinterval(interval)
    made.stop()


@pytest.mark.parametrize("what", ["read", "wait_idle", "events", "all_reduce"])
def test_waits_release_the_gil(group: kp.DeviceGroup, counter: Counter, what: str) -> None:
    buffer = kp.asbuffer(np.zeros(64, np.uint32), group)
    spin = group.kernel(SPIN, [buffer], parameters_map=["rounds"])

    def launch() -> list[kp.Event]:
        return spin(target=0, rounds=rounds)

    def sleep_until_done() -> None:
        events = launch()
        while not events[0].done:
            time.sleep(0.005)

    def wait() -> None:
        events = launch()
        if what == "read":
            buffer.read(0)
        elif what == "wait_idle":
            group.wait_idle()
        elif what == "all_reduce":
            kp.wait_all(buffer.all_reduce())
        else:
            kp.wait_all(events)

    rounds = 1 << 16
    while True:
        start = time.perf_counter()
        sleep_until_done()
        if time.perf_counter() - start > 0.1 or rounds >= 1 << 30:
            break
        rounds *= 4
    for _ in range(6):  # a shared machine is not always as fast
        if counter.during(wait)[0] >= 0.5 * counter.during(sleep_until_done)[0]:
            return
    pytest.fail("the thread made less than half of its usual progress")


@pytest.mark.parametrize("what", ["read", "write", "create"])
def test_transfers_release_the_gil(group: kp.DeviceGroup, counter: Counter, what: str) -> None:
    values = np.zeros(1 << 26, np.uint8)
    buffer = kp.asbuffer(values, group)

    def transfer() -> None:
        if what == "read":
            buffer.read(out=stacked)
        elif what == "write":
            buffer.write(values)
        else:
            kp.asbuffer(values, group).destroy()

    stacked = buffer.read()
    # The call is too short to count in. If it holds the GIL, the thread pauses for all of it. A busy machine
    # may make it pause, too.
    for _ in range(60):
        if counter.during(transfer)[1] < 0.3:
            return
    pytest.fail("the call did not let the thread run")

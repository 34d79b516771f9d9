# SPDX-License-Identifier: Apache-2.0
"""Ctrl-C in every call that may wait, and what exceptions and cycles keep alive."""

from __future__ import annotations

import gc
import sys
import time
import weakref
from typing import Any

import pytest
from conftest import TESTS, run_python
from process_support import CALLS

import kp

INTERRUPTED = """
import os, signal, sys, threading, time
sys.path.insert(0, sys.argv[1])
import numpy as np
import kp
from process_support import CALLS, long_sequence

mgr = kp.Manager()
tensor = mgr.tensor_t(np.zeros(64, np.uint32))
storage = mgr.tensor_t(np.zeros(64, np.uint32), "storage")
host = mgr.tensor_t(np.zeros(64, np.uint32), "host")
image = mgr.image([1.0, 2.0], 2, 1, 1)
pinned = mgr.pinned_array(64, np.uint32)
for name, code in CALLS.items():
    sequence = long_sequence(mgr, [tensor, storage, host], 1.0)
    sequence.eval_async()
    other = None
    sent = []
    def interrupt():
        sent.append(time.perf_counter())
        os.kill(os.getpid(), signal.SIGINT)
    timer = threading.Timer(0.1, interrupt)
    timer.start()
    try:
        exec(compile(code, name, "exec"))  # exec() of text would mark the process as interrupted
        timer.join()
        print(name, "was not interrupted")
    except KeyboardInterrupt:
        # A twentieth of a second, and what a busy machine adds.
        late = time.perf_counter() - sent[0]
        print(name, "interrupted" if late < 0.5 else f"interrupted after {late:.2f} s")
    if other is not None:
        other.eval_await()  # its OpSyncLocal may still be running
    if mgr.is_init() and sequence.is_init():
        sequence.eval_await()
        assert np.array_equal(tensor.read(), tensor.data())
"""


@pytest.mark.skipif(sys.platform == "win32", reason="sends SIGINT")
def test_control_c_interrupts_every_call_that_waits() -> None:
    output = run_python(INTERRUPTED, TESTS, timeout=120)
    assert output.splitlines() == [f"{name} interrupted" for name in CALLS]


@pytest.mark.skipif(sys.platform == "win32", reason="sends SIGINT")
def test_control_c_interrupts_a_compilation() -> None:
    output = run_python(
        """
import os, signal, threading, time
import kp

source = "layout(binding = 0) buffer A { float a[]; };\\nvoid main() {\\n"
source += "a[0] = a[1] * 2.0 + sin(a[2]);\\n" * 30000 + "}"
sent = []
def interrupt():
    sent.append(time.perf_counter())
    os.kill(os.getpid(), signal.SIGINT)
threading.Timer(0.1, interrupt).start()
try:
    kp.compile(source)
    print("compiled")
except KeyboardInterrupt:
    print("interrupted", time.perf_counter() - sent[0] < 0.5)
assert kp.compile("void main() {}")
""",
        timeout=120,
        KOMPUTE_CACHE_DIR="off",
    )
    assert output.split() == ["interrupted", "True"]


@pytest.mark.skipif(sys.platform == "win32", reason="sends SIGINT")
def test_control_c_interrupts_the_end_of_a_group() -> None:
    output = run_python(
        """
import os, signal, sys, threading, time
sys.path.insert(0, sys.argv[1])
import numpy as np
import kp
from process_support import long_sequence

group = kp.DeviceGroup(device_ids=[0, 0])
mgr = group[0]
sequence = long_sequence(mgr, [mgr.tensor_t(np.zeros(64, np.uint32))], 2.0)
sequence.eval_async()
sent = []
def interrupt():
    sent.append(time.perf_counter())
    os.kill(os.getpid(), signal.SIGINT)
threading.Timer(0.1, interrupt).start()
try:
    group.destroy()
    print("destroyed")
except KeyboardInterrupt:
    print("interrupted", time.perf_counter() - sent[0] < 0.5)
group.destroy()
""",
        TESTS,
        timeout=120,
    )
    assert output.split() == ["interrupted", "True"]


class Canary:
    """Something whose end can be seen."""


def test_failed_events_do_not_keep_the_frames_of_their_exceptions(mgr: kp.Manager) -> None:
    alive: list[weakref.ref[Canary]] = []
    events: list[kp.Event] = []

    def work() -> None:
        waiter = Canary()

        def fails() -> None:
            canary = Canary()
            alive.extend([weakref.ref(canary), weakref.ref(waiter)])
            raise ValueError(f"of {type(canary).__name__}")

        event = mgr.queue().host_function(fails)
        for _ in range(2):
            with pytest.raises(ValueError, match="of Canary") as caught:
                event.wait()
            assert "fails" in [entry.name for entry in caught.traceback]
        del caught
        events.append(event)

    for _ in range(5):
        work()
    gc.collect()
    assert not [each for each in alive[::2] if each() is not None]  # variables of the function
    assert all(event.status == kp.EventStatus.error for event in events)
    events.clear()
    end = time.monotonic() + 10
    while any(each() is not None for each in alive) and time.monotonic() < end:
        time.sleep(0.01)  # the library's threads may still hold the last ones
        mgr.sequence()  # what the library dropped is released by the next calls
        gc.collect()
    assert not [each for each in alive if each() is not None]  # nor the waiting threads' objects


def test_exceptions_of_events_keep_what_they_say(mgr: kp.Manager) -> None:
    class Special(RuntimeError):
        def __init__(self, *, number: int) -> None:
            super().__init__(f"number {number}")
            self.number = number

    def fails() -> None:
        try:
            raise KeyError("first")
        except KeyError as cause:
            raise Special(number=7) from cause

    event = mgr.queue().host_function(fails)
    for _ in range(2):
        with pytest.raises(Special, match="number 7") as caught:
            event.wait()
        assert caught.value.number == 7
        assert isinstance(caught.value.__cause__, KeyError)
    for error in (
        OSError("no such luck"),
        FileNotFoundError(2, "No such file", "/no/such/file"),
        UnicodeDecodeError("utf-8", b"\xff", 0, 1, "invalid"),
        StopIteration(3),
        KeyError("missing"),
        kp.InvalidArgument("no"),
    ):
        promise = kp.UserEvent()
        promise.fail(error)
        with pytest.raises(type(error)) as caught_copy:
            promise.wait()
        assert str(caught_copy.value) == str(error)
        assert vars(caught_copy.value) == vars(error)
        assert caught_copy.value is not error


class Linked(kp.OpBase):
    """An operation that knows its sequence."""

    def __init__(self, sequence: kp.Sequence, part: Any = None) -> None:
        super().__init__()
        self.sequence = sequence
        self.part = part

    def record(self) -> list[Any]:
        return [self.part] if self.part else []


def test_cycles_of_sequences_and_operations_are_freed(mgr: kp.Manager) -> None:
    alive: list[weakref.ref[Linked]] = []
    tensor = mgr.tensor([1.0, 2.0])
    for turn in range(6):
        sequence = mgr.sequence()
        inner = Linked(sequence)
        operation = Linked(sequence, inner if turn % 2 else kp.OpSyncDevice([tensor]))
        alive += [weakref.ref(operation), weakref.ref(inner)]
        sequence.record(operation)
        if turn % 3:
            sequence.eval()
        del sequence, operation, inner
    gc.collect()
    assert not [each for each in alive if each() is not None]
    # Objects in use are not freed.
    sequence = mgr.sequence().record(Linked(None))  # type: ignore[arg-type]
    gc.collect()
    sequence.eval()
    sequence.eval_async()
    gc.collect()
    sequence.eval_await()


class Raises:
    """A sequence whose methods raise."""

    def __init__(self, error: Exception, length: int | None) -> None:
        self.error = error
        self.length = length

    def __len__(self) -> int:
        if self.length is None:
            raise self.error
        return self.length

    def __getitem__(self, index: int) -> Any:
        raise self.error


@pytest.mark.parametrize("length", [None, 2])
def test_arguments_whose_methods_raise_raise_that(mgr: kp.Manager, length: int | None) -> None:
    shader = "layout(binding = 0) buffer A { float a[]; };\nvoid main() { a[0] = 1.0; }"
    tensor = mgr.tensor([1.0])
    calls = [
        lambda bad: mgr.tensor(shape=bad),
        lambda bad: kp.Buffer(bad, "float32"),
        lambda bad: mgr.algorithm([tensor], shader, bad),
        lambda bad: mgr.algorithm([tensor], shader, thread_count=bad),
        lambda bad: mgr.algorithm(bad, shader),
        lambda bad: kp.OpSyncLocal(bad),
        lambda bad: kp.DeviceGroup(device_ids=bad),
        lambda bad: kp.DeviceGroup(queue_families=bad),
        lambda bad: mgr.queue().barrier(bad),
        lambda bad: kp.eval_all(bad),
        lambda bad: kp.Manager(desired_extensions=bad),
    ]
    for call in calls:
        with pytest.raises(ZeroDivisionError, match="on purpose"):
            call(Raises(ZeroDivisionError("on purpose"), length))

# SPDX-License-Identifier: Apache-2.0
"""Waiting: without the GIL, with a time limit, with interrupts, under asyncio, in threads."""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from conftest import INCREMENT, TESTS, run_python
from process_support import spinning

import kp


def test_a_sequence_that_waits_for_an_event_can_be_dropped_and_destroyed(mgr: kp.Manager) -> None:
    never = kp.UserEvent()
    tensor = mgr.tensor([1, 2])
    dropped = mgr.sequence().record(kp.OpSyncDevice([tensor])).eval_async(wait_for=[never])
    destroyed = mgr.sequence().record(kp.OpSyncDevice([tensor])).eval_async(wait_for=[never])
    event = dropped.event()
    del dropped
    with pytest.raises(kp.Cancelled, match="cancelled before it was submitted") as caught:
        event.wait()
    assert caught.value.code == "cancelled"
    destroyed.destroy()
    assert not destroyed.is_init()


#: Adds 1 slowly. The mask is 0, which the compiler cannot know.
COUNT = """#version 450
layout(local_size_x = 1) in;
layout(binding = 0) buffer Value { uint value; };
layout(push_constant) uniform Push { uint mask; };
void main() {
    uint x = value;
    for (uint k = 0u; k < 60000u; ++k)
        x = x * 1664525u + 1013904223u;
    value += 1u + (x & mask);
}
"""


@pytest.mark.parametrize("memory_type", ["device", "host", "deviceAndHost"])
def test_host_views_wait_for_submitted_work(mgr: kp.Manager, memory_type: str) -> None:
    reads: list[Callable[[kp.Tensor], object]] = [
        lambda t: t.data()[0],
        lambda t: t.numpy()[0],
        lambda t: t[0],
        lambda t: t.item(),
        lambda t: next(iter(t)),
        lambda t: np.asarray(t)[0],
        lambda t: np.from_dlpack(t)[0],
        lambda t: memoryview(t)[0],
        lambda t: (t == 40)[0] and 40,
    ]
    for read in reads:
        tensor = mgr.tensor_t(np.zeros(1, np.uint32), memory_type=memory_type)
        algorithm = mgr.algorithm([tensor], COUNT, (1,), push_consts=np.array([0], np.uint32))
        sequence = mgr.sequence()
        for _ in range(40):
            sequence.record(kp.OpAlgoDispatch(algorithm))
        sequence.eval_async()
        assert read(tensor) == 40
        sequence.eval_await()
        sequence.eval_async()
        tensor[0] = 5
        sequence.eval_await()
        assert tensor[0] == 5


def await_plainly(sequence: kp.Sequence) -> None:
    sequence.eval_await()


def await_with_asyncio(sequence: kp.Sequence) -> None:
    async def wait() -> None:
        await sequence

    asyncio.run(wait())


@pytest.mark.parametrize("wait", [await_plainly, await_with_asyncio])
@pytest.mark.parametrize("late", [False, True])
def test_a_sequence_is_usable_after_an_event_that_it_waited_for_failed(
    mgr: kp.Manager, wait: Callable[[kp.Sequence], None], late: bool
) -> None:
    tensor = mgr.tensor([1, 2])
    sequence = mgr.sequence().record(kp.OpFill([tensor], 7))
    event = kp.UserEvent()
    sequence.eval_async(wait_for=[event])
    if late:
        timer = threading.Timer(0.05, event.fail, [ValueError("the reason")])
        timer.start()
    else:
        event.fail(ValueError("the reason"))
    with pytest.raises(ValueError, match="the reason"):
        wait(sequence)
    assert not sequence.is_running()
    np.testing.assert_array_equal(tensor.read(), [1, 2])
    sequence.eval()
    np.testing.assert_array_equal(tensor.read(), [7, 7])


def test_a_sequence_whose_event_failed_can_be_destroyed(mgr: kp.Manager) -> None:
    tensor = mgr.tensor([1, 2])
    sequence = mgr.sequence().record(kp.OpFill([tensor], 7))
    event = kp.UserEvent()
    sequence.eval_async(wait_for=[event])
    event.fail(ValueError("the reason"))
    sequence.destroy()  # waits, and does not raise what the event did
    assert not sequence.is_init()


#: A sequence of an operation in Python whose submission an event in another thread begins.
HELD_BACK = """
import sys, threading, time
import kp
sys.setswitchinterval(1e-5)
class Op(kp.OpBase):
    def __init__(self, part, inside):
        super().__init__()
        self.part, self.inside = part, inside
    def record(self):
        return [self.part]
    def pre_eval(self):
        self.inside.set()
        time.sleep(0.001)
mgr = kp.Manager()
tensor = mgr.tensor([1.0, 2])
def held_back(begin):
    event, inside = kp.UserEvent(), threading.Event()
    sequence = mgr.sequence().record(Op(kp.OpSyncDevice([tensor]), inside))
    sequence.eval_async(wait_for=[event])
    thread = threading.Thread(target=event.set)
    begin and sequence.eval_await(wait=0)
    thread.start()
    return sequence, inside, thread
"""


@pytest.mark.parametrize(
    "program",
    [
        """
for _ in range(100):
    sequence, inside, thread = held_back(True)
    sequence.eval_async()
    sequence.eval_await()
    thread.join()
""",
        """
for _ in range(100):
    sequence, inside, thread = held_back(True)
    inside.wait()
    del sequence
    thread.join()
""",
        """
for _ in range(10):
    sequence, inside, thread = held_back(False)
    inside.wait()
    mgr.destroy()
    thread.join()
    mgr = kp.Manager()
    tensor = mgr.tensor([1.0, 2])
""",
        """
for _ in range(100):
    sequence, inside, thread = held_back(True)
    sequence.rerecord()
    thread.join()
""",
    ],
    ids=["evaluated again", "dropped", "manager destroyed", "recorded again"],
)
def test_submissions_by_other_threads_do_not_lock_out_python(program: str) -> None:
    assert run_python(HELD_BACK + program) == ""


def test_eval_async_does_not_wait(mgr: kp.Manager) -> None:
    sequence, _ = spinning(mgr, 200)
    sequence.eval()
    start = time.perf_counter()
    sequence.eval_async()
    submitted = time.perf_counter() - start
    sequence.eval_await()
    whole = time.perf_counter() - start
    assert submitted < whole / 2


def test_eval_await_has_a_time_limit(mgr: kp.Manager) -> None:
    sequence, tensor = spinning(mgr, 200)
    sequence.eval_async()
    assert sequence.eval_await(0) is sequence
    assert not sequence.is_running()
    sequence.event().wait()
    tensor.data()[:] = 0
    sequence.eval()
    reference = tensor.data().copy()
    tensor.data()[:] = 0
    sequence.eval_async().eval_await(wait=60_000_000_000)
    assert np.array_equal(tensor.data(), reference)
    for wrong in (-1, 1.5, "1", 2**64):
        with pytest.raises(ValueError, match="wait"):
            sequence.eval_await(wrong)


def test_eval_await_can_be_asked_whether_it_timed_out(mgr: kp.Manager) -> None:
    sequence, _ = spinning(mgr, 200)
    sequence.eval_async().eval_await(1000)
    assert sequence.timed_out()
    assert not sequence.is_running()
    sequence.eval()
    assert not sequence.timed_out()


def test_one_sequence_can_be_cancelled(mgr: kp.Manager) -> None:
    never = kp.UserEvent()
    tensor = mgr.tensor([1, 2])
    sequence = mgr.sequence()
    sequence.set_name("frame")
    assert not sequence.cancel()
    sequence.record(kp.OpFill([tensor], 5)).eval_async(wait_for=[never])
    event = sequence.event()
    with pytest.raises(kp.InvalidArgument, match="while the sequence 'frame' runs"):
        sequence.rerecord()
    assert sequence.cancel()
    assert not sequence.is_running()
    with pytest.raises(kp.Cancelled, match="its sequence 'frame' was cancelled"):
        event.wait()
    sequence.eval()
    assert tensor.read().tolist() == [5, 5]


def test_event_reports_the_end_of_a_sequence(mgr: kp.Manager) -> None:
    assert kp.Event().done
    sequence, _ = spinning(mgr, 200)
    assert sequence.event().done
    sequence.eval_async()
    event = sequence.event()
    assert not event.wait(0)
    assert event.wait()
    assert event.done
    assert event.wait(0.001)
    assert sequence.is_running()
    sequence.eval_await()
    for wrong in (-1, float("nan")):
        with pytest.raises(ValueError, match="timeout"):
            event.wait(wrong)


def test_sequences_wait_for_events_on_the_device(mgr: kp.Manager) -> None:
    first, tensor = spinning(mgr, 50)
    other = mgr.tensor([1.0])
    second = mgr.sequence().record(kp.OpSyncDevice([other]))
    first.eval_async()
    second.eval_async(wait_for=[first.event(), kp.Event()])
    second.eval_await()
    assert first.event().done
    first.eval_await()
    second.eval_async(kp.OpSyncLocal([other]), wait_for=(first.event(),)).eval_await()
    with pytest.raises(TypeError, match="wait_for"):
        second.eval_async(wait_for=[1])  # type: ignore[list-item]
    with pytest.raises(TypeError):
        second.eval_async(wait_for=1)  # type: ignore[arg-type]
    assert tensor.is_init()


def test_other_threads_run_while_one_waits(mgr: kp.Manager) -> None:
    sequence, _ = spinning(mgr, 300)
    sequence.eval()
    count, stop = 0, threading.Event()

    def work() -> None:
        nonlocal count
        while not stop.is_set():
            count += 1

    thread = threading.Thread(target=work)
    thread.start()
    try:
        before = count
        sequence.eval()
        during = count - before
    finally:
        stop.set()
        thread.join()
    assert during > 100


def test_threads_evaluate_sequences_of_their_own(mgr: kp.Manager) -> None:
    algorithms = []
    tensors = [mgr.tensor(np.zeros(1000)) for _ in range(4)]
    for tensor in tensors:
        algorithms.append(mgr.algorithm([tensor], INCREMENT, thread_count=1000))

    def work(index: int) -> None:
        sequence = mgr.sequence()
        for _ in range(50):
            sequence.eval(kp.OpAlgoDispatch(algorithms[index]))
            tensors[index].read(0, 10)

    mgr.sequence().eval(kp.OpSyncDevice(tensors))
    with ThreadPoolExecutor(4) as pool:
        list(pool.map(work, range(4)))
    for tensor in tensors:
        assert np.all(tensor.read() == 50)


def test_threads_may_share_all_objects(mgr: kp.Manager) -> None:
    """Nothing crashes. A call that cannot run at the same time raises kp.InvalidArgument."""
    tensor = mgr.tensor(np.zeros(1000))
    algorithm = mgr.algorithm([tensor], INCREMENT)
    sequence = mgr.sequence()
    refused = 0

    def work(index: int) -> None:
        nonlocal refused
        for turn in range(40):
            try:
                kind = (index + turn) % 6
                if kind == 0:
                    sequence.eval(kp.OpAlgoDispatch(algorithm))
                elif kind == 1:
                    sequence.record(kp.OpSyncDevice([tensor])).eval_async()
                elif kind == 2:
                    sequence.eval_await()
                elif kind == 3:
                    tensor.write(np.ones(1000, np.float32))
                    tensor.read()
                elif kind == 4:
                    mgr.algorithm([tensor], INCREMENT)
                else:
                    tensor.data()[:] = 1
            except kp.InvalidArgument:
                refused += 1

    with ThreadPoolExecutor(6) as pool:
        list(pool.map(work, range(6)))
    sequence.eval_await()
    sequence.clear()
    sequence.eval(kp.OpSyncLocal([tensor]))


def test_destroy_of_a_manager_wins_against_busy_threads() -> None:
    mgr = kp.Manager()
    working = threading.Barrier(4)

    def work() -> str:
        tensor = mgr.tensor(np.zeros(100_000))
        working.wait(30)
        try:
            while True:
                tensor.write(tensor.read())
                mgr.tensor(shape=10)
        except kp.InvalidArgument as error:
            return str(error)

    with ThreadPoolExecutor(3) as pool:
        results = [pool.submit(work) for _ in range(3)]
        working.wait(30)
        mgr.destroy()
        assert not mgr.is_init()
        for result in results:
            assert "destroy" in result.result(30)


def test_tensor_in_use_cannot_be_destroyed(mgr: kp.Manager) -> None:
    big = mgr.tensor(shape=4_000_000)
    values = np.ones(4_000_000, np.float32)
    outcomes = []

    def write() -> None:
        try:
            for _ in range(20):
                big.write(values)
        except kp.InvalidArgument as error:
            outcomes.append(str(error))

    thread = threading.Thread(target=write)
    thread.start()
    destroyed = False
    refusals: set[bool] = set()
    while not destroyed and thread.is_alive():
        try:
            big.destroy()
            destroyed = True
        except kp.InvalidArgument as error:
            refusals.add("another thread" in str(error))
    thread.join()
    assert refusals <= {True}
    assert len(outcomes) <= 1
    assert all("destroyed" in outcome for outcome in outcomes)


def test_await_lets_other_tasks_run(mgr: kp.Manager) -> None:
    first, tensor = spinning(mgr, 100)
    second, _ = spinning(mgr, 100)
    first.eval()
    reference = tensor.data().copy()
    ticks = 0

    async def tick() -> None:
        nonlocal ticks
        while True:
            ticks += 1
            await asyncio.sleep(0.001)

    async def main() -> None:
        ticking = asyncio.create_task(tick())
        tensor.data()[:] = 0
        assert await first.eval_async() is first
        assert not first.is_running()
        assert np.array_equal(tensor.data(), reference)
        await asyncio.gather(as_coroutine(first), as_coroutine(second))
        second.eval_async()
        await second.event()
        assert second.event().done
        second.eval_await()
        await first
        ticking.cancel()

    async def as_coroutine(sequence: kp.Sequence) -> None:
        await sequence.eval_async()

    asyncio.run(main())
    assert ticks > 1


def test_control_c_interrupts_a_wait() -> None:
    output = run_python(
        """
import _thread, threading, time, sys
sys.path.insert(0, sys.argv[1])
import numpy as np
import kp
from process_support import spinning

mgr = kp.Manager()
sequence, tensor = spinning(mgr, 100)
start = time.perf_counter(); sequence.eval(); once = time.perf_counter() - start
reference = tensor.data().copy()
sequence, tensor = spinning(mgr, int(100 * max(1.0, 2.0 / once)))
threading.Timer(0.5, _thread.interrupt_main).start()
try:
    sequence.eval()
    print("not interrupted")
except KeyboardInterrupt:
    print("interrupted, running:", sequence.is_running())
sequence.eval_await()
print("running:", sequence.is_running())
sequence.clear()
sequence.eval(kp.OpSyncLocal([tensor]))
print("usable")
""",
        TESTS,
    )
    assert output.splitlines() == ["interrupted, running: True", "running: False", "usable"]


def test_context_managers_destroy_their_objects() -> None:
    with kp.Manager() as mgr:
        tensor = mgr.tensor([1.0])
        with mgr.sequence() as sequence:
            sequence.record(kp.OpSyncDevice([tensor])).eval_async()
        assert not sequence.is_init()
        with pytest.raises(kp.InvalidArgument):
            sequence.eval()
        assert tensor.is_init()
    assert not mgr.is_init()
    assert not tensor.is_init()

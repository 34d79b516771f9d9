# SPDX-License-Identifier: Apache-2.0
"""The end of objects that the device still uses, and of the interpreter beside other threads."""

from __future__ import annotations

import sys

import pytest
from conftest import TESTS, run_python

import kp

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="sends SIGINT")

#: The beginning of each program: work of some seconds, and a SIGINT after a tenth of one.
BEGIN = """
import os, signal, sys, threading, time
sys.path.insert(0, sys.argv[1])
import numpy as np
import kp
from process_support import long_sequence

def interrupt_soon():
    threading.Timer(0.1, lambda: os.kill(os.getpid(), signal.SIGINT)).start()

SECONDS = 5
mgr = kp.Manager()
tensor = mgr.tensor_t(np.zeros(64, np.uint32))
"""


def lines(program: str, **environment: str) -> list[str]:
    return run_python(BEGIN + program, TESTS, timeout=120, **environment).splitlines()


def test_control_c_ends_the_wait_for_a_running_sequence_that_is_dropped() -> None:
    assert (
        lines(
            """
sequence = long_sequence(mgr, [tensor], SECONDS)
sequence.eval_async()
event = sequence.event()
interrupt_soon()
try:
    del sequence  # the last reference
    for _ in range(SECONDS * 20):
        time.sleep(0.1)
    print("not interrupted")
except KeyboardInterrupt:
    print("interrupted; done:", event.done)
event.wait()
print("equal", np.array_equal(tensor.read(), tensor.data()))
"""
        )
        == ["interrupted; done: False", "equal True"]
    )


def test_nothing_waits_for_what_is_dropped_after_control_c() -> None:
    assert (
        lines(
            """
sequence = long_sequence(mgr, [tensor], SECONDS)
interrupt_soon()
try:
    sequence.eval()
    print("not interrupted")
except KeyboardInterrupt:
    event = sequence.event()
    del sequence
    print("dropped; done:", event.done)
    del event, tensor, mgr
print("all dropped")
"""
        )
        == ["dropped; done: False", "all dropped"]
    )


@pytest.mark.parametrize("group", [False, True])
def test_dropping_a_manager_does_not_wait_for_its_work(group: bool) -> None:
    assert (
        lines(
            f"""
if {group}:
    group = kp.DeviceGroup(device_ids=[0, 0])
    mgr = group[0]
    tensor = mgr.tensor_t(np.zeros(64, np.uint32))
queue = mgr.queue()
sequence = long_sequence(mgr, [tensor], SECONDS)
sequence.eval_async()
event, watched = sequence.event(), sequence.event()
sequence.eval_await(1)  # timed out: the work goes on
del sequence, queue, tensor, event, mgr
if {group}:
    del group
print("dropped; done:", watched.done)
other = kp.Manager()  # works beside the end of the first one
print(other.tensor([3.0]).read())
watched.wait()
"""
        )
        == ["dropped; done: False", "[3.]"]
    )


def test_dropped_sequences_are_waited_for_without_control_c() -> None:
    assert (
        lines(
            """
view = tensor.data()
for number in range(1, 20):
    mgr.sequence().record(kp.OpFill([tensor], number)).record(kp.OpSyncLocal([tensor])).eval_async()
    assert (view == number).all(), (number, view)
print("right")
"""
        )
        == ["right"]
    )


def test_handlers_that_return_do_not_end_the_wait_for_a_dropped_sequence() -> None:
    assert (
        lines(
            """
calls = []
signal.signal(signal.SIGINT, lambda *_: calls.append(1))
sequence = long_sequence(mgr, [tensor], 2)
sequence.eval_async()
event = sequence.event()
interrupt_soon()
del sequence
print("done:", event.done, "calls:", len(calls))
"""
        )
        == ["done: True calls: 1"]
    )


#: Threads that the end of the interpreter does not wait for, in calls that release the GIL.
DAEMONS = {
    "Event.wait": "event.wait(timeout=0.001)",
    "wait_any": "kp.wait_any([event], timeout=0.001)",
    "Sequence.eval": "sequence().eval()",
    "Sequence.eval_async": "sequence().eval_async().eval_await()",
    "Tensor.read": "mgr.tensor([1.0]).read()",
    "UserEvent.set": "kp.UserEvent().set()",
    "compile": "kp.compile(SHADER)",
    "Queue.host_function": "mgr.queue().host_function(lambda: None).wait()",
    "OpBase.pre_eval": "sequence(Hooked()).eval()",
}


@pytest.mark.parametrize("name", DAEMONS)
def test_the_interpreter_ends_beside_threads_in_calls(name: str) -> None:
    """CPython ends daemon threads that ask for the GIL: once that ended the process."""
    output = run_python(
        f"""
import threading, time
import kp
mgr = kp.Manager()
event = kp.UserEvent()
SHADER = "layout(binding = 0) buffer A {{ float a[]; }}; void main() {{ a[0] = 1.0; }}"
class Hooked(kp.OpBase):
    def record(self): return []
    def pre_eval(self): pass
def sequence(op=None):
    return mgr.sequence().record(op or kp.OpFill([mgr.tensor(shape=4)], 1))
def work():
    while True:
        try:
            {DAEMONS[name]}
        except kp.Unsupported:  # the interpreter is ending
            pass
for _ in range(4):
    threading.Thread(target=work, daemon=True).start()
time.sleep(0.05)
print("end")
""",
        timeout=60,
    )
    assert output == "end\n"


def test_threads_of_the_library_drop_python_operations_at_the_end_of_the_interpreter() -> None:
    """They must not ask for the GIL, with which CPython would end them."""
    for _ in range(2):
        output = run_python(
            """
import atexit, threading, time
gates = []
atexit.register(lambda: [gate.set() for gate in gates])  # after kp's
import kp
mgr = kp.Manager()
class Op(kp.OpBase):
    def record(self):
        yield kp.OpFill([tensor], 2)
    def record(self): return []
    def pre_eval(self): pass
tensor = mgr.tensor(shape=4)
queues = [mgr.queue() for _ in range(4)]
for turn in range(40):
    gate = kp.UserEvent()
    gates.append(gate)
    host = queues[turn % 4].host_function(lambda: time.sleep(0.001), [gate])
    mgr.sequence().record(Op()).eval_async(wait_for=[gate]).eval_await(1)
print("end")
""",
            timeout=60,
        )
        assert output == "end\n"


LONG = """#version 450
layout(local_size_x = 1) in;
layout(binding = 0) buffer A { float a[]; };
layout(push_constant) uniform P { uint n; };
void main() {
    float x = a[0];
    for (uint j = 0u; j < n; ++j)
        for (uint k = 0u; k < n; ++k)
            x = sin(x + 1.0);
    a[0] = x;
}"""


@pytest.mark.parametrize(
    ("end", "output"),
    [
        ("", ""),
        ("del s; m.destroy(); print('destroyed', not m.is_init())", "destroyed True\n"),
        ("s.destroy(); print('destroyed', not s.is_init())", "destroyed True\n"),
    ],
    ids=["the process ends", "the manager is destroyed", "the sequence is destroyed"],
)
def test_nothing_waits_for_ever_for_a_kernel_whose_wait_timed_out(end: str, output: str) -> None:
    if kp.default_manager().get_device_properties()["type"] != "cpu":
        pytest.skip("GPUs end kernels that run for minutes in ways of their own")
    found = run_python(
        f"""
import sys
import kp
m = kp.Manager()
s = m.sequence()
a = m.algorithm([m.tensor([1.0])], sys.argv[1], (1, 1, 1), push_consts={{"n": 1_000_000}})
s.record(kp.OpAlgoDispatch(a)).eval_async().eval_await(10_000_000)
assert s.timed_out()
{end}
""",
        LONG,
        timeout=60,
    )
    assert output in found
    assert found.count("still works after 10000 ms") == 1


def test_breadcrumbs_tell_what_the_device_works_on() -> None:
    output = lines(
        """
sequence = long_sequence(mgr, [tensor], 1)
sequence.set_name("frame")
sequence.eval_async().eval_await(50_000_000)
if sequence.timed_out():  # not on a fast device
    assert all(" of sequence 'frame' was under way: " in text for text in mgr.under_way())
    assert mgr.under_way()
sequence.event().wait()
print(mgr.under_way())
""",
        KOMPUTE_BREADCRUMBS="1",
    )
    assert output == ["[]"]


def test_without_breadcrumbs_nothing_is_known_to_be_under_way() -> None:
    with kp.Manager() as manager, pytest.raises(kp.InvalidArgument, match="KOMPUTE_BREADCRUMBS=1"):
        manager.under_way()

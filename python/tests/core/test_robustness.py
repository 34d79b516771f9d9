# SPDX-License-Identifier: Apache-2.0
"""Hostile use: no signal, no hang, no SystemError. Most programs run in processes of their own."""

from __future__ import annotations

import subprocess
import sys
import textwrap
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import kp
import numpy as np
import pytest
from conftest import INCREMENT

GLSL = """
layout(binding = 0) buffer Data { float data[]; };
void main() { data[0] = VALUE; }
"""

# call_all(object) calls everything that an object offers, with several arguments.
CALL_ALL = """
import inspect
import kp

SKIPPED = {"__class__", "__init_subclass__", "__subclasshook__", "__new__", "__reduce__",
           "__reduce_ex__", "__setattr__", "__delattr__", "__getattribute__", "__dir__"}


def call_all(thing):
    for name in dir(type(thing)):
        if name in SKIPPED:
            continue
        try:
            member = getattr(thing, name)
        except SystemError:
            raise
        except Exception:
            continue
        if not callable(member):
            continue
        for arguments in ((), (1,), (None,), ([1.0],), (b"", -1)):
            try:
                result = member(*arguments)
                if inspect.iscoroutine(result):
                    result.close()
            except SystemError:
                raise
            except Exception:
                pass
"""


def run(code: str, seconds: float = 60) -> str:
    done = subprocess.run(
        [sys.executable, "-c", CALL_ALL + textwrap.dedent(code)],
        capture_output=True,
        text=True,
        timeout=seconds,
    )
    assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-2000:]
    return done.stdout


def test_objects_without_init_raise() -> None:
    run(
        """
        import enum
        import kp._kp as module

        for name, cls in list(vars(module).items()):
            if not inspect.isclass(cls) or issubclass(cls, (BaseException, enum.Enum)):
                continue
            try:
                made = cls.__new__(cls)
            except TypeError:
                continue
            print(name, flush=True)
            call_all(made)
        """
    )


def test_destroyed_objects_raise() -> None:
    run(
        """
        shader = "layout(binding = 0) buffer A { float a[]; };\\nvoid main() { a[0] += 1.0; }"
        manager = kp.Manager()
        tensor = manager.tensor([1.0, 2.0])
        image = manager.image([1.0, 2.0], 2, 1, 1)
        algorithm = manager.algorithm([tensor], manager.compile(shader))
        sequence = manager.sequence()
        sequence.record(kp.OpAlgoDispatch(algorithm)).eval()
        queue = manager.queue()
        event = sequence.event()
        group = kp.DeviceGroup(device_ids=[0, 0])
        buffer = kp.Buffer((4,), "float32", group=group)
        alone = kp.Manager()
        orphan = alone.tensor([1.0])
        for thing in (tensor, image, algorithm, sequence, manager, alone, group, buffer):
            if hasattr(thing, "destroy"):
                thing.destroy()
        for thing in (tensor, image, algorithm, sequence, manager, alone, orphan, queue, event,
                      group, buffer):
            print(type(thing), flush=True)
            call_all(thing)
        """
    )


def test_waiting_for_a_destroyed_group_raises() -> None:
    assert "raised" in run(
        """
        group = kp.DeviceGroup(device_ids=[0, 0])
        event = kp.UserEvent()
        waiting = group.queue(0).barrier([event])
        group.destroy()
        try:
            group.wait_idle()
        except kp.Error:
            print("raised")
        event.set()
        """
    )


def test_the_include_policy_is_obeyed(tmp_path: Path) -> None:
    (tmp_path / "value.glsl").write_text("#define VALUE 2.0\n")
    absolute = f'#include "{tmp_path / "value.glsl"}"\n' + GLSL
    with pytest.raises(kp.ShaderError, match="outside the include folders"):
        kp.compile(absolute)
    assert kp.compile(absolute, include_policy="anywhere")
    inside = "#include <value.glsl>\n" + GLSL
    assert kp.compile(inside, includes=[str(tmp_path)])
    with pytest.raises(kp.ShaderError, match="include_policy is 'none'"):
        kp.compile(inside, includes=[str(tmp_path)], include_policy="none")
    with pytest.raises(ValueError, match="include_policy is 'all'"):
        kp.compile(inside, include_policy="all")


@pytest.mark.skipif(sys.platform == "win32", reason="needs fork()")
def test_isolated_compilation_reports_errors() -> None:
    good = GLSL.replace("VALUE", "2.0")
    assert kp.compile(good, isolate=True) == kp.compile(good)
    with pytest.raises(kp.ShaderError) as caught:
        kp.compile(GLSL, isolate=True)
    assert caught.value.line == 3


def test_lists_that_raise_when_they_are_read_raise_that(mgr: kp.Manager) -> None:
    class Raises(list):  # type: ignore[type-arg]
        def __iter__(self) -> Iterator[Any]:
            raise ZeroDivisionError("on purpose")

    tensors = Raises([mgr.tensor([1.0])] * 3)
    shader = "layout(binding = 0) buffer A { float a[]; };\nvoid main() { a[0] = 1.0; }"
    for call in (
        lambda: kp.OpMult(tensors, mgr.algorithm()),
        lambda: mgr.algorithm(tensors, shader),
    ):
        with pytest.raises(ZeroDivisionError, match="on purpose"):
            call()


def test_early_calls_end_at_the_first_that_is_no_tensor(mgr: kp.Manager) -> None:
    endless = np.broadcast_to(np.float32(1), (2**40,))
    for call in (mgr.eval_tensor_create_def, mgr.rebuild):
        with pytest.raises(TypeError, match=r"tensors\[0\]"):
            call(endless)


THREADS = 4
Call = Callable[[], object]


def evaluate(mgr: kp.Manager) -> Call:
    # Long enough that some thread always evaluates.
    tensor = mgr.tensor(np.zeros(300_000))
    return (
        mgr.sequence().record(kp.OpAlgoDispatch(mgr.algorithm([tensor], INCREMENT, (4688,)))).eval
    )


def evaluate_all(mgr: kp.Manager) -> Call:
    tensor = mgr.tensor(np.zeros(300_000))
    sequence = mgr.sequence().record(kp.OpAlgoDispatch(mgr.algorithm([tensor], INCREMENT, (4688,))))
    return lambda: kp.eval_all([sequence])


def record(mgr: kp.Manager) -> Call:
    sequence, tensor = mgr.sequence(), mgr.tensor([1])
    return lambda: sequence.record(kp.OpSyncDevice([tensor])).clear()


def look(mgr: kp.Manager) -> Call:
    tensor = mgr.tensor(np.zeros(100))
    return lambda: (tensor.data(), tensor.numpy(), tensor[0], tensor.device_has_contents())


def assign(mgr: kp.Manager) -> Call:
    tensor = mgr.tensor(np.zeros(100))
    return lambda: tensor.__setitem__(0, 1)


def launch(mgr: kp.Manager) -> Call:
    kernel = kp.launcher.Kernel(mgr, INCREMENT)
    launcher = kp.launcher.KernelLauncher("launch", kernel, [mgr.tensor(np.zeros(64))], 64)
    return lambda: launcher().wait()


def create(mgr: kp.Manager) -> Call:
    return lambda: mgr.tensor([1, 2, 3])


def evaluate_in_a_group(group: kp.DeviceGroup) -> Call:
    return evaluate(group[0])


def read_a_buffer(group: kp.DeviceGroup) -> Call:
    return kp.asbuffer(np.zeros(100, np.float32), group).read


def launch_in_a_group(group: kp.DeviceGroup) -> Call:
    return group.kernel(INCREMENT, [kp.asbuffer(np.zeros(100, np.float32), group)])


def destroy_while_threads_work(owner: Any, make: Callable[[Any], Call]) -> int:
    """Return the number of calls that began well after destroy() did."""
    make(owner)()  # imports what the threads need
    working = threading.Barrier(THREADS + 1)
    destroying = threading.Event()
    late = []

    def work() -> str:
        call = make(owner)
        working.wait(10)
        try:
            while True:
                if destroying.is_set():
                    late.append(1)
                call()
        except kp.InvalidArgument as error:
            return str(error)

    with ThreadPoolExecutor(THREADS) as pool:
        results = [pool.submit(work) for _ in range(THREADS)]
        working.wait(10)
        time.sleep(0.02)
        destroying.set()
        owner.destroy()
        assert not owner.is_init()
        for result in results:
            assert "destroy" in result.result(30)
    return len(late)


# The event is set a moment before destroy() refuses calls.
FEW = 200


@pytest.mark.parametrize("make", [evaluate, evaluate_all, launch])
def test_destroy_of_a_manager_wins_against_threads_that_run_work(make: Any) -> None:
    assert destroy_while_threads_work(kp.Manager(), make) < FEW


@pytest.mark.parametrize("make", [record, look, assign, create])
def test_destroy_of_a_manager_wins_against_threads_that_never_wait(make: Any) -> None:
    for _ in range(20):
        destroy_while_threads_work(kp.Manager(), make)


@pytest.mark.parametrize("make", [evaluate_in_a_group, read_a_buffer, launch_in_a_group])
def test_destroy_of_a_group_wins_against_busy_threads(make: Any) -> None:
    assert destroy_while_threads_work(kp.DeviceGroup(device_ids=[0, 0]), make) < FEW

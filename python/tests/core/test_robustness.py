# SPDX-License-Identifier: Apache-2.0
"""Hostile use, in processes of its own: no signal, no hang, no SystemError."""

from __future__ import annotations

import subprocess
import sys
import textwrap
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import kp
import numpy as np
import pytest

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

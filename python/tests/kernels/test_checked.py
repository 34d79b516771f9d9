# SPDX-License-Identifier: Apache-2.0
"""Checked mode: the mistakes of shaders and kernels as exceptions with their line."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import traceback
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import kp

from checked_support import failure

WRITES = """#version 450
layout(binding = 0) buffer Y { float y[]; };
layout(push_constant) uniform P { int k; };
void main() { y[k] = 7; }
"""


@kp.jit
def shift(x, y):
    i = kp.global_id()
    y[i + 1] = x[i]


@kp.jit
def quotient(x, y):
    i = kp.global_id()
    y[i] = x[i] // y[i]


@kp.jit
def asserts(x):
    i = kp.global_id()
    assert x[i] >= 0, "x is not negative"
    x[i] = abs(x[i])


@kp.jit
def checks(x):
    i = kp.global_id()
    kp.check(x[i] < 3, "x is small", x[i])
    x[i] = 2 * x[i]


@kp.jit
def shared(x):
    tile = kp.shared_array(64, kp.float32)
    i = kp.local_id()
    tile[i + 1] = x[i]
    kp.barrier()
    x[i] = tile[i]


def line_of(kernel: kp.JitFunction, offset: int) -> int:
    return kernel.__kp_function__.__code__.co_firstlineno + offset


def test_a_jit_function_fails_at_its_line() -> None:
    x, y = np.ones(8, np.float32), np.zeros(8, np.float32)
    with kp.checked():
        error = failure(lambda: shift(x, y))
    fault = error.faults[0]
    assert (fault.kind, fault.index, fault.extent) == ("write", 8, 8)
    assert fault.file == __file__
    assert fault.line == line_of(shift, 3)
    assert fault.text == "y[i + 1] = x[i]"
    assert fault.target == "y"
    assert fault.global_invocation == (7, 0, 0)
    assert error.count == 1
    assert error.code == "check_failed"
    assert f"{__file__}:{fault.line}: element 8 of y was written" in str(error)
    last = traceback.extract_tb(error.__traceback__)[-1]
    assert (last.filename, last.lineno) == (__file__, fault.line)


@pytest.mark.unchecked
def test_the_same_function_is_unchecked_outside() -> None:
    x = np.array([6, 6], np.int32)
    y = np.array([2, 3], np.int32)
    with kp.checked():
        quotient(x, y)
        inside = quotient.glsl
    quotient(x, y)
    assert "#line" in inside
    assert "#line" not in quotient.glsl


@pytest.mark.unchecked
def test_assertions_are_reported_and_otherwise_nothing() -> None:
    x = np.array([1, 5, -1], np.float32)
    asserts(x.copy())
    assert "debugPrintf" not in asserts.glsl
    checks(x.copy())
    with kp.checked():
        error = failure(lambda: asserts(x.copy()))
        assert error.faults[0].message == "x is not negative"
        assert error.faults[0].line == line_of(asserts, 3)
        error = failure(lambda: checks(x.copy()))
    assert error.faults[0].message == "x is small"
    assert error.faults[0].value == "5"
    assert error.faults[0].global_invocation == (1, 0, 0)


def test_kp_check_needs_a_constant_text() -> None:
    with pytest.raises(TypeError):
        kp.check(True)

    @kp.jit
    def wrong(x):
        kp.check(x[0] > 0, x)

    with kp.checked(), pytest.raises(kp.ShaderError, match="constant"):
        wrong(np.ones(2, np.float32))


def test_shared_memory_is_checked() -> None:
    x = np.ones(64, np.float32)
    with kp.checked():
        error = failure(lambda: shared(x))
    assert error.faults[0].memory == "shared memory"
    assert error.faults[0].line == line_of(shared, 4)
    assert error.faults[0].index == 64


def test_algorithms_follow_their_manager() -> None:
    mgr = kp.Manager(check=True)
    y = mgr.tensor([0, 0])
    algorithm = mgr.algorithm([y], WRITES, (1, 1, 1), push_consts=[2])
    error = failure(lambda: mgr.sequence().eval(kp.OpAlgoDispatch(algorithm)))
    assert error.faults[0].line == 4
    assert error.faults[0].memory == "binding 0 'Y', a tensor of 2 float32"
    off = mgr.algorithm([y], WRITES, (1, 1, 1), push_consts=[1], check=False)
    mgr.sequence().eval(kp.OpAlgoDispatch(off))


def test_an_algorithm_can_be_checked_alone() -> None:
    mgr = kp.Manager()
    y = mgr.tensor([0, 0])
    algorithm = mgr.algorithm([y], WRITES, (1, 1, 1), push_consts=[5], check="bounds")
    error = failure(lambda: mgr.sequence().eval(kp.OpAlgoDispatch(algorithm)))
    assert error.faults[0].index == 5
    with pytest.raises(kp.InvalidArgument, match="bonds"):
        mgr.algorithm([y], WRITES, (1, 1, 1), push_consts=[5], check="bonds")
    with pytest.raises(TypeError, match="check"):
        mgr.algorithm([y], WRITES, (1, 1, 1), push_consts=[5], check=3)  # type: ignore[arg-type]


def test_kernels_of_glsl_are_checked_in_a_scope() -> None:
    with kp.checked():
        kernel = kp.kernel("kernel void far(in float x[], out float y[]) { y[i + 3u] = x[i]; }")
        error = failure(lambda: kernel(np.ones(4, np.float32), np.zeros(4, np.float32)))
    assert error.count == 3
    assert error.faults[0].kind == "write"


@pytest.mark.unchecked
def test_functions_that_have_run_are_checked_in_a_scope() -> None:
    x = kp.asarray(np.array([6, 6], np.int32))
    y = kp.asarray(np.array([2, 0], np.int32))
    divide = kp.elementwise("int32 x, int32 y", "int32 z", "z = x / y")
    ratios = kp.reduction("int32 x, int32 y", "int32 z", "x / y", "a + b", "z = a", "0")
    captured = kp.function(lambda x, y: divide(x, y) + 1)
    for call in (divide, ratios, captured):
        for _ in range(2):
            call(x, y).numpy()
            with kp.checked(), pytest.raises(kp.CheckFailed, match="divided by zero"):
                call(x, y).numpy()


def test_a_scope_can_be_left_in_any_way() -> None:
    scope = kp.checked("bounds")
    with scope, pytest.raises(kp.InvalidArgument, match="entered"):
        scope.__enter__()
    assert kp._kp._checks() == ("" if not os.environ.get("KOMPUTE_CHECK") else kp._kp._checks())
    with pytest.raises(kp.InvalidArgument, match="nothing_like"):
        kp.checked("nothing_like")


def test_the_environment_turns_it_on(tmp_path: Any) -> None:
    program = tmp_path / "program.py"
    program.write_text(
        "import numpy as np, kp\n"
        "@kp.jit\n"
        "def over(x):\n"
        "    i = kp.global_id()\n"
        "    x[i * 2] = 1\n"
        "over(np.zeros(4, np.float32))\n"
    )
    done = subprocess.run(
        [sys.executable, str(program)],
        env={**os.environ, "KOMPUTE_CHECK": "1"},
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert done.returncode == 1
    assert "CheckFailed" in done.stderr
    assert "x[i * 2] = 1" in done.stderr
    assert "line 5" in done.stderr


@kp.jit(local_size=32)
def unordered_tile(x):
    tile = kp.shared_array(32, kp.float32)
    t = kp.local_id()
    tile[t] = x[kp.global_id()]
    x[kp.global_id()] = tile[31 - t]


@kp.jit(local_size=32)
def ordered_tile(x):
    tile = kp.shared_array(32, kp.float32)
    t = kp.local_id()
    tile[t] = x[kp.global_id()]
    kp.barrier()
    x[kp.global_id()] = tile[31 - t]


@kp.jit
def gathered(x, sums):
    sums[kp.global_id() // 4] += x[kp.global_id()]


def test_races_have_the_lines_of_python() -> None:
    with kp.checked("races"):
        error = failure(lambda: unordered_tile(np.arange(64, dtype=np.float32)))
        fault = error.faults[0]
        assert (fault.kind, fault.target) == ("race", "tile")
        # Whichever came second has found it.
        assert fault.text in ("x[kp.global_id()] = tile[31 - t]", "tile[t] = x[kp.global_id()]")
        assert "by invocation" in fault.message
        error = failure(lambda: gathered(np.ones(16, np.float32), np.zeros(4, np.float32)))
        assert error.faults[0].text == "sums[kp.global_id() // 4] += x[kp.global_id()]"
        x = np.arange(64, dtype=np.float32)
        ordered_tile(x)
    np.testing.assert_array_equal(x[:32], np.arange(32)[::-1])


@kp.jit(local_size=8)
def partly_filled(x):
    tile = kp.shared_array(8, kp.float32)
    t = kp.local_id()
    if t < 7:
        tile[t] = x[t]
    kp.barrier()
    x[t] = tile[t]


def test_reads_of_shared_arrays_that_nobody_wrote() -> None:
    with kp.checked("uninitialised"):
        fault = failure(lambda: partly_filled(np.ones(8, np.float32))).faults[0]
    assert (fault.kind, fault.target, fault.index) == ("uninitialised", "tile", 7)
    assert fault.text == "x[t] = tile[t]"


@kp.jit
def planted_read(x, y):
    i = kp.global_id()
    if i == 3:
        y[i] = x[i + 6]  # planted


@kp.jit
def planted_write(x, y):
    i = kp.global_id()
    if i == 3:
        y[i + 5] = x[i]  # planted


@kp.jit
def planted_atomic(x, y):
    i = kp.global_id()
    if i == 3:
        kp.atomic_add(y, i + 7, x[i])  # planted


@kp.jit(local_size=4)
def planted_shared(x, y):
    tile = kp.shared_array(8, kp.int32)
    i = kp.global_id()
    if i == 3:
        tile[i + 5] = x[i]  # planted
    kp.barrier()
    y[i] = tile[i]


@kp.jit
def planted_local(x, y):
    few = kp.local_array(4, kp.int32)
    i = kp.global_id()
    for k in range(4):
        few[k] = x[k]
    if i == 3:
        y[i] = few[i + 2]  # planted


@kp.jit
def planted_overflow(x, y):
    i = kp.global_id()
    if i == 3:
        y[x[7] + 2147483647] = 1  # planted


@kp.jit
def planted_division(x, y):
    i = kp.global_id()
    if i == 3:
        y[i] = i // x[0]  # planted


@kp.jit
def planted_shift(x, y):
    i = kp.global_id()
    if i == 3:
        y[i] = x[1] << (x[7] + 25)  # planted


@kp.jit
def planted_nan(x, y):
    i = kp.global_id()
    if i == 3:
        y[i] = kp.int32(kp.float32(x[1]) / kp.float32(x[0]))  # planted


@kp.jit(local_size=4)
def planted_unwritten_shared(x, y):
    tile = kp.shared_array(8, kp.int32)
    i = kp.global_id()
    if i == 3:
        y[i] = tile[i] + x[i]  # planted


@kp.jit
def planted_unwritten(x, y):
    i = kp.global_id()
    y[i] = x[i]
    if i == 3:
        x[i] = y[i + 4]  # planted


@kp.jit
def planted_race(x, y):
    i = kp.global_id()
    y[2] = x[i]  # planted


@kp.jit(local_size=4)
def planted_shared_race(x, y):
    tile = kp.shared_array(8, kp.int32)
    i = kp.global_id()
    tile[2] = x[i]  # planted
    y[i] = x[i]


@kp.jit
def planted_assert(x, y):
    i = kp.global_id()
    assert x[i] < 3, "x is small"  # planted
    y[i] = x[i]


@kp.jit
def planted_check(x, y):
    i = kp.global_id()
    kp.check(x[i] < 3, "x is small", x[i])  # planted
    y[i] = x[i]


@kp.jit
def planted_loop(x, y):
    i = kp.global_id()
    if i == 3:
        while x[1] == 1:  # planted
            y[2] += 1


@pytest.mark.parametrize(
    ("kernel", "checks", "kind", "target", "index"),
    [
        (planted_read, "1", "read", "x", 9),
        (planted_write, "1", "write", "y", 8),
        (planted_atomic, "1", "atomic", "y", 10),
        (planted_shared, "1", "write", "tile", 8),
        (planted_local, "1", "read", "few", 5),
        (planted_overflow, "1", "overflow", None, 2147483654),
        (planted_division, "1", "division", None, 0),
        (planted_shift, "1", "shift", None, 32),
        (planted_nan, "nan", "nan", None, 0),
        (planted_unwritten_shared, "uninitialised", "uninitialised", "tile", 3),
        (planted_unwritten, "uninitialised", "uninitialised", "y", 7),
        (planted_race, "races", "race", "y", 2),
        (planted_shared_race, "races", "race", "tile", 2),
        (planted_assert, "1", "assert", None, 0),
        (planted_check, "1", "assert", None, 0),
        (planted_loop, "steps=100", "steps", None, 100),
    ],
    ids=lambda value: value.__name__ if callable(value) else None,
)
def test_each_kind_of_fault_has_its_line_and_index(
    kernel: Any, checks: str, kind: str, target: str | None, index: int
) -> None:
    def run() -> None:
        x, y = np.arange(8, dtype=np.int32), kp.empty(8, kp.int32)
        kernel(x, y, threads=4)
        np.asarray(y)  # waits

    with kp.checked(checks):
        error = failure(run)
    faults = [each for each in error.faults if each.kind == kind]
    assert faults, error.faults
    fault = faults[0]
    assert fault.file == __file__
    with open(__file__, encoding="utf-8") as source:
        line = source.read().splitlines()[fault.line - 1]
    assert line.strip() == fault.text
    assert fault.text.endswith("# planted")
    assert kernel.__kp_function__.__code__.co_firstlineno < fault.line
    assert target is None or fault.target == target
    assert fault.index == index
    if kind != "race":
        assert fault.global_invocation[0] == 3


def test_faults_name_the_algorithm_and_the_memory() -> None:
    mgr = kp.Manager(check="bounds")
    memory = mgr.tensor(np.zeros(2, np.float32))
    memory.set_name("weights")
    algorithm = mgr.algorithm([memory], WRITES, (1,), push_consts={"k": 2})
    algorithm.set_name("scatter")
    error = failure(lambda: mgr.sequence().eval(kp.OpAlgoDispatch(algorithm)))
    assert error.faults[0].algorithm == "scatter"
    assert "a tensor 'weights' of 2 float32" in error.faults[0].memory
    assert "dispatch of 'scatter'" in str(error)
    with kp.checked("bounds"):
        fault = failure(lambda: shift(np.ones(4, np.float32), np.zeros(4, np.float32))).faults[0]
    assert fault.algorithm == "shift"


PAGE = Path(__file__).resolve().parents[3] / "docs" / "guides" / "debugging.md"
PROGRAM = """
import numpy as np
import kp

@kp.jit
def double(x):
    i = kp.global_id()
    x[i] = 2 * x[i]

x = np.ones(8, np.float32)
double(x)
print("sum", x.sum())
"""


@pytest.mark.skipif(not PAGE.is_file(), reason="there is no documentation here")
def test_the_commands_of_the_page_run(tmp_path: Path) -> None:
    program = tmp_path / "program.py"
    program.write_text(PROGRAM)
    found = re.findall(
        r"((?:[A-Z_]+=\S+ )*)python (-m kp memory )?program\.py", PAGE.read_text(encoding="utf-8")
    )
    commands = {each for each in found if "VALIDATION" not in each[0]}  # which needs the layers
    if not any(each["type"] == "cpu" for each in kp.list_devices()):
        commands = {each for each in commands if "KOMPUTE_DEVICE=cpu" not in each[0]}
    assert len(commands) > 6
    for variables, module in sorted(commands):
        environment = dict(each.split("=", 1) for each in variables.split())
        ended = subprocess.run(
            [sys.executable, *module.split(), str(program)],
            capture_output=True,
            text=True,
            timeout=120,
            env={**os.environ, **environment},
        )
        assert ended.returncode == 0, (variables, module, ended.stderr)
        assert "sum 16.0" in ended.stdout, (variables, module)

# SPDX-License-Identifier: Apache-2.0
"""Checked mode of kernels: texts that the library compiles, and the axes of arrays."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import kp
from kp import launcher

ASSERTS = """#version 450
#include <kompute/check.glsl>
layout(local_size_x = 1) in;
layout(binding = 0) buffer X { float x[]; };
void main() {
    x[1] = 1;
    kp_assert(x[0] > 0, "x is positive", x[0]);
}
"""
OUTSIDE = """#version 450
layout(local_size_x = 1) in;
layout(binding = 0) buffer X { float x[]; };
void main() {
    x[0] = 1;
    x[8] = 2;
}
"""
HLSL = """RWStructuredBuffer<float> x : register(u0);
[numthreads(1, 1, 1)]
void main() {
    x[0] = 1;
    x[8] = 2;
}
"""

pytestmark = pytest.mark.unchecked  # each test says where checks are


@kp.jit
def put(x, row, column):
    if kp.global_id() == 0:
        x[row, column] = 5


@kp.jit
def put3(x, i, j, k):
    if kp.global_id() == 0:
        x[i, j, k] += 1


@kp.jit
def put1(x, k):
    if kp.global_id() == 0:
        x[k] = 3


@kp.jit
def put_flat(x, k):
    if kp.global_id() == 0:
        x.flat[k] = 3


def failure(call: Any) -> kp.CheckFailed:
    with pytest.raises(kp.CheckFailed) as raised:
        call()
    return raised.value


def zeros() -> np.ndarray[Any, Any]:
    return np.zeros(8, np.float32)


def run(mgr: kp.Manager, shader: Any, **options: Any) -> None:
    x = mgr.tensor(zeros())
    algorithm = mgr.algorithm([x], shader, (1, 1, 1), **options)
    mgr.sequence().record(kp.OpSyncDevice([x])).record(kp.OpAlgoDispatch(algorithm)).eval()


def launch(mgr: kp.Manager, kernel: launcher.Kernel) -> None:
    launcher.KernelLauncher("launch", kernel, [mgr.tensor(zeros())], 1)().wait()


def require_assertion(error: kp.CheckFailed) -> None:
    assert (error.faults[0].kind, error.faults[0].message) == ("assert", "x is positive")


def require_line(error: kp.CheckFailed, text: str = "x[8] = 2;") -> None:
    assert error.faults[0].text == text
    assert error.faults[0].line != 0


def test_check_of_an_algorithm_compiles_its_text_with_lines_and_assertions(mgr: kp.Manager) -> None:
    require_assertion(failure(lambda: run(mgr, ASSERTS, check=True)))
    require_line(failure(lambda: run(mgr, OUTSIDE, check="bounds")))
    run(mgr, ASSERTS, check=False)


def test_the_algorithms_check_wins_over_the_scope(mgr: kp.Manager) -> None:
    with kp.checked():
        run(mgr, ASSERTS, check=False)
    with kp.checked(False):
        require_assertion(failure(lambda: run(mgr, ASSERTS, check=True)))


def test_files_are_compiled_for_the_checks(mgr: kp.Manager, tmp_path: Path) -> None:
    glsl, hlsl = tmp_path / "outside.comp", tmp_path / "outside.hlsl"
    glsl.write_text(OUTSIDE)
    hlsl.write_text(HLSL)
    for path in (glsl, hlsl):
        require_line(failure(lambda path=path: run(mgr, path, check=True)))
    kernel = kp.kernel(hlsl)
    kernel(zeros())
    with kp.checked():
        require_line(failure(lambda: kernel(zeros())))


def test_check_of_a_launchers_kernel_compiles_its_text(mgr: kp.Manager) -> None:
    require_assertion(failure(lambda: launch(mgr, launcher.Kernel(mgr, ASSERTS, check=True))))
    require_line(failure(lambda: launch(mgr, launcher.Kernel(mgr, OUTSIDE, check=True))))


def test_a_launchers_kernel_is_compiled_for_the_checks_of_a_launch(mgr: kp.Manager) -> None:
    kernel = launcher.Kernel(mgr, ASSERTS)
    launch(mgr, kernel)
    with kp.checked():
        require_assertion(failure(lambda: launch(mgr, kernel)))
    launch(mgr, kernel)


def test_one_launcher_follows_the_checks_of_its_launches(mgr: kp.Manager) -> None:
    x = mgr.tensor(zeros())
    x.write(zeros())
    run = launcher.KernelLauncher("run", ASSERTS, [x], 1)
    for _ in range(2):
        run().wait()
        with kp.checked():
            require_assertion(failure(lambda: run().wait()))


def test_a_kernel_made_before_a_scope_has_lines_and_assertions_in_it() -> None:
    asserts, outside = kp.kernel(ASSERTS), kp.kernel(OUTSIDE)
    asserts(zeros())
    with kp.checked():
        require_assertion(failure(lambda: asserts(zeros())))
        require_line(failure(lambda: outside(zeros())))
    asserts(zeros())


def test_a_kernel_made_in_a_scope_has_no_checks_outside() -> None:
    with kp.checked():
        kernel = kp.kernel(ASSERTS)
    assert kernel(zeros())[1] == 1
    assert kernel._known().spirv == kp.kernel(ASSERTS).spirv


def test_the_checks_of_a_manager_reach_its_kernels() -> None:
    checked = kp.Manager(check=True)
    x = checked.tensor(zeros())
    for kernel in (
        kp.kernel(ASSERTS),
        kp.kernel("kernel void k(inout float x[]) { x[i + 8] = 2; }"),
    ):
        for _ in range(2):
            error = failure(lambda kernel=kernel: (kernel(x, threads=1), x.read()))
            assert error.faults[0].line != 0
        kernel(zeros(), threads=1, mgr=kp.Manager(check=False))
    error = failure(lambda: (put1(x, 8), x.read()))
    assert error.faults[0].text == "x[k] = 3"
    assert error.faults[0].file == __file__


def test_a_jit_function_as_a_shader_has_the_checks_of_the_algorithm(mgr: kp.Manager) -> None:
    @kp.jit
    def beyond(x: "float[:]"):
        x[kp.global_id() + 8] = 2

    assert "#line" not in beyond.glsl
    size = {"kp_global_size": (8, 1, 1)}
    run(mgr, beyond, check="nan", push_consts=size)
    error = failure(lambda: run(mgr, beyond, check=True, push_consts=size))
    assert error.faults[0].text == "x[kp.global_id() + 8] = 2"
    assert "#line" not in beyond.glsl


def test_assertions_that_need_other_arguments_are_refused(mgr: kp.Manager) -> None:
    text = ASSERTS.replace("void main", "layout(binding = 1) buffer Y { float y[]; };\nvoid main")
    text = text.replace("x[0] > 0", "y[0] > 0")
    kernel, of_launchers = kp.kernel(text), launcher.Kernel(mgr, text)
    with kp.checked():
        with pytest.raises(
            kp.InvalidArgument, match=r"other arguments .*\(x, y\) than without \(x\)"
        ):
            kernel(zeros())
        with pytest.raises(kp.InvalidArgument, match="make the kernel with the same checks"):
            launch(mgr, of_launchers)
        require_assertion(failure(lambda: kp.kernel(text)(zeros(), zeros())))

# SPDX-License-Identifier: Apache-2.0
"""Checked mode of kernels: texts that the library compiles, and the axes of arrays."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import kp

from checked_support import failure
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


def test_the_checks_of_a_manager_reach_functions_of_arrays() -> None:
    x = kp.asarray(kp.Manager(check="nan").tensor(zeros()))
    inverse = kp.elementwise("T x", "T y", "y = 1 / x", "inverse")
    for call in (lambda: inverse(x).get(), lambda: (1 / x).get()):
        assert failure(call).faults[0].kind == "nan"


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


@pytest.mark.parametrize("dtype", [np.float32, np.int64])
def test_each_index_is_compared_with_its_own_extent(dtype: Any) -> None:
    for row, column in ((0, 7), (4, 2), (-1, 2), (1, -2)):
        x = np.zeros((4, 6), dtype)
        with kp.checked():
            error = failure(lambda x=x, row=row, column=column: put(x, row, column))
        fault = error.faults[0]
        assert fault.indices == (row, column)
        assert fault.shape == (4, 6)
        assert (fault.index, fault.extent) == ((row, 4) if not 0 <= row < 4 else (column, 6))
        assert fault.target.startswith("x")
        assert error.count == 1
        assert f"element [{row}, {column}] of {fault.target} was written" in str(error)
        assert "which has the shape (4, 6)" in str(error)
        assert not x.any()
        with pytest.raises(IndexError):
            put.python(np.zeros((4, 6), dtype), row, column)


def test_arrays_of_vectors_and_of_matrices_compare_each_axis() -> None:
    @kp.jit
    def turn(x: "vec2[:, :]", y: "mat2[:, :]", i, j):
        if kp.global_id() == 0:
            x[i, j].y = 1
            y[j, i] = y[j, i] * 2

    x, y = np.zeros((4, 6, 2), np.float32), np.ones((6, 4, 2, 2), np.float32)
    with kp.checked():
        turn(x, y, 3, 5)
        faults = failure(lambda: turn(x, y, 3, 6)).faults
    assert x[3, 5, 1] == 1 and x.sum() == 1
    assert y[5, 3].sum() == 8 and y.sum() == 4 * 24 + 4
    assert [(each.indices, each.shape) for each in faults[:2]] == [
        ((3, 6), (4, 6)),
        ((6, 3), (6, 4)),
    ]


def test_indices_inside_of_their_extents_are_no_fault() -> None:
    with kp.checked():
        x = put(np.zeros((4, 6), np.float32), 3, 5)
        y = put3(np.zeros((2, 3, 4), np.int64), 1, 2, 3)
    assert x[3, 5] == 5 and x.sum() == 5
    assert y[1, 2, 3] == 1 and y.sum() == 1


def test_arrays_of_three_and_of_many_axes() -> None:
    with kp.checked():
        fault = failure(lambda: put3(np.zeros((2, 3, 4), np.float32), 0, 3, 1)).faults[0]
    assert (fault.kind, fault.indices, fault.shape) == ("read", (0, 3, 1), (2, 3, 4))

    @kp.jit
    def last(x, k):
        if kp.global_id() == 0:
            x[0, 0, 0, 0, 0, 0, 0, 0, k] = 1

    with kp.checked():
        error = failure(lambda: last(np.zeros((1,) * 7 + (2, 2), np.float32), 3))
    assert (error.faults[0].index, error.faults[0].extent) == (3, 2)
    assert "element 3 of x along axis 8 was written, which has 2 elements" in str(error)


def test_atomics_and_booleans_compare_each_axis() -> None:
    @kp.jit
    def count(x, i, j):
        if kp.global_id() == 0:
            kp.atomic_add(x[i, j], 1)

    @kp.jit
    def flip(x, i, j):
        if kp.global_id() == 0:
            x[i, j] = not x[i, j]

    with kp.checked():
        fault = failure(lambda: count(np.zeros((4, 6), np.int32), 0, 6)).faults[0]
        assert (fault.kind, fault.indices, fault.shape) == ("atomic", (0, 6), (4, 6))
        fault = failure(lambda: flip(np.zeros((4, 6), np.bool_), 0, 6)).faults[0]
        assert (fault.indices, fault.shape) == ((0, 6), (4, 6))


@pytest.mark.parametrize("dtype", [np.int32, np.int64])
@pytest.mark.parametrize("kernel", [put1, put_flat])
def test_a_negative_index_is_reported_as_it_is(dtype: Any, kernel: kp.JitFunction) -> None:
    with kp.checked():
        error = failure(lambda: kernel(np.zeros(8, dtype), -1))
    assert error.faults[0].index == -1
    assert "element -1 of x was written, which has 8 elements" in str(error)


@pytest.mark.parametrize("index", [-1, 2**32, 2**32 + 1, 2**40])
def test_an_index_of_64_bits_is_compared_whole(index: int) -> None:
    @kp.jit
    def local(x, k):
        own = kp.local_array(4, kp.int64)
        if kp.global_id() == 0:
            own[k] = 1
            x[0] = own[0]

    for kernel in (put1, local):
        x = np.zeros(8, np.int64)
        with kp.checked():
            fault = failure(lambda kernel=kernel, x=x: kernel(x, index)).faults[0]
        assert fault.index == index
        assert not x.any()


def test_text_without_checks_has_no_calls_for_indices() -> None:
    put(np.zeros((4, 6), np.int64), 1, 2)
    assert "kp_element" not in put.glsl and "kp_narrow" not in put.glsl


def test_a_reduction_has_its_own_name_in_reports() -> None:
    inverse = kp.reduction("T x", "T y", "1 / x", "a + b", "y = a", "0", "inverses")
    other = kp.reduction("T x", "T y", "1 / x", "a + b", "y = a", "0", "others")
    for kernel in (inverse, other):
        with kp.checked("nan"):
            error = failure(lambda kernel=kernel: kernel(kp.zeros(8, "float32")).get())
        assert error.faults[0].algorithm.startswith(kernel.name)


def test_one_argument_too_many_is_said_in_the_singular(mgr: kp.Manager) -> None:
    text = "#version 450\nlayout(local_size_x = 1) in;\nvoid main() {}\n"
    with pytest.raises(kp.InvalidArgument, match="1 argument was given, but the kernel has 0"):
        launcher.KernelLauncher("none", launcher.Kernel(mgr, text), [mgr.tensor(zeros())], 1)

# SPDX-License-Identifier: Apache-2.0
"""kp.jit: calls, arguments and the kernels they compile."""

from __future__ import annotations

import math

import numpy as np
import pytest
from jit_support import floats, saxpy

import kp

FACTORS = (2, 3, 5)


def test_runs_a_function_once_for_each_element() -> None:
    x, y = floats(1000), np.ones(1000, np.float32)
    assert saxpy(2.0, x, y) is y
    np.testing.assert_allclose(y, 1 + 2 * x, rtol=1e-6)


def test_is_compiled_for_each_type() -> None:
    for dtype in (np.float32, np.float64, np.int32, np.uint32, np.int64, np.float16, np.int8):
        x, y = np.arange(5).astype(dtype), np.ones(5, dtype)
        np.testing.assert_array_equal(saxpy(dtype(3), x, y), 1 + 3 * np.arange(5))
    assert "int8_t y[]" in saxpy.glsl


def test_tensors_and_buffers_of_groups_are_arguments() -> None:
    mgr = kp.Manager()
    y = mgr.tensor([1, 1])
    saxpy(2.0, mgr.tensor([1, 2]), y)
    np.testing.assert_array_equal(y.read(), [3, 5])
    with kp.DeviceGroup(device_ids=[0, 0]) as group:
        x = kp.asbuffer(np.arange(7, dtype=np.float32), group, "sharded")
        z = kp.asbuffer(np.zeros(7, np.float32), group, "sharded")

        @kp.jit
        def sizes(x, z):
            i = kp.global_id()
            z[i] = x.size

        sizes(x, z)
        np.testing.assert_array_equal(z.read(), [4, 4, 4, 4, 3, 3, 3])


def test_work_items_past_the_size_do_nothing() -> None:
    y = np.zeros(100, np.float32)
    saxpy[70](1.0, np.ones(100, np.float32), y)
    np.testing.assert_array_equal(y, [1] * 70 + [0] * 30)


def test_two_axes_follow_the_shape() -> None:
    @kp.jit
    def index(out):
        x, y = kp.global_id(0), kp.global_id(1)
        height, width = out.shape
        out[y, x] = y * 1000 + x + width / 100 + height / 1000

    out = index(np.zeros((5, 9), np.float32))
    y, x = np.mgrid[:5, :9]
    np.testing.assert_allclose(out, y * 1000 + x + 0.09 + 0.005)
    assert "local_size_x = 8, local_size_y = 8" in index.glsl


def test_three_axes_follow_the_shape() -> None:
    @kp.jit
    def index(out):
        x, y, z = kp.global_id(0), kp.global_id(1), kp.global_id(2)
        out[z, y, x] = (z * 100 + y) * 100 + x

    z, y, x = np.mgrid[:3, :5, :6]
    np.testing.assert_array_equal(index(np.zeros((3, 5, 6), np.int32)), (z * 100 + y) * 100 + x)


def test_flat_indexes_arrays_of_any_shape() -> None:
    @kp.jit
    def count(out):
        i = kp.global_id()
        out.flat[i] = i + out.size + out.ndim

    np.testing.assert_array_equal(count(np.zeros((2, 3), np.int32)).ravel(), np.arange(6) + 6 + 2)


def test_annotated_outputs_can_be_left_out() -> None:
    @kp.jit
    def double(x, out: "float[:]"):
        i = kp.global_id()
        out[i] = 2 * x[i]

    np.testing.assert_array_equal(double(np.arange(3, dtype=np.int32)), [0, 2, 4])
    assert double(np.arange(3, dtype=np.int32)).dtype == np.float32


def test_annotated_functions_have_glsl_before_the_first_call() -> None:
    @kp.jit
    def fill(out: kp.Buffer[kp.float32], value: float = 2.5):
        out[kp.global_id()] = value

    assert "float value;" in fill.glsl
    np.testing.assert_array_equal(fill(np.zeros(2, np.float32)), [2.5, 2.5])
    np.testing.assert_array_equal(fill(np.zeros(2, np.float32), value=1), [1, 1])

    @kp.jit
    def bare(out):
        out[kp.global_id()] = 1

    with pytest.raises(kp.ShaderError, match="annotate out"):
        bare.glsl  # noqa: B018
    assert "float out_[]" in bare.specialize(np.zeros(1, np.float32))


def test_constants_outside_are_compiled_in_and_watched() -> None:
    scale = 2.0

    @kp.jit
    def scaled(out):
        out[kp.global_id()] = scale * math.pi + FACTORS[2]

    np.testing.assert_allclose(scaled(np.zeros(1, np.float32)), 2 * math.pi + 5, rtol=1e-6)
    scale = 3.0
    np.testing.assert_allclose(scaled(np.zeros(1, np.float32)), 3 * math.pi + 5, rtol=1e-6)


def test_kernels_are_shaders_of_algorithms() -> None:
    @kp.jit
    def double(x: "float[:]"):
        x[kp.global_id()] *= 2

    mgr = kp.Manager()
    x = mgr.tensor([1, 2])
    launcher = kp.launcher.KernelLauncher("double", double, [x], 2, round_up=True)
    mgr.sequence().record(kp.OpSyncDevice([x])).eval()
    launcher().wait()
    np.testing.assert_array_equal(x.read(), [2, 4])


# --- more -----------------------------------------------------------------------------------------


def test_choices_of_numbers_take_the_type_that_they_meet() -> None:
    @kp.jit
    def positive(x, out):
        i = kp.global_id()
        out[i] = (1 if x[i] > 2 else 0) if x[i] > 0 else 7

    for dtype in (np.uint8, np.uint32, np.float32, np.int64):
        out = positive(np.array([-1, 1, 3], np.float32), np.zeros(3, dtype))
        np.testing.assert_array_equal(out, [7, 0, 1])


def test_or_of_numbers_is_refused_inside_of_conditions_too() -> None:
    def twice(v):
        return 2 * v

    def wrong(x):
        if twice(x[0] or 5.0) > 3:
            x[0] = 1

    with pytest.raises(kp.ShaderError, match="'or' of a float32"):
        kp.jit(wrong)(np.zeros(1, np.float32))


class Settings:
    size = 2


def test_replaced_functions_and_attributes_are_noticed() -> None:
    def change(v):
        return v + 1

    @kp.jit
    def kernel(out):
        out[kp.global_id()] = change(Settings.size)

    assert kernel(np.zeros(1, np.int32))[0] == 3
    Settings.size = 5
    assert kernel(np.zeros(1, np.int32))[0] == 6

    def change(v):  # type: ignore[no-redef]  # noqa: F811
        return v * 100

    assert kernel(np.zeros(1, np.int32))[0] == 500
    Settings.size = 2


def test_matrices_and_vectors_are_numbers_of_calls() -> None:
    @kp.jit
    def transform(p: "vec4[:]", m: "mat4", offset: "vec4"):
        i = kp.global_id()
        p[i] = m @ p[i] + offset

    m = np.arange(16, dtype=np.float32).reshape(4, 4)
    p = np.array([[1, 0, 2, 0], [0, 1, 0, 3]], np.float32)
    expected = p @ m.T + [1, 2, 3, 4]
    np.testing.assert_array_equal(transform(p, m, np.array([1, 2, 3, 4], np.float32)), expected)
    with pytest.raises(TypeError, match=r"m is a mat4, but was given an array of shape \(2, 4\)"):
        transform(p, p, (1.0, 2.0, 3.0, 4.0))


def test_vectors_in_buffers_of_groups() -> None:
    @kp.jit
    def swap(p):
        i = kp.global_id()
        p[i] = p[i].zyx

    with kp.DeviceGroup(device_ids=[0, 0]) as group:
        points = np.arange(15, dtype=np.float32).reshape(5, 3)
        p = kp.asbuffer(points, group, "sharded", dtype=kp.vec3)
        swap(p)
        np.testing.assert_array_equal(p.read(), points[:, ::-1])


def test_counting_down_in_unsigned_integers_stops_at_0() -> None:
    def wrong(u):
        for k in range(u[0], 0, -3):
            u[1] = k

    with pytest.raises(kp.ShaderError, match="would pass 0"):
        kp.jit(wrong)(np.array([4, 0], np.uint32))


def test_no_work_items_do_nothing() -> None:
    y = np.zeros(2, np.float32)
    saxpy(1.0, np.ones(2, np.float32), y, threads=0)
    np.testing.assert_array_equal(y, 0)
    saxpy(np.array(2.0, np.float32), np.ones(2, np.float32), y)
    np.testing.assert_array_equal(y, 2)


def test_arrays_that_overlap_are_not_written_apart() -> None:
    x = np.arange(6, dtype=np.float32)
    saxpy(1.0, x, x)
    np.testing.assert_array_equal(x, 2 * np.arange(6))
    with pytest.raises(ValueError, match="y shares memory with x"):
        saxpy(1.0, x[:4], x[1:5])


def test_kernels_take_arrays_and_views() -> None:
    x = kp.asarray(np.arange(6, dtype=np.float32).reshape(2, 3))
    saxpy(1.0, kp.ones(2, dtype=kp.float32), x[:, 0])
    np.testing.assert_array_equal(x.numpy(), [[1, 1, 2], [4, 4, 5]])


def test_flags_are_numbers_of_calls() -> None:
    @kp.jit
    def flagged(x, flag):
        i = kp.global_id()
        if flag:
            x[i] = 1
        first = flag and i == 0
        x[i] += first

    np.testing.assert_array_equal(flagged(np.zeros(2, np.float32), True), [2, 1])
    np.testing.assert_array_equal(flagged(np.zeros(2, np.float32), np.False_), [0, 0])


def test_calls_that_are_alike_see_new_constants_and_types() -> None:
    offset = 1

    @kp.jit
    def filled(out, n):
        out[kp.global_id()] = n + offset

    out = kp.zeros(4, dtype=np.int64)
    for n, by in ((1, 1), (1, 1), (1, 5), (2**40, 5), (2**40, 5), (np.int64(3), 5), (1, 2)):
        offset = by
        assert filled(out, n).numpy().tolist() == [n + by] * 4
    assert filled(out, kp.asarray(7)).numpy().tolist() == [9] * 4
    assert filled(out, n=kp.asarray(8)).numpy().tolist() == [10] * 4

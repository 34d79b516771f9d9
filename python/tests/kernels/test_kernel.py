# SPDX-License-Identifier: Apache-2.0
"""kp.kernel: shaders that are called with arrays."""

from __future__ import annotations

import gc
import os
import sys
import weakref
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import kp

FULL = """#version 450
layout(local_size_x = 64) in;
layout(binding = 0) readonly buffer First { float x[]; };
layout(binding = 1) writeonly buffer Second { float y[]; };
layout(constant_id = 3) const float offset = 0.0;
layout(push_constant) uniform Parameters { float factor; };
void main() {
    uint i = gl_GlobalInvocationID.x;
    if (i < y.length())
        y[i] = factor * x[i] + offset;
}
"""
SAXPY = "kernel void saxpy(float a, in float x[], inout float y[]) { y[i] += a * x[i]; }"
ADD = "kernel void add(in float x[], in float y[], out float sum[]) { sum[i] = x[i] + y[i]; }"


@pytest.fixture(scope="module")
def mgr() -> kp.Manager:
    return kp.Manager()


def floats(*values: float) -> Any:
    return np.array(values, np.float32)


def test_numpy_arrays_go_to_the_device_and_back_if_they_are_written() -> None:
    saxpy = kp.kernel(SAXPY)
    x, y = floats(1, 2, 3), floats(10, 20, 30)
    result = saxpy(2.0, x, y)
    assert result is y
    np.testing.assert_array_equal(y, [12, 24, 36])
    np.testing.assert_array_equal(x, [1, 2, 3])


def test_tensors_stay_on_the_device(mgr: kp.Manager) -> None:
    add = kp.kernel(ADD)
    x, y = mgr.tensor([1, 2, 3]), mgr.tensor([10, 20, 30])
    out = mgr.tensor(shape=3)
    assert add(x, y, out) is out
    np.testing.assert_array_equal(out.read(), [11, 22, 33])
    made = add(x, y)
    assert isinstance(made, kp.Tensor) and made.manager is mgr
    np.testing.assert_array_equal(made.read(), [11, 22, 33])


def test_numpy_arrays_join_tensors_on_their_device(mgr: kp.Manager) -> None:
    made = kp.kernel(ADD)(mgr.tensor([1, 2]), floats(3, 4))
    assert isinstance(made, kp.Tensor) and made.manager is mgr
    np.testing.assert_array_equal(made.read(), [4, 6])


def test_outputs_that_are_left_out_have_the_shape_of_the_largest_array() -> None:
    x = np.arange(6, dtype=np.float32).reshape(2, 3)
    made = kp.kernel(ADD)(x, x)
    assert made.shape == (2, 3)
    np.testing.assert_array_equal(made, x + x)


def test_full_shaders_take_arguments_by_the_names_of_arrays_and_of_blocks() -> None:
    scale = kp.kernel(FULL)
    assert [each.name for each in scale.parameters] == ["x", "y", "factor", "offset"]
    np.testing.assert_array_equal(scale(floats(1, 2), factor=3), [3, 6])
    np.testing.assert_array_equal(scale(x=floats(1, 2), factor=3.0, offset=1.0), [4, 7])
    np.testing.assert_array_equal(scale(First=floats(1, 2), factor=3.0), [3, 6])
    out = np.zeros(2, np.float32)
    assert scale(floats(1, 2), out, 3.0) is out


def test_the_largest_array_sets_the_size_not_the_first() -> None:
    gather = kp.kernel(
        "kernel void gather(in float x[], in int at[], out float y[]) { y[i] = x[at[i]]; }"
    )
    at = np.arange(1000, dtype=np.int32) % 4
    np.testing.assert_array_equal(gather(floats(1, 2, 3, 4), at), floats(1, 2, 3, 4)[at])


def test_work_items_are_given_by_index_by_keyword_or_by_function() -> None:
    ones = kp.kernel("kernel void ones(inout float y[]) { y[i] = 1.0; }")
    for result in (
        ones[2](np.zeros(4, np.float32)),
        ones(np.zeros(4, np.float32), threads=2),
        ones(np.zeros(4, np.float32), threads=lambda y: y.size // 2),
    ):
        np.testing.assert_array_equal(result, [1, 1, 0, 0])
    counting = kp.kernel("kernel void counting(out int y[]) { y[i] = int(i); }")
    np.testing.assert_array_equal(counting[5](), range(5))
    with pytest.raises(TypeError, match="no array to take its size from"):
        counting()
    with pytest.raises(ValueError, match="threads is a number"):
        counting["many"]()
    with pytest.raises(TypeError, match="given twice"):
        counting[5](threads=4)


def test_local_sizes_in_two_dimensions_follow_the_shape() -> None:
    turn = kp.kernel(
        """#version 450
    layout(local_size_x = 4, local_size_y = 4) in;
    layout(binding = 0) readonly buffer X { float x[]; };
    layout(binding = 1) writeonly buffer Y { float y[]; };
    layout(push_constant) uniform P { uvec3 kp_global_size; };
    void main() {
        uvec2 at = gl_GlobalInvocationID.xy, size = kp_global_size.xy;
        if (at.x < size.x && at.y < size.y)
            y[at.y * size.x + at.x] = x[(size.y - 1 - at.y) * size.x + at.x];
    }"""
    )
    x = np.arange(35, dtype=np.float32).reshape(5, 7)
    np.testing.assert_array_equal(turn(x), x[::-1])
    with pytest.raises(
        ValueError, match=r"2 dimensions, but its largest array, x, has the shape \(35,\)"
    ):
        turn(x.ravel())


def test_images_are_arguments(mgr: kp.Manager) -> None:
    invert = kp.kernel(
        """#version 450
    layout(local_size_x = 8, local_size_y = 8) in;
    layout(binding = 0, r32f) uniform image2D picture;
    void main() {
        ivec2 at = ivec2(gl_GlobalInvocationID.xy);
        if (all(lessThan(at, imageSize(picture))))
            imageStore(picture, at, 1.0 - imageLoad(picture, at));
    }"""
    )
    image = mgr.image(np.zeros((9, 11), np.float32))
    assert invert(image) is image
    np.testing.assert_array_equal(image.read().reshape(9, 11), 1)
    with pytest.raises(TypeError, match="picture is an image in the shader"):
        invert(mgr.tensor([1]))


def test_vectors_take_the_last_axis() -> None:
    flip = kp.kernel("kernel void flip(in vec3 p[], out vec3 q[]) { q[i] = p[i].zyx; }")
    points = np.arange(12, dtype=np.float32).reshape(4, 3)
    np.testing.assert_array_equal(flip(points), points[:, ::-1])
    with pytest.raises(ValueError, match="have 3 numbers"):
        flip(np.zeros((3, 4), np.float32))


def test_small_types_need_no_extension() -> None:
    double = kp.kernel(
        "kernel void double_(in uint8_t x[], out uint8_t y[]) { y[i] = x[i] * uint8_t(2); }"
    )
    np.testing.assert_array_equal(double(np.arange(5, dtype=np.uint8)), [0, 2, 4, 6, 8])


def test_more_work_items_than_the_device_takes_in_x(monkeypatch: pytest.MonkeyPatch) -> None:
    mark = kp.kernel("kernel void mark(inout uint y[]) { y[i] += i; }", local_size=16)
    y = np.zeros((1 << 20) + 5, np.uint32)
    np.testing.assert_array_equal(mark(y), np.arange(y.size))


def test_buffers_of_groups_run_on_all_devices() -> None:
    with kp.DeviceGroup(device_ids=[0, 0]) as group:
        x = kp.asbuffer(np.arange(7, dtype=np.float32), group, "sharded")
        y = kp.asbuffer(np.ones(7, np.float32), group, "sharded")
        saxpy = kp.kernel(SAXPY)
        assert saxpy(2.0, x, y) is y
        np.testing.assert_array_equal(y.read(), 2 * np.arange(7) + 1)
        copies = kp.asbuffer(np.zeros(3, np.float32), group)
        saxpy(1.0, kp.asbuffer(np.ones(3, np.float32), group), copies, target=1)
        np.testing.assert_array_equal(copies.read(), [[0, 0, 0], [1, 1, 1]])
        with pytest.raises(TypeError, match="give a kp.Buffer of the same group for each"):
            saxpy(2.0, x, np.ones(7, np.float32))


def test_kernels_are_shaders_of_launchers_algorithms_and_groups(mgr: kp.Manager) -> None:
    scale = kp.kernel(FULL)
    x, y = mgr.tensor([1, 2]), mgr.tensor([0, 0])
    mgr.sequence().record(kp.OpSyncDevice([x, y])).eval()
    kp.launcher.KernelLauncher("scale", scale, [x, y, 2.0], 2, round_up=True)().wait()
    np.testing.assert_array_equal(y.read(), [2, 4])
    algorithm = mgr.algorithm([x, y], scale, push_consts={"factor": 3}, thread_count=2)
    mgr.sequence().eval(kp.OpAlgoDispatch(algorithm))
    np.testing.assert_array_equal(y.read(), [3, 6])
    assert kp.reflect(scale).local_size == (64, 1, 1)
    with kp.DeviceGroup(device_ids=[0, 0]) as group:
        shares = kp.asbuffer(floats(1, 2), group)
        result = kp.asbuffer(floats(0, 0), group)
        kp.wait_all(group.kernel(scale, [shares, result, 4.0])())
        np.testing.assert_array_equal(result.read(1), [4, 8])


def test_queues_and_events_order_calls(mgr: kp.Manager) -> None:
    data = kp.UserEvent()
    y = mgr.tensor([0, 0])
    kp.kernel(SAXPY)(2.0, mgr.tensor([1, 2]), y, queue=mgr.queue(), wait_for=[data])
    data.set()
    np.testing.assert_array_equal(y.read(), [2, 4])


def test_paths_and_spirv_are_kernels(tmp_path: Path) -> None:
    path = tmp_path / "scale.comp"
    path.write_text(FULL)
    scale = kp.kernel(path)
    assert scale.name == "scale"
    np.testing.assert_array_equal(scale(floats(1), factor=2), [2])
    again = kp.kernel(scale.spirv, name="again")
    np.testing.assert_array_equal(again(First=floats(1), factor=2), [2])
    assert repr(again) == "<kp.Kernel again(First, Second, factor, offset)>"


def test_arrays_of_other_libraries_say_which_tensor_they_are(mgr: kp.Manager) -> None:
    copied = []

    class Strided:
        dtype, shape, manager = np.dtype(np.float32), (2,), mgr

        def __kp_tensor__(self, writable: bool) -> Any:
            tensor = mgr.tensor([1, 2])
            return tensor, (lambda: copied.append(tensor.read().tolist())) if writable else None

    out = Strided()
    assert kp.kernel(SAXPY)(3.0, Strided(), out) is out
    assert copied == [[4, 8]]

    class Plain:
        def __kp_tensor__(self, writable: bool) -> Any:
            return mgr.tensor([5, 6]), None

    np.testing.assert_array_equal(kp.kernel(ADD)(Plain(), np.ones(2, np.float32)), [6, 7])


def test_empty_arrays_launch_nothing() -> None:
    empty = np.zeros(0, np.float32)
    assert kp.kernel(ADD)(empty, empty).shape == (0,)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda k, x: k(x), "needs 'factor'; it takes x, y, factor"),
        (lambda k, x: k(x, factr=1), "no argument 'factr'; did you mean 'factor'"),
        (lambda k, x: k(x, x, 1, 2), r"takes 3 arguments \(x, y, factor\), but was given 4"),
        (lambda k, x: k(x, x=x, factor=1), "got its argument 'x' twice"),
        (lambda k, x: k(x.astype(np.int32), factor=1), "x is an array of int32.* astype"),
        (lambda k, x: k(x.astype(np.float64), factor=1), "x is an array of float64"),
        (lambda k, x: k(3, factor=1), "x is an array, but was given int 3"),
        (lambda k, x: k(x, factor=1, mgr="gpu"), "mgr must be a kp.Manager"),
        (lambda k, x: k(x, factor=1, target=1), "no kp.Buffer was given"),
    ],
)
def test_wrong_arguments_are_named(call: Any, message: str) -> None:
    with pytest.raises(TypeError, match=message):
        call(kp.kernel(FULL), floats(1, 2))


def test_wrong_values_change_nothing(mgr: kp.Manager) -> None:
    scale = kp.kernel(FULL)
    with pytest.raises(
        kp.InvalidArgument, match="kernel 'kernel': factor is a float, but was given str 'x'"
    ):
        scale(floats(1), factor="x")
    fixed = floats(0)
    fixed.flags.writeable = False
    with pytest.raises(ValueError, match="y is written, but the array is read-only"):
        scale(floats(1), fixed, 1.0)
    with pytest.raises(ValueError, match="belongs to another manager"):
        scale(mgr.tensor([1]), kp.Manager().tensor([1]), 1.0)
    with pytest.raises(ValueError, match="x has no elements, but there are 4 work items"):
        scale(floats(), np.zeros(4, np.float32), 1.0)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("kernel void f(in float x[], y) { }", "but 'y' was given"),
        ("kernel void f(out float i[]) { }", "'i' is the index"),
        ("kernel void f(out float a) { a = 1.0; }", "declare 'out float a\\[\\]'"),
        (
            "kernel void f(in float x[], out float y[]) { y[i] = 1.0; }",
            "does not use its argument 'x'",
        ),
        (
            "kernel void f(out int a[]) { a[i] = 1; } kernel void g(out int a[]) { }",
            "one kernel of each",
        ),
        (FULL.replace("factor", "threads"), "'threads', which is a keyword"),
    ],
)
def test_wrong_declarations_are_named(text: str, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        kp.kernel(text)


def test_short_form_keeps_what_comes_before_it() -> None:
    wave = kp.kernel(
        """
    #version 460
    // kernel void commented(out float x[]) {}
    float twice(float x) { return 2.0 * x; }
    kernel void wave(out float x[]) { x[i] = twice(float(i)); }"""
    )
    assert wave.glsl.startswith("#version 460\n")
    np.testing.assert_array_equal(wave[3](), [0, 2, 4])


def test_errors_of_the_compiler_show_the_line() -> None:
    with pytest.raises(kp.ShaderError, match=r"'z' : undeclared identifier\n.*z\[i\] = 1.0"):
        kp.kernel("kernel void f(out float y[]) {\n    y[i] = 1.0;\n    z[i] = 1.0;\n}")
    with pytest.raises(ValueError, match="this shader declares its own"):
        kp.kernel(FULL, local_size=32)


def test_arrays_and_their_views_are_arguments(mgr: kp.Manager) -> None:
    saxpy, add = kp.kernel(SAXPY), kp.kernel(ADD)
    x = kp.asarray(np.arange(12, dtype=np.float32).reshape(3, 4))
    lazy = x + 1
    made = add(x, lazy)
    assert isinstance(made, kp.Array)
    np.testing.assert_array_equal(made.numpy(), 2 * np.arange(12).reshape(3, 4) + 1)
    later = x * 10
    column = x[:, 1]
    assert saxpy(2.0, kp.asarray(floats(1, 1, 1)), column) is column
    np.testing.assert_array_equal(x.numpy()[:, 1], [3, 7, 11])
    np.testing.assert_array_equal(later.numpy()[:, 1], [10, 50, 90])
    with pytest.raises(ValueError, match="read-only"):
        saxpy(1.0, x[0], kp.broadcast_to(x[0, :1], (4,)))


def test_repeated_calls_take_other_tensors_and_numbers(mgr: kp.Manager) -> None:
    sizes = kp.jit(lambda_size)
    saxpy = kp.kernel(SAXPY)
    for count in (3, 3, 5, 3):
        for a in (2, 3.0):
            x, y = mgr.tensor(range(count)), mgr.tensor([1] * count)
            mgr.sequence().eval(kp.OpSyncDevice([x, y]))
            assert saxpy(a, x, y) is y
            np.testing.assert_array_equal(y.read(), a * np.arange(count) + 1)
            np.testing.assert_array_equal(sizes(y).read(), [count] * count)
    other = kp.Manager()
    x, y = other.tensor([1, 2, 3]), other.tensor([0, 0, 0])
    other.sequence().eval(kp.OpSyncDevice([x, y]))
    np.testing.assert_array_equal(saxpy(2, x, y).read(), [2, 4, 6])
    with pytest.raises(ValueError, match="another manager"):
        saxpy(2, x, mgr.tensor([0, 0, 0]))
    with pytest.raises(ValueError, match="another manager"):
        saxpy(2, x, y, mgr=mgr)


def lambda_size(y: Any) -> None:
    y[kp.global_id()] = y.size


def test_arrays_that_are_too_short_are_refused() -> None:
    add = kp.kernel(
        "kernel void add(in float x[], in float y[], out float s[]) { s[i]=x[i]+y[i]; }"
    )
    five, two = np.ones(5, np.float32), np.ones(2, np.float32)
    with pytest.raises(ValueError, match=r"y has 2 elements, but y\[i\] is accessed for 5"):
        add(five, two)
    with pytest.raises(ValueError, match=r"s has 2 elements, but s\[i\] is accessed for 5"):
        add(five, five, two)
    look_up = kp.kernel("kernel void f(in float t[], out float y[]) { y[i] = t[i % t.length()]; }")
    assert look_up(np.float32([1, 2]), threads=5).tolist() == [1, 2, 1, 2, 1]
    guarded = kp.kernel(
        "kernel void f(in float x[], in float y[], out float s[])"
        "{ s[i] = x[i] + (i < y.length() ? y[i] : 0); }"
    )
    assert guarded(five, two).tolist() == [2, 2, 1, 1, 1]


def test_kernels_are_made_by_the_function() -> None:
    with pytest.raises(TypeError, match="kp.kernel\\(\\) makes kernels.*was given bytes"):
        kp.Kernel(b"spirv")  # type: ignore[arg-type]


def test_the_same_call_again_sees_what_changed(mgr: kp.Manager) -> None:
    axpy = kp.kernel(
        "kernel void axpy(float a, in float x[], inout float y[]) { y[i] += a * x[i]; }"
    )
    x, y = mgr.tensor([1, 2, 3]), mgr.tensor([10, 20, 30])
    for factor, expected in ((1.0, [11, 22, 33]), (1.0, [12, 24, 36]), (2, [14, 28, 42])):
        assert axpy(factor, x, y) is y
        assert y.read().tolist() == expected
    x.write(np.float32([0, 0, 1]))
    axpy(2, x, y)
    assert y.read().tolist() == [14, 28, 44]
    axpy(2, x, y, threads=1)
    assert y.read().tolist() == [14, 28, 44]
    a, b = kp.ones(4, np.float32, device=mgr), kp.zeros((2, 4), np.float32, device=mgr)
    for _ in range(3):
        axpy(1.0, a, b[1])
        a += 1
    assert b.tolist() == [[0] * 4, [6] * 4]
    axpy(1.0, a, a)
    assert a.tolist() == [8] * 4
    reference = weakref.ref(large := mgr.tensor(np.ones(1 << 19, np.float32)))
    for _ in range(3):
        axpy(1.0, large, large)
    del large
    gc.collect()
    assert reference() is None
    x.destroy()
    with pytest.raises((kp.Error, ValueError), match="destroyed"):
        axpy(2, x, y)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"samplers": 3}, "samplers takes samplers, not 3"),
        ({"addressed": 2}, "addressed takes tensors, not 2"),
        ({"robust_access": "yes"}, "robust_access is True or False, not 'yes'"),
    ],
)
def test_options_of_other_types_are_refused_when_the_kernel_is_made(
    options: dict[str, Any], message: str
) -> None:
    with pytest.raises(TypeError, match=message):
        kp.kernel(FULL, **options)


@pytest.mark.parametrize("of_python", [False, True])
def test_repeated_calls_with_the_same_arrays_use_the_same_launcher(of_python: bool) -> None:
    @kp.jit
    def function(a, x, y):
        i = kp.global_id()
        y[i] += a * x[i]

    text = "kernel void saxpy(float a, in float x[], inout float y[]) { y[i] += a * x[i]; }"
    kernel = function if of_python else kp.kernel(text)
    x, y = kp.ones(5, dtype="float32"), kp.zeros(5, dtype="float32")
    for _ in range(3):
        kernel(2.0, x, y)
    last = kernel._last
    assert last is not None
    pending = y * 10  # reads y before the next call writes it
    assert kernel(2.0, x, y) is y and kernel._last is last
    assert pending.tolist() == [60.0] * 5 and y.tolist() == [8.0] * 5
    x += 1  # pending until the call
    kernel(2.0, x, y)
    assert y.tolist() == [12.0] * 5
    part = y[1:3]
    part[:] = 0
    kernel(2.0, x, y)
    assert y.tolist() == [16.0, 4.0, 4.0, 16.0, 16.0]
    x[...] = kp.arange(5)
    y = kp.zeros(5, dtype="float32")
    assert kernel(2.0, x, y).tolist() == [0.0, 2.0, 4.0, 6.0, 8.0]
    assert kernel(2.0, x[::-1], y).tolist() == [8.0] * 5


def test_messages_about_memory_name_the_argument_and_not_the_block() -> None:
    mgr = kp.default_manager()
    most = mgr.get_device_properties()["max_storage_buffer_range"]
    if most > 2**28:
        pytest.skip("takes too much memory")
    x = mgr.tensor_t(shape=most // 8 + 1, dtype=np.float64, memory_type=kp.MemoryTypes.storage)
    k = kp.kernel("kernel void k(in double x[], out double y[]) { y[i] = 2 * x[i]; }")
    with pytest.raises(kp.InvalidArgument, match="kernel 'k': x is a buffer") as error:
        k(x)
    assert "binding 0 'x'" in str(error.value)
    assert "Kp_" not in str(error.value)


@pytest.mark.skipif(sys.platform != "linux", reason="other file systems have names in Unicode")
def test_kernels_are_made_of_files_whose_names_are_not_utf8(tmp_path: Path) -> None:
    path = Path(os.fsdecode(os.fsencode(tmp_path) + b"/sum\xe9.comp"))
    path.write_text(FULL)
    assert kp.kernel(path).name == "sum\\udce9"
    assert kp.kernel(path, name="k").name == "k"

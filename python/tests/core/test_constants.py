# SPDX-License-Identifier: Apache-2.0
"""Push and specialization constants in every form."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from device_support import skip_without

import kp

GLSL = {"float32": "float", "int32": "int", "uint32": "uint", "float64": "double"}


def run(mgr: kp.Manager, shader: str, count: int, dtype: str, **constants: Any) -> list[Any]:
    """Run one invocation and return the contents of binding 0."""
    skip_without(mgr, dtype)
    tensor = mgr.tensor_t(np.zeros(count, dtype))
    algorithm = mgr.algorithm([tensor], shader, (1, 1, 1), **constants)
    mgr.sequence().record(kp.OpSyncDevice([tensor])).record(kp.OpAlgoDispatch(algorithm)).record(
        kp.OpSyncLocal([tensor])
    ).eval()
    return list(tensor.data().tolist())


def copying(kind: str) -> str:
    return f"""#version 450
        layout(local_size_x = 1) in;
        layout(binding = 0) buffer Result {{ {kind} result[]; }};
        layout(push_constant) uniform Push {{ {kind} a; {kind} b; }};
        layout(constant_id = 0) const {kind} first = {kind}(0);
        layout(constant_id = 1) const {kind} second = {kind}(0);
        void main() {{
            result[0] = a; result[1] = b; result[2] = first; result[3] = second;
        }}
    """


@pytest.mark.parametrize("dtype", GLSL)
def test_takes_arrays_of_every_dtype(mgr: kp.Manager, dtype: str) -> None:
    values = run(
        mgr,
        copying(GLSL[dtype]),
        4,
        dtype,
        spec_consts=np.array([3, 4], dtype),
        push_consts=np.array([1, 2], dtype),
    )
    assert values == [1, 2, 3, 4]


@pytest.mark.parametrize("container", [list, tuple])
def test_lists_are_float32(mgr: kp.Manager, container: Any) -> None:
    values = run(
        mgr,
        copying("float"),
        4,
        "float32",
        spec_consts=container([3, 4]),
        push_consts=container([1, 2.5]),
    )
    assert values == [1, 2.5, 3, 4]


def test_takes_constants_by_name(mgr: kp.Manager) -> None:
    values = run(
        mgr,
        copying("uint"),
        4,
        "uint32",
        spec_consts={"second": 7, "first": np.uint8(6)},
        push_consts={"b": 2, "a": 1},
    )
    assert values == [1, 2, 6, 7]
    assert run(mgr, copying("int"), 4, "int32", spec_consts={1: -7}, push_consts={"a": 1, "b": 2})[
        2:
    ] == [0, -7]


MIXED = """#version 450
    #extension GL_ARB_gpu_shader_fp64 : require
    layout(local_size_x = 1) in;
    layout(binding = 0) buffer Result { double result[]; };
    layout(push_constant) uniform Push { vec4 weights; int shift; float scale; uvec2 extent; };
    layout(constant_id = 0) const bool flag = false;
    layout(constant_id = 3) const double exact = 0.5;
    layout(constant_id = 5) const int offset = -1;
    void main() {
        result[0] = weights.x; result[1] = weights.w; result[2] = shift; result[3] = scale;
        result[4] = extent.y; result[5] = flag ? 1 : 0; result[6] = exact; result[7] = offset;
    }
"""


def test_takes_mixed_types_by_name(mgr: kp.Manager) -> None:
    push = {"weights": [1, 2, 3, 4], "shift": -5, "scale": 0.5, "extent": (8, 9)}
    values = run(
        mgr,
        MIXED,
        8,
        "float64",
        push_consts=push,
        spec_consts={"flag": True, "exact": 0.1, "offset": 12},
    )
    assert values == [1, 4, -5, 0.5, 9, 1, 0.1, 12]
    assert run(mgr, MIXED, 8, "float64", push_consts=push)[5:] == [0, 0.5, -1]


def test_takes_structured_arrays(mgr: kp.Manager) -> None:
    layout = np.dtype([("weights", "f4", 4), ("shift", "i4"), ("scale", "f4"), ("extent", "u4", 2)])
    push = np.array(([1, 2, 3, 4], -5, 0.5, (8, 9)), layout)
    assert run(mgr, MIXED, 8, "float64", push_consts=push)[:5] == [1, 4, -5, 0.5, 9]
    assert run(mgr, MIXED, 8, "float64", push_consts=push[()])[:5] == [1, 4, -5, 0.5, 9]
    constants = np.array((1.5, 2.5), [("first", "f4"), ("second", "f4")])
    assert run(mgr, copying("float"), 4, "float32", spec_consts=constants, push_consts=[0, 0])[
        2:
    ] == [1.5, 2.5]


def test_takes_single_numbers(mgr: kp.Manager) -> None:
    shader = """#version 450
        layout(local_size_x = 1) in;
        layout(binding = 0) buffer Result { float result[]; };
        layout(push_constant) uniform Push { float a; };
        void main() { result[0] = a; }
    """
    assert run(mgr, shader, 1, "float32", push_consts=2.5) == [2.5]
    assert run(mgr, shader, 1, "float32", push_consts=np.float32(3.5)) == [3.5]


def test_dispatch_keeps_push_constants_that_it_does_not_name(mgr: kp.Manager) -> None:
    tensor = mgr.tensor_t(np.zeros(4, np.uint32))
    algorithm = mgr.algorithm([tensor], copying("uint"), (1,), push_consts={"a": 1, "b": 2})

    def dispatched(**changes: int) -> list[int]:
        mgr.sequence().record(kp.OpAlgoDispatch(algorithm, changes)).record(
            kp.OpSyncLocal([tensor])
        ).eval()
        return list(tensor.data()[:2])

    assert dispatched() == [1, 2]
    assert dispatched(b=9) == [1, 9]
    assert dispatched(a=8) == [8, 2]
    algorithm.set_push_constants({"a": 5})
    assert dispatched() == [5, 2]
    algorithm.set_push_constants(np.array([6, 7], np.uint32))
    assert dispatched() == [6, 7]


def test_specialization_sets_the_local_size(mgr: kp.Manager) -> None:
    shader = """#version 450
        layout(local_size_x_id = 0) in;
        layout(binding = 0) buffer Result { uint result[]; };
        void main() { atomicAdd(result[0], 1); }
    """
    tensor = mgr.tensor_t(np.zeros(1, np.uint32))
    algorithm = mgr.algorithm(
        [tensor], shader, spec_consts=np.array([32], np.uint32), thread_count=100
    )
    assert algorithm.local_size == (32, 1, 1)
    assert algorithm.workgroup == (4, 1, 1)
    mgr.sequence().record(kp.OpSyncDevice([tensor])).record(kp.OpAlgoDispatch(algorithm)).record(
        kp.OpSyncLocal([tensor])
    ).eval()
    assert tensor[0] == 128


@pytest.mark.parametrize(
    ("constants", "error", "message"),
    [
        ({"push_consts": {"c": 1}}, ValueError, "push_consts names 'c'.*a, b"),
        ({"push_consts": {"a": 1}}, ValueError, "push_consts lacks b"),
        ({"push_consts": {"a": 1.5, "b": 2}}, TypeError, "declared as uint32"),
        ({"push_consts": {"a": -1, "b": 2}}, ValueError, "uint32 cannot hold"),
        ({"push_consts": {"a": [1, 2], "b": 2}}, ValueError, "takes 1 value, not 2"),
        ({"push_consts": {"a": "x", "b": 2}}, TypeError, "push_consts"),
        ({"push_consts": "text"}, TypeError, "push_consts"),
        ({"push_consts": object()}, TypeError, "push_consts"),
        ({"push_consts": np.zeros(1, np.uint32)}, kp.InvalidArgument, "push"),
        ({"push_consts": np.zeros(2, np.float32)}, kp.InvalidArgument, "'a' is declared as uint"),
        ({"push_consts": np.zeros(1, np.float64)}, kp.InvalidArgument, "'a' is declared as uint"),
        ({"spec_consts": np.zeros(1, np.float32)}, kp.ShaderError, "'first' is declared as uint"),
        ({"spec_consts": {"third": 1}}, ValueError, r"spec_consts names 'third'.*first \(0\)"),
        ({"spec_consts": {"first": 0.5}}, TypeError, "spec_consts"),
        ({"spec_consts": np.zeros(2, np.float64)}, kp.ShaderError, "constant 0 'first'"),
        ({"spec_consts": "text"}, TypeError, "spec_consts"),
    ],
)
def test_rejects_invalid_constants(
    mgr: kp.Manager, constants: dict[str, Any], error: type[Exception], message: str
) -> None:
    with pytest.raises(error, match=message):
        run(mgr, copying("uint"), 4, "uint32", **constants)


ADDED = "kernel void k(float a, in float x[], out float y[]) { y[i] = a + x[i]; }"


@pytest.mark.parametrize(
    ("a", "x"),
    [
        (16777217, [0]),
        (np.int64(16777217), [0]),
        (1e300, [0]),
        (np.float64(-1e300), [0]),
        (10**400, [0]),
        (0, [16777217]),
        (0, [0.5, 16777217]),
        (0, [1, 1e300]),
        (0, [[-1e300]]),
        (0, [10**400]),
    ],
)
def test_numbers_that_a_float_cannot_hold_are_refused(a: Any, x: Any) -> None:
    with pytest.raises(ValueError, match=r"kernel 'k': [ax] is .*cannot hold"):
        kp.kernel(ADDED)(a, x)


def test_fractions_are_rounded_to_a_float_and_other_numbers_are_held() -> None:
    k = kp.kernel(ADDED)
    for number in (0.1, 16777217.0, 3, True, np.int64(3), np.uint8(3), np.float64(0.1), np.True_):
        assert k(number, [0]).tolist() == [float(np.float32(number))]
        assert k(0, [number, 0.25]).tolist() == [float(np.float32(number)), 0.25]
    assert k(0, [np.inf, -np.inf]).tolist() == [np.inf, -np.inf]
    assert np.isnan(k(0, [np.nan, 16777216])).tolist() == [True, False]


@pytest.mark.parametrize("x", [[2.0], [1, 0.5], [2**31], [-1, 10**30], ["1"]])
def test_lists_of_what_is_no_int_are_refused(x: Any) -> None:
    k = kp.kernel("kernel void k(in int x[], out int y[]) { y[i] = x[i]; }")
    assert k([-(2**31), True, np.uint8(3)]).tolist() == [-(2**31), 1, 3]
    with pytest.raises((TypeError, ValueError), match=r"kernel 'k': x "):
        k(x)

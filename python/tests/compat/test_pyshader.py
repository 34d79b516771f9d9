# SPDX-License-Identifier: Apache-2.0
"""kp.pyshader: kernels as Kompute's Python programs wrote them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import kp
import kp.pyshader as ps
from kp.pyshader import Array, f32, ivec3, python2shader
from kp.pyshader.stdlib import exp, log, round_even


def run(mgr: kp.Manager, tensors: list[kp.Tensor], shader: Any, *algorithm: Any) -> None:
    mgr.sequence().record(kp.OpTensorSyncDevice(tensors)).record(
        kp.OpAlgoDispatch(mgr.algorithm(tensors, shader, *algorithm))
    ).record(kp.OpTensorSyncLocal(tensors)).eval()


def test_multiplies_two_arrays() -> None:
    @ps.python2shader
    def multiply(
        index=("input", "GlobalInvocationId", ps.ivec3),
        data1=("buffer", 0, ps.Array(ps.f32)),
        data2=("buffer", 1, ps.Array(ps.f32)),
        data3=("buffer", 2, ps.Array(ps.f32)),
    ):
        i = index.x
        data3[i] = data1[i] * data2[i]

    mgr = kp.Manager()
    tensors = [mgr.tensor([2, 2, 2]), mgr.tensor([1, 2, 3]), mgr.tensor([0, 0, 0])]
    run(mgr, tensors, multiply.to_spirv())
    assert tensors[2].data().tolist() == [2, 4, 6]
    assert "layout(local_size_x = 1) in;" in multiply.glsl


def test_trains_a_logistic_regression() -> None:
    @python2shader
    def step(
        index=("input", "GlobalInvocationId", ivec3),
        x_i=("buffer", 0, Array(f32)),
        x_j=("buffer", 1, Array(f32)),
        y=("buffer", 2, Array(f32)),
        w_in=("buffer", 3, Array(f32)),
        w_out_i=("buffer", 4, Array(f32)),
        w_out_j=("buffer", 5, Array(f32)),
        b_in=("buffer", 6, Array(f32)),
        b_out=("buffer", 7, Array(f32)),
        l_out=("buffer", 8, Array(f32)),
        m_in=("buffer", 9, Array(f32)),
    ):
        i = index.x
        m = m_in[0]
        weights = vec2(w_in[0], w_in[1])  # noqa: F821
        row = vec2(x_i[i], x_j[i])  # noqa: F821
        label = y[i]
        y_hat = 1.0 / (1.0 + exp(-(weights @ row + b_in[0])))
        d_z = y_hat - label
        d_w = (1.0 / m) * row * d_z
        w_out_i[i] = d_w.x
        w_out_j[i] = d_w.y
        b_out[i] = (1.0 / m) * d_z
        l_out[i] = -(label * log(y_hat) + (1.0 - label) * log(1.0 - y_hat))

    mgr = kp.Manager()
    data: list[list[float]] = [[0, 1, 1, 1, 1], [0, 0, 0, 1, 1], [0, 0, 0, 1, 1]]
    start: list[list[float]] = [[0.001, 0.001], [0] * 5, [0] * 5, [0], [0] * 5, [0] * 5, [5]]
    tensors = [mgr.tensor(each) for each in data + start]
    algorithm = mgr.algorithm(tensors, step.to_spirv())
    sequence = mgr.sequence().record(kp.OpTensorSyncDevice([tensors[3], tensors[6]]))
    sequence.record(kp.OpAlgoDispatch(algorithm)).record(kp.OpTensorSyncLocal(tensors))
    mgr.sequence().eval(kp.OpTensorSyncDevice(tensors))
    for _ in range(100):
        sequence.eval()
        tensors[3].data()[0] -= 0.1 * tensors[4].data().sum()
        tensors[3].data()[1] -= 0.1 * tensors[5].data().sum()
        tensors[6].data()[0] -= 0.1 * tensors[7].data().sum()
    weights, bias = tensors[3].data(), tensors[6].data()[0]
    assert weights[0] < 0.1
    assert weights[1] > 1.0
    assert bias < 0


def test_inputs_are_those_of_glsl() -> None:
    @ps.python2shader
    def ids(
        at=("input", "GlobalInvocationId", ps.ivec3),
        group: Any = ("input", "WorkgroupId", "ivec3"),
        count: Any = ("input", "NumWorkgroups", "ivec2"),
        local: Any = ("input", "LocalInvocationIndex", "i32"),
        data1=("buffer", 0, "Array(f32)"),
        data2=("buffer", (0, 1), Array(f32)),
    ):
        i = group.x * count.y + group.y + local
        data1[i] = f32(at.x)
        data2[i] = round_even(at.y)

    mgr = kp.Manager()
    tensors = [mgr.tensor(np.zeros((4, 3))), mgr.tensor(np.zeros((4, 3)))]
    run(mgr, tensors, ids.to_spirv(), (4, 3, 1))
    x, y = np.mgrid[:4, :3]
    np.testing.assert_array_equal(tensors[0].numpy(), x)
    np.testing.assert_array_equal(tensors[1].numpy(), y)


@pytest.mark.parametrize(
    ("resource", "message"),
    [
        (("buffer", 0), "kind, slot, type"),
        (("buffer", 0, ps.f32), r"a buffer of Array\(type\)"),
        (("buffer", "x", ps.Array(ps.f32)), "a binding of its own"),
        (("input", "VertexId", ps.i32), "one of GlobalInvocationId"),
        (("output", 0, ps.vec4), "an 'input' or a 'buffer'"),
    ],
)
def test_wrong_resources_are_named(resource: Any, message: str) -> None:
    def shader(data: Any):
        pass

    shader.__defaults__ = (resource,)
    with pytest.raises(kp.ShaderError, match=message):
        ps.python2shader(shader)
    with pytest.raises(TypeError, match="Array takes a type"):
        ps.Array("f32")

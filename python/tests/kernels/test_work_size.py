# SPDX-License-Identifier: Apache-2.0
"""The number of work items of calls that give none: never from the first array alone."""

from __future__ import annotations

import logging

import numpy as np
import pytest

import kp
import kp.launcher

#: Writes 1000 elements; the first array has one.
SHADER = """#version 450
layout(local_size_x = 64) in;
layout(binding = 0) readonly buffer Factor { float factor[]; };
layout(binding = 1) readonly buffer Source { float source[]; };
layout(binding = 2) writeonly buffer Scaled { float scaled[]; };
void main() {
    uint i = gl_GlobalInvocationID.x;
    if (i < scaled.length()) scaled[i] = factor[0] * source[i];
}
"""
SOURCE = np.arange(1000, dtype=np.float32)
FLAT = SHADER.replace("#version 450", "#version 450\n#include <kompute/index.glsl>").replace(
    "gl_GlobalInvocationID.x", "kp_index()"
)


def arrays(mgr: kp.Manager) -> tuple[kp.Tensor, kp.Tensor, kp.Tensor]:
    return mgr.tensor([3]), mgr.tensor(SOURCE), mgr.tensor(np.zeros(1000))


def test_kernels_cover_the_largest_array(mgr: kp.Manager) -> None:
    factor, source, scaled = arrays(mgr)
    kp.kernel(SHADER)(factor, source, scaled)
    assert np.array_equal(scaled.read(), 3 * SOURCE)
    short = kp.kernel(
        "kernel void f(in float factor[], in float x[], out float y[]) { y[i] = factor[0] * x[i]; }"
    )
    assert np.array_equal(short(np.float32([3]), SOURCE), 3 * SOURCE)


def test_functions_cover_the_largest_array() -> None:
    @kp.jit
    def scale(factor, source, scaled):  # type: ignore[no-untyped-def]
        i = kp.global_id()
        scaled[i] = factor[0] * source[i]

    assert np.array_equal(scale(np.float32([3]), SOURCE, np.zeros_like(SOURCE)), 3 * SOURCE)


def test_launchers_have_no_size_unless_they_are_given_one(mgr: kp.Manager) -> None:
    launcher = kp.launcher.KernelLauncher("scale", SHADER, list(arrays(mgr)))
    with pytest.raises(kp.InvalidArgument, match="global size"):
        launcher()


def test_algorithms_that_count_their_invocations_cover_the_largest_array(mgr: kp.Manager) -> None:
    factor, source, scaled = arrays(mgr)
    algorithm = mgr.algorithm([factor, source, scaled], FLAT)
    assert algorithm.workgroup == (16, 1, 1)
    mgr.sequence().eval(kp.OpAlgoDispatch(algorithm))
    assert np.array_equal(scaled.read(), 3 * SOURCE)


def test_other_algorithms_warn_if_kompute_s_default_leaves_elements_out(
    mgr: kp.Manager, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.WARNING, "kp"):
        algorithm = mgr.algorithm(list(arrays(mgr)), SHADER)
        assert algorithm.workgroup == (1, 1, 1)
        assert caplog.text == "", "its size may be set before it runs"
        mgr.sequence().eval(kp.OpAlgoDispatch(algorithm))
    assert "64 invocations, but the shader writes binding 2 with 1000 elements" in caplog.text


def test_other_algorithms_warn_once_if_most_invocations_have_nothing_to_do(
    mgr: kp.Manager, caplog: pytest.LogCaptureFixture
) -> None:
    tensors = [mgr.tensor([3]), mgr.tensor(SOURCE), mgr.tensor(np.zeros(1000))]
    with caplog.at_level(logging.WARNING, "kp"):
        algorithm = mgr.algorithm(
            tensors[::-1],
            SHADER.replace("binding = 0", "binding = 3")
            .replace("binding = 2", "binding = 0")
            .replace("binding = 3", "binding = 2"),
        )
        mgr.sequence().eval(kp.OpAlgoDispatch(algorithm)).eval(kp.OpAlgoDispatch(algorithm))
    assert caplog.text.count("1000 work groups of 64 invocations each") == 1
    assert "thread_count" in caplog.text


@pytest.mark.parametrize("placement", ["replicated", "sharded"])
def test_kernels_of_groups_cover_the_largest_buffer(group: kp.DeviceGroup, placement: str) -> None:
    factor = kp.asbuffer(np.full(2, 3, np.float32), group, placement)
    source = kp.asbuffer(SOURCE, group, placement)
    scaled = kp.Buffer(1000, np.float32, group=group, placement=placement)
    kp.wait_all(group.kernel(SHADER, [factor, source, scaled])())
    whole = scaled.read() if placement == "sharded" else scaled.read(1)
    assert np.array_equal(whole, 3 * SOURCE)


def test_kernels_of_groups_take_sharded_buffers_before_larger_copies(group: kp.DeviceGroup) -> None:
    factor = kp.asbuffer(np.full(1000, 3, np.float32), group)
    source = kp.asbuffer(SOURCE[:100], group, "sharded")
    scaled = kp.Buffer(100, np.float32, group=group, placement="sharded")
    kernel = group.kernel(SHADER, [factor, source, scaled])
    kp.wait_all(kernel())
    assert np.array_equal(scaled.read(), 3 * SOURCE[:100])
    short = kp.kernel(
        "kernel void f(in float factor[], in float x[], out float y[]) { y[i] = factor[0] * x[i]; }"
    )
    short(factor, source, scaled)
    assert np.array_equal(scaled.read(), 3 * SOURCE[:100])


def test_called_kernels_cover_the_largest_buffer(group: kp.DeviceGroup) -> None:
    scaled = kp.Buffer(1000, np.float32, group=group)
    kp.kernel(SHADER)(kp.asbuffer(np.float32([3]), group), kp.asbuffer(SOURCE, group), scaled)
    assert np.array_equal(scaled.read(0), 3 * SOURCE)

# SPDX-License-Identifier: Apache-2.0
"""Arguments of shaders: element types, and numbers of invocations."""

from __future__ import annotations

import numpy as np
import pytest
from group_support import make_group

import kp

DOUBLE = """#version 450
layout(local_size_x = 1) in;
layout(binding = 0) readonly buffer A { float a[]; };
layout(binding = 1) writeonly buffer B { float b[]; };
void main() { b[gl_GlobalInvocationID.x] = 2 * a[gl_GlobalInvocationID.x]; }"""


def test_the_types_of_elements_are_compared(mgr: kp.Manager) -> None:
    numbers = np.array([1.5, -2, 3], np.float32)  # GPUs need not keep smaller ones than normal
    ints, result = mgr.tensor_t(numbers.view(np.int32)), mgr.tensor([0, 0, 0])
    with pytest.raises(kp.ShaderError, match="binding 0 'A' is declared as float, but .* int32;"):
        mgr.algorithm([ints, result], DOUBLE)
    bits = mgr.algorithm([ints, result], DOUBLE, reinterpret=True)
    with pytest.raises(kp.ShaderError, match="of 3 int"):
        bits.rebuild([ints, result], DOUBLE)
    bits.rebuild([ints, result], DOUBLE, reinterpret=True)
    with pytest.raises(kp.InvalidArgument, match="of 3 int"):
        kp.launcher.KernelLauncher("double", DOUBLE, [ints, result])
    launcher = kp.launcher.KernelLauncher(
        "double", DOUBLE, [ints, result], default_global_work_size=3, reinterpret=True
    )
    launcher().wait()
    assert result.data().tolist() == (2 * numbers).tolist()
    with make_group(1) as group:
        given, output = kp.Buffer(3, np.int32, group=group), kp.Buffer(3, group=group)
        with pytest.raises(kp.InvalidArgument, match="of 3 int"):
            group.kernel(DOUBLE, [given, output])
        group.kernel(DOUBLE, [given, output], reinterpret=True)


def test_work_of_any_size_runs_if_the_shader_numbers_itself(mgr: kp.Manager) -> None:
    limit = mgr.get_device_properties()["max_work_group_count"][0]
    if limit > 1 << 20:
        pytest.skip("the work would not fit in memory")
    count = limit * 16 + 5
    source = """#version 450
#include <kompute/index.glsl>
layout(local_size_x = 16) in;
layout(binding = 0) buffer V { uint v[]; };
void main() { uint i = INDEX; if (i < v.length()) v[i] = i; }"""
    tensor = mgr.tensor_t(shape=count, dtype=np.uint32, memory_type=kp.MemoryTypes.storage)
    flat = source.replace("INDEX", "kp_index()")
    algorithm = mgr.algorithm([tensor], flat, thread_count=count)
    mgr.sequence().eval(kp.OpAlgoDispatch(algorithm))
    assert np.array_equal(tensor.read(), np.arange(count, dtype=np.uint32))
    with pytest.raises(kp.InvalidArgument, match=r"at most [0-9]+ are possible.*kp_index\(\)"):
        mgr.algorithm(
            [tensor], source.replace("INDEX", "gl_GlobalInvocationID.x"), thread_count=count
        )


SUBGROUPS = """#version 450
#extension GL_KHR_shader_subgroup_basic : require
layout(local_size_x = 64) in;
layout(binding = 0) writeonly buffer Sizes { uint sizes[]; };
void main() { if (gl_LocalInvocationIndex == 0) sizes[0] = gl_SubgroupSize; }"""


def test_the_subgroup_size_may_be_required(mgr: kp.Manager) -> None:
    device = mgr.get_device_properties()
    least, most = device["min_subgroup_size"], device["max_subgroup_size"]
    sizes = mgr.tensor_t(np.zeros(1, np.uint32))
    if not most:
        with pytest.raises(kp.Unsupported, match="cannot require"):
            mgr.algorithm([sizes], SUBGROUPS, 1, subgroup_size=device["subgroup_size"])
        return
    algorithm = mgr.algorithm([sizes], SUBGROUPS, 1, subgroup_size=most, full_subgroups=True)
    mgr.sequence().eval(kp.OpAlgoDispatch(algorithm))
    assert sizes[0] == algorithm.subgroup_size == most
    with pytest.raises(kp.Unsupported, match=f"powers of two from {least} to {most}"):
        algorithm.rebuild([sizes], SUBGROUPS, subgroup_size=2 * most)
    algorithm.rebuild([sizes], SUBGROUPS, 1)
    assert algorithm.subgroup_size == most, "options that are not given stay"
    algorithm.rebuild([sizes], SUBGROUPS, 1, subgroup_size=0)
    assert algorithm.subgroup_size == 0


SETS = """#version 450
layout(local_size_x = 1) in;
layout(set = 0, binding = 1) writeonly buffer A { uint a[]; };
layout(set = 1, binding = 0) readonly buffer B { uint v[]; } b[2];
void main() { uint i = gl_GlobalInvocationID.x; a[i] = 10 * b[0].v[i] + b[1].v[i]; }"""


def test_memory_comes_in_the_order_of_sets_bindings_and_elements(mgr: kp.Manager) -> None:
    assert [(each.set, each.argument, each.count) for each in kp.reflect(SETS).bindings] == [
        (0, 0, 1),
        (1, 1, 2),
    ]
    a, x, y = (mgr.tensor_t(np.array(v, np.uint32)) for v in ([0, 0], [1, 2], [3, 4]))
    mgr.sequence().eval(kp.OpAlgoDispatch(mgr.algorithm([a, x, y], SETS, 2)))
    assert a.data().tolist() == [13, 24]
    with pytest.raises(kp.ShaderError, match="takes 3 memory objects.*1 to 2: binding 0 of set 1"):
        mgr.algorithm([a, x], SETS, 2)
    kernel = kp.kernel(SETS)
    kernel(a, y, x, threads=2)
    assert a.data().tolist() == [31, 42]


UNIFORM = """#version 450
layout(local_size_x = 1) in;
layout(binding = 0) writeonly buffer A { float a[]; };
layout(binding = 1) uniform U { float u[2]; };
void main() { a[gl_GlobalInvocationID.x] = u[gl_GlobalInvocationID.x]; }"""


def test_data_of_uniform_arrays_must_be_padded(mgr: kp.Manager) -> None:
    a = mgr.tensor([0, 0])
    with pytest.raises(kp.ShaderError, match="std140"):
        mgr.algorithm([a, mgr.tensor([1, 2])], UNIFORM)
    padded = np.zeros((2, 4), np.float32)
    padded[:, 0] = 1, 2
    mgr.sequence().eval(kp.OpAlgoDispatch(mgr.algorithm([a, mgr.tensor(padded)], UNIFORM)))
    assert a.data().tolist() == [1, 2]


BY_ADDRESS = """#version 450
#extension GL_EXT_buffer_reference : require
layout(local_size_x = 1) in;
layout(buffer_reference, std430) buffer Numbers { float v[]; };
layout(push_constant) uniform P { Numbers numbers; };
void main() { numbers.v[gl_GlobalInvocationID.x] *= 2.0; }"""


def test_shaders_reach_memory_by_its_address(mgr: kp.Manager) -> None:
    t = mgr.tensor([1, 2, 3])
    try:
        address = t.device_address
    except kp.Unsupported:
        pytest.skip("no buffer addresses")
    double = mgr.algorithm([], BY_ADDRESS, 3, push_consts={"numbers": address}, addressed=[t])
    mgr.sequence().record(kp.OpAlgoDispatch(double)).record(kp.OpAlgoDispatch(double)).eval()
    assert t.data().tolist() == [4, 8, 12]
    with pytest.raises(kp.InvalidArgument, match="uses no buffer addresses"):
        mgr.algorithm([t, mgr.tensor([0, 0, 0])], DOUBLE, addressed=[t])
    with pytest.raises(TypeError, match="addressed"):
        mgr.algorithm([], BY_ADDRESS, 3, push_consts={"numbers": address}, addressed=[1])


def test_arrays_of_an_invocation_are_limited_unless_allowed(mgr: kp.Manager) -> None:
    source = """#version 450
        layout(binding = 0) buffer V { uint v[]; };
        void main() { uint a[20000]; a[v[0]] = v[1]; v[2] = a[v[3]]; }"""
    tensor = mgr.tensor_t(np.zeros(4, np.uint32))
    for make in (
        lambda **options: mgr.algorithm([tensor], source, **options),
        lambda **options: kp.kernel(source, **options)(tensor, threads=1),
    ):
        with pytest.raises(kp.ShaderError, match="80000 bytes for itself.*max_private_bytes"):
            make()
        try:
            make(max_private_bytes=80000)
        except kp.ShaderError as error:  # some GPUs' drivers have limits of their own
            assert "driver" in str(error)

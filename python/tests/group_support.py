# SPDX-License-Identifier: Apache-2.0
"""What the tests of device groups share. All of them run on logical devices of one physical one."""

from __future__ import annotations

import functools
from typing import Any

import kp


@functools.cache
def _device() -> int:
    with kp.Manager() as manager:
        index: int = manager.get_device_properties()["index"]
        return index


def make_group(devices: int = 2, **keywords: Any) -> kp.DeviceGroup:
    """Some logical devices on the best physical one."""
    return kp.DeviceGroup(device_ids=[_device()] * devices, **keywords)


#: v = v * a + b, of unsigned integers, which wrap around as NumPy's do.
AFFINE = """#version 450
layout(local_size_x = 32) in;
layout(binding = 0) buffer Values { uint v[]; };
layout(push_constant) uniform Push { uint a; uint b; };
void main() {
    uint i = gl_GlobalInvocationID.x;
    if (i < v.length())
        v[i] = v[i] * a + b;
}
"""

#: Counts launches.
COUNT = """#version 450
layout(local_size_x = 1) in;
layout(binding = 0) buffer Values { uint v[]; };
void main() { v[0] += 1u; }
"""

#: What the group says of the shard of each device, and where an invocation is in the whole buffer.
SHARDS = """#version 450
layout(local_size_x = 8) in;
layout(binding = 0) writeonly buffer Values { uvec4 v[]; };
layout(push_constant) uniform Push {
    uvec2 kp_shard_shape;
    uvec2 kp_whole_shape;
    uint kp_shard_index;
    uint kp_shard_count;
    uint kp_shard_offset;
};
void main() {
    uint i = gl_GlobalInvocationID.x;
    if (i >= kp_shard_shape.x * kp_shard_shape.y)
        return;
    uint row = kp_shard_offset + i / kp_whole_shape.x;
    v[i] = uvec4(row, i % kp_whole_shape.x, kp_shard_index, kp_shard_count);
}
"""


def affine(group: kp.DeviceGroup, buffer: kp.Buffer, **keywords: Any) -> kp.GroupKernel:
    """A kernel whose factor and summand are given with each call."""
    return group.kernel(AFFINE, [buffer], parameters_map=["a", "b"], name="affine", **keywords)

# SPDX-License-Identifier: Apache-2.0
"""Shared code of the device-group tests: groups and shaders."""

from __future__ import annotations

import functools
import itertools
import os
from typing import Any

import kp


@functools.cache
def physical_devices() -> tuple[int, ...]:
    """Return the indices in KOMPUTE_TEST_DEVICES ("0,1"), or the best device's."""
    if listed := os.environ.get("KOMPUTE_TEST_DEVICES"):
        return tuple(int(index) for index in listed.split(","))
    with kp.Manager() as manager:
        return (manager.get_device_properties()["index"],)


def make_group(devices: int = 2, **keywords: Any) -> kp.DeviceGroup:
    """Create a group of logical devices, which take the physical devices in turn."""
    ids = list(itertools.islice(itertools.cycle(physical_devices()), devices))
    return kp.DeviceGroup(device_ids=ids, **keywords)


#: v = v * a + b for unsigned integers, which wrap around as NumPy's do.
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

#: Counts its launches.
COUNT = """#version 450
layout(local_size_x = 1) in;
layout(binding = 0) buffer Values { uint v[]; };
void main() { v[0] += 1u; }
"""

#: Sets its only element to 1.
SET_ONE = """#version 450
layout(binding = 0) buffer V { float v[]; };
void main() { v[0] = 1; }
"""

#: Writes the position of each element in the whole buffer, and the index and count of its shard.
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
    """Create a kernel of AFFINE with the parameters `a` and `b`."""
    return group.kernel(AFFINE, [buffer], parameters_map=["a", "b"], name="affine", **keywords)

# SPDX-License-Identifier: Apache-2.0
"""Shared code of the command-line tests: shaders, command lines, and a way to run them."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable

ADD = """#version 450
layout(local_size_x = 64) in;
layout(binding = 0) readonly buffer A { float a[]; };
layout(binding = 1) readonly buffer B { float b[]; };
layout(binding = 2) writeonly buffer Sum { float total[]; };

void main() {
    uint i = gl_GlobalInvocationID.x;
    if (i < total.length())
        total[i] = a[i] + b[i];
}
"""

SCALE = """#version 450
layout(local_size_x = 32, local_size_x_id = 0) in;
layout(constant_id = 2) const int kBias = 5;
layout(binding = 0) buffer Values { int values[]; };
layout(push_constant) uniform Constants { int factor; float unused; vec2 pair; };

void main() {
    uint i = gl_GlobalInvocationID.x;
    if (i < values.length())
        values[i] = values[i] * factor + kBias + int(unused + pair.x + pair.y);
}
"""

INVERT = """#version 450
layout(local_size_x = 4, local_size_y = 4) in;
layout(binding = 0, rgba8ui) uniform readonly uimage2D source;
layout(binding = 1, rgba8ui) uniform writeonly uimage2D target;

void main() {
    ivec2 at = ivec2(gl_GlobalInvocationID.xy);
    if (all(lessThan(at, imageSize(target))))
        imageStore(target, at, uvec4(255u - imageLoad(source, at).rgb, 255u));
}
"""

COPY = """#version 450
layout(local_size_x = 8, local_size_y = 8) in;
layout(binding = 0, FORMAT) uniform readonly image2D source;
layout(binding = 1, FORMAT) uniform writeonly image2D target;

void main() {
    ivec2 at = ivec2(gl_GlobalInvocationID.xy);
    if (all(lessThan(at, imageSize(target))))
        imageStore(target, at, imageLoad(source, at));
}
"""

HALVE = """#version 450
layout(local_size_x = 8, local_size_y = 8) in;
layout(binding = 0, r32f) uniform image2D picture;

void main() {
    ivec2 at = ivec2(gl_GlobalInvocationID.xy);
    if (all(lessThan(at, imageSize(picture))))
        imageStore(picture, at, imageLoad(picture, at) / 2.0);
}
"""

GAPS = """#version 450
layout(local_size_x = 1) in;
layout(binding = 1) readonly buffer A { vec4 a[]; };
layout(binding = 3) writeonly buffer B { float b[]; };

void main() {
    vec4 v = a[gl_GlobalInvocationID.x];
    b[gl_GlobalInvocationID.x] = v.x + v.y + v.z + v.w;
}
"""

HLSL = """RWStructuredBuffer<float> values : register(u0);

[numthreads(8, 1, 1)]
void main(uint3 id : SV_DispatchThreadID)
{
    values[id.x] = values[id.x] * FACTOR;
}
"""

BROKEN = """#version 450
layout(local_size_x = 1) in;
void main() {
    float x = missing + 1.0;
}
"""

SHADERS = {
    "add.comp": ADD,
    "scale.comp": SCALE,
    "invert.comp": INVERT,
    "halve.comp": HALVE,
    "gaps.comp": GAPS,
    "times.hlsl": HLSL,
    "broken.comp": BROKEN,
}

ADD_RUN = ("run", "add.comp", "--in", "a.npy", "--in", "b.npy")
SCALE_RUN = ("run", "scale.comp", "--in-out", "i.npy")
PUSH = ("--push", "factor=3", "--push", "unused=0", "--push", "pair=0,0")

#: Runs a command line that must fail with the given exit code. Returns its message.
Fails = Callable[..., str]


def python(*words: str) -> subprocess.CompletedProcess[bytes]:
    """Run a command line in another process, with every warning an error."""
    return subprocess.run(
        [sys.executable, "-X", "dev", "-W", "error", "-m", "kp", *words],
        capture_output=True,
        timeout=60,
        env=os.environ,
        check=False,
    )

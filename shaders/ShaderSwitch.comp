// SPDX-License-Identifier: Apache-2.0
#version 450

// Sets the group counts of dispatches, or all of them to 0 once a flag is set.
layout(local_size_x = 64) in;

layout(set = 0, binding = 0) readonly buffer Flags { uint flags[]; };
layout(set = 0, binding = 1) readonly buffer Full { uint full[]; };
layout(set = 0, binding = 2) writeonly buffer Counts { uint counts[]; };

layout(push_constant) uniform PushConstants {
    uint words; // of counts
    uint flag;  // index of the flag's first word
    uint low;   // the bits of the flag there
    uint high;  // and in the next word; 0 if it has none
};

void main() {
    bool stops = (flags[flag] & low) != 0;
    if (high != 0)
        stops = stops || (flags[flag + 1] & high) != 0;
    const uint i = gl_GlobalInvocationID.x;
    if (i < words)
        counts[i] = stops ? 0 : full[i];
}

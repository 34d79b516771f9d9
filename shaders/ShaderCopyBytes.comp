// SPDX-License-Identifier: Apache-2.0
#version 450

// Copies bytes at any addresses, one word of the target per invocation. Bytes of the target's first
// and last word that are not copied keep their values. The source may be shorter than the target:
// its bytes are then repeated.
layout(local_size_x = 128) in; // every device has so many

layout(set = 0, binding = 0) readonly buffer Source { uint source[]; };
layout(set = 0, binding = 1) buffer Target { uint target[]; };

layout(push_constant) uniform PushConstants {
    uint sourceStart; // in bytes
    uint targetStart; // in bytes
    uint bytes;       // to write, at least 1
    uint period;      // bytes of the source, at least 1
};

uint byteAt(uint place) {
    const uint at = sourceStart + place % period;
    return bitfieldExtract(source[at / 4], int(at % 4) * 8, 8);
}

void main() {
    const uint first = targetStart / 4;
    const uint end = targetStart + bytes;
    const uint words = (end + 3) / 4 - first;
    const uint stride = gl_NumWorkGroups.x * gl_WorkGroupSize.x;
    for (uint i = gl_GlobalInvocationID.x; i < words; i += stride) {
        const uint word = first + i;
        const uint low = max(4 * word, targetStart);
        const uint high = min(4 * word + 4, end);
        const uint place = low - targetStart;
        const bool whole = high - low == 4;
        if (whole && place % period + 4 <= period) {
            const uint at = sourceStart + place % period;
            const uint shift = at % 4 * 8;
            uint value = source[at / 4] >> shift;
            if (shift != 0)
                value |= source[at / 4 + 1] << (32 - shift);
            target[word] = value;
            continue;
        }
        uint value = 0;
        uint mask = 0;
        for (uint at = low; at < high; ++at) {
            const int shift = int(at % 4) * 8;
            value |= byteAt(at - targetStart) << shift;
            mask |= 255u << shift;
        }
        if (whole) {
            target[word] = value;
        } else { // neighbours of another dispatch may be in the same word
            atomicAnd(target[word], ~mask);
            atomicOr(target[word], value);
        }
    }
}

// SPDX-License-Identifier: Apache-2.0
//
// Sets the bits of the elements at which segments start, by the offsets of Offsets.glsl.

layout(binding = 1) buffer Heads { uint headBits[]; };

layout(push_constant) uniform Push {
    uint firstOffset;
    uint firstHead;
    uint segments;
    uint count; // elements of the input bound to this bit field
    uint baseLow; // the first of these elements
    uint baseHigh;
};

void main() {
    uint segment = flatGroup() * GROUP_SIZE + gl_LocalInvocationIndex;
    if (segment >= segments)
        return;
    uvec2 offset = offsetAt(firstOffset + segment, uvec2(~0u));
    // An offset before the base wraps around, to more than there are elements.
    uvec2 element = difference(offset, uvec2(baseLow, baseHigh));
    if (element.y == 0u && element.x < count)
        atomicOr(headBits[firstHead + element.x / 32u], 1u << (element.x % 32u));
}

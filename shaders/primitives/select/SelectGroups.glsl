// SPDX-License-Identifier: Apache-2.0
//
// The work groups of a dispatch that processes a number of elements.

// The quotient, rounded up, or the largest number of 32 bits.
uint quotientOf64(uvec2 n, uint by) {
    uint rest = 0u;
    uvec2 result = uvec2(0u);
    for (int bit = 63; bit >= 0; --bit) {
        bool carry = rest >> 31 != 0u;
        rest = rest << 1 | (bit >= 32 ? n.y >> (bit - 32) : n.x >> bit) & 1u;
        if (carry || rest >= by) {
            rest -= by;
            if (bit >= 32)
                result.y |= 1u << (bit - 32);
            else
                result.x |= 1u << bit;
        }
    }
    if (rest != 0u)
        result = plus(result, uvec2(1u, 0u));
    return result.y != 0u ? 0xffffffffu : result.x;
}

// @param maxGroups  in each dimension
uvec3 groupsOf(uvec2 elements, uint perGroup, uint maxGroups) {
    uint all = quotientOf64(elements, perGroup);
    uint planes = maxGroups > 65535u ? 0xffffffffu : maxGroups * maxGroups;
    uint z = all == 0u ? 1u : (all - 1u) / planes + 1u;
    uint perPlane = all == 0u ? 0u : (all - 1u) / z + 1u;
    uint y = perPlane == 0u ? 1u : (perPlane - 1u) / maxGroups + 1u;
    return uvec3(all == 0u ? 0u : (all - 1u) / (y * z) + 1u, y, z);
}

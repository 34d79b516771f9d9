// SPDX-License-Identifier: Apache-2.0
//
// Philox 4x32-10. `keys` holds the two words of each round's key: 20 words.

uvec4 philox(uvec4 counter) {
    [[unroll]] for (uint i = 0u; i < 10u; ++i) {
        uint high0, low0, high1, low1;
        umulExtended(0xD2511F53u, counter.x, high0, low0);
        umulExtended(0xCD9E8D57u, counter.z, high1, low1);
        counter = uvec4(high1 ^ counter.y ^ keys[2u * i], low1,
                        high0 ^ counter.w ^ keys[2u * i + 1u], low0);
    }
    return counter;
}

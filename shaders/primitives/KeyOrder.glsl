// SPDX-License-Identifier: Apache-2.0
//
// Comparisons of keys (SortKeys.glsl) as numbers, in NumPy's order: -0 equals 0, and all NaNs are
// equal and the largest. They use integers alone, so denormal numbers are told apart everywhere.

// Returns what isLess() compares.
KEY numberOf(KEY key) {
    KEY number = ordered(key);
#if KEY_KIND == 2 && KEY_WORDS == 1
    number = number == kSign - 1u ? kSign : number;
#elif KEY_KIND == 2
    number = number == uvec2(~0u, kSign - 1u) ? uvec2(0u, kSign) : number;
#endif
    return number;
}

#if KEY_WORDS == 1
bool isLess(uint a, uint b) { return a < b; }
#else
bool isLess(uvec2 a, uvec2 b) { return a.y < b.y || (a.y == b.y && a.x < b.x); }
#endif

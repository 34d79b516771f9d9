// SPDX-License-Identifier: Apache-2.0
//
// Comparisons of what numberOf() (SortKeys.glsl) returns. They use integers alone, so denormal numbers
// are told apart everywhere.

#if KEY_WORDS == 1
bool isLess(uint a, uint b) { return a < b; }
#else
bool isLess(uvec2 a, uvec2 b) { return a.y < b.y || (a.y == b.y && a.x < b.x); }
#endif

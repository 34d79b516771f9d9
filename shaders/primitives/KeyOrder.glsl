// SPDX-License-Identifier: Apache-2.0
//
// Compares what numberOf() (SortKeys.glsl) returns; Wide.glsl does that for keys of two words. Both
// use integers alone, so denormal numbers are told apart everywhere.

#if KEY_WORDS == 1
bool isLess(uint a, uint b) { return a < b; }
#endif

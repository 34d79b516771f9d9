// SPDX-License-Identifier: Apache-2.0
//
// 64-bit numbers as pairs of words, lower first, for devices without 64-bit integers.

uvec2 plus(uvec2 a, uint b) {
    uint carry;
    uint low = uaddCarry(a.x, b, carry);
    return uvec2(low, a.y + carry);
}

uvec2 plus(uvec2 a, uvec2 b) {
    uvec2 sum = plus(a, b.x);
    return uvec2(sum.x, sum.y + b.y);
}

bool isLess(uint a, uint b) { return a < b; }
bool isLess(uvec2 a, uvec2 b) { return a.y < b.y || (a.y == b.y && a.x < b.x); }

uvec2 difference(uvec2 a, uvec2 b) {
    uint borrow;
    uint low = usubBorrow(a.x, b.x, borrow);
    return uvec2(low, a.y - b.y - borrow);
}

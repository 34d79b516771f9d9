// SPDX-License-Identifier: Apache-2.0
//
// Powers of two that matrices are divided by, so that squares of their elements neither overflow nor
// vanish.

#ifdef HAS_Double
#define EXPONENT_SHIFT 20
#define EXPONENT_BIAS 1023
uint highWord(REAL x) { return unpackDouble2x32(x).y & 0x7fffffffu; }
REAL powerOfTwo(int power) {
    return packDouble2x32(uvec2(0u, uint(power + EXPONENT_BIAS) << EXPONENT_SHIFT));
}
REAL notANumber() { return packDouble2x32(uvec2(0u, 0x7ff80000u)); }
#else
#define EXPONENT_SHIFT 23
#define EXPONENT_BIAS 127
uint highWord(REAL x) { return floatBitsToUint(x) & 0x7fffffffu; }
REAL powerOfTwo(int power) { return uintBitsToFloat(uint(power + EXPONENT_BIAS) << EXPONENT_SHIFT); }
REAL notANumber() { return uintBitsToFloat(0x7fc00000u); }
#endif

// Of the high word of the largest absolute element, or of an infinity or NaN if there are any.
bool isFinite(uint largest) {
    return largest >> EXPONENT_SHIFT <= 2u * uint(EXPONENT_BIAS);
}
int scaleOf(uint largest) {
    int power = int(largest >> EXPONENT_SHIFT) - EXPONENT_BIAS;
    return clamp(power, 1 - EXPONENT_BIAS, EXPONENT_BIAS - 1);
}

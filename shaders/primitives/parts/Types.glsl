// SPDX-License-Identifier: Apache-2.0
//
// Numbers in memory and in computations. The macros HAS_... before this text name the types in use,
// because a shader must not mention a type that the device lacks. A block is 16 bytes.

#ifdef HAS_Bfloat16
// The upper half of a float.
float fromBfloat16(uint bits) { return uintBitsToFloat(bits << 16); }
// To the nearest, ties to even; NaN stays NaN.
uint toBfloat16(float value) {
    uint bits = floatBitsToUint(value);
    bool nan = (bits & 0x7fffffffu) > 0x7f800000u;
    return nan ? bits >> 16 | 64u : (bits + 32767u + (bits >> 16 & 1u)) >> 16;
}
void unpackBfloat16(uvec4 block, out float v[8]) {
    for (int i = 0; i < 4; ++i) {
        v[2 * i] = uintBitsToFloat(block[i] << 16);
        v[2 * i + 1] = uintBitsToFloat(block[i] & 0xffff0000u);
    }
}
uvec4 packBfloat16(float v[8]) {
    uvec4 block;
    for (int i = 0; i < 4; ++i)
        block[i] = toBfloat16(v[2 * i]) | toBfloat16(v[2 * i + 1]) << 16;
    return block;
}
#endif

#ifdef HAS_Half
void unpackHalf(uvec4 block, out float v[8]) {
    for (int i = 0; i < 4; ++i) {
        vec2 two = unpackHalf2x16(block[i]);
        v[2 * i] = two.x;
        v[2 * i + 1] = two.y;
    }
}
uvec4 packHalf(float v[8]) {
    uvec4 block;
    for (int i = 0; i < 4; ++i)
        block[i] = packHalf2x16(vec2(v[2 * i], v[2 * i + 1]));
    return block;
}
#endif

#ifdef HAS_Float
void unpackFloat(uvec4 block, out float v[4]) {
    vec4 four = uintBitsToFloat(block);
    v[0] = four.x;
    v[1] = four.y;
    v[2] = four.z;
    v[3] = four.w;
}
uvec4 packFloat(float v[4]) { return floatBitsToUint(vec4(v[0], v[1], v[2], v[3])); }
#endif

#ifdef HAS_Double
void unpackDouble(uvec4 block, out double v[2]) {
    v[0] = packDouble2x32(block.xy);
    v[1] = packDouble2x32(block.zw);
}
uvec4 packDouble(double v[2]) { return uvec4(unpackDouble2x32(v[0]), unpackDouble2x32(v[1])); }
#endif

#ifdef HAS_Int64
void unpackInt64(uvec4 block, out int64_t v[2]) {
    v[0] = packInt2x32(ivec2(block.xy));
    v[1] = packInt2x32(ivec2(block.zw));
}
uvec4 packInt64(int64_t v[2]) {
    return uvec4(ivec4(unpackInt2x32(v[0]), unpackInt2x32(v[1])));
}
#endif

#ifdef HAS_Uint64
void unpackUint64(uvec4 block, out uint64_t v[2]) {
    v[0] = packUint2x32(block.xy);
    v[1] = packUint2x32(block.zw);
}
uvec4 packUint64(uint64_t v[2]) { return uvec4(unpackUint2x32(v[0]), unpackUint2x32(v[1])); }
#endif

#ifdef HAS_Int
void unpackInt(uvec4 block, out int v[4]) {
    for (int i = 0; i < 4; ++i)
        v[i] = int(block[i]);
}
uvec4 packInt(int v[4]) { return uvec4(v[0], v[1], v[2], v[3]); }
#endif

#ifdef HAS_Uint
void unpackUint(uvec4 block, out uint v[4]) {
    for (int i = 0; i < 4; ++i)
        v[i] = block[i];
}
uvec4 packUint(uint v[4]) { return uvec4(v[0], v[1], v[2], v[3]); }
#endif

#ifdef HAS_Int16
void unpackInt16(uvec4 block, out int v[8]) {
    for (int i = 0; i < 8; ++i)
        v[i] = bitfieldExtract(int(block[i / 2]), 16 * (i % 2), 16);
}
uvec4 packInt16(int v[8]) {
    uvec4 block;
    for (int i = 0; i < 4; ++i)
        block[i] = uint(v[2 * i] & 0xffff) | uint(v[2 * i + 1]) << 16;
    return block;
}
#endif

#ifdef HAS_Uint16
void unpackUint16(uvec4 block, out uint v[8]) {
    for (int i = 0; i < 8; ++i)
        v[i] = bitfieldExtract(block[i / 2], 16 * (i % 2), 16);
}
uvec4 packUint16(uint v[8]) {
    uvec4 block;
    for (int i = 0; i < 4; ++i)
        block[i] = (v[2 * i] & 0xffffu) | v[2 * i + 1] << 16;
    return block;
}
#endif

#ifdef HAS_Int8
void unpackInt8(uvec4 block, out int v[16]) {
    for (int i = 0; i < 16; ++i)
        v[i] = bitfieldExtract(int(block[i / 4]), 8 * (i % 4), 8);
}
uvec4 packInt8(int v[16]) {
    uvec4 block;
    for (int i = 0; i < 4; ++i)
        block[i] = uint(v[4 * i] & 255) | uint(v[4 * i + 1] & 255) << 8 |
                   uint(v[4 * i + 2] & 255) << 16 | uint(v[4 * i + 3]) << 24;
    return block;
}
#endif

#ifdef HAS_Uint8
void unpackUint8(uvec4 block, out uint v[16]) {
    for (int i = 0; i < 16; ++i)
        v[i] = bitfieldExtract(block[i / 4], 8 * (i % 4), 8);
}
uvec4 packUint8(uint v[16]) {
    uvec4 block;
    for (int i = 0; i < 4; ++i)
        block[i] = (v[4 * i] & 255u) | (v[4 * i + 1] & 255u) << 8 |
                   (v[4 * i + 2] & 255u) << 16 | v[4 * i + 3] << 24;
    return block;
}
#endif

#ifdef HAS_Bool
void unpackBool(uvec4 block, out uint v[16]) {
    for (int i = 0; i < 16; ++i)
        v[i] = bitfieldExtract(block[i / 4], 8 * (i % 4), 8) != 0u ? 1u : 0u;
}
uvec4 packBool(uint v[16]) {
    uvec4 block = uvec4(0);
    for (int i = 0; i < 16; ++i)
        block[i / 4] |= (v[i] != 0u ? 1u : 0u) << (8 * (i % 4));
    return block;
}
#endif

// The bits of a number; X_OF_WORDS() is the other direction.
uvec2 wordsOf(float x) { return uvec2(floatBitsToUint(x), 0u); }
uvec2 wordsOf(int x) { return uvec2(uint(x), 0u); }
uvec2 wordsOf(uint x) { return uvec2(x, 0u); }
#ifdef HAS_Double
uvec2 wordsOf(double x) { return unpackDouble2x32(x); }
#endif
#ifdef HAS_Int64
uvec2 wordsOf(int64_t x) { return uvec2(unpackInt2x32(x)); }
#endif
#ifdef HAS_Uint64
uvec2 wordsOf(uint64_t x) { return unpackUint2x32(x); }
#endif

// Integers in the order of floats, which are compared by their bits because devices may read
// denormal numbers as 0. Zeros of either sign are equal, and NaNs outermost.
int orderOf(float x) {
    int bits = floatBitsToInt(x);
    int magnitude = bits & 0x7fffffff;
    return bits < 0 ? -magnitude : magnitude;
}
// True if two numbers are equal.
bool isEqual(float x, float y) { return orderOf(x) == orderOf(y) && !kp_isnan(x); }
bool isEqual(int x, int y) { return x == y; }
bool isEqual(uint x, uint y) { return x == y; }
#ifdef HAS_Double
bool isEqual(double x, double y) { return x == y && !kp_isnan(x); }
#endif
#ifdef HAS_Int64
bool isEqual(int64_t x, int64_t y) { return x == y; }
#endif
#ifdef HAS_Uint64
bool isEqual(uint64_t x, uint64_t y) { return x == y; }
#endif

// SPDX-License-Identifier: Apache-2.0
//
// Fills with random numbers. Each invocation writes blocks of 16 bytes.
//
// Macros: one of INTEGERS, UNIFORM, NORMAL and EXPONENTIAL. WIDE: numbers of 64 bits. UNIFORM_DROP:
// bits of a word that a uniform number of at most 32 bits leaves out, and UNIFORM_STEP: its step.
// STANDARD: the offset is 0 and the scale 1.
// HALF: numbers of 16 bits, stored from floats. QUANTILES_IN_MEMORY: the quantiles of normal
// numbers are in a buffer, as drivers of CPUs take seconds to compile their table.

#ifdef WIDE
#define DRAW uvec2
#define DRAWS 2u // numbers in a block of Philox
#define REAL double
#else
#define DRAW uint
#define DRAWS 4u
#define REAL float
#endif

layout(binding = 0) writeonly buffer Out { OUT_STORED results[]; };
layout(binding = 1) writeonly buffer Blocks { uvec4 blocks[]; };

layout(push_constant) uniform Push {
    uint first;
#ifdef QUANTILES_IN_MEMORY
    uint firstQuantile;
#endif
    uint count;
    uint counterLow; // number of the first element
    uint counterHigh;
    uint streamLow;
    uint streamHigh;
    uint keys[20];
    // INTEGERS: the lowest, how many there are (0: all), and what draws must not be below.
    // Else: offset and scale, and of UNIFORM the largest number.
    uint parameters[6];
};

#include "philox"

#ifdef WIDE
DRAW drawOf(uvec4 block, uint i) { return i == 0u ? block.xy : block.zw; }
#else
DRAW drawOf(uvec4 block, uint i) { return block[i]; }
#endif

#ifdef INTEGERS
#ifdef WIDE
void multiply(uvec2 a, uvec2 b, out uvec2 high, out uvec2 low) {
    uint high00, high01, high10, high11, low01, low10, low11;
    umulExtended(a.x, b.x, high00, low.x);
    umulExtended(a.x, b.y, high01, low01);
    umulExtended(a.y, b.x, high10, low10);
    umulExtended(a.y, b.y, high11, low11);
    uint carry1, carry2, carry3, carry4, carry5;
    low.y = uaddCarry(uaddCarry(high00, low01, carry1), low10, carry2);
    high.x = uaddCarry(uaddCarry(high01, high10, carry3), low11, carry4);
    high.x = uaddCarry(high.x, carry1 + carry2, carry5);
    high.y = high11 + carry3 + carry4 + carry5;
}
OUT_VALUE integerOf(uvec4 block, uint i) {
    uvec2 range = uvec2(parameters[2], parameters[3]);
    uvec2 threshold = uvec2(parameters[4], parameters[5]);
    uvec2 high, low;
    multiply(drawOf(block, i), range, high, low);
    while (isLess(low, threshold)) {
        block = philox(block);
        multiply(drawOf(block, i), range, high, low);
    }
    if (range == uvec2(0))
        high = drawOf(block, i);
    return OUT_VALUE(packUint2x32(plus(uvec2(parameters[0], parameters[1]), high)));
}
#else
OUT_VALUE integerOf(uvec4 block, uint i) {
    uint range = parameters[2];
    uint threshold = parameters[4];
    uint high, low;
    umulExtended(block[i], range, high, low);
    while (low < threshold) {
        block = philox(block);
        umulExtended(block[i], range, high, low);
    }
    return OUT_VALUE(parameters[0] + (range == 0u ? block[i] : high));
}
#endif
#else

// Every operation below is an addition or a multiplication, rounded once: `precise` keeps compilers
// from fusing two.
#define ONE_OVER(n) (REAL(1) / REAL(n))

#ifdef HALF
// The nearest number of 16 bits, ties to even: devices convert it alike, regardless of their
// rounding.
float roundedToHalf(float x) {
    uint bits = floatBitsToUint(x);
    uint magnitude = bits & 0x7fffffffu;
    precise float subnormal = (x + 0.75) - 0.75; // a multiple of 2^-24
    if (magnitude < 0x38800000u)
        return subnormal;
    if (magnitude >= 0x477ff000u)
        return uintBitsToFloat((bits & 0x80000000u) | 0x7f800000u);
    return uintBitsToFloat((bits + 0xfffu + (bits >> 13 & 1u)) & ~0x1fffu);
}
#endif

OUT_VALUE scaled(REAL x) {
#ifdef WIDE
    double offset = packDouble2x32(uvec2(parameters[0], parameters[1]));
    double scale = packDouble2x32(uvec2(parameters[2], parameters[3]));
#else
    float offset = uintBitsToFloat(parameters[0]);
    float scale = uintBitsToFloat(parameters[2]);
#endif
#ifdef STANDARD
    precise REAL result = x;
#else
    precise REAL result = x * scale + offset;
#ifdef UNIFORM
    // Rounding may reach the upper limit, which belongs to no result.
#ifdef WIDE
    result = min(result, packDouble2x32(uvec2(parameters[4], parameters[5])));
#else
    result = min(result, uintBitsToFloat(parameters[4]));
#endif
#endif
#endif
#ifdef HALF
    result = roundedToHalf(result);
#endif
    return OUT_VALUE(result);
}

#ifdef WIDE
REAL uniformOf(DRAW draw) {
    precise double result =
        (double(draw.y) * 2097152.0lf + double(draw.x >> 11)) * 1.1102230246251565e-16lf;
    return result;
}
#elif defined(UNIFORM)
REAL uniformOf(DRAW draw) { return float(draw >> UNIFORM_DROP) * UNIFORM_STEP; }
#endif

#if defined(NORMAL) && !defined(WIDE)
#include "quantiles"

#ifdef QUANTILES_IN_MEMORY
layout(binding = 2) readonly buffer Quantiles { vec4 quantiles[]; };
#define QUANTILE(i) quantiles[firstQuantile + i]
#else
shared vec4 sQuantiles[256]; // neighbours need different ones at a time
#define QUANTILE(i) sQuantiles[i]
#endif

// |x| is exceeded with the probability tail / 2^33; see normal_quantiles.py.
float normalOf(uint draw) {
    uint tail = draw << 1 | 1u;
    uint exponent = findMSB(tail);
    uint bits = tail << (31u - exponent);
    vec4 terms = QUANTILE(exponent * 8u + (bits >> 28) - 8u);
    precise float y = uintBitsToFloat(0x3f800000u | bits << 4 >> 9) - 1.5;
    precise float x = ((terms.w * y + terms.z) * y + terms.y) * y + terms.x;
    return uintBitsToFloat(floatBitsToUint(x) ^ (draw & 0x80000000u));
}
#elif defined(NORMAL) || defined(EXPONENTIAL)
// -FACTOR ln of draw / 2^32 (or 2^64), FACTOR a power of two: ln(2^e m) = e ln 2 + 2 artanh((m - 1) /
// (m + 1)), m near 1.
#ifdef NORMAL
#define FACTOR REAL(2)
#else
#define FACTOR REAL(1)
#endif
REAL minusLog(DRAW draw) {
#ifdef WIDE
    const double log2 = 0.6931471805599453lf;
    if (draw == uvec2(0))
        draw.x = 1u;
    int top = draw.y != 0u ? 32 + findMSB(draw.y) : findMSB(draw.x);
    int shift = 63 - top;
    if (shift >= 32)
        draw = uvec2(0, draw.x << (shift - 32));
    else if (shift > 0)
        draw = uvec2(draw.x << shift, draw.y << shift | draw.x >> (32 - shift));
    precise double m =
        (double(draw.y) * 2097152.0lf + double(draw.x >> 11)) * 2.220446049250313e-16lf;
    int exponent = top - 64;
    const double root2 = 1.4142135623730951lf;
    if (m > root2) {
        m *= REAL(0.5);
        ++exponent;
    }
#else
    const float log2 = 0.69314718;
    draw = max(draw, 1u);
    int top = findMSB(draw);
    // The first 24 bits from the highest one on are a float in [1, 2), or half of it from the root
    // of 2 on.
    uint fraction = draw << (31 - top) >> 8 & 0x7fffffu;
    uint isLarge = fraction + 0x4afb0cu >> 23;
    float m = uintBitsToFloat(0x3f800000u + fraction - (isLarge << 23));
    int exponent = top - 32 + int(isLarge);
#endif
    // The reciprocal by Newton's method, from the line nearest to it.
    precise REAL d = m + REAL(1);
    precise REAL y = (REAL(4.125) - d) * REAL(0.23828125);
    y = y * (REAL(2) - d * y);
    y = y * (REAL(2) - d * y);
#ifdef WIDE
    y = y * (REAL(2) - d * y);
    y = y * (REAL(2) - d * y);
#endif
    precise REAL s = (m - REAL(1)) * y;
    precise REAL s2 = s * s;
#ifdef WIDE
    precise REAL p = ONE_OVER(23);
    p = p * s2 + ONE_OVER(21);
    p = p * s2 + ONE_OVER(19);
    p = p * s2 + ONE_OVER(17);
    p = p * s2 + ONE_OVER(15);
    p = p * s2 + ONE_OVER(13);
    p = p * s2 + ONE_OVER(11);
    p = p * s2 + ONE_OVER(9);
    p = p * s2 + ONE_OVER(7);
    p = p * s2 + ONE_OVER(5);
    p = p * s2 + ONE_OVER(3);
#else
    // Nearest to the series on s2 < 0.0295: 8e-10 off.
    precise REAL p = 0.149359267;
    p = p * s2 + 0.199887686;
    p = p * s2 + 0.333333882;
#endif
    precise REAL small = s + s * (s2 * p);
    precise REAL result = -(REAL(exponent) * (FACTOR * log2)) - (FACTOR * REAL(2)) * small;
    return result;
}
#endif

#if defined(NORMAL) && defined(WIDE)
// The square root of x > 0, by Newton's method for 1 / sqrt(x).
double rootOf(double x) {
    precise double y = packDouble2x32(uvec2(0, 0x5fe6eb50u - (unpackDouble2x32(x).y >> 1)));
    precise double h = 0.5lf * x;
    y = y * (1.5lf - h * y * y);
    y = y * (1.5lf - h * y * y);
    y = y * (1.5lf - h * y * y);
    y = y * (1.5lf - h * y * y);
    y = y * (1.5lf - h * y * y);
    precise double result = x * y;
    return result;
}

// Returns cosine and sine of the draw's part of a full turn.
void turned(uvec2 draw, out double cosine, out double sine) {
    uint quadrant = (draw.y + 0x20000000u) >> 30;
    int part = int(draw.y - (quadrant << 30));
    precise double angle = (double(part) * 2097152.0lf + double(draw.x >> 11)) *
                           6.975736996017264e-16lf; // 2 pi / 2^53
    precise double square = angle * angle;
    precise double s = ONE_OVER(355687428096000.0lf);
    s = s * square - ONE_OVER(1307674368000.0lf);
    s = s * square + ONE_OVER(6227020800.0lf);
    s = s * square - ONE_OVER(39916800);
    s = s * square + ONE_OVER(362880);
    s = s * square - ONE_OVER(5040);
    s = s * square + ONE_OVER(120);
    s = s * square - ONE_OVER(6);
    s = angle + angle * (s * square);
    precise double c = ONE_OVER(6402373705728000.0lf);
    c = ONE_OVER(20922789888000.0lf) - c * square;
    c = c * square - ONE_OVER(87178291200.0lf);
    c = c * square + ONE_OVER(479001600);
    c = c * square - ONE_OVER(3628800);
    c = c * square + ONE_OVER(40320);
    c = c * square - ONE_OVER(720);
    c = c * square + ONE_OVER(24);
    c = c * square - 0.5lf;
    c = 1.0lf + c * square;
    bool odd = (quadrant & 1u) != 0u;
    cosine = odd ? -s : c;
    sine = odd ? c : s;
    if ((quadrant & 2u) != 0u) {
        cosine = -cosine;
        sine = -sine;
    }
}
#endif
#endif

// Writes DRAWS numbers, from a block of Philox, to v from `at` on.
void generate(uvec2 number, inout OUT_VALUE v[OUT_PER_BLOCK + DRAWS], uint at) {
    uvec4 block = philox(uvec4(number, streamLow, streamHigh));
#if defined(NORMAL) && defined(WIDE)
    double cosine, sine;
    turned(block.zw, cosine, sine);
    double radius = rootOf(minusLog(block.xy));
    precise double x = radius * cosine;
    precise double y = radius * sine;
    v[at] = scaled(x);
    v[at + 1u] = scaled(y);
#else
    [[unroll]] for (uint i = 0u; i < DRAWS; ++i) {
#if defined(INTEGERS)
        v[at + i] = integerOf(block, i);
#elif defined(UNIFORM)
        v[at + i] = scaled(uniformOf(drawOf(block, i)));
#elif defined(NORMAL)
        v[at + i] = scaled(normalOf(block[i]));
#else
        v[at + i] = scaled(minusLog(drawOf(block, i)));
#endif
    }
#endif
}

void writeBlock(uint b, uvec2 base) {
    // The number of the block's first element, which may be before the output.
    uint carry;
    uint low = uaddCarry(base.x, b * OUT_PER_BLOCK, carry);
    uvec2 number = uvec2(low, base.y + carry);
    uint shift = low % DRAWS;
    uint step = DRAWS == 4u ? 2u : 1u;
    uvec2 philoxBlock = uvec2(number.x >> step | number.y << (32u - step), number.y >> step);

    OUT_VALUE v[OUT_PER_BLOCK + DRAWS];
    [[unroll]] for (uint i = 0u; i < OUT_PER_BLOCK; i += DRAWS) {
        generate(philoxBlock, v, i);
        philoxBlock.x += 1u;
        if (philoxBlock.x == 0u)
            philoxBlock.y = (philoxBlock.y + 1u) & (0xffffffffu >> step);
    }
    if (shift != 0u) {
        generate(philoxBlock, v, OUT_PER_BLOCK);
        [[unroll]] for (uint s = DRAWS / 2u; s > 0u; s /= 2u)
            if ((shift & s) != 0u)
                [[unroll]] for (uint i = 0u; i + s < OUT_PER_BLOCK + DRAWS; ++i)
                    v[i] = v[i + s];
    }
    uint at = b * OUT_PER_BLOCK;
    if (at >= first && at + OUT_PER_BLOCK <= first + count) {
        OUT_VALUE whole[OUT_PER_BLOCK];
        [[unroll]] for (uint i = 0u; i < OUT_PER_BLOCK; ++i)
            whole[i] = v[i];
        blocks[b] = OUT_PACK(whole);
    } else {
        [[unroll]] for (uint i = 0u; i < OUT_PER_BLOCK; ++i)
            if (at + i >= first && at + i < first + count)
                results[at + i] = OUT_STORE(v[i]);
    }
}

void main() {
#if defined(NORMAL) && !defined(WIDE) && !defined(QUANTILES_IN_MEMORY)
    for (uint i = threadIndex(); i < 256u; i += GROUP_SIZE)
        sQuantiles[i] = kNormalQuantiles[i];
    barrier();
#endif
    uint borrow;
    uint baseLow = usubBorrow(counterLow, first, borrow);
    uvec2 base = uvec2(baseLow, counterHigh - borrow);
    uint blockEnd = (first + count + OUT_PER_BLOCK - 1u) / OUT_PER_BLOCK;
    uint b = first / OUT_PER_BLOCK + flatGroup() * (GROUP_SIZE * BLOCKS) + threadIndex();
    [[dont_unroll]] for (uint i = 0u; i < BLOCKS && b < blockEnd; ++i, b += GROUP_SIZE)
        writeBlock(b, base);
}

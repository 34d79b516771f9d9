// SPDX-License-Identifier: Apache-2.0
//
// Keys and values of OpSort, as words. Macros: KEY_STORED, the unsigned type in memory (uvec2 for 8
// bytes); KEY_BITS; KEY_KIND, 0 for unsigned integers, 1 for signed ones, 2 for floating-point
// numbers; KEY_INFINITY, the bits of the latter's infinity (their upper word for 8 bytes);
// VALUE_WORDS, 0 to 2. EQUAL_ZEROS: digits are of numberOf(), not of ordered().

#if KEY_BITS == 64
#define KEY uvec2
#define KEY_WORDS 2
#define LOAD_KEY(stored) (stored)
#else
#define KEY uint
#define KEY_WORDS 1
#define LOAD_KEY(stored) uint(stored)
#endif
#if VALUE_WORDS == 2
#define VALUE uvec2
#else
#define VALUE uint
#endif

#if KEY_BITS < 32
const uint kAll = (1u << KEY_BITS) - 1u;
const uint kSign = 1u << (KEY_BITS - 1);
#else
const uint kAll = ~0u;
const uint kSign = 0x80000000u;
#endif

// Returns unsigned bits in the order of the keys. All NaNs are the largest key.
#if KEY_WORDS == 1
uint ordered(uint key) {
#if KEY_KIND == 1
    key ^= kSign;
#elif KEY_KIND == 2
    bool nan = (key & (kAll ^ kSign)) > KEY_INFINITY;
    key = nan ? kAll : key ^ ((key & kSign) != 0u ? kAll : kSign);
#endif
    return key;
}
#else
uvec2 ordered(uvec2 key) {
#if KEY_KIND == 1
    key.y ^= kSign;
#elif KEY_KIND == 2
    uint magnitude = key.y & ~kSign;
    bool nan = magnitude > KEY_INFINITY || (magnitude == KEY_INFINITY && key.x != 0u);
    bool negative = (key.y & kSign) != 0u;
    key ^= negative ? uvec2(~0u) : uvec2(0u, kSign);
    key = nan ? uvec2(~0u) : key;
#endif
    return key;
}
#endif

// The same in NumPy's order, in which -0 equals 0.
KEY numberOf(KEY key) {
    KEY number = ordered(key);
#if KEY_KIND == 2 && KEY_WORDS == 1
    number = number == kSign - 1u ? kSign : number;
#elif KEY_KIND == 2
    number = number == uvec2(~0u, kSign - 1u) ? uvec2(0u, kSign) : number;
#endif
    return number;
}

// A digit of the keys' bits in their order.
struct Digit {
    uint shift;
    uint mask; // of the digit, up to 255
    uint flip; // all bits 1 for descending order
};

uint digitOf(KEY key, Digit digit) {
#ifdef EQUAL_ZEROS
    KEY bits = numberOf(key);
#else
    KEY bits = ordered(key);
#endif
#if KEY_WORDS == 1
    return ((bits ^ digit.flip) >> digit.shift) & digit.mask;
#else
    bits ^= digit.flip;
    uint shift = digit.shift & 31u;
    uint low = digit.shift < 32u ? bits.x : bits.y;
    uint high = digit.shift < 32u ? bits.y : 0u;
    return (low >> shift | (shift == 0u ? 0u : high << (32u - shift))) & digit.mask;
#endif
}

// The digits after the first of so many bits, of which there are `bits`.
Digit digitAt(uint first, uint bits, uint pass, uint flip) {
    return Digit(first + 8u * pass, (1u << min(8u, bits - 8u * pass)) - 1u, flip);
}

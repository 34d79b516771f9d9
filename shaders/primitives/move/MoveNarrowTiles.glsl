// SPDX-License-Identifier: Apache-2.0
//
// Transposes elements of one or two bytes, as MoveTiles.glsl does larger ones. In shared memory,
// PACK neighbours along axis B make a word of the output.
//
// Macros: PACK: elements of a word, 4 or 2. IN_WORDS: rows of the input begin and end at words, of
// which an invocation reads PACK x PACK elements and transposes them in registers. Else it reads
// single elements. OUT_WORDS: the same of the output.

#ifdef IN_WORDS
layout(binding = 0) readonly buffer In { uint source[]; };
#else
layout(binding = 0) readonly buffer In { UNIT_STORED source[]; };
#endif
#ifdef OUT_WORDS
layout(binding = 1) writeonly buffer Out { uint destination[]; };
#else
layout(binding = 1) writeonly buffer Out { UNIT_STORED destination[]; };
#endif

#define WORDS_A (TILE_A / PACK)
#define WORDS_B (TILE_B / PACK)
#define BITS (32u / PACK)
#define MASK ((1u << BITS) - 1u)

// With a gap after PACK rows, so that words that are written at the same time, of neighbouring
// blocks along A, are in different banks.
shared uint sTile[TILE_A * WORDS_B + WORDS_A];
uint placeOf(uint a, uint wordB) { return a * WORDS_B + a / PACK + wordB; }

// Transposes PACK rows of as many elements.
void transposeBlock(inout uint rows[PACK]) {
#if PACK == 4
    const uint even = 0x00ff00ffu;
    uint low0 = (rows[0] & even) | (rows[1] & even) << 8;
    uint low1 = (rows[0] >> 8 & even) | (rows[1] & ~even);
    uint high0 = (rows[2] & even) | (rows[3] & even) << 8;
    uint high1 = (rows[2] >> 8 & even) | (rows[3] & ~even);
    rows[0] = (low0 & 0xffffu) | high0 << 16;
    rows[1] = (low1 & 0xffffu) | high1 << 16;
    rows[2] = low0 >> 16 | (high0 & 0xffff0000u);
    rows[3] = low1 >> 16 | (high1 & 0xffff0000u);
#else
    uint first = rows[0];
    rows[0] = (first & 0xffffu) | rows[1] << 16;
    rows[1] = first >> 16 | (rows[1] & 0xffff0000u);
#endif
}

#ifdef IN_WORDS
#define PARTS_IN (WORDS_A * WORDS_B / INVOCATIONS)
#define ELEMENTS_OF_PART PACK // along A
#else
#define PARTS_IN (TILE_A * WORDS_B / INVOCATIONS)
#define ELEMENTS_OF_PART 1u
#endif
#define IN_ACROSS (TILE_A / ELEMENTS_OF_PART)

#ifdef OUT_WORDS
#define PARTS_OUT (TILE_A * WORDS_B / INVOCATIONS)
#define OUT_ACROSS WORDS_B
#define EXTENT_OUT (extentB / PACK)
#else
#define PARTS_OUT (TILE_A * TILE_B / INVOCATIONS)
#define OUT_ACROSS TILE_B
#define EXTENT_OUT extentB
#endif

void main() {
    Tile tile = tileOfGroup();
    uint thread = gl_LocalInvocationIndex;

    uint parts[PARTS_IN][PACK];
    [[unroll]] for (uint i = 0; i < PARTS_IN; ++i) {
        uint k = i * INVOCATIONS + thread;
        uint a = tile.firstA / ELEMENTS_OF_PART + k % IN_ACROSS;
        uint b = tile.firstB + k / IN_ACROSS * PACK;
        [[unroll]] for (uint row = 0; row < PACK; ++row)
            if (tile.exists && a * ELEMENTS_OF_PART < extentA && b + row < extentB)
                parts[i][row] = uint(source[tile.from + (b + row) * inStrideB + a]);
    }
    [[unroll]] for (uint i = 0; i < PARTS_IN; ++i) {
        uint k = i * INVOCATIONS + thread;
        uint a = k % IN_ACROSS * ELEMENTS_OF_PART;
        uint wordB = k / IN_ACROSS;
#ifdef IN_WORDS
        transposeBlock(parts[i]);
        [[unroll]] for (uint j = 0; j < PACK; ++j)
            sTile[placeOf(a + j, wordB)] = parts[i][j];
#else
        uint word = 0u;
        [[unroll]] for (uint row = 0; row < PACK; ++row)
            word |= (parts[i][row] & MASK) << (BITS * row);
        sTile[placeOf(a, wordB)] = word;
#endif
    }
    barrier();
    [[unroll]] for (uint i = 0; i < PARTS_OUT; ++i) {
        uint k = i * INVOCATIONS + thread;
        uint a = k / OUT_ACROSS;
        uint b = k % OUT_ACROSS;
#ifdef OUT_WORDS
        uint value = sTile[placeOf(a, b)];
        b += tile.firstB / PACK;
#else
        uint value = sTile[placeOf(a, b / PACK)] >> (b % PACK * BITS) & MASK;
        b += tile.firstB;
#endif
        a += tile.firstA;
        if (tile.exists && a < extentA && b < EXTENT_OUT) {
#ifdef OUT_WORDS
            destination[tile.to + a * outStrideA + b] = value;
#else
            destination[tile.to + a * outStrideA + b] = UNIT_STORE(value);
#endif
        }
    }
}

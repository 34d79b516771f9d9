// SPDX-License-Identifier: Apache-2.0
//
// A sparse matrix in compressed rows: row i has the elements from offset i up to, but without, offset
// i + 1. Offsets and indices come from users, so every one of them is checked: an offset beyond the
// elements is their number, and an element with an index beyond the columns counts as 0.
//
// Macros: NUMBER: float, double, vec2 or dvec2. OFFSET_WORDS, INDEX_WORDS.

layout(binding = 0) readonly buffer Offsets { uint offsets[]; };
layout(binding = 1) readonly buffer Indices { uint indices[]; };
layout(binding = 2) readonly buffer Values { NUMBER values[]; };
layout(binding = 3) readonly buffer X { NUMBER x[]; };
layout(binding = 4) writeonly buffer Y { NUMBER y[]; };
#ifdef CARRIES
layout(binding = 5) writeonly buffer CarryRows { uint carryRows[]; };
layout(binding = 6) writeonly buffer Carries { NUMBER carries[]; };
#endif

layout(push_constant) uniform Push {
    uint firstOffset;
    uint firstIndex;
    uint firstValue;
    uint firstX;
    uint firstY;
#ifdef CARRIES
    uint firstCarryRow;
    uint firstCarry;
#endif
    uint rows;
    uint columns;
    uint nonzeros;
    uint width; // columns of X and Y
    uint tiles;
};

#ifdef COMPLEX
NUMBER times(NUMBER a, NUMBER b) { return NUMBER(a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x); }
#else
NUMBER times(NUMBER a, NUMBER b) { return a * b; }
#endif

// Returns where row i begins, and row i - 1 ends.
uint offsetAt(uint i) {
#if OFFSET_WORDS == 2
    uint low = offsets[2u * (firstOffset + i)];
    return offsets[2u * (firstOffset + i) + 1u] == 0u ? min(low, nonzeros) : nonzeros;
#else
    return min(offsets[firstOffset + i], nonzeros);
#endif
}

// Returns the column of an element; UINT_MAX if it has more than 32 bits.
uint indexAt(uint i) {
#if INDEX_WORDS == 2
    uint low = indices[2u * (firstIndex + i)];
    return indices[2u * (firstIndex + i) + 1u] == 0u ? low : 0xffffffffu;
#else
    return indices[firstIndex + i];
#endif
}

// Returns element i, in a column of the sparse matrix, times the element of the vector X.
NUMBER productAt(uint i, uint index) {
    return index < columns ? times(values[firstValue + i], x[firstX + index]) : NUMBER(0);
}

#ifdef SUBGROUPS
#ifdef COMPLEX
NUMBER ofLane(NUMBER value, uint lane) {
    return NUMBER(lanesValue(value.x, lane), lanesValue(value.y, lane));
}
#else
NUMBER ofLane(NUMBER value, uint lane) { return lanesValue(value, lane); }
#endif
#endif

// The merge path: the ends of rows and the elements, in the order in which a product needs them. An
// end precedes the elements of later rows. Of the first `steps`, at least leastEnds(steps) and at most
// mostEnds(steps) are ends, and end i is among them if isAmong(i, steps). (Merrill and Garland,
// "Merge-based parallel sparse matrix-vector multiplication", 2016.)
uint leastEnds(uint steps) { return steps > nonzeros ? steps - nonzeros : 0u; }
uint mostEnds(uint steps) { return min(steps, rows); }
bool isAmong(uint i, uint steps) { return offsetAt(i + 1u) <= steps - i - 1u; }

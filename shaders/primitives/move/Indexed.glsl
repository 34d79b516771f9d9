// SPDX-License-Identifier: Apache-2.0
//
// Moves rows of units to or from places given by indices. The array that is indexed has, for each
// of `outer`, `places` rows; the other one has, for each of `outer`, as many rows as there are
// indices. Indices outside of the places of this dispatch are left to others, or have no place.
//
// Macros: SCATTER: the indexed array is the output. INDEX_WORDS, INDEX_SIGNED.

layout(binding = 0) readonly buffer In { UNIT_STORED source[]; };
layout(binding = 1) readonly buffer Indices { uint indices[]; };
layout(binding = 2) writeonly buffer Out { UNIT_STORED destination[]; };

layout(push_constant) uniform Push {
    uint firstIn;
    uint firstIndex;
    uint firstOut;
    uint count;        // units to move
    Divider row;       // units of a row in this dispatch
    Divider rows;      // indices in this dispatch
    uint rowStride;    // units of a whole row
    uint listStride;   // units between the rows of one of `outer` and of the next
    uint placeStride;  // the same in the indexed array
    uint places;       // rows that this dispatch may access
    uint firstPlaceLow;
    uint firstPlaceHigh;
};

// Returns the row of an index in this dispatch, or `places`.
uint placeOf(uint i) {
#if INDEX_WORDS == 2
    uvec2 index = uvec2(indices[2u * (firstIndex + i)], indices[2u * (firstIndex + i) + 1u]);
#else
    uint word = indices[firstIndex + i];
#ifdef INDEX_SIGNED
    uvec2 index = uvec2(word, int(word) < 0 ? 0xffffffffu : 0u);
#else
    uvec2 index = uvec2(word, 0u);
#endif
#endif
    uint borrow;
    uint low = usubBorrow(index.x, firstPlaceLow, borrow);
    // If the index is below the first place, this wraps around and is not 0.
    uint high = index.y - firstPlaceHigh - borrow;
    return high == 0u ? min(low, places) : places;
}

void main() {
    uint first = flatGroup() * GROUP_SIZE * PER_INVOCATION + gl_LocalInvocationIndex;
    UNIT_VALUE values[PER_INVOCATION];
    uint targets[PER_INVOCATION];
    bool moves[PER_INVOCATION];
    [[unroll]] for (uint i = 0; i < PER_INVOCATION; ++i) {
        uint n = first + i * GROUP_SIZE;
        moves[i] = false;
        if (n < count) {
            uint line = quotient(n, row);
            uint unit = n - line * row.divisor;
            uint outer = quotient(line, rows);
            uint item = line - outer * rows.divisor;
            uint place = placeOf(item);
            moves[i] = place < places;
            uint inList = outer * listStride + item * rowStride + unit;
            uint inPlaces = outer * placeStride + place * rowStride + unit;
#ifdef SCATTER
            targets[i] = firstOut + inPlaces;
            if (moves[i])
                values[i] = UNIT_LOAD(source[firstIn + inList]);
#else
            targets[i] = firstOut + inList;
            if (moves[i])
                values[i] = UNIT_LOAD(source[firstIn + inPlaces]);
#endif
        }
    }
    [[unroll]] for (uint i = 0; i < PER_INVOCATION; ++i)
        if (moves[i])
            destination[targets[i]] = UNIT_STORE(values[i]);
}

// SPDX-License-Identifier: Apache-2.0
//
// Moves marked elements of UNITS units to their places in the output, of which a window is bound: a
// tile of GROUP_SIZE x ITEMS elements per work group, or with STRIPS a tile per invocation.
//
// Macros: PARTITION: the other elements follow the marked ones. LENGTH_WORDS: writes the distance
// between marked elements to another output, if not 0. INVERSE_WORDS: writes the number of the
// marked element at or before each element, if not 0.

layout(binding = 0) readonly buffer In { UNIT_STORED source[]; };
layout(binding = 1) readonly buffer Marks { uint marks[]; };
layout(binding = 2) readonly buffer Tiles { uvec2 tiles[]; };
layout(binding = 3) readonly buffer States { uint states[]; };
layout(binding = 4) writeonly buffer Out { UNIT_STORED destination[]; };
#if LENGTH_WORDS > 0
layout(binding = 5) writeonly buffer Lengths { uint lengths[]; };
#define INVERSE_BINDING 6
#else
#define INVERSE_BINDING 5
#endif
#if INVERSE_WORDS > 0
layout(binding = INVERSE_BINDING) writeonly buffer Inverse { uint inverse[]; };
#endif

layout(push_constant) uniform Push {
    uint firstIn;
    uint firstMark;
    uint firstTile;
    uint firstState;
    uint firstOut;
#if LENGTH_WORDS > 0
    uint firstLength;
#endif
#if INVERSE_WORDS > 0
    uint firstInverse;
#endif
    uint count;
    uint piece;
    uint pieces;
    uint baseLow; // elements before this piece
    uint baseHigh;
    uint windowLow; // elements of the output before this window
    uint windowHigh;
    uint windowCount;
    uint lengthCount; // of those in the window, how many lengths there are
    uint tileElements; // of STRIPS: a multiple of 32
};

#ifndef STRIPS
#define TILE (GROUP_SIZE * ITEMS)
#define WORDS (TILE / 32)

shared uint sMarks[WORDS];
shared uint sBefore[WORDS]; // marked elements of the tile before each word
shared uint sSums[GROUP_SIZE];
#endif

uvec2 stateOf(uint number, uint part) {
    uint at = firstState + 4u * number + 2u * part;
    return uvec2(states[at], states[at + 1u]);
}

const uint kNowhere = 0xffffffffu;

// A position in an output, `offset` after `begin`, as a position in the window; at least 2^31 if it
// is outside. Windows are below 2^31.
uint placeInWindow(uvec2 begin, uint offset) {
    uvec2 at = difference(begin, uvec2(windowLow, windowHigh));
    bool isNear = (at.y == 0u && at.x < 1u << 31) || (at.y == 0xffffffffu && at.x >= 1u << 31);
    uint place = at.x + offset;
    return isNear ? place : kNowhere;
}

#ifndef STRIPS
bool isMarked(uint i) { return (sMarks[i / 32u] >> (i % 32u) & 1u) != 0u; }
// Marked elements of the tile before i.
uint rankOf(uint i) {
    return sBefore[i / 32u] + uint(bitCount(sMarks[i / 32u] & ((1u << (i % 32u)) - 1u)));
}

#endif

#if LENGTH_WORDS > 0
// The number of a marked element in the whole input, from 1 on, given that in this dispatch. 0: of
// the last one before this dispatch.
uvec2 numberInInput(uint number) {
    return number == 0u ? stateOf(piece, 1u)
                        : plus(uvec2(baseLow, baseHigh), uvec2(number, 0u));
}
#ifndef STRIPS
// The number of the last marked element before element i of the tile, in the whole input, from 1
// on.
uvec2 markedBefore(uint i, uint first, uint lastBefore) {
    uint word = i / 32u;
    uint bits = sMarks[word] & ((1u << (i % 32u)) - 1u);
    while (bits == 0u && word > 0u)
        bits = sMarks[--word];
    return numberInInput(bits != 0u ? first + word * 32u + uint(findMSB(bits)) + 1u : lastBefore);
}
#endif
void writeLength(uvec2 begin, uint rank, uvec2 end, uvec2 start) {
    uint place = placeInWindow(begin, rank);
    if (place >= lengthCount)
        return;
    uvec2 length = difference(end, start);
    uint at = (firstLength + place) * LENGTH_WORDS;
    lengths[at] = length.x;
#if LENGTH_WORDS == 2
    lengths[at + 1u] = length.y;
#endif
}
#endif

void copyElement(uint i, uint place) {
    for (uint unit = 0; unit < UNITS; ++unit)
        destination[firstOut + place * UNITS + unit] =
            UNIT_STORE(UNIT_LOAD(source[firstIn + i * UNITS + unit]));
}

#if INVERSE_WORDS > 0
void writeInverse(uint i, uvec2 number) {
    uint at = (firstInverse + i) * INVERSE_WORDS;
    inverse[at] = number.x;
#if INVERSE_WORDS == 2
    inverse[at + 1u] = number.y;
#endif
}
#endif

#ifdef STRIPS
void main() {
    uint tile = flatGroup() * GROUP_SIZE + gl_LocalInvocationIndex;
    uint first = tile * tileElements;
    if (first >= count)
        return;
    uint end = first + min(tileElements, count - first);
    uvec2 before = tiles[firstTile + tile];
    uvec2 base = uvec2(baseLow, baseHigh);
    uvec2 begin = plus(stateOf(piece, 0u), uvec2(before.x, 0u));
#ifdef PARTITION
    uvec2 beginOthers =
        plus(stateOf(pieces, 0u), difference(plus(base, uvec2(first, 0u)), begin));
#endif
    uint rank = 0u; // marked elements of the tile so far, of which the last one has this number
    uint last = before.y;
    for (uint word = first; word < end; word += 32u) {
        uint mark = marks[firstMark + word / 32u];
        for (uint i = word; i < min(word + 32u, end); ++i) {
            bool marked = (mark >> (i - word) & 1u) != 0u;
            uint place = marked ? placeInWindow(begin, rank) : kNowhere;
#ifdef PARTITION
            if (!marked)
                place = placeInWindow(beginOthers, i - first - rank);
#endif
            if (place < windowCount)
                copyElement(i, place);
#if LENGTH_WORDS > 0
            if (marked && (begin.x | begin.y | rank) != 0u)
                writeLength(begin, rank - 1u, plus(base, uvec2(i + 1u, 0u)), numberInInput(last));
            last = marked ? i + 1u : last;
#endif
            rank += marked ? 1u : 0u;
#if INVERSE_WORDS > 0
            if ((windowLow | windowHigh) == 0u)
                writeInverse(i, difference(plus(begin, uvec2(rank, 0u)), uvec2(1u, 0u)));
#endif
        }
    }
#if LENGTH_WORDS > 0
    if (piece + 1u == pieces && end == count)
        writeLength(begin, rank - 1u, plus(base, uvec2(count + 1u, 0u)), numberInInput(last));
#endif
}
#else
void main() {
    uint thread = gl_LocalInvocationIndex;
    uint tile = flatGroup();
    uint first = tile * TILE;
    if (first >= count)
        return; // the whole work group
    uint elements = min(count - first, TILE);
    uint words = (elements + 31u) / 32u;
    // Words per invocation: neighbouring ones, so that one scan over the invocations is enough.
    const uint perThread = (WORDS + GROUP_SIZE - 1u) / GROUP_SIZE;
    uint sum = 0u;
    for (uint i = thread * perThread; i < min((thread + 1u) * perThread, WORDS); ++i) {
        uint word = i < words ? marks[firstMark + first / 32u + i] : 0u;
        sMarks[i] = word;
        sBefore[i] = sum;
        sum += uint(bitCount(word));
    }
    uint all = sum;
    for (uint m = 1u; m < min(GROUP_SIZE, WORDS); m *= 2u) {
        sSums[thread] = all;
        barrier();
        if (thread >= m)
            all += sSums[thread - m];
        barrier();
    }
    for (uint i = thread * perThread; i < min((thread + 1u) * perThread, WORDS); ++i)
        sBefore[i] += all - sum;
    barrier();

    uvec2 before = tiles[firstTile + tile];
    uvec2 begin = plus(stateOf(piece, 0u), uvec2(before.x, 0u));
#ifdef PARTITION
    // The elements that are not marked: after all the marked ones, earlier tiles' first.
    uvec2 position = plus(uvec2(baseLow, baseHigh), uvec2(first, 0u));
    uvec2 beginOthers = plus(stateOf(pieces, 0u), difference(position, begin));
#endif
    uint places[ITEMS];
    [[unroll]] for (uint k = 0; k < ITEMS; ++k) {
        uint i = k * GROUP_SIZE + thread;
        places[k] = kNowhere;
        if (i < elements) {
            uint rank = rankOf(i);
            if (isMarked(i))
                places[k] = placeInWindow(begin, rank);
#ifdef PARTITION
            else
                places[k] = placeInWindow(beginOthers, i - rank);
#endif
#if LENGTH_WORDS > 0
            if (isMarked(i) && (begin.x | begin.y | rank) != 0u)
                writeLength(begin, rank - 1u,
                            plus(uvec2(baseLow, baseHigh), uvec2(first + i + 1u, 0u)),
                            markedBefore(i, first, before.y));
            if (piece + 1u == pieces && first + i + 1u == count) {
                uint marked = rank + (isMarked(i) ? 1u : 0u);
                uvec2 end = plus(uvec2(baseLow, baseHigh), uvec2(count + 1u, 0u));
                uvec2 start = isMarked(i) ? difference(end, uvec2(1u, 0u))
                                          : markedBefore(i, first, before.y);
                writeLength(begin, marked - 1u, end, start);
            }
#endif
#if INVERSE_WORDS > 0
            if ((windowLow | windowHigh) == 0u) {
                uvec2 number = difference(plus(begin, uvec2(rank, 0u)),
                                            uvec2(isMarked(i) ? 0u : 1u, 0u));
                writeInverse(first + i, number);
            }
#endif
        }
    }
#if UNITS == 1
    UNIT_VALUE values[ITEMS];
    [[unroll]] for (uint k = 0; k < ITEMS; ++k)
        if (places[k] < windowCount)
            values[k] = UNIT_LOAD(source[firstIn + first + k * GROUP_SIZE + thread]);
    [[unroll]] for (uint k = 0; k < ITEMS; ++k)
        if (places[k] < windowCount)
            destination[firstOut + places[k]] = UNIT_STORE(values[k]);
#else
    for (uint k = 0; k < ITEMS; ++k)
        if (places[k] < windowCount)
            copyElement(first + k * GROUP_SIZE + thread, places[k]);
#endif
}
#endif

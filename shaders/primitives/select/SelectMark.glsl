// SPDX-License-Identifier: Apache-2.0
//
// Marks the chosen elements, a bit each, and counts them in each tile of GROUP_SIZE x ITEMS
// elements, or with STRIPS in a tile per invocation. One of the macros defines the choice:
//
//     FLAGS      elements whose flag (type FLAG) is not 0
//     PREDICATE  elements (type IN) for which predicate() of the text before this one is true
//     HEADS      elements that differ from the one before: numbers (type IN), or, with UNITS,
//                structs of so many units

#if defined(FLAGS)
layout(binding = 0) readonly buffer In { FLAG_STORED elements[]; };
#elif defined(UNITS)
layout(binding = 0) readonly buffer In { UNIT_STORED elements[]; };
#else
layout(binding = 0) readonly buffer In { IN_STORED elements[]; };
#endif
#ifndef ALONE
layout(binding = 1) writeonly buffer Marks { uint marks[]; };
// Per tile: the chosen elements, and the number of the last one of them in this dispatch, from 1 on
// (0: none).
layout(binding = 2) writeonly buffer Tiles { uvec2 tiles[]; };

layout(push_constant) uniform Push {
    uint firstIn; // the element before, if there is one
    uint firstMark;
    uint firstTile;
    uint count;
    uint before; // 1 if the first element has one before it
    uint tileElements; // of STRIPS: a multiple of 32
};
#endif

#if !defined(STRIPS) && !defined(ALONE)
#define WORDS (GROUP_SIZE * ITEMS / 32)

shared uint sMarks[WORDS];
shared uint sCount;
shared uint sLast;
#endif

bool isChosen(uint i) {
#if defined(FLAGS)
    return !isEqual(FLAG_LOAD(elements[firstIn + i]), FLAG_VALUE(0));
#elif defined(PREDICATE)
    return predicate(IN_LOAD(elements[firstIn + i]));
#else
    if (i + before == 0u)
        return true;
#ifdef UNITS
    uint here = firstIn + (i + before) * UNITS;
    bool differs = false;
    for (uint unit = here; unit < here + UNITS; ++unit)
        differs = differs || UNIT_LOAD(elements[unit]) != UNIT_LOAD(elements[unit - UNITS]);
    return differs;
#else
    uint at = firstIn + i + before;
    return !isEqual(IN_LOAD(elements[at - 1u]), IN_LOAD(elements[at]));
#endif
#endif
}

#ifdef ALONE
// SelectAlone.glsl has the rest.
#elif defined(STRIPS)
void main() {
    uint tile = flatGroup() * GROUP_SIZE + gl_LocalInvocationIndex;
    uint first = tile * tileElements;
    if (first >= count)
        return;
    uint end = first + min(tileElements, count - first);
    uvec2 found = uvec2(0u);
    for (uint begin = first; begin < end; begin += 32u) {
        uint mark = 0u;
        for (uint i = begin; i < min(begin + 32u, end); ++i)
            mark |= (isChosen(i) ? 1u : 0u) << (i - begin);
        marks[firstMark + begin / 32u] = mark;
        found.x += uint(bitCount(mark));
        found.y = mark != 0u ? begin + uint(findMSB(mark)) + 1u : found.y;
    }
    tiles[firstTile + tile] = found;
}
#else
void main() {
    uint thread = threadIndex();
    uint tile = flatGroup();
    uint first = tile * (GROUP_SIZE * ITEMS);
    if (first >= count)
        return; // the whole work group
    for (uint i = thread; i < WORDS; i += GROUP_SIZE)
        sMarks[i] = 0u;
    if (thread == 0u) {
        sCount = 0u;
        sLast = 0u;
    }
    barrier();
    bool chosen[ITEMS];
    [[unroll]] for (uint k = 0; k < ITEMS; ++k) {
        uint i = first + k * GROUP_SIZE + thread;
        chosen[k] = i < count && isChosen(i);
    }
    uint sum = 0u;
    [[unroll]] for (uint k = 0; k < ITEMS; ++k) {
        uint i = k * GROUP_SIZE + thread;
#ifdef SUBGROUPS
        uvec4 ballot = subgroupBallot(chosen[k]);
        if (gl_SubgroupInvocationID == 0u) {
            uvec4 bits = uvec4(bitCount(ballot));
            sum += bits.x + bits.y + bits.z + bits.w;
            if (gl_SubgroupSize < 32u)
                atomicOr(sMarks[i / 32u], ballot.x << (i % 32u));
            else
                for (uint word = 0; word < gl_SubgroupSize / 32u; ++word)
                    sMarks[i / 32u + word] = ballot[word];
        }
#else
        if (chosen[k]) {
            atomicOr(sMarks[i / 32u], 1u << (i % 32u));
            ++sum;
        }
#endif
    }
    if (sum != 0u)
        atomicAdd(sCount, sum);
    barrier();
    uint words = (min(count - first, GROUP_SIZE * ITEMS) + 31u) / 32u;
    for (uint i = thread; i < words; i += GROUP_SIZE) {
        uint mark = sMarks[i];
        marks[firstMark + first / 32u + i] = mark;
#ifdef HEADS
        if (mark != 0u)
            atomicMax(sLast, first + i * 32u + uint(findMSB(mark)) + 1u);
#endif
    }
    barrier();
    if (thread == 0u)
        tiles[firstTile + tile] = uvec2(sCount, sLast);
}
#endif

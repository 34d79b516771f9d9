// SPDX-License-Identifier: Apache-2.0
//
// Reduces rows of neighbouring elements: `lanes` invocations per row, or several work groups.

#ifndef FROM_PARTIALS
layout(binding = 1) readonly buffer Blocks { uvec4 blocks[]; };
#endif
#ifdef FINAL
layout(binding = OUT_BINDING) writeonly buffer Out { OUT_STORED results[]; };
#else
layout(binding = OUT_BINDING) writeonly buffer Out { T results[]; };
#endif

layout(push_constant) uniform Push {
    uint firstIn;
#ifdef SEGMENTED
    uint firstOffset;
#endif
    uint firstOut;
    uint lanes;       // invocations per row
    uint rows;
    uint length;      // elements of a row in the input bound here; of all rows if SEGMENTED
    uint chunks;      // work groups per row
    uint baseLow;     // index of the first of these elements in its row; or of the first element in
    uint baseHigh;    // the whole input if SEGMENTED
    uint countLow;    // elements of a whole row; of the whole input if SEGMENTED
    uint countHigh;
};

#ifdef SEGMENTED
// The position of an offset in the input bound here.
uint placeInInput(uvec2 offset) {
    uvec2 at = minus(offset, uvec2(baseLow, baseHigh));
    return at.y != 0u ? length : min(at.x, length);
}
#endif

#ifndef FROM_PARTIALS
// A tree over a block whose leaves are LEAF(i). Drivers keep arrays of 64-bit numbers and of
// structs in memory if loops combine their elements: an H200 takes 15 times as long for bytes that
// are added up in 64 bits.
#define TREE_2(i) JOIN(LEAF(i), LEAF(i + 1u))
#define TREE_4(i) JOIN(TREE_2(i), TREE_2(i + 2u))
#define TREE_8(i) JOIN(TREE_4(i), TREE_4(i + 4u))
#if IN_PER_BLOCK == 2
#define TREE TREE_2(0u)
#elif IN_PER_BLOCK == 4
#define TREE TREE_4(0u)
#elif IN_PER_BLOCK == 8
#define TREE TREE_8(0u)
#else
#define TREE JOIN(TREE_8(0u), TREE_8(8u))
#endif

void addBlock(inout T sum, uvec4 block, uvec2 index) {
    IN_VALUE v[IN_PER_BLOCK];
    IN_UNPACK(block, v);
#ifdef INDEX
#define JOIN(a, b) firstOf(a, b)
#define LEAF(i) keyOf(v[i])
    // Few blocks have a better element than those before, and only these need its index.
    KEY best = TREE;
    if (isBefore(best, sum.key) || sum.index == ~INDEX(0)) {
        uint at = IN_PER_BLOCK - 1u;
        [[unroll]] for (uint i = IN_PER_BLOCK - 1u; i > 0u; --i)
            if (!isBefore(best, LEAF(i - 1u)))
                at = i - 1u;
        sum = T(best, indexOf(plus(index, at)));
    }
#else
#define JOIN(a, b) combine(a, b)
#define LEAF(i) mapped(v[i], plus(index, i))
    sum = combine(sum, TREE);
#endif
}
#endif

// Reduces a work group's part of the elements at begin to end: every so many tiles of 4 blocks per
// lane, so that all work groups together go through the memory in its order.
// index: of the element at begin in its row
T rowPart(uint begin, uint end, uint lane, uint chunk, uvec2 index) {
    T sum = identity();
    uint from = begin;
#ifndef FROM_PARTIALS
    uint block = (begin + IN_PER_BLOCK - 1) / IN_PER_BLOCK;
    uint blockEnd = end / IN_PER_BLOCK;
    if (block < blockEnd) {
        if (chunk == 0u)
            for (uint at = begin + lane; at < block * IN_PER_BLOCK; at += lanes)
                sum = combine(sum, element(at, plus(index, at - begin)));
        uint tile = 4u * lanes;
        uint b = block + chunk * tile + lane;
        for (; b + 3u * lanes < blockEnd; b += tile * chunks) {
            uvec4 b0 = blocks[b];
            uvec4 b1 = blocks[b + lanes];
            uvec4 b2 = blocks[b + 2u * lanes];
            uvec4 b3 = blocks[b + 3u * lanes];
            addBlock(sum, b0, plus(index, b * IN_PER_BLOCK - begin));
            addBlock(sum, b1, plus(index, (b + lanes) * IN_PER_BLOCK - begin));
            addBlock(sum, b2, plus(index, (b + 2u * lanes) * IN_PER_BLOCK - begin));
            addBlock(sum, b3, plus(index, (b + 3u * lanes) * IN_PER_BLOCK - begin));
        }
        for (uint i = 0u; i < 3u && b < blockEnd; ++i, b += lanes)
            addBlock(sum, blocks[b], plus(index, b * IN_PER_BLOCK - begin));
        from = blockEnd * IN_PER_BLOCK;
    }
#endif
    if (chunk == 0u)
        for (uint at = from + lane; at < end; at += lanes)
            sum = combine(sum, element(at, plus(index, at - begin)));
    return sum;
}

// Returns the reduction over the `lanes` invocations of a row to the first of them.
T acrossLanes(T sum, uint thread) {
#ifdef SUBGROUPS
    uint lane = gl_SubgroupInvocationID;
    for (uint m = 1u; m < min(lanes, gl_SubgroupSize); m *= 2u)
        sum = combine(sum, lanesValue(sum, (lane + m) & (gl_SubgroupSize - 1u)));
    if (lanes > gl_SubgroupSize) {
        if (lane == 0u)
            sPartials[gl_SubgroupID] = sum;
        barrier();
        if (thread % lanes == 0u)
            for (uint i = 1u; i < lanes / gl_SubgroupSize; ++i)
                sum = combine(sum, sPartials[gl_SubgroupID + i]);
    }
#else
    sPartials[thread] = sum;
    for (uint m = 1u; m < lanes; m *= 2u) {
        barrier();
        if (thread % (2u * m) == 0u) {
            sum = combine(sum, sPartials[thread + m]);
            sPartials[thread] = sum;
        }
    }
#endif
    return sum;
}

void main() {
    uint thread = threadIndex();
    uint rowBlock = flatGroup() / chunks;
    uint chunk = flatGroup() - rowBlock * chunks;
    uint row = rowBlock * (GROUP_SIZE / lanes) + thread / lanes;
    uint lane = thread % lanes;

    T sum = identity();
    uvec2 count = uvec2(countLow, countHigh);
    if (row < rows) {
        uvec2 base = uvec2(baseLow, baseHigh);
#ifdef SEGMENTED
        uvec2 offset = offsetAt(firstOffset + row, count);
        uvec2 offsetEnd = offsetAt(firstOffset + row + 1u, count);
        count = minus(offsetEnd, offset);
        uint begin = placeInInput(offset);
        uint end = max(begin, placeInInput(offsetEnd));
        base = minus(base, offset);
#else
        uint begin = row * length;
        uint end = begin + length;
#endif
        sum = rowPart(firstIn + begin, firstIn + end, lane, chunk, base);
    }
    sum = acrossLanes(sum, thread);
    if (row < rows && lane == 0u) {
#ifdef FINAL
        results[firstOut + row] = finished(sum, count);
#elif defined(SEGMENTED)
        results[firstOut + chunk * rows + row] = sum;
#else
        results[firstOut + row * chunks + chunk] = sum;
#endif
    }
}

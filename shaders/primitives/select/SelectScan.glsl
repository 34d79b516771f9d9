// SPDX-License-Identifier: Apache-2.0
//
// One work group turns the counts of tiles into the counts of all preceding tiles, and their last
// chosen elements into the last one before. ITEMS: tiles per invocation and round.
//
// The states, of 4 words, are what there is before each piece of the input: chosen elements, and
// the number of the last one in the whole input, from 1 on, in 64 bits each.
//
// With ALONE, the group is one invocation: drivers of processors take ten times as long to compile barriers.
// With FINAL, this is the last piece. COUNT_WORDS: writes the number of chosen elements, if not 0.
// DISPATCH: writes the work groups that process them.

layout(binding = 0) buffer Tiles { uvec2 tiles[]; };
layout(binding = 1) buffer States { uint states[]; };
#define COUNT_BINDING 2
#if COUNT_WORDS > 0
layout(binding = COUNT_BINDING) writeonly buffer Count { uint counts[]; };
#define DISPATCH_BINDING 3
#else
#define DISPATCH_BINDING 2
#endif
#ifdef DISPATCH
layout(binding = DISPATCH_BINDING) writeonly buffer Groups { uint groups[]; };
#endif

layout(push_constant) uniform Push {
    uint firstTile;
    uint firstState;
#if COUNT_WORDS > 0
    uint firstCount;
#endif
#ifdef DISPATCH
    uint firstGroup;
#endif
    uint count;
    uint piece;
    uint baseLow; // the elements before this piece
    uint baseHigh;
    uint perGroup; // of DISPATCH
    uint maxGroups;
};

#ifndef ALONE
shared uvec2 sItems[GROUP_SIZE];
#endif

uvec2 join(uvec2 a, uvec2 b) { return uvec2(a.x + b.x, max(a.y, b.y)); }

void main() {
    if (flatGroup() != 0u)
        return;
    uint thread = gl_LocalInvocationIndex;
    uvec2 carry = uvec2(0u);
    for (uint round = 0u; round < count; round += GROUP_SIZE * ITEMS) {
        uint first = round + thread * ITEMS;
        uvec2 items[ITEMS];
        [[unroll]] for (uint i = 0; i < ITEMS; ++i)
            items[i] = first + i < count ? tiles[firstTile + first + i] : uvec2(0u);
        uvec2 all = uvec2(0u);
        [[unroll]] for (uint i = 0; i < ITEMS; ++i)
            all = join(all, items[i]);
        uvec2 prefix = carry;
#ifdef ALONE
        carry = join(carry, all);
#else
        for (uint m = 1u; m < GROUP_SIZE; m *= 2u) {
            sItems[thread] = all;
            barrier();
            if (thread >= m)
                all = join(sItems[thread - m], all);
            barrier();
        }
        sItems[thread] = all;
        barrier();
        if (thread > 0u)
            prefix = join(carry, sItems[thread - 1u]);
        carry = join(carry, sItems[GROUP_SIZE - 1u]);
        barrier();
#endif
        [[unroll]] for (uint i = 0; i < ITEMS; ++i) {
            if (first + i < count)
                tiles[firstTile + first + i] = prefix;
            prefix = join(prefix, items[i]);
        }
    }
    if (thread == 0u) {
        uint at = firstState + 4u * piece;
        uvec2 total = plus(uvec2(states[at], states[at + 1u]), uvec2(carry.x, 0u));
        uvec2 last = uvec2(states[at + 2u], states[at + 3u]);
        if (carry.y != 0u)
            last = plus(uvec2(baseLow, baseHigh), uvec2(carry.y, 0u));
        states[at + 4u] = total.x;
        states[at + 5u] = total.y;
        states[at + 6u] = last.x;
        states[at + 7u] = last.y;
#if COUNT_WORDS > 0
        counts[firstCount * COUNT_WORDS] = total.x;
#if COUNT_WORDS == 2
        counts[firstCount * 2u + 1u] = total.y;
#endif
#endif
#ifdef DISPATCH
        uvec3 wanted = groupsOf(total, perGroup, maxGroups);
        groups[firstGroup] = wanted.x;
        groups[firstGroup + 1u] = wanted.y;
        groups[firstGroup + 2u] = wanted.z;
#endif
    }
}

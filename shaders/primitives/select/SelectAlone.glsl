// SPDX-License-Identifier: Apache-2.0
//
// Selects few elements, all by one invocation, for drivers that compute on the processor: they take
// as long to start a dispatch, and longer to compile another kernel. isChosen() follows, in
// SelectMark.glsl.
//
// Macros: MOVED_UNITS, of an element. OUT_BINDING, LENGTH_BINDING, INVERSE_BINDING, COUNT_BINDING,
// GROUPS_BINDING: where there is such an output, see SelectMove.glsl and SelectScan.glsl; and its
// words, ..._WORDS.

layout(binding = 1) readonly buffer Source { UNIT_STORED source[]; };
#ifdef OUT_BINDING
layout(binding = OUT_BINDING) writeonly buffer Out { UNIT_STORED destination[]; };
#endif
#ifdef LENGTH_BINDING
layout(binding = LENGTH_BINDING) writeonly buffer Lengths { uint lengths[]; };
#endif
#ifdef INVERSE_BINDING
layout(binding = INVERSE_BINDING) writeonly buffer Inverse { uint inverse[]; };
#endif
#ifdef COUNT_BINDING
layout(binding = COUNT_BINDING) writeonly buffer Count { uint counts[]; };
#endif
#ifdef GROUPS_BINDING
layout(binding = GROUPS_BINDING) writeonly buffer Groups { uint groups[]; };
#endif

layout(push_constant) uniform Push {
    uint firstIn;
    uint firstSource;
#ifdef OUT_BINDING
    uint firstOut;
#endif
#ifdef LENGTH_BINDING
    uint firstLength;
#endif
#ifdef INVERSE_BINDING
    uint firstInverse;
#endif
#ifdef COUNT_BINDING
    uint firstCount;
#endif
#ifdef GROUPS_BINDING
    uint firstGroup;
#endif
    uint count;
    uint outCount;
    uint lengthCount;
    uint perGroup; // of GROUPS
    uint maxGroups;
};

const uint before = 0u; // elements before the first one

bool isChosen(uint i);

void main() {
    uint rank = 0u; // chosen elements so far
    uint last = 0u; // the number of the last one, from 1 on
    // The end is one more place where a distance ends.
    for (uint i = 0u; i <= count; ++i) {
        bool chosen = i < count && isChosen(min(i, count - 1u));
#ifdef OUT_BINDING
        if (chosen && rank < outCount)
            for (uint unit = 0u; unit < MOVED_UNITS; ++unit)
                destination[firstOut + rank * MOVED_UNITS + unit] =
                    UNIT_STORE(UNIT_LOAD(source[firstSource + i * MOVED_UNITS + unit]));
#endif
#ifdef LENGTH_BINDING
        if ((chosen || i == count) && rank > 0u && rank <= lengthCount) {
            uint at = (firstLength + rank - 1u) * LENGTH_WORDS;
            lengths[at] = i + 1u - last;
#if LENGTH_WORDS == 2
            lengths[at + 1u] = 0u;
#endif
        }
        last = chosen ? i + 1u : last;
#endif
        rank += chosen ? 1u : 0u;
#ifdef INVERSE_BINDING
        if (i < count) {
            uint at = (firstInverse + i) * INVERSE_WORDS;
            inverse[at] = rank - 1u;
#if INVERSE_WORDS == 2
            inverse[at + 1u] = rank == 0u ? ~0u : 0u;
#endif
        }
#endif
    }
#ifdef COUNT_BINDING
    counts[firstCount * COUNT_WORDS] = rank;
#if COUNT_WORDS == 2
    counts[firstCount * 2u + 1u] = 0u;
#endif
#endif
#ifdef GROUPS_BINDING
    uvec3 wanted = groupsOf(uvec2(rank, 0u), perGroup, maxGroups);
    groups[firstGroup] = wanted.x;
    groups[firstGroup + 1u] = wanted.y;
    groups[firstGroup + 2u] = wanted.z;
#endif
}

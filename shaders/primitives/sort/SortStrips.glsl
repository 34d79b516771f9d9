// SPDX-License-Identifier: Apache-2.0
//
// Sorts by one digit, one invocation per strip of keys, for drivers that compute on the processor:
// no invocation waits for another. STAGE 0 counts the digits of each strip; 1, an invocation per
// digit, turns the counts into the keys of the same digit in earlier strips; 2 moves the keys. ALONE: one
// invocation does all of that for the only strip.

#ifdef ALONE
#define STAGE 2
#endif
#if STAGE != 1
layout(binding = 0) readonly buffer KeysIn { KEY_STORED keysIn[]; };
#endif
#ifndef ALONE
layout(binding = COUNTS_BINDING) buffer Counts { uint counts[]; }; // [strip][digit]
#endif
#if STAGE > 0 && !defined(ALONE)
layout(binding = COUNTS_BINDING + 1) buffer Totals { uint totals[]; }; // [digit]
#endif
#if STAGE == 2
layout(binding = OUT_BINDING) writeonly buffer KeysOut { KEY_STORED keysOut[]; };
#if VALUE_WORDS > 0
layout(binding = OUT_BINDING + 1) readonly buffer ValuesIn { VALUE valuesIn[]; };
layout(binding = OUT_BINDING + 2) writeonly buffer ValuesOut { VALUE valuesOut[]; };
#endif
#endif

layout(push_constant) uniform Push {
#if STAGE != 1
    uint firstKeyIn;
#endif
#ifndef ALONE
    uint firstCount;
#endif
#if STAGE > 0 && !defined(ALONE)
    uint firstTotal;
#endif
#if STAGE == 2
    uint firstKeyOut;
#if VALUE_WORDS > 0
    uint firstValueIn;
    uint firstValueOut;
#endif
#endif
    uint count; // keys
    uint strips;
    uint stripKeys;
    uint shift;
    uint mask;
    uint flip;
    uint flags;
};

const uint kIndices = 1u;     // the values are the keys' indices
const uint kDiscardKeys = 2u; // keys are not written

#if STAGE != 1
// Each invocation has counters of its own.
shared uint sCounters[GROUP_SIZE * 256];
#endif

void main() {
    uint number = flatGroup() * GROUP_SIZE + gl_LocalInvocationIndex;
#if STAGE == 1
    if (number >= 256u)
        return;
    uint sum = 0u;
    for (uint at = firstCount + number; at < firstCount + 256u * strips; at += 256u) {
        uint own = counts[at];
        counts[at] = sum;
        sum += own;
    }
    totals[firstTotal + number] = sum;
#else
    if (number >= strips)
        return;
    uint own = gl_LocalInvocationIndex * 256u;
#ifndef ALONE
    uint first = firstCount + 256u * number;
#endif
    uint begin = number * stripKeys;
    uint end = min(begin + stripKeys, count);
    Digit digit = Digit(shift, mask, flip);
#if STAGE == 0 || defined(ALONE)
    for (uint d = 0u; d < 256u; ++d)
        sCounters[own + d] = 0u;
    for (uint i = begin; i < end; ++i)
        ++sCounters[own + digitOf(LOAD_KEY(keysIn[firstKeyIn + i]), digit)];
#endif
#if STAGE == 0
    for (uint d = 0u; d < 256u; ++d)
        counts[first + d] = sCounters[own + d];
#else
    uint sum = 0u;
    for (uint d = 0u; d < 256u; ++d) {
#ifdef ALONE
        uint keys = sCounters[own + d];
        sCounters[own + d] = sum;
        sum += keys;
#else
        sCounters[own + d] = sum + counts[first + d];
        sum += totals[firstTotal + d];
#endif
    }
    for (uint i = begin; i < end; ++i) {
        KEY key = LOAD_KEY(keysIn[firstKeyIn + i]);
        uint counter = own + digitOf(key, digit);
        uint place = sCounters[counter];
        sCounters[counter] = place + 1u;
        if ((flags & kDiscardKeys) == 0u)
            keysOut[firstKeyOut + place] = KEY_STORED(key);
#if VALUE_WORDS > 0
        VALUE value;
        if ((flags & kIndices) != 0u)
            value = VALUE_WORDS == 2 ? VALUE(uvec2(i, 0u)) : VALUE(i);
        else
            value = valuesIn[firstValueIn + i];
        valuesOut[firstValueOut + place] = value;
#endif
    }
#endif
#endif
}

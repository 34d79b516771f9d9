// SPDX-License-Identifier: Apache-2.0
//
// Subgroups of LANES_EMULATED invocations on a driver with smaller ones, for tests. Only for
// drivers that compute on the processor: there, barrier() lets the work group's other invocations
// run, so an invocation may wait for some of them, and not only for all. Subgroup operations must
// be executed by all lanes of a subgroup. EmulatedSubgroups.cpp gives names of GLSL the prefix
// emulated_, and calls main() here.

const uint emulated_gl_SubgroupSize = LANES_EMULATED;
#define emulated_gl_NumSubgroups (gl_WorkGroupSize.x / LANES_EMULATED)
#define emulated_gl_SubgroupID (gl_LocalInvocationIndex / LANES_EMULATED)
#define emulated_gl_SubgroupInvocationID (gl_LocalInvocationIndex % LANES_EMULATED)
#define emulated_gl_SubgroupLtMask emulated_lowerLanes(emulated_gl_SubgroupInvocationID)

// Of each subgroup, then of the work group: how many invocations have arrived, all times together.
shared uint sArrived[gl_WorkGroupSize.x / LANES_EMULATED + 1u];
shared uvec2 sExchanged[gl_WorkGroupSize.x];

// An invocation that still waits then does so in vain: not all have called.
const uint kMostYields = 1u << 20;

void emulated_meet(uint place, uint number) {
    uint arrived = atomicAdd(sArrived[place], 1u);
    uint all = (arrived / number + 1u) * number;
    [[dont_unroll]] for (uint i = 0u; i < kMostYields && atomicAdd(sArrived[place], 0u) < all; ++i)
        barrier();
    memoryBarrierShared();
}
void emulated_barrier() {
    emulated_meet(gl_WorkGroupSize.x / LANES_EMULATED, gl_WorkGroupSize.x);
}
void emulated_subgroupBarrier() { emulated_meet(emulated_gl_SubgroupID, LANES_EMULATED); }

uvec2 emulated_subgroupShuffle(uvec2 x, uint lane) {
    sExchanged[gl_LocalInvocationIndex] = x;
    emulated_subgroupBarrier();
    uvec2 found = sExchanged[emulated_gl_SubgroupID * LANES_EMULATED + lane % LANES_EMULATED];
    emulated_subgroupBarrier();
    return found;
}
uint emulated_subgroupShuffle(uint x, uint lane) {
    return emulated_subgroupShuffle(uvec2(x, 0u), lane).x;
}
int emulated_subgroupShuffle(int x, uint lane) {
    return int(emulated_subgroupShuffle(uint(x), lane));
}
float emulated_subgroupShuffle(float x, uint lane) {
    return uintBitsToFloat(emulated_subgroupShuffle(floatBitsToUint(x), lane));
}

uvec4 emulated_subgroupBallot(bool yes) {
    sExchanged[gl_LocalInvocationIndex] = uvec2(yes ? 1u : 0u, 0u);
    emulated_subgroupBarrier();
    uvec4 lanes = uvec4(0u);
    for (uint i = 0u; i < LANES_EMULATED; ++i)
        lanes[i / 32u] |= sExchanged[emulated_gl_SubgroupID * LANES_EMULATED + i].x << (i % 32u);
    emulated_subgroupBarrier();
    return lanes;
}
uint emulated_subgroupBallotFindLSB(uvec4 lanes) {
    for (uint word = 0u; word < 4u; ++word)
        if (lanes[word] != 0u)
            return 32u * word + uint(findLSB(lanes[word]));
    return ~0u;
}
uint emulated_subgroupBallotFindMSB(uvec4 lanes) {
    for (uint word = 4u; word-- > 0u;)
        if (lanes[word] != 0u)
            return 32u * word + uint(findMSB(lanes[word]));
    return ~0u;
}
uvec4 emulated_lowerLanes(uint lane) {
    uvec4 lower = uvec4(0u);
    for (uint word = 0u; word < 4u; ++word)
        lower[word] = lane >= 32u * word + 32u ? ~0u
                      : lane > 32u * word      ? (1u << (lane - 32u * word)) - 1u
                                               : 0u;
    return lower;
}

void emulated_main();
void main() {
    for (uint i = gl_LocalInvocationIndex; i <= gl_WorkGroupSize.x / LANES_EMULATED;
         i += gl_WorkGroupSize.x)
        sArrived[i] = 0u;
    barrier();
    emulated_main();
    emulated_barrier(); // Mesa's driver runs none to its end once one has ended
}

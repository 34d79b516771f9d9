// SPDX-License-Identifier: Apache-2.0
//
// Invocations that exchange values. With SUBGROUPS, lanes are the invocations of a subgroup, and
// all subgroups are full. GROUP_SIZE is the number of invocations of a work group.

#define GROUP_SIZE gl_WorkGroupSize.x

// The index of the work group in a grid that is folded into x, y and z.
uint flatGroup() {
    return gl_WorkGroupID.x +
           gl_NumWorkGroups.x * (gl_WorkGroupID.y + gl_NumWorkGroups.y * gl_WorkGroupID.z);
}

// The index of the invocation in its work group, such that neighbouring lanes are neighbours.
uint threadIndex() {
#ifdef SUBGROUPS
    return gl_SubgroupID * gl_SubgroupSize + gl_SubgroupInvocationID;
#else
    return gl_LocalInvocationIndex;
#endif
}

// Accesses to words that other work groups access at the same time. They order nothing else.
// ACQUIRE_RELEASE() orders the accesses to buffers before it and after it.
#ifdef MEMORY_MODEL
#define LOAD_RELAXED(word)                                                                         \
    atomicLoad(word, gl_ScopeDevice, gl_StorageSemanticsBuffer, gl_SemanticsRelaxed)
#define STORE_RELAXED(word, value)                                                                 \
    atomicStore(word, value, gl_ScopeDevice, gl_StorageSemanticsBuffer, gl_SemanticsRelaxed)
#define ACQUIRE_RELEASE()                                                                          \
    memoryBarrier(gl_ScopeDevice, gl_StorageSemanticsBuffer,                                       \
                  gl_SemanticsAcquireRelease | gl_SemanticsMakeAvailable |                         \
                      gl_SemanticsMakeVisible)
#else
#define LOAD_RELAXED(word) atomicOr(word, 0u)
#define STORE_RELAXED(word, value) atomicExchange(word, value)
#define ACQUIRE_RELEASE() memoryBarrierBuffer()
#endif

#ifdef SUBGROUPS
uint lanesValue(uint x, uint lane) { return subgroupShuffle(x, lane); }
int lanesValue(int x, uint lane) { return subgroupShuffle(x, lane); }
float lanesValue(float x, uint lane) { return subgroupShuffle(x, lane); }
uvec2 lanesValue(uvec2 x, uint lane) { return subgroupShuffle(x, lane); }
#ifdef HAS_Double
double lanesValue(double x, uint lane) {
    return packDouble2x32(lanesValue(unpackDouble2x32(x), lane));
}
#endif
#ifdef HAS_Int64
int64_t lanesValue(int64_t x, uint lane) {
    return packInt2x32(ivec2(lanesValue(uvec2(unpackInt2x32(x)), lane)));
}
#endif
#ifdef HAS_Uint64
uint64_t lanesValue(uint64_t x, uint lane) {
    return packUint2x32(lanesValue(unpackUint2x32(x), lane));
}
#endif
#endif

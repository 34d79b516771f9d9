// SPDX-License-Identifier: Apache-2.0
//
// What the kernels of OpMatMul with cooperative matrices share: specialization constants, push
// constants (as shaders/primitives/matrices/MatMul.glsl), and which tile a work group takes.

#extension GL_KHR_cooperative_matrix : require
#extension GL_KHR_memory_scope_semantics : require
#extension GL_EXT_control_flow_attributes : require
#extension GL_EXT_shader_16bit_storage : require
#extension GL_EXT_shader_explicit_arithmetic_types : require
#ifdef BFLOAT16
#extension GL_EXT_bfloat16 : require
#define NARROW bfloat16_t
#else
#define NARROW float16_t
#endif
#pragma use_vulkan_memory_model

layout(local_size_x_id = 0) in;
layout(constant_id = 1) const uint TILE_ROWS = 128u;
layout(constant_id = 2) const uint TILE_COLUMNS = 128u;
layout(constant_id = 3) const uint DEPTH = 32u;
layout(constant_id = 4) const uint FLAGS = 0u;
// Tiles are taken in bands of this many rows of tiles, so that groups that run at the same time
// share more of A and B in the caches.
layout(constant_id = 5) const uint BAND = 8u;

// The flags: see kFlag... in MatMulPlan.cpp.
const bool TRANSPOSE_A = (FLAGS & 1u) != 0u; // A is stored as inner x rows
const bool TRANSPOSE_B = (FLAGS & 2u) != 0u;
const bool ALIGNED_A = (FLAGS & 4u) != 0u; // rows begin at multiples of 16 bytes
const bool ALIGNED_B = (FLAGS & 8u) != 0u;
const bool ALIGNED_C = (FLAGS & 16u) != 0u;
const bool PARTIALS = (FLAGS & 32u) != 0u; // the result is float sums of slices
const bool NARROW_C = (FLAGS & 64u) != 0u; // C is of the type of A and B
const bool READS_C = (FLAGS & 128u) != 0u;
const bool BIAS = (FLAGS & 256u) != 0u;
const bool BIAS_OF_ROWS = (FLAGS & 512u) != 0u;
const bool CLAMP = (FLAGS & 1024u) != 0u; // tiles may reach over the matrices
const bool EXACT_GRID = (FLAGS & 2048u) != 0u; // there are no more work groups than needed
const bool ONE_SIZE = (FLAGS & 4096u) != 0u; // all subgroups have the size that was reckoned with

layout(push_constant) uniform Push {
    uint firstA;
    uint firstB;
    uint firstC; // of C, or of the sums
    uint firstBias;
    uint rows;
    uint columns;
    uint inner;
    uint batches;
    uint strideA;
    uint strideB;
    uint strideC;
    uint batchStrideA;
    uint batchStrideB;
    uint batchStrideC;
    uint tileRows; // tiles in a column of tiles
    uint tileColumns;
    uint slices;
    uint sliceLength;
    uint firstSlice;
    uint rowOffset;
    uint columnOffset;
    uint batchOffset;
    uint lanes;
    float alpha;
    uint alphaHigh;
    float beta;
    uint betaHigh;
};

struct Place {
    uint slice;
    uint batch;
    uint row;
    uint column;
    uint kBegin;
    uint kEnd;
};

Place placeOfGroup() {
    uint group = gl_WorkGroupID.x +
                 gl_NumWorkGroups.x * (gl_WorkGroupID.y + gl_NumWorkGroups.y * gl_WorkGroupID.z);
    uint tiles = tileRows * tileColumns;
    uint tile = group % tiles;
    uint band = tile / (BAND * tileColumns);
    uint bandRows = min(BAND, tileRows - band * BAND);
    uint inBand = tile - band * BAND * tileColumns;
    Place place;
    place.slice = group / tiles % slices;
    place.batch = group / tiles / slices;
    place.row = (band * BAND + inBand % bandRows) * TILE_ROWS;
    place.column = inBand / bandRows * TILE_COLUMNS;
    place.kBegin = place.slice * (sliceLength & ~15u); // so that compilers see what it divides by
    place.kEnd = min(inner, place.kBegin + sliceLength);
    return place;
}

// The first element of the matrix of sums of a slice, or of C, and its rows' distance.
uint resultOrigin(Place place) {
    return PARTIALS ? firstC + ((firstSlice + place.slice) * batches + place.batch) * rows * columns
                    : firstC + place.batch * batchStrideC;
}
uint resultStride() {
    return PARTIALS ? columns : strideC;
}

// SPDX-License-Identifier: Apache-2.0
//
// Factors diagonal blocks of up to 4 SIDE x 4 SIDE elements, each by SIDE x SIDE invocations with
// 4 x 4 elements in registers, dealt out like cards. Each step publishes a column in shared memory,
// in one of two places, so that it needs one barrier.

layout(binding = 0) readonly buffer Given { REAL given[]; };
layout(binding = 1) writeonly buffer Factors { REAL factors[]; };
layout(binding = 2) buffer Info { uint infos[]; };

layout(push_constant) uniform Push {
    uint firstGiven;
    uint firstFactor;
    uint firstInfo;
    uint size;
    uint stride;
    uint batchStride;
    uint batches;
    uint order; // of the block's first column
};

const uint kRows = 4u * SIDE;
const uint kTeam = SIDE * SIDE;
shared REAL sColumn[2][TEAMS * kRows];

void main() {
    uint team = gl_LocalInvocationIndex / kTeam;
    uint lane = gl_LocalInvocationIndex % kTeam;
    uint y = lane / SIDE;
    uint x = lane % SIDE;
    uint batch = flatGroup() * TEAMS + team;
    bool exists = batch < batches;
    uint origin = batch * batchStride;
    uint columns = team * kRows;

    REAL a[4][4];
    [[unroll]] for (uint i = 0u; i < 4u; ++i)
        [[unroll]] for (uint j = 0u; j < 4u; ++j) {
            uint row = y + SIDE * i;
            uint column = x + SIDE * j;
            bool isInside = exists && row < size && column <= row;
            a[i][j] = isInside ? given[firstGiven + origin + row * stride + column] : REAL(0);
        }
    uint failed = 0u;
    [[unroll]] for (uint part = 0u; part < 4u; ++part)
        [[dont_unroll]] for (uint place = 0u; place < SIDE; ++place) {
            uint k = part * SIDE + place;
            if (k >= size)
                break; // the whole work group
            uint stage = k & 1u;
            if (x == place)
                [[unroll]] for (uint i = 0u; i < 4u; ++i)
                    sColumn[stage][columns + y + SIDE * i] = a[i][part];
            barrier();
            REAL pivot = sColumn[stage][columns + k];
            if (failed == 0u && !(pivot > REAL(0) && !kp_isnan(pivot)))
                failed = k + 1u;
            REAL root = sqrt(pivot);
            REAL inverse = REAL(1) / root;
            REAL across[4];
            [[unroll]] for (uint j = 0u; j < 4u; ++j)
                across[j] = sColumn[stage][columns + x + SIDE * j] * inverse;
            [[unroll]] for (uint i = 0u; i < 4u; ++i) {
                uint row = y + SIDE * i;
                REAL down = sColumn[stage][columns + row] * inverse;
                [[unroll]] for (uint j = 0u; j < 4u; ++j)
                    if (row > k && x + SIDE * j > k)
                        a[i][j] -= down * across[j];
                if (x == place && row >= k)
                    a[i][part] = row == k ? root : down;
            }
        }
    [[unroll]] for (uint i = 0u; i < 4u; ++i)
        [[unroll]] for (uint j = 0u; j < 4u; ++j) {
            uint row = y + SIDE * i;
            uint column = x + SIDE * j;
            if (exists && row < size && column < size)
                factors[firstFactor + origin + row * stride + column] =
                    column <= row ? a[i][j] : REAL(0);
        }
    if (!exists || lane != 0u)
        return;
    if (order == 0u)
        infos[firstInfo + batch] = failed;
    else if (failed != 0u && infos[firstInfo + batch] == 0u)
        infos[firstInfo + batch] = order + failed;
}

// SPDX-License-Identifier: Apache-2.0
#include "primitives/matrices/MatMulPanels.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

#include "primitives/source/Division.hpp"

namespace kp::primitives {

MatMulPanels MatMulPanels::of(const MatMulProblem& problem, const DeviceTraits& traits) {
    MatMulPanels panels;
    const bool aAlongInner = !problem.transposeA;
    const bool bAlongInner = problem.transposeB;
    const uint64_t mostIn = traits.maxViewBytes / Memory::dataTypeMemorySize(problem.in);
    const uint64_t mostOut =
        traits.maxViewBytes / std::max(Memory::dataTypeMemorySize(problem.out),
                                       Memory::dataTypeMemorySize(matMulSumType(problem.in)));
    const auto rowsIn = [](uint64_t most, uint64_t length, uint64_t stride) {
        return stride == 0 ? UINT64_MAX : (most - length) / stride + 1;
    };
    // First the length of stored rows, then their number.
    panels.rows = std::min(problem.rows, aAlongInner ? UINT64_MAX : mostIn);
    panels.columns = std::min({problem.columns, mostOut, bAlongInner ? UINT64_MAX : mostIn});
    panels.inner = std::min(std::max<uint64_t>(1, problem.inner),
                            aAlongInner || bAlongInner ? mostIn : UINT64_MAX);
    panels.rows = std::min(panels.rows, rowsIn(mostOut, panels.columns, problem.c.stride));
    if (aAlongInner)
        panels.rows = std::min(panels.rows, rowsIn(mostIn, panels.inner, problem.a.stride));
    if (bAlongInner)
        panels.columns = std::min(panels.columns, rowsIn(mostIn, panels.inner, problem.b.stride));
    if (!aAlongInner)
        panels.inner = std::min(panels.inner, rowsIn(mostIn, panels.rows, problem.a.stride));
    if (!bAlongInner)
        panels.inner = std::min(panels.inner, rowsIn(mostIn, panels.columns, problem.b.stride));
    const auto align = [](uint64_t& extent, uint64_t whole) {
        for (const uint64_t multiple : {128, 16, 4})
            if (extent < whole && extent > multiple) {
                extent -= extent % multiple;
                return;
            }
    };
    align(panels.inner, problem.inner);
    panels.pieces = divideUp(std::max<uint64_t>(1, problem.inner), panels.inner);
    if (panels.pieces > 1) // The sums of a row of C must fit as well.
        panels.columns = std::min(panels.columns, std::max<uint64_t>(1, mostOut / panels.pieces));
    align(panels.columns, problem.columns);
    panels.rows =
        std::min(panels.rows, std::max<uint64_t>(1, mostOut / panels.pieces / panels.columns));
    align(panels.rows, problem.rows);
    for (const auto& [extent, whole] : {std::pair(panels.rows, problem.rows),
                                        {panels.columns, problem.columns},
                                        {panels.inner, problem.inner}})
        if (extent < whole)
            panels.alignment = std::gcd(panels.alignment, extent);

    panels.batches =
        std::min(problem.batches,
                 std::max<uint64_t>(1, mostOut / panels.pieces / panels.rows / panels.columns));
    const auto limitBatches = [&](const StoredMatrix& matrix, uint64_t span, uint64_t most) {
        if (matrix.batchStride > 0 && span > 0)
            panels.batches = std::min(panels.batches, (most - span) / matrix.batchStride + 1);
    };
    limitBatches(problem.a,
                 aAlongInner ? storedElements(panels.rows, panels.inner, problem.a.stride)
                             : storedElements(panels.inner, panels.rows, problem.a.stride),
                 mostIn);
    limitBatches(problem.b,
                 bAlongInner ? storedElements(panels.columns, panels.inner, problem.b.stride)
                             : storedElements(panels.inner, panels.columns, problem.b.stride),
                 mostIn);
    limitBatches(problem.c, storedElements(panels.rows, panels.columns, problem.c.stride), mostOut);
    return panels;
}

} // namespace kp::primitives

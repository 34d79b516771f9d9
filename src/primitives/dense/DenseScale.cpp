// SPDX-License-Identifier: Apache-2.0
#include "primitives/dense/DenseScale.hpp"

#include <algorithm>
#include <bit>
#include <utility>

#include <DenseLargest.glsl.hpp>
#include <DenseScale.glsl.hpp>
#include <DenseScaled.glsl.hpp>

#include "base/Text.hpp"
#include "primitives/source/Division.hpp"

namespace kp::primitives {
namespace {

constexpr uint32_t kScaleGroup = 256;
/// Work groups that read a matrix for its largest element.
constexpr uint64_t kMaxReaders = 256;

} // namespace

std::string scaledText(std::initializer_list<std::string_view> texts) {
    std::string all(DENSESCALE_GLSL);
    for (const std::string_view text : texts)
        all += text;
    return all;
}

void addScaledCopy(DensePlanner& dense, const ScaledCopy& copy) {
    const uint32_t group = std::min(kScaleGroup, std::bit_floor(dense.traits.maxGroupSize));
    std::string macros = copy.part.empty() ? "" : formatted("#define {}\n", copy.part);
    if (copy.asZero)
        macros += "#define AS_ZERO\n";
    const bool transposed = copy.part == "TRANSPOSED";
    const View given = dense.view(copy.given, transposed ? copy.columns : copy.rows,
                                  transposed ? copy.rows : copy.columns, View::Use::eRead);
    View state{copy.state, 0, dense.batches * copy.stateWords * sizeof(uint32_t), sizeof(uint32_t),
               View::Use::eReadWrite};
    const uint64_t readers =
        std::clamp<uint64_t>(copy.rows * copy.columns / (uint64_t{group} * 16), 1, kMaxReaders);
    Dispatch largest;
    largest.kernel =
        dense.kernel("largest elements", macros, scaledText({DENSELARGEST_GLSL}), group);
    largest.views = {given, state};
    largest.setPush(DenseLargestPush{.rows = lowWord(copy.rows),
                                     .columns = lowWord(copy.columns),
                                     .batches = lowWord(dense.batches),
                                     .stateWords = lowWord(copy.stateWords),
                                     .parts = lowWord(readers)});
    largest.groups = readers * dense.batches;
    dense.add(std::move(largest));
    state.use = View::Use::eRead;
    Dispatch scaled;
    scaled.kernel = dense.kernel("scaled matrices", macros, scaledText({DENSESCALED_GLSL}), group);
    scaled.views = {given, state,
                    dense.view(copy.to, copy.toRows, copy.to.stride, View::Use::eWrite)};
    scaled.setPush(DenseScaledPush{.rows = lowWord(copy.rows),
                                   .columns = lowWord(copy.columns),
                                   .batches = lowWord(dense.batches),
                                   .stateWords = lowWord(copy.stateWords),
                                   .allRows = lowWord(copy.toRows),
                                   .allColumns = lowWord(copy.to.stride)});
    scaled.groups = divideUp(copy.toRows * copy.to.stride * dense.batches, group);
    dense.add(std::move(scaled));
}

} // namespace kp::primitives

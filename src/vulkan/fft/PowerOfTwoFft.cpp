// SPDX-License-Identifier: Apache-2.0
#include "vulkan/fft/PowerOfTwoFft.hpp"

#include <algorithm>
#include <bit>
#include <optional>
#include <utility>

#include "vulkan/fft/FftPass.hpp"

namespace kp::vulkan {
namespace {

constexpr uint64_t kComplexBytes = 8;

/// How arrays of a length are transformed. GB/s of input and output, of 2^26 numbers in all, by the
/// shaders alone, on an H200 whose memory copies 4,280.
///
/// The work groups that a core runs at the same time share 48 KiB there, see
/// kompute_benchmark_shared_memory. So real and imaginary parts are exchanged one after the other,
/// and many in two steps, each in half as much shared memory. That pays only where registers, too,
/// have room for a second group: up to 64 of 512 invocations or 128 of 256. The driver keeps to
/// that where it can: with constant distances between an invocation's places in shared memory, and
/// butterflies of 8 numbers, of which sines and cosines take fewer registers.
///
/// All that a butterfly writes must belong to one step.
struct Rule {
    uint32_t length;
    uint32_t points;
    uint32_t arrays;
    uint32_t steps;
    uint32_t radix;
};

/// Whole arrays. Shorter ones are VkFFT's, which was not slower.
constexpr Rule kRows[] = {
    {1 << 8, 8, 4, 1, 8},    // 4,150
    {1 << 9, 16, 4, 1, 16},  // 4,150
    {1 << 10, 16, 2, 1, 16}, // 4,160
    {1 << 11, 16, 1, 1, 16}, // 4,160
    {1 << 12, 16, 1, 2, 8},  // 4,160; 3,950 in one step
    {1 << 13, 32, 1, 2, 16}, // 4,110; 3,950 with 16 points, 2,940 with these in one step
    {1 << 14, 32, 1, 4, 8},  // 3,080: one group per core; 2,970 with 16 points, VkFFT's 2,840
};

/// Both passes of arrays of length^2 numbers, and one pass for length^2 / 2 and 2 length^2.
/// Groups of fewer arrays read and write lines of less than 64 bytes. Of more, fewer run at a time.
constexpr Rule kPasses[] = {
    {1 << 7, 16, 16, 1, 16}, // of 2^15, 2,070; 2,020 with 8 arrays
    {1 << 8, 16, 16, 2, 8},  // 2,060; 2,020 with 8 arrays
    {1 << 9, 16, 8, 2, 8},   // 2,010; 1,940 in one step, 1,760 with 16 arrays, 1,640 with 4
    {1 << 10, 16, 8, 2, 8},  // 1,730; 1,680 in one step, 1,630 with 4 arrays
    {1 << 11, 32, 4, 2, 16}, // 1,420; 1,360 with 16 points
};

constexpr uint32_t kNvidia = 0x10DE;
constexpr uint64_t kFirstInTwo = uint64_t{1} << 15;

template <size_t N>
std::optional<FftPass> passOf(const Rule (&rules)[N], uint64_t length, FftPass::Kind kind,
                              uint64_t others, const FftLimits& limits) {
    for (const Rule& rule : rules) {
        if (rule.length != length)
            continue;
        FftPass pass;
        pass.kind = kind;
        pass.length = rule.length;
        pass.points = rule.points;
        pass.arrays = rule.arrays;
        pass.steps = rule.steps;
        pass.radix = rule.radix;
        pass.others = static_cast<uint32_t>(others);
        if (pass.sharedBytes() <= limits.sharedBytes &&
            pass.groupSize() <= std::min(limits.maxGroupInvocations, limits.maxGroupSize[0]))
            return pass;
    }
    return std::nullopt;
}

/// Adds a pass over all arrays of the request.
/// @return false if there are too many for one dispatch
bool addPass(FftProgram& program, const FftPass& pass, const FftRequest& request,
             const FftLimits& limits, uint32_t from, uint32_t to) {
    const bool isLast = pass.kind != FftPass::Kind::eColumns;
    const double scale = request.inverse && request.normalized && isLast
                             ? 1 / static_cast<double>(request.extents[0])
                             : 1;
    const uint64_t all = request.batches * (pass.kind == FftPass::Kind::eRows ? 1 : pass.others);
    const uint64_t groups = (all + pass.arrays - 1) / pass.arrays;
    const uint64_t across = std::min<uint64_t>(groups, limits.maxGroupCount[0]);
    const uint64_t down = (groups + across - 1) / across;
    if (request.batches > UINT32_MAX || down > limits.maxGroupCount[1])
        return false;
    FftProgram::Dispatch dispatch;
    dispatch.kernel = static_cast<uint32_t>(program.kernels.size());
    const uint64_t bytes = request.batches * request.extents[0] * kComplexBytes;
    dispatch.bindings = {{from, 0, bytes, false}, {to, 0, bytes, true}};
    dispatch.push = {static_cast<uint32_t>(request.batches)};
    dispatch.groups = {static_cast<uint32_t>(across), static_cast<uint32_t>(down), 1};
    const bool exact = all == across * down * pass.arrays;
    program.kernels.push_back(fftPassText(pass, request.inverse, scale, exact));
    program.steps.push_back(std::move(dispatch));
    return true;
}

} // namespace

FftProgram planPowerOfTwoFft(const FftRequest& request, const FftLimits& limits) {
    // Measured on NVIDIA's alone.
    if (limits.vendor != kNvidia || request.precision != FftRequest::Precision::eSingle ||
        request.real || request.extents.size() != 1 || !std::has_single_bit(request.extents[0]))
        return {};
    const uint64_t length = request.extents[0];
    const uint32_t input = request.inPlace ? FftProgram::kOutput : FftProgram::kInput;
    FftProgram program;
    program.memoryBytes.assign(2, request.batches * length * kComplexBytes);
    if (const auto rows = passOf(kRows, length, FftPass::Kind::eRows, 1, limits))
        return addPass(program, *rows, request, limits, input, FftProgram::kOutput) ? program
                                                                                    : FftProgram{};
    if (length < kFirstInTwo)
        return {};
    const uint64_t first = uint64_t{1} << (std::bit_width(length) - 1) / 2;
    const uint64_t second = length / first;
    const auto columns = passOf(kPasses, first, FftPass::Kind::eColumns, second, limits);
    const auto turned = passOf(kPasses, second, FftPass::Kind::eTurned, first, limits);
    if (!columns || !turned)
        return {};
    constexpr uint32_t kBetween = 2;
    program.memoryBytes.push_back(program.memoryBytes[0]);
    if (!addPass(program, *columns, request, limits, input, kBetween) ||
        !addPass(program, *turned, request, limits, kBetween, FftProgram::kOutput))
        return {};
    return program;
}

} // namespace kp::vulkan

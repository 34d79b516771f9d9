// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "shader/check/CheckContext.hpp"

namespace kp::shader {

/// Writes the comparison of indices with extents, and its findings.
class IndexComparison {
public:
    /// @param context, code  must outlive this
    IndexComparison(CheckContext& context, FunctionWriter& code) : mContext(context), mCode(code) {}

    /// @param extent  a word
    /// @return true if the index is below it
    uint32_t add(uint32_t index, uint32_t type, uint32_t extent);
    /// Says that the last comparisons are of the axes of one index.
    void noteAxes(size_t count) { mAxes = {mChecks.size() - count, count}; }

    /// Returns true if all indices are below their extents.
    uint32_t all();
    /// Reports the first index that is beyond its extent.
    void report(uint32_t site, uint32_t value);

private:
    struct Check {
        uint32_t index;
        uint32_t type;
        uint32_t extent;
        uint32_t inside;
    };

    void writeAxes(uint32_t slot, const std::vector<uint32_t>& words);
    uint32_t chosen(const Check& check, uint32_t later, uint32_t own);
    uint32_t wordOf(uint32_t extent);

    CheckContext& mContext;
    FunctionWriter& mCode;
    std::vector<Check> mChecks;
    std::pair<size_t, size_t> mAxes{}; ///< the first and their number
};

} // namespace kp::shader

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "shader/check/AccessPath.hpp"
#include "shader/check/CheckedModule.hpp"

namespace kp::shader {

/// Lengths of arrays of 8- and 16-bit numbers at the end of a buffer. The report buffer has them:
/// devices that lack the types access words, of which the last may be longer than the array.
class MeasuredLengths {
public:
    /// @param context  must outlive this
    explicit MeasuredLengths(CheckContext& context) : mContext(context) {}

    /// Returns the number of the runtime array that a step of the path indexes; nothing for other
    /// steps, if OpArrayLength is exact on all devices, or for buffers of an array of descriptors.
    std::optional<uint32_t> find(const AccessPath& path, size_t step);
    /// Adds instructions that read a length. @return its id
    uint32_t read(uint32_t number, const std::function<uint32_t(Node)>& add);

    const std::vector<MeasuredBuffer>& all() const { return mAll; }

private:
    bool hasNarrow(uint32_t type) const;

    CheckContext& mContext;
    std::vector<MeasuredBuffer> mAll;
};

} // namespace kp::shader

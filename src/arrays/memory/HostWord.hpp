// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>

#include "arrays/memory/Storage.hpp"

namespace kp::arrays {

/// A number in host memory that kernels write and the host reads without a copy. It begins as
/// any number.
class HostWord {
public:
    /// @throws OutOfMemory, DeviceLost
    explicit HostWord(const std::shared_ptr<Home>& home);
    /// Returns such a number of a type as an array without axes. @throws as the constructor
    static View make(const std::shared_ptr<Home>& home, DType dtype);

    /// Returns the number (uint32) as an array without axes.
    const View& view() const { return mView; }
    /// Waits for kernels that write the number; returns it.
    uint32_t read() const;

private:
    const View mView;
};

} // namespace kp::arrays

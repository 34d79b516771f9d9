// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <kompute/Kompute.hpp>

#include "wide/WideFunctions.hpp"

namespace kp::test {

/// A kernel that calls a function of shaders/lib/wide for each element. The manager must outlive
/// it.
class WideKernel {
public:
    /// The function is straight code, as the library gives it to shaders.
    /// @param plant  a fault in the function's text: "ties" rounds halfway cases of doubles up; ""
    ///               for none
    WideKernel(kp::Manager& manager, const WideFunction& function, const std::string& plant = "");

    /// Returns the results for lists of arguments, which have one length.
    std::vector<uint64_t> run(const WideArguments& arguments) const;

private:
    kp::Manager& mManager;
    size_t mCount; ///< of arguments
    std::vector<uint32_t> mSpirv;
};

} // namespace kp::test

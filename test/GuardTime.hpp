// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ctime>
#include <string>

#include <kompute/Error.hpp>

#include "Sanitizers.hpp"
#include "shader/limits/PreprocessedLimits.hpp"
#include "shader/limits/SourceLimits.hpp"

namespace kp::test {

/// The time that the guard of sources may take, in seconds of processor time.
#if defined(NDEBUG) && !defined(KOMPUTE_TEST_SANITIZED)
constexpr double kMaxGuardSeconds = 1;
#else
constexpr double kMaxGuardSeconds = 20;
#endif

/// Returns the processor time that the guard takes for a source, without any compiler.
inline double guardSeconds(const std::string& source) {
    const std::clock_t begin = std::clock();
    try {
        shader::SourceLimits limits;
        limits.addFile("source", source);
        shader::requireWithinLimits(source, "source", 0);
    } catch (const ShaderError&) {
    }
    return static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC;
}

} // namespace kp::test

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>
#include <vector>

#include <kompute/Kompute.hpp>

namespace kp::test {

/// Returns options with checked mode on.
inline AlgorithmOptions checkedOptions(const std::string& checks = "1") {
    AlgorithmOptions options;
    options.check = checks;
    return options;
}

/// Compiles GLSL with lines, as checked mode does.
inline std::vector<uint32_t> spirvWithLines(const std::string& glsl,
                                            const std::string& name = "planted.comp") {
    const CheckScope scope;
    CompileOptions options;
    options.fileName = name;
    return compile(glsl, options);
}

/// Returns the faults that an action throws; none if it throws nothing.
inline std::vector<CheckFault> faultsOf(const std::function<void()>& action) {
    try {
        action();
    } catch (const CheckFailed& failed) {
        return failed.faults();
    }
    return {};
}

} // namespace kp::test

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <vector>

#include <kompute/program/Program.hpp>
#include <kompute/queue/Queue.hpp>

#include "device/TestSupport.hpp"

namespace kp::test {

class ProgramTest : public DeviceTest {
protected:
    const CheckScope mUnchecked{"off"}; // programs have no checks

    template <typename T>
    std::shared_ptr<kp::TensorT<T>> tensorOf(const std::vector<T>& values) {
        return manager.tensorT<T>(values);
    }
    /// Returns a program as it is after it was saved and loaded.
    kp::Program reloaded(const kp::Program& program) {
        const std::vector<unsigned char> content = program.content();
        return kp::Program::parseUntrusted(manager, content.data(), content.size());
    }
};

} // namespace kp::test

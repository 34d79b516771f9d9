// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <kompute/Kompute.hpp>

namespace kp::vulkan {
class Device;
}

namespace kp::test {

/// Compiles GLSL for Vulkan 1.1, which every device takes.
std::vector<uint32_t> spirv(const std::string& glsl);

/// A compute shader with one invocation per group. In @p body, `i` is the invocation's x.
/// @param declarations  buffers, push constants, ...
/// @param head          extensions, before everything else
std::string shader(const std::string& declarations, const std::string& body,
                   const std::string& head = "");

/// Declares a storage buffer: buffer(0, "readonly", "float", "a") gives `float a[]`.
std::string buffer(int binding, const std::string& qualifier, const std::string& type,
                   const std::string& name);

/// v[i] += amount, on unsigned integers at binding 0.
std::vector<uint32_t> addShader(uint32_t amount);
/// v[i] += 1, on floats at binding 0.
std::vector<uint32_t> incrementFloats();
/// b[i] = a[i], on unsigned integers; a at binding 0 is readonly, b at binding 1 writeonly.
std::vector<uint32_t> copyShader();

/// Records dispatches that each add 1 to element 0 of @p counter, an unsigned-integer tensor, and
/// keep the device busy for some hundred milliseconds in all.
/// @return how many were recorded
uint32_t recordSlowWork(kp::Manager& manager, kp::Sequence& sequence,
                        const std::shared_ptr<kp::Memory>& counter);

/// The device behind a manager, for what only the library's inside can tell.
std::shared_ptr<vulkan::Device> deviceOf(const kp::Manager& manager);
/// True where the device has a feature, by Vulkan's name ("shaderFloat64").
bool hasFeature(const kp::Manager& manager, const std::string& name);
/// True where a validation lane ("core", "sync") is asked for by KOMPUTE_VALIDATION.
bool validating(const std::string& lane);
bool validating();

/// Log messages since the current test began, one per line, each with its level's first letter.
std::string logText();

/// 0, 1, 2, ...
template <typename T>
std::vector<T> ascending(size_t count, size_t first = 0) {
    std::vector<T> values(count);
    for (size_t i = 0; i < count; ++i)
        values[i] = static_cast<T>(first + i);
    return values;
}

/// A test with a manager of its own. Managers alive at the same time share one device.
class DeviceTest : public ::testing::Test {
protected:
    kp::Manager manager;

    /// What is in the device memory, past every mirror.
    template <typename T>
    static std::vector<T> onDevice(kp::Memory& memory) {
        std::vector<T> values(memory.size());
        memory.download(values.data(), values.size() * sizeof(T));
        return values;
    }
};

} // namespace kp::test

/// Passes where the statement throws exactly this kind with @p part in its message.
#define EXPECT_ERROR(Kind, part, ...)                                                              \
    try {                                                                                          \
        __VA_ARGS__;                                                                               \
        ADD_FAILURE() << #__VA_ARGS__ " threw nothing";                                            \
    } catch (const Kind& error) {                                                                  \
        EXPECT_NE(std::string(error.what()).find(part), std::string::npos)                         \
            << "expected \"" << (part) << "\" in: " << error.what();                               \
    } catch (const std::exception& error) {                                                        \
        ADD_FAILURE() << #__VA_ARGS__ " threw no " #Kind ", but: " << error.what();                \
    }

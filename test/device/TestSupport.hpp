// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <type_traits>
#include <vector>

#include <gtest/gtest.h>
#include <kompute/Kompute.hpp>

namespace kp::vulkan {
class Device;
}

namespace kp::test {

/// Compiles GLSL for Vulkan 1.1, which every device supports.
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

/// Records dispatches that each add 1 to element 0 of @p counter, a tensor of unsigned integers.
/// Together they keep the device busy for a few hundred milliseconds.
/// @return how many were recorded
uint32_t recordSlowWork(kp::Manager& manager, kp::Sequence& sequence,
                        const std::shared_ptr<kp::Memory>& counter);

/// The internal device behind a manager.
std::shared_ptr<vulkan::Device> deviceOf(const kp::Manager& manager);
/// Returns true for a driver with defects of its own, see docs/reports/device-notes.md.
inline bool isSwiftShader(const kp::Manager& manager) {
    return manager.deviceInfo().name.find("SwiftShader") != std::string::npos;
}
/// True if the device has a feature, by Vulkan's name ("shaderFloat64").
bool hasFeature(const kp::Manager& manager, const std::string& name);
/// True if KOMPUTE_VALIDATION lists a kind of checks ("core", "sync").
bool validating(const std::string& checks);
/// True if KOMPUTE_VALIDATION lists any checks.
bool validating();
/// True in checked mode, which submits each launch by itself.
bool checking();
/// True under a sanitizer or a validation layer, which are slow and keep freed memory for a while.
bool slowed();

/// Returns the number of this run, by which a software driver's tests choose their cases; nothing
/// if they try all: on GPUs, and without KOMPUTE_TEST_TURN.
std::optional<size_t> testTurn(const kp::Manager& manager);
/// Returns every @p of-th case, in turn: a software driver takes seconds to compile a kernel. All
/// if there is no testTurn().
template <typename T>
std::vector<T> casesInTurn(const kp::Manager& manager, const std::vector<T>& cases, size_t of) {
    const std::optional<size_t> turn = testTurn(manager);
    if (!turn)
        return cases;
    std::vector<T> chosen;
    for (size_t i = *turn % of; i < cases.size(); i += of)
        chosen.push_back(cases[i]);
    return chosen;
}

/// Log messages since the current test began, one per line, each with its level's first letter.
std::string logText();
/// Sends messages to logText() again, after a test that gave the logger another sink.
void captureLog();
/// Bytes of this process in physical memory; 0 if the system does not report them.
uint64_t residentBytes();

inline constexpr kp::Memory::MemoryTypes kMemoryTypes[] = {
    kp::Memory::MemoryTypes::eDevice, kp::Memory::MemoryTypes::eHost,
    kp::Memory::MemoryTypes::eStorage, kp::Memory::MemoryTypes::eDeviceAndHost};

/// 0, 1, 2, ...
template <typename T>
std::vector<T> ascending(size_t count, size_t first = 0) {
    std::vector<T> values(count);
    for (size_t i = 0; i < count; ++i)
        values[i] = static_cast<T>(first + i);
    return values;
}

/// Pseudo-random bytes, the same for the same seed.
std::vector<uint8_t> randomBytes(size_t count, uint64_t seed = 1);

/// The contents of the device memory, regardless of the mirror.
template <typename T>
std::vector<T> onDevice(kp::Memory& memory) {
    std::vector<T> values(memory.size());
    if constexpr (std::is_same_v<T, bool>) { // std::vector<bool> has no data()
        std::vector<uint8_t> bytes(values.size());
        memory.download(bytes.data(), bytes.size());
        std::copy(bytes.begin(), bytes.end(), values.begin());
    } else {
        memory.download(values.data(), values.size() * sizeof(T));
    }
    return values;
}

/// The device that outlives tests. A GPU's driver takes up to half a second to create a device, so
/// main() keeps one there, which managers with default options share. A software driver's device is
/// created in a few milliseconds, and each test has a new one.
/// Creates the shared device if there is none.
void keepSharedDevice();
/// Releases the shared device. The next test creates it anew.
void dropSharedDevice();

/// The first base of fixtures that need a device as it was created: they change the device's state,
/// or look at its objects.
struct NewDevice {
    NewDevice() { dropSharedDevice(); }
};

/// A test with a manager of its own. Managers alive at the same time share one device.
class DeviceTest : public ::testing::Test {
protected:
    kp::Manager manager;
};

} // namespace kp::test

/// Skips a test in which a thread signals a semaphore while another is in vkWaitSemaphores().
/// Validation layers of 2023 lose such a signal, wait for it for ten seconds, and report that.
#define SKIP_IF_SIGNALS_ARE_LOST()                                                                 \
    if (kp::test::validating())                                                                    \
    GTEST_SKIP() << "validation layers lose signals of other threads"

/// Passes if the statement throws a Kind with @p part in its message.
#define EXPECT_ERROR(Kind, part, ...)                                                              \
    try {                                                                                          \
        __VA_ARGS__;                                                                               \
        ADD_FAILURE() << #__VA_ARGS__ " threw nothing";                                            \
    } catch (const Kind& error) {                                                                  \
        EXPECT_NE(std::string(error.what()).find(part), std::string::npos)                         \
            << "expected \"" << (part) << "\" in: " << error.what();                               \
    } catch (const std::exception& error) {                                                        \
        ADD_FAILURE() << #__VA_ARGS__ " did not throw " #Kind ", but: " << error.what();           \
    }

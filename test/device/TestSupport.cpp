// SPDX-License-Identifier: Apache-2.0
#include "TestSupport.hpp"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#ifdef __linux__
#include <unistd.h>
#endif

#include "AllocationCounter.hpp"
#include "ProgramOptions.hpp"
#include "shader/check/CheckMode.hpp"
#include "vulkan/device/Device.hpp"
#include "vulkan/device/DeviceRegistry.hpp"

namespace kp::test {

std::vector<uint32_t> spirv(const std::string& glsl) {
    kp::CompileOptions options;
    options.cacheFolder = "off"; // otherwise the test might see what an earlier build compiled
    return kp::compile(glsl, options);
}

std::string shader(const std::string& declarations, const std::string& body,
                   const std::string& head) {
    return "#version 450\n" + head + "\nlayout(local_size_x = 1) in;\n" + declarations +
           "\nvoid main() {\n    uint i = gl_GlobalInvocationID.x;\n    " + body + "\n}\n";
}

std::string buffer(int binding, const std::string& qualifier, const std::string& type,
                   const std::string& name) {
    return "layout(set = 0, binding = " + std::to_string(binding) + ", std430) " + qualifier +
           " buffer Block" + std::to_string(binding) + " { " + type + " " + name + "[]; };\n";
}

std::vector<uint32_t> addShader(uint32_t amount) {
    return spirv(shader(buffer(0, "", "uint", "v"), "v[i] += " + std::to_string(amount) + "u;"));
}

std::vector<uint32_t> incrementFloats() {
    return spirv(shader(buffer(0, "", "float", "v"), "v[i] += 1.0;"));
}

std::vector<uint32_t> copyShader() {
    return spirv(shader(buffer(0, "readonly", "uint", "a") + buffer(1, "writeonly", "uint", "b"),
                        "b[i] = a[i];"));
}

uint32_t recordSlowWork(kp::Manager& manager, kp::Sequence& sequence,
                        const std::shared_ptr<kp::Memory>& counter) {
    // The mask is 0, which the compiler cannot know. Some software drivers end every loop after
    // 65,535 iterations.
    const auto code = spirv(
        shader(buffer(0, "", "uint", "v") + "layout(push_constant) uniform P { uint mask; };",
               "uint x = v[0]; for (uint k = 0u; k < 60000u; ++k) x = x * 1664525u + 1013904223u;"
               "v[0] += 1u + (x & mask);"));
    const auto algorithm = manager.algorithm<float, uint32_t>({counter}, code, {1, 1, 1}, {}, {0});
    const uint32_t count = manager.deviceInfo().type == kp::DeviceType::eCpu ? 2000 : 600;
    for (uint32_t i = 0; i < count; ++i)
        sequence.record(std::make_shared<kp::OpAlgoDispatch>(algorithm));
    return count;
}

std::shared_ptr<vulkan::Device> deviceOf(const kp::Manager& manager) {
    return vulkan::findDevice(manager.nativeDevice());
}

bool hasFeature(const kp::Manager& manager, const std::string& name) {
    const auto device = deviceOf(manager);
    for (size_t i = 0; i < static_cast<size_t>(vulkan::Feature::eCount); ++i)
        if (name == vulkan::nameOf(static_cast<vulkan::Feature>(i)))
            return device->has(static_cast<vulkan::Feature>(i));
    ADD_FAILURE() << "there is no feature " << name;
    return false;
}

bool validating(const std::string& checks) {
    const char* list = std::getenv("KOMPUTE_VALIDATION");
    return list && ("," + std::string(list) + ",").find("," + checks + ",") != std::string::npos;
}

bool validating() {
    const char* list = std::getenv("KOMPUTE_VALIDATION");
    return list && *list;
}

bool checking() {
    return shader::currentChecks().any();
}

bool slowed() {
    return !countsAllocations() || validating();
}

std::optional<size_t> testTurn(const kp::Manager& manager) {
    const char* const turn = std::getenv("KOMPUTE_TEST_TURN");
    if (!turn || manager.deviceInfo().type != kp::DeviceType::eCpu)
        return std::nullopt;
    return numberOf("KOMPUTE_TEST_TURN", turn);
}

uint64_t residentBytes() {
#ifdef __linux__
    unsigned long long pages = 0;
    unsigned long long resident = 0;
    if (std::FILE* file = std::fopen("/proc/self/statm", "r")) {
        if (std::fscanf(file, "%llu %llu", &pages, &resident) != 2)
            resident = 0;
        std::fclose(file);
    }
    return resident * static_cast<uint64_t>(sysconf(_SC_PAGESIZE));
#else
    return 0;
#endif
}

std::vector<uint8_t> randomBytes(size_t count, uint64_t seed) {
    std::vector<uint8_t> bytes(count);
    uint64_t state = seed * 0x9E3779B97F4A7C15u + 1; // xorshift64
    for (size_t i = 0; i < count; i += sizeof state) {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        std::memcpy(&bytes[i], &state, std::min(sizeof state, count - i));
    }
    return bytes;
}

} // namespace kp::test

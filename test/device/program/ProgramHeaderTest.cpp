// SPDX-License-Identifier: Apache-2.0
//
// <kompute/program.h>: programs in C, also in a command buffer of the caller's.
#include <kompute/program.h>

#include "device/HostVulkan.hpp"
#include "device/program/ProgramSupport.hpp"

namespace kp::test {
namespace {

class ProgramHeader : public ::testing::Test {
protected:
    const CheckScope mUnchecked{"off"}; // programs have no checks

    ~ProgramHeader() override {
        kp_program_destroy(program);
        kp_tensor_destroy(in);
        kp_tensor_destroy(out);
        kp_manager_destroy(manager);
    }
    void expect(kp_status status) { ASSERT_EQ(status, KP_SUCCESS) << kp_last_error(); }

    kp_manager* manager = nullptr;
    kp_program* program = nullptr;
    kp_tensor* in = nullptr;
    kp_tensor* out = nullptr;
};

TEST_F(ProgramHeader, RunsPrimitives) {
    expect(kp_manager_create(0, &manager));
    const float values[] = {1, 2, 3, 4};
    expect(kp_tensor_create(manager, KP_FLOAT32, 4, 0, values, &in));
    expect(kp_tensor_create(manager, KP_FLOAT32, 4, 0, nullptr, &out));
    const kp_named_tensor tensors[] = {{"in", in}, {"out", out}};
    float results[4] = {};

    expect(kp_program_scan(manager, KP_FLOAT32, 4, KP_SUM, 1, &program));
    EXPECT_EQ(kp_program_variants(program), 1u);
    EXPECT_EQ(kp_program_tensors(program), 2u);
    expect(kp_program_run(program, tensors, 2));
    expect(kp_tensor_read(out, results, sizeof results));
    EXPECT_EQ(std::vector<float>(results, results + 4), (std::vector<float>{0, 1, 3, 6}));
    kp_program_destroy(std::exchange(program, nullptr));

    expect(kp_program_fft(manager, KP_FLOAT32, 1, 2, 0, &program));
    expect(kp_program_run(program, tensors, 2));
    expect(kp_tensor_read(out, results, sizeof results));
    EXPECT_EQ(std::vector<float>(results, results + 4), (std::vector<float>{4, 6, -2, -2}));
    kp_program_destroy(std::exchange(program, nullptr));

    kp_tensor_destroy(std::exchange(out, nullptr));
    expect(kp_tensor_create(manager, KP_FLOAT32, 1, 0, nullptr, &out));
    const kp_named_tensor reduced[] = {{"in", in}, {"out", out}};
    expect(kp_program_reduce(manager, KP_FLOAT32, 4, KP_MAXIMUM, &program));
    expect(kp_program_run(program, reduced, 2));
    expect(kp_tensor_read(out, results, sizeof(float)));
    EXPECT_EQ(results[0], 4);
}

TEST_F(ProgramHeader, RecordsIntoACommandBufferOfTheCallersDevice) {
    const kp::Manager like;
    HostVulkan host(like);
    const VkBuffer keys = host.makeBuffer(4 * sizeof(uint32_t));
    const uint32_t values[] = {4, 1, 3, 2};
    std::copy(std::begin(values), std::end(values), host.contents(keys));

    const kp::HostDevice description = host.description();
    std::vector<const char*> extensions;
    for (const std::string& name : description.deviceExtensions)
        extensions.push_back(name.c_str());
    kp_host_device given{};
    given.instance = host.instance();
    given.physical_device = host.physicalDevice();
    given.device = host.device();
    given.queue_family = host.family();
    given.api_version = description.apiVersion;
    given.device_extensions = extensions.data();
    given.device_extension_count = extensions.size();
    given.enabled_features = description.enabledFeatures;
    expect(kp_manager_wrap(&given, &manager));
    expect(kp_tensor_wrap(manager, KP_UINT32, 4, 0, (uint64_t)keys, 0, &in));
    expect(kp_program_sort(manager, KP_UINT32, 4, 1, &program));
    const kp_named_tensor tensor{"keys", in};
    const VkCommandBuffer commands = host.begin();
    kp_recording* recording = nullptr;
    expect(kp_program_record(program, &tensor, 1, commands, &recording));
    host.submitAndWait(commands);
    kp_recording_destroy(recording);
    EXPECT_EQ(std::vector<uint32_t>(host.contents(keys), host.contents(keys) + 4),
              (std::vector<uint32_t>{4, 3, 2, 1}));
    // The device is the caller's: nothing of the library outlives it.
    kp_program_destroy(std::exchange(program, nullptr));
    kp_tensor_destroy(std::exchange(in, nullptr));
    kp_manager_destroy(std::exchange(manager, nullptr));
}

TEST_F(ProgramHeader, ReportsErrors) {
    EXPECT_EQ(kp_manager_create(0, nullptr), KP_INVALID_ARGUMENT);
    EXPECT_STREQ(kp_last_error(), "a pointer argument is null");
    expect(kp_manager_create(0, &manager));
    EXPECT_EQ(kp_program_load(manager, "/nowhere/step.kp", &program), KP_INVALID_ARGUMENT);
    EXPECT_NE(std::string(kp_last_error()).find("/nowhere/step.kp"), std::string::npos);
    EXPECT_EQ(kp_program_parse(manager, "nonsense", 8, &program), KP_INVALID_ARGUMENT);
    EXPECT_EQ(kp_tensor_create(manager, static_cast<kp_type>(99), 1, 0, nullptr, &in),
              KP_INVALID_ARGUMENT);
    EXPECT_EQ(kp_tensor_create(manager, KP_STRUCT, 1, 0, nullptr, &in), KP_INVALID_ARGUMENT);
    EXPECT_EQ(kp_program_matmul(manager, KP_FLOAT32, 0, 1, 1, &program), KP_INVALID_ARGUMENT);
    EXPECT_EQ(kp_program_matmul(manager, KP_FLOAT32, UINT64_MAX, 2, 1, &program),
              KP_INVALID_ARGUMENT);
    EXPECT_EQ(program, nullptr);
    const float value = 1;
    expect(kp_tensor_create(manager, KP_FLOAT32, 1, 0, &value, &in));
    EXPECT_EQ(kp_tensor_write(in, &value, 8), KP_INVALID_ARGUMENT);
    expect(kp_program_reduce(manager, KP_FLOAT32, 1, KP_SUM, &program));
    const kp_named_tensor twice[] = {{"in", in}, {"in", in}};
    EXPECT_EQ(kp_program_run(program, twice, 2), KP_INVALID_ARGUMENT);
    EXPECT_EQ(kp_program_run(program, nullptr, 1), KP_INVALID_ARGUMENT);
    kp_tensor* numbers = nullptr;
    expect(kp_tensor_create(manager, KP_UINT64, 1, 0, nullptr, &numbers));
    const kp_named_tensor wrong[] = {{"in", numbers}, {"out", numbers}};
    EXPECT_EQ(kp_program_run(program, wrong, 2), KP_INVALID_ARGUMENT);
    const std::string message = kp_last_error();
    EXPECT_NE(message.find("KP_FLOAT32"), std::string::npos) << message;
    EXPECT_NE(message.find("KP_UINT64"), std::string::npos) << message;
    kp_tensor_destroy(numbers);
    kp_tensor_info info;
    EXPECT_EQ(kp_program_tensor(program, 0, 2, &info), KP_INVALID_ARGUMENT);
    EXPECT_EQ(kp_program_tensor(program, 1, 0, &info), KP_INVALID_ARGUMENT);
}

} // namespace
} // namespace kp::test

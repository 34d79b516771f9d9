// SPDX-License-Identifier: Apache-2.0
//
// Runs the device tests. The library reads KOMPUTE_DEVICE, KOMPUTE_VALIDATION and KOMPUTE_WITHOUT
// itself. A validation message fails the test during which it arrives. Only the ValidationCanary...
// suites provoke messages on purpose, and check them themselves.
#include <cstdio>
#include <cstring>
#include <memory>
#include <mutex>
#include <string>
#include <utility>

#include "TestSupport.hpp"
#include "vulkan/device/Instance.hpp"

namespace kp::test {
namespace {

std::mutex gLogMutex;
std::string gLog;
std::unique_ptr<kp::Manager> gSharedDevice;

void keepMessage(void*, kp::logger::Level level, const char*, int, const char* message) {
    const std::lock_guard lock(gLogMutex);
    gLog += "TDIWEC"[static_cast<size_t>(level)];
    gLog += ' ';
    gLog += message;
    gLog += '\n';
}

class ValidationListener : public ::testing::EmptyTestEventListener {
    void OnTestStart(const ::testing::TestInfo&) override {
        keepSharedDevice();
        const std::lock_guard lock(gLogMutex);
        gLog.clear();
        mBefore = vulkan::validationMessageCount();
    }

    void OnTestEnd(const ::testing::TestInfo& info) override {
        const uint64_t found = vulkan::validationMessageCount() - mBefore;
        const bool canary = std::string(info.test_suite_name()).rfind("ValidationCanary", 0) == 0;
        if (found > 0 && !canary)
            ADD_FAILURE() << "the validation layer sent " << found << " messages";
        if (info.result()->Failed())
            std::printf("--- log of %s.%s\n%s---\n", info.test_suite_name(), info.name(),
                        logText().c_str());
    }

    uint64_t mBefore = 0;
};

/// Prints the device that the tests run on.
class DeviceEnvironment : public ::testing::Environment {
    void SetUp() override {
        const kp::DeviceInfo info = kp::Manager().deviceInfo();
        std::printf("device %u: %s, driver %s, Vulkan %u.%u.%u\n", info.index, info.name.c_str(),
                    info.driver.c_str(), info.apiVersion >> 22, (info.apiVersion >> 12) & 0x3ff,
                    info.apiVersion & 0xfff);
    }
    void TearDown() override { dropSharedDevice(); }
};

/// The child process of EnvironmentTest, which runs with other environment variables.
int createManagerAndPrintResult() {
    try {
        kp::Manager manager;
        std::printf("device %s\n", manager.deviceInfo().name.c_str());
        return 0;
    } catch (const kp::Unsupported& error) {
        std::printf("Unsupported %s\n", error.what());
        return 3;
    } catch (const kp::InvalidArgument& error) {
        std::printf("InvalidArgument %s\n", error.what());
        return 4;
    }
}

} // namespace

std::string logText() {
    const std::lock_guard lock(gLogMutex);
    return gLog;
}

void keepSharedDevice() {
    if (gSharedDevice)
        return;
    auto manager = std::make_unique<kp::Manager>();
    if (manager->deviceInfo().type != kp::DeviceType::eCpu)
        gSharedDevice = std::move(manager);
}

void dropSharedDevice() {
    gSharedDevice.reset();
}

void captureLog() {
    kp::logger::setSink(keepMessage);
}

} // namespace kp::test

int main(int argc, char** argv) {
    if (argc == 2 && std::strcmp(argv[1], "--create-manager") == 0)
        return kp::test::createManagerAndPrintResult();
    ::testing::InitGoogleTest(&argc, argv);
    kp::test::captureLog();
    ::testing::AddGlobalTestEnvironment(new kp::test::DeviceEnvironment);
    ::testing::UnitTest::GetInstance()->listeners().Append(new kp::test::ValidationListener);
    const int result = RUN_ALL_TESTS();
    kp::logger::setSink(nullptr);
    return result;
}

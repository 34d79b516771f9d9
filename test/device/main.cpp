// SPDX-License-Identifier: Apache-2.0
//
// Runs the device tests. KOMPUTE_DEVICE, KOMPUTE_VALIDATION and KOMPUTE_TIMELINE reach the library
// as they are. A message of the validation layer fails the test during which it arrives.
#include <cstdio>
#include <cstring>
#include <memory>
#include <mutex>

#include "TestSupport.hpp"
#include "vulkan/Instance.hpp"

namespace kp::test {
namespace {

std::mutex gLogMutex;
std::string gLog;
bool gForgiven = false;

void keepMessage(void*, kp::logger::Level level, const char*, int, const char* message) {
    const std::lock_guard lock(gLogMutex);
    gLog += "TDIWEC"[static_cast<size_t>(level)];
    gLog += ' ';
    gLog += message;
    gLog += '\n';
}

class ValidationListener : public ::testing::EmptyTestEventListener {
    void OnTestStart(const ::testing::TestInfo&) override {
        const std::lock_guard lock(gLogMutex);
        gLog.clear();
        gForgiven = false;
        mBefore = vulkan::validationMessageCount();
    }

    void OnTestEnd(const ::testing::TestInfo& info) override {
        const uint64_t found = vulkan::validationMessageCount() - mBefore;
        if (found > 0 && !gForgiven)
            ADD_FAILURE() << "the validation layer sent " << found << " messages";
        if (info.result()->Failed())
            std::printf("--- log of %s.%s\n%s---\n", info.test_suite_name(), info.name(),
                        logText().c_str());
    }

    uint64_t mBefore = 0;
};

/// Holds one manager while the tests run, so that they all share its device.
class DeviceEnvironment : public ::testing::Environment {
    void SetUp() override {
        mManager = std::make_unique<kp::Manager>();
        const kp::DeviceInfo info = mManager->deviceInfo();
        std::printf("device %u: %s, driver %s, Vulkan %u.%u.%u\n", info.index, info.name.c_str(),
                    info.driver.c_str(), info.apiVersion >> 22, (info.apiVersion >> 12) & 0x3ff,
                    info.apiVersion & 0xfff);
    }
    void TearDown() override { mManager.reset(); }

    std::unique_ptr<kp::Manager> mManager;
};

/// What a test starts as a program of its own, with another environment.
int makeManagerAndSayWhy() {
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

void forgiveValidation() {
    gForgiven = true;
}

} // namespace kp::test

int main(int argc, char** argv) {
    if (argc == 2 && std::strcmp(argv[1], "--make-manager") == 0)
        return kp::test::makeManagerAndSayWhy();
    ::testing::InitGoogleTest(&argc, argv);
    kp::logger::setSink(kp::test::keepMessage);
    ::testing::AddGlobalTestEnvironment(new kp::test::DeviceEnvironment);
    ::testing::UnitTest::GetInstance()->listeners().Append(new kp::test::ValidationListener);
    const int result = RUN_ALL_TESTS();
    kp::logger::setSink(nullptr);
    return result;
}

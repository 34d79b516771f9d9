// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <cctype>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <list>
#include <map>
#include <set>
#include <type_traits>

#include <kompute/primitives/reduce/OpReduce.hpp>

#include "../DocsSupport.hpp"
#include "../TestSupport.hpp"

#include "shader/compile/CompileCache.hpp"
#include "unit/ScopedEnvironment.hpp"
#include "unit/TestFiles.hpp"

namespace kp::test {
namespace {

using ManagerTest = DeviceTest;

template <typename T>
constexpr bool kPinned = !std::is_copy_constructible_v<T> && !std::is_move_constructible_v<T> &&
                         !std::is_copy_assignable_v<T> && !std::is_move_assignable_v<T>;
static_assert(kPinned<kp::Manager> && kPinned<kp::Sequence> && kPinned<kp::Algorithm> &&
              kPinned<kp::Tensor> && kPinned<kp::TensorT<float>> && kPinned<kp::Image> &&
              kPinned<kp::ImageT<float>>);

/// Names of the files that a manager leaves in its cache folder, or in the environment's.
std::set<std::string> cachedBy(const std::string& option, const TemporaryFolder& folder,
                               kp::ManagerOptions options = {}) {
    shader::clearCompileCache();
    {
        options.cacheFolder = option;
        options.shareDevice = false; // another manager may have chosen the folder of a shared one
        kp::Manager own(options);
        auto in = own.tensor({1, 2, 3});
        auto out = own.tensorT<float>(1);
        own.sequence()->eval<kp::OpReduce>(in, out, kp::ReduceOperation::eSum);
        own.algorithm({in},
                      own.compile("#version 450\nlayout(binding = 0) buffer V { float v[]; };\n"
                                  "void main() { v[0] = 1.0; }"));
    }
    std::set<std::string> names;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(folder.path()))
        if (entry.is_regular_file())
            names.insert(entry.path().extension().string());
    return names;
}

TEST_F(ManagerTest, KeepsEverythingInOneCacheFolder) {
    const TemporaryFolder ofUser, ofEnvironment, named;
    const ScopedEnvironment cacheHome("XDG_CACHE_HOME", ofUser.path().string().c_str());
    const ScopedEnvironment environment("KOMPUTE_CACHE_DIR", ofEnvironment.path().string().c_str());
    const std::set<std::string> none;
    EXPECT_EQ(cachedBy("off", ofEnvironment), none);
    const std::set<std::string> all = cachedBy("", ofEnvironment);
    EXPECT_GE(all.size(), 2u) << "pipelines and shaders";
    EXPECT_EQ(cachedBy(named.path().string(), named), all);
    const ScopedEnvironment off("KOMPUTE_CACHE_DIR", "off");
    if (!validating()) { // validation layers have a cache of their own there
        EXPECT_EQ(cachedBy("", ofUser), none);
    }
}

TEST_F(ManagerTest, CompilesNothingThatAShippedCacheHas) {
    const TemporaryFolder shipped, own;
    const std::set<std::string> all = cachedBy(shipped.path().string(), shipped);
    kp::ManagerOptions options;
    options.cachePath = shipped.path().string();
    const std::set<std::string> kept = cachedBy(own.path().string(), own, options);
    EXPECT_EQ(kept, std::set<std::string>{".pipelines"}) << "of shaders nothing is compiled";
    const auto contents = [&] {
        std::map<std::string, std::string> files;
        for (const auto& entry : std::filesystem::recursive_directory_iterator(shipped.path()))
            if (entry.is_regular_file())
                files[entry.path().string()] = readFile(entry.path());
        return files;
    };
    const auto before = contents();
    EXPECT_EQ(cachedBy("off", shipped, options), all);
    EXPECT_EQ(contents(), before) << "a shipped cache is never written";
    for (const auto& [path, text] : before)
        if (path.ends_with(".pipelines"))
            writeFile(path, text.substr(0, text.size() - 1));
    cachedBy("off", shipped, options);
    EXPECT_NE(logText().find(".pipelines is damaged"), std::string::npos) << logText();
}

TEST_F(ManagerTest, SharesItsDeviceWithOtherManagers) {
    kp::Manager other;
    EXPECT_EQ(manager.nativeDevice(), other.nativeDevice());
    EXPECT_EQ(manager.nativeInstance(), other.nativeInstance());
    auto t = manager.tensorT<uint32_t>({1, 2, 3});
    auto u = other.tensorT<uint32_t>(3);
    auto sq = other.sequence();
    sq->record<kp::OpSyncDevice>({t});
    sq->record<kp::OpAlgoDispatch>(manager.algorithm({t, u}, copyShader()));
    sq->record<kp::OpSyncLocal>({u})->eval();
    EXPECT_EQ(u->vector(), (std::vector<uint32_t>{1, 2, 3}));
    for (int i = 0; i < 50; ++i)
        EXPECT_EQ(kp::Manager().nativeDevice(), manager.nativeDevice());
}

TEST(ManagerDocs, RunsTheCodeOfThePage) {
    // clang-format off
for (const kp::DeviceInfo& device : kp::listDevices())
    std::printf("%s, %llu bytes\n", device.name.c_str(),
                static_cast<unsigned long long>(device.memoryBytes));

kp::ManagerOptions options;
options.deviceIndex = 0;    // also deviceName (a part of it), deviceUuid, deviceType
kp::Manager manager(options);
    // clang-format on
    EXPECT_EQ(manager.deviceInfo().index, 0u);
    expectCodeOfPage("docs/guides/devices.md", "test/device/manager/ManagerTest.cpp", 1);
}

TEST_F(ManagerTest, SharesItsDeviceWithManagersOfOtherQueues) {
    const auto info = manager.deviceInfo();
    auto t = manager.tensorT<uint32_t>({1, 2, 3});
    auto image = manager.imageT<uint32_t>({4, 5, 6}, 3, 1, 1);
    manager.sequence()->eval<kp::OpSyncDevice>({t});
    auto add = manager.algorithm({t}, addShader(1));
    uint32_t added = 0;
    // Each family by itself, and then all of them.
    std::vector<std::vector<uint32_t>> lists(1);
    for (uint32_t family = 0; family < info.computeQueues.size(); ++family)
        if (info.computeQueues[family] > 0) {
            lists.push_back({family});
            lists[0].push_back(family);
        }
    for (const std::vector<uint32_t>& families : lists) {
        kp::Manager other(info.index, families);
        ASSERT_EQ(other.nativeDevice(), manager.nativeDevice());
        std::set<VkQueue> handles;
        for (uint32_t i = 0; i < families.size(); ++i) {
            handles.insert(other.nativeQueue(i));
            EXPECT_EQ(other.queueFamily(i), families[i]);
            auto sq = other.sequence(i);
            sq->record<kp::OpSyncDevice>({image})->record<kp::OpAlgoDispatch>(add);
            sq->record<kp::OpSyncLocal>({image})->eval();
            ++added;
        }
        EXPECT_EQ(handles.size(), families.size());
        auto mine = other.tensorT<uint32_t>(3);
        manager.sequence()->eval<kp::OpCopy>({t, mine});
        EXPECT_EQ(onDevice<uint32_t>(*mine)[0], 1 + added);
    }
    EXPECT_EQ(onDevice<uint32_t>(*t)[2], 3 + added);
    EXPECT_EQ(image->vector(), (std::vector<uint32_t>{4, 5, 6}));
}

TEST_F(ManagerTest, HasItsOwnDeviceIfItsOptionsDifferOrItAsksForOne) {
    kp::ManagerOptions options;
    options.desiredExtensions = {"VK_EXT_that_nobody_has"};
    EXPECT_EQ(kp::Manager(options).nativeDevice(), manager.nativeDevice()) << "nothing differs";
    options.shareDevice = false;
    kp::Manager own(options);
    EXPECT_NE(own.nativeDevice(), manager.nativeDevice());
    auto theirs = own.tensorT<uint32_t>({1});
    EXPECT_ERROR(kp::InvalidArgument, "shareDevice",
                 manager.sequence()->record<kp::OpSyncDevice>({theirs}));
}

TEST_F(ManagerTest, SelectsADeviceByIndexNameUuidAndType) {
    const kp::DeviceInfo info = manager.deviceInfo();
    kp::ManagerOptions options;
    options.deviceIndex = info.index;
    EXPECT_EQ(kp::Manager(options).deviceInfo().uuid, info.uuid);
    options = {};
    options.deviceName = info.name.substr(1, 6);
    for (char& letter : options.deviceName)
        letter = static_cast<char>(std::toupper(static_cast<unsigned char>(letter)));
    options.deviceUuid = info.uuid;
    options.deviceType = info.type;
    EXPECT_EQ(kp::Manager(options).deviceInfo().index, info.index);
    EXPECT_EQ(kp::Manager(info.index).deviceInfo().uuid, info.uuid);
    EXPECT_EQ(kp::Manager(info.index, {}, {}).deviceInfo().uuid, info.uuid);

    const auto all = kp::listDevices();
    ASSERT_GT(all.size(), info.index);
    EXPECT_EQ(all[info.index].name, info.name);
    EXPECT_EQ(all[info.index].uuid, info.uuid);
    EXPECT_GT(info.memoryBytes, 0u);
    EXPECT_GE(info.maxWorkgroupCount[0], 65535u);
    EXPECT_GE(info.maxWorkgroupInvocations, 128u);
    EXPECT_GE(info.maxStorageBufferRange, 1u << 27);
    EXPECT_GE(info.apiVersion, (1u << 22) | (1u << 12));
}

TEST_F(ManagerTest, RejectsUnknownDevicesAndOptions) {
    EXPECT_ERROR(kp::InvalidArgument, "1000", kp::Manager(1000));
    kp::ManagerOptions options;
    options.deviceIndex = 1000;
    EXPECT_THROW(kp::Manager{options}, std::runtime_error);
    options = {};
    options.deviceName = "no such device";
    EXPECT_ERROR(kp::InvalidArgument, manager.deviceInfo().name, kp::Manager{options});
    options = {};
    options.deviceUuid = "00000000-0000-0000-0000-00000000abcd";
    EXPECT_THROW(kp::Manager{options}, kp::InvalidArgument);
    options = {};
    options.validation = "nonsense";
    EXPECT_ERROR(kp::InvalidArgument, "core", kp::Manager{options});
}

TEST_F(ManagerTest, CreatesQueuesOfEveryComputeFamily) {
    const auto info = manager.deviceInfo();
    EXPECT_EQ(manager.queueCount(), 1u);
    EXPECT_THROW(manager.sequence(1), kp::InvalidArgument);
    EXPECT_ERROR(kp::InvalidArgument, "77", kp::Manager(info.index, {77}));
    for (uint32_t family = 0; family < info.computeQueues.size(); ++family) {
        const uint32_t queues = info.computeQueues[family];
        if (queues == 0) {
            EXPECT_THROW(kp::Manager(info.index, {family}), kp::InvalidArgument);
            continue;
        }
        kp::Manager all(info.index, std::vector<uint32_t>(queues, family));
        EXPECT_EQ(all.queueCount(), queues);
        EXPECT_EQ(all.queueFamily(queues - 1), family);
        EXPECT_THROW(kp::Manager(info.index, std::vector<uint32_t>(queues + 1, family)),
                     kp::InvalidArgument);
        auto t = all.tensorT<uint32_t>({1, 2});
        all.sequence(queues - 1)->eval<kp::OpSyncDevice>({t});
        EXPECT_EQ(onDevice<uint32_t>(*t)[1], 2u);
    }
}

TEST_F(ManagerTest, RejectsQueuesThatDoNotExist) {
    EXPECT_ERROR(kp::InvalidArgument, "5", manager.sequence(5));
    EXPECT_THROW(manager.nativeQueue(5), kp::InvalidArgument);
    EXPECT_THROW(manager.queueFamily(5), kp::InvalidArgument);
    EXPECT_NE(manager.nativeQueue(), nullptr);
    EXPECT_NE(manager.nativePhysicalDevice(), nullptr);
}

TEST_F(ManagerTest, RejectsMissingRequiredExtensionsAndSkipsDesiredOnes) {
    kp::ManagerOptions options;
    options.requiredExtensions = {"VK_EXT_that_nobody_has"};
    EXPECT_ERROR(kp::Unsupported, "VK_EXT_that_nobody_has", kp::Manager{options});
    kp::Manager dropped(manager.deviceInfo().index, {}, {"VK_EXT_that_nobody_has"});
    EXPECT_NE(logText().find("VK_EXT_that_nobody_has"), std::string::npos);
    auto t = dropped.tensorT<uint32_t>({7});
    dropped.sequence()->eval<kp::OpSyncDevice>({t});
    EXPECT_EQ(onDevice<uint32_t>(*t)[0], 7u);
}

TEST_F(ManagerTest, CanBeDestroyedTwiceAndAfterClear) {
    auto t = manager.tensor({1, 2, 3});
    auto image = manager.image(2, 2, 1);
    auto algorithm = manager.algorithm({t}, incrementFloats());
    auto sq = manager.sequence();
    sq->record<kp::OpAlgoDispatch>(algorithm);
    EXPECT_EQ(manager.objectCount(), 4u);
    manager.clear();
    EXPECT_EQ(manager.objectCount(), 4u);
    EXPECT_TRUE(manager.isInit());
    manager.destroy();
    EXPECT_FALSE(manager.isInit());
    EXPECT_FALSE(t->isInit());
    EXPECT_FALSE(image->isInit());
    EXPECT_FALSE(algorithm->isInit());
    EXPECT_FALSE(sq->isInit());
    manager.destroy();
    manager.clear();
}

TEST_F(ManagerTest, ThrowsAfterDestroy) {
    manager.destroy();
    EXPECT_ERROR(kp::InvalidArgument, "destroy", manager.tensor({1}));
    EXPECT_ERROR(kp::InvalidArgument, "destroy", manager.sequence());
    EXPECT_THROW(manager.algorithm(), kp::InvalidArgument);
    EXPECT_THROW(manager.image(2, 2, 1), kp::InvalidArgument);
    EXPECT_THROW(manager.deviceInfo(), kp::InvalidArgument);
    EXPECT_THROW(manager.compile("#version 450\nvoid main() {}"), kp::InvalidArgument);
}

TEST_F(ManagerTest, LeavesItsObjectsUninitialized) {
    std::shared_ptr<kp::TensorT<float>> t;
    std::shared_ptr<kp::Sequence> sq;
    {
        kp::Manager other;
        t = other.tensor({1, 2, 3});
        sq = other.sequence();
        sq->eval<kp::OpSyncDevice>({t});
    }
    EXPECT_FALSE(t->isInit());
    EXPECT_FALSE(sq->isInit());
    EXPECT_THROW(t->vector(), kp::InvalidArgument);
    EXPECT_THROW(sq->eval(), kp::InvalidArgument);
}

TEST_F(ManagerTest, ForgetsFreedObjects) {
    for (int i = 0; i < 10000; ++i)
        manager.sequence();
    auto kept = manager.tensor({1});
    EXPECT_EQ(manager.objectCount(), 1u);
    manager.clear();
    EXPECT_EQ(manager.objectCount(), 1u);
    EXPECT_TRUE(kept->isInit());
}

TEST_F(ManagerTest, FreesTheMemoryOfFreedTensors) {
    const uint64_t before = manager.allocatedBytes();
    {
        auto t = manager.tensor(200u << 20, 1, kp::Memory::DataTypes::eUnsignedChar,
                                kp::Memory::MemoryTypes::eHost);
        EXPECT_GE(manager.allocatedBytes(), before + (200u << 20));
        manager.sequence()->eval<kp::OpFill>({t}, uint8_t{1});
    }
    manager.sequence()->eval<kp::OpSyncDevice>({manager.tensor({1})});
    EXPECT_LT(manager.allocatedBytes(), before + (100u << 20));
}

TEST_F(ManagerTest, LocksAndUnlocksItsQueue) {
    auto t = manager.tensorT<uint32_t>({1});
    for (int i = 0; i < 3; ++i) {
        manager.lockQueue();
        manager.unlockQueue();
        manager.sequence()->eval<kp::OpSyncDevice>({t});
    }
    EXPECT_EQ(onDevice<uint32_t>(*t)[0], 1u);
    EXPECT_THROW(manager.lockQueue(9), kp::InvalidArgument);
}

TEST_F(ManagerTest, WorksWithFencesInsteadOfTimelineSemaphores) {
    kp::ManagerOptions options;
    options.timelineSemaphores = false;
    kp::Manager fences(options);
    auto t = fences.tensorT<uint32_t>({0});
    auto sq = fences.sequence();
    sq->record<kp::OpSyncDevice>({t});
    const uint32_t steps = recordSlowWork(fences, *sq, t);
    sq->evalAsync();
    sq->evalAwait(1000);
    EXPECT_FALSE(sq->event().done());
    EXPECT_TRUE(sq->event().wait());
    for (int i = 0; i < 100; ++i)
        fences.sequence()->eval<kp::OpAlgoDispatch>(fences.algorithm({t}, addShader(1)));
    EXPECT_EQ(onDevice<uint32_t>(*t)[0], steps + 100);
}

struct ProcessResult {
    int exitCode = -1;
    std::string output;
};

/// Runs this program again with these environment variables, to create a manager and print the
/// result.
ProcessResult createManagerWith(const std::map<std::string, std::string>& environment) {
    std::list<ScopedEnvironment> variables;
    for (const auto& [name, value] : environment)
        variables.emplace_back(name.c_str(), value.c_str());
    const std::string command =
        '"' + ::testing::internal::GetArgvs()[0] + "\" --create-manager 2>&1";
#ifdef _WIN32
    const auto open = &_popen;
    const auto close = &_pclose;
#else
    const auto open = &popen;
    const auto close = [](FILE* pipe) {
        const int status = pclose(pipe);
        return status < 0 ? -1 : (status >> 8) & 0xff;
    };
#endif
    FILE* pipe = open(command.c_str(), "r");
    ProcessResult result;
    std::array<char, 256> part{};
    while (pipe && std::fgets(part.data(), part.size(), pipe))
        result.output += part.data();
    if (pipe)
        result.exitCode = close(pipe);
    return result;
}

TEST(EnvironmentTest, ReportsTheMissingLoaderByPath) {
    const auto [exitCode, output] =
        createManagerWith({{"KOMPUTE_VULKAN_LIBRARY", "/nowhere/libvulkan.so"}});
    EXPECT_EQ(exitCode, 3) << output;
    EXPECT_NE(output.find("/nowhere/libvulkan.so"), std::string::npos) << output;
}

TEST(EnvironmentTest, ReportsTheMissingDriverByPath) {
    const auto [exitCode, output] = createManagerWith({{"KOMPUTE_VALIDATION", ""},
                                                       {"VK_DRIVER_FILES", "/nowhere/icd.json"},
                                                       {"VK_ICD_FILENAMES", "/nowhere/icd.json"}});
    EXPECT_EQ(exitCode, 3) << output;
    EXPECT_NE(output.find("driver"), std::string::npos) << output;
    EXPECT_NE(output.find("/nowhere/icd.json"), std::string::npos) << output;
    EXPECT_NE(output.find("install"), std::string::npos) << output;
}

TEST(EnvironmentTest, SelectsADeviceByNameOrListsAllDevices) {
    const std::string name = kp::Manager().deviceInfo().name;
    const ProcessResult unknown = createManagerWith({{"KOMPUTE_DEVICE", "no such device"}});
    EXPECT_EQ(unknown.exitCode, 4) << unknown.output;
    EXPECT_NE(unknown.output.find(name), std::string::npos) << unknown.output;
    const ProcessResult known = createManagerWith({{"KOMPUTE_DEVICE", name.substr(0, 5)}});
    EXPECT_EQ(known.exitCode, 0) << known.output;
    EXPECT_NE(known.output.find("device " + name), std::string::npos) << known.output;
}

TEST(EnvironmentTest, SelectsTheQueueFamilyOfManagersThatNameNone) {
    const std::vector<uint32_t> queues = kp::Manager().deviceInfo().computeQueues;
    for (uint32_t family = 0; family < queues.size(); ++family) {
        const ProcessResult named =
            createManagerWith({{"KOMPUTE_QUEUE_FAMILY", std::to_string(family)}});
        EXPECT_EQ(named.exitCode, queues[family] == 0 ? 4 : 0) << named.output;
    }
    const ProcessResult missing = createManagerWith({{"KOMPUTE_QUEUE_FAMILY", "99"}});
    EXPECT_EQ(missing.exitCode, 4) << missing.output;
    EXPECT_NE(missing.output.find("queue family 99 (KOMPUTE_QUEUE_FAMILY) does not exist"),
              std::string::npos)
        << missing.output;
    const ProcessResult noNumber = createManagerWith({{"KOMPUTE_QUEUE_FAMILY", "-1"}});
    EXPECT_EQ(noNumber.exitCode, 4) << noNumber.output;
    EXPECT_NE(noNumber.output.find("KOMPUTE_QUEUE_FAMILY is '-1'"), std::string::npos)
        << noNumber.output;
}

TEST(EnvironmentTest, LeavesOutFeaturesAndExtensionsByName) {
    const ProcessResult known =
        createManagerWith({{"KOMPUTE_WITHOUT", "timelineSemaphore, VK_EXT_memory_budget"}});
    EXPECT_EQ(known.exitCode, 0) << known.output;
    const ProcessResult unknown = createManagerWith({{"KOMPUTE_WITHOUT", "timelines"}});
    EXPECT_EQ(unknown.exitCode, 4) << unknown.output;
    EXPECT_NE(unknown.output.find("KOMPUTE_WITHOUT lists 'timelines'"), std::string::npos)
        << unknown.output;
}

} // namespace
} // namespace kp::test

// SPDX-License-Identifier: Apache-2.0
#include "vulkan/features/Features.hpp"

#include <algorithm>
#include <cstring>
#include <set>

#include <gtest/gtest.h>

namespace kp::vulkan::test {
namespace {

std::vector<VkStructureType> typesOf(const void* chain) {
    std::vector<VkStructureType> types;
    for (const auto* object = static_cast<const VkBaseInStructure*>(chain); object;
         object = object->pNext)
        types.push_back(object->sType);
    return types;
}

bool has(const std::vector<VkStructureType>& types, VkStructureType type) {
    return std::count(types.begin(), types.end(), type) == 1;
}

template <typename Struct>
const Struct* find(const void* chain, VkStructureType type) {
    for (const auto* object = static_cast<const VkBaseInStructure*>(chain); object;
         object = object->pNext)
        if (object->sType == type)
            return reinterpret_cast<const Struct*>(object);
    return nullptr;
}

template <typename Struct>
Struct make(VkStructureType type, void* next = nullptr) {
    Struct object{};
    object.sType = type;
    object.pNext = next;
    return object;
}

FeatureSet all() {
    return FeatureSet{}.set();
}

std::vector<std::string> allExtensions() {
    std::set<std::string> names;
    for (size_t i = 0; i < static_cast<size_t>(Feature::eCount); ++i)
        names.insert(extensionOf(static_cast<Feature>(i)));
    names.erase("");
    return {names.begin(), names.end()};
}

TEST(Features, HaveVulkanNames) {
    EXPECT_STREQ(nameOf(Feature::eShaderFloat64), "shaderFloat64");
    EXPECT_STREQ(nameOf(Feature::eShaderBufferFloat32AtomicAdd), "shaderBufferFloat32AtomicAdd");
    EXPECT_STREQ(extensionOf(Feature::eShaderFloat64), "");
    EXPECT_STREQ(extensionOf(Feature::eTimelineSemaphore), "VK_KHR_timeline_semaphore");
}

TEST(Features, AreKnownByVersionOrExtension) {
    EXPECT_TRUE(known(Feature::eShaderFloat64, VK_API_VERSION_1_0, {}));
    EXPECT_FALSE(known(Feature::eStorageBuffer16BitAccess, VK_API_VERSION_1_0, {}));
    EXPECT_TRUE(known(Feature::eStorageBuffer16BitAccess, VK_API_VERSION_1_1, {}));
    EXPECT_FALSE(known(Feature::eTimelineSemaphore, VK_API_VERSION_1_1, {}));
    EXPECT_TRUE(known(Feature::eTimelineSemaphore, VK_API_VERSION_1_1,
                      {"VK_EXT_other", "VK_KHR_timeline_semaphore"}));
    EXPECT_TRUE(known(Feature::eTimelineSemaphore, VK_API_VERSION_1_2, {}));
    EXPECT_FALSE(known(Feature::eSynchronization2, VK_API_VERSION_1_2, {}));
    EXPECT_TRUE(known(Feature::eSynchronization2, VK_API_VERSION_1_3, {}));
    EXPECT_FALSE(known(Feature::eDeviceFault, VK_API_VERSION_1_3, {}));
    EXPECT_TRUE(known(Feature::eDeviceFault, VK_API_VERSION_1_3, {"VK_EXT_device_fault"}));
}

TEST(FeatureChain, LinksOnlyStructsThatTheDeviceKnows) {
    FeatureChain oldest(VK_API_VERSION_1_0, {});
    EXPECT_EQ(typesOf(oldest.head()),
              std::vector<VkStructureType>{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2});
    FeatureChain vulkan11(VK_API_VERSION_1_1, {"VK_KHR_timeline_semaphore"});
    const auto types = typesOf(vulkan11.head());
    EXPECT_EQ(types.size(), 4U);
    EXPECT_TRUE(has(types, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_16BIT_STORAGE_FEATURES));
    EXPECT_TRUE(has(types, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VARIABLE_POINTERS_FEATURES));
    EXPECT_TRUE(has(types, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_TIMELINE_SEMAPHORE_FEATURES));
}

TEST(FeatureChain, LinksEachStructOnceAndReadsBackEveryFeature) {
    FeatureChain chain(VK_API_VERSION_1_3, allExtensions());
    const auto types = typesOf(chain.head());
    EXPECT_EQ(std::set<VkStructureType>(types.begin(), types.end()).size(), types.size());
    EXPECT_TRUE(chain.read().none());
    for (size_t i = 0; i < static_cast<size_t>(Feature::eCount); ++i) {
        FeatureSet one;
        one.set(i);
        chain.write(one);
        EXPECT_EQ(chain.read(), one) << nameOf(static_cast<Feature>(i));
    }
    chain.write(all());
    EXPECT_EQ(chain.read(), all());
    EXPECT_EQ(chain.head()->features.shaderFloat64, VK_TRUE);
    EXPECT_EQ(chain.head()->features.robustBufferAccess, VK_FALSE);
}

TEST(FeatureChain, WritesOnlyKnownFeatures) {
    FeatureChain chain(VK_API_VERSION_1_1, {});
    chain.write(all());
    EXPECT_TRUE(vulkan::has(chain.read(), Feature::eVariablePointers));
    EXPECT_FALSE(vulkan::has(chain.read(), Feature::eTimelineSemaphore));
}

TEST(FeatureChain, AppendMergesFeaturesWithoutChangingTheCallersStructs) {
    auto atomics = make<VkPhysicalDeviceShaderAtomicInt64Features>(
        VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_ATOMIC_INT64_FEATURES);
    atomics.shaderSharedInt64Atomics = VK_TRUE;
    auto features =
        make<VkPhysicalDeviceFeatures2>(VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2, &atomics);
    features.features.robustBufferAccess = VK_TRUE;
    const auto atomicsBefore = atomics;
    const auto featuresBefore = features;

    FeatureChain chain(VK_API_VERSION_1_2, {});
    FeatureSet own;
    enable(own, Feature::eShaderBufferInt64Atomics);
    enable(own, Feature::eShaderInt64);
    chain.write(own);
    const size_t length = typesOf(chain.link()).size();
    chain.append(&features);

    EXPECT_EQ(typesOf(chain.link()).size(), length);
    enable(own, Feature::eShaderSharedInt64Atomics);
    EXPECT_EQ(chain.read(), own);
    EXPECT_EQ(chain.head()->features.robustBufferAccess, VK_TRUE)
        << "merged although it is not a Feature";
    EXPECT_EQ(std::memcmp(&atomics, &atomicsBefore, sizeof(atomics)), 0);
    EXPECT_EQ(std::memcmp(&features, &featuresBefore, sizeof(features)), 0);
}

TEST(FeatureChain, ReplacesSingleStructsByACollection) {
    auto collection = make<VkPhysicalDeviceVulkan12Features>(
        VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES);
    collection.descriptorIndexing = VK_TRUE;
    collection.shaderInt8 = VK_TRUE;
    const auto before = collection;

    FeatureChain chain(VK_API_VERSION_1_2, {});
    FeatureSet own;
    enable(own, Feature::eTimelineSemaphore);
    enable(own, Feature::eShaderFloat16);
    enable(own, Feature::eStorageBuffer16BitAccess);
    chain.write(own);
    chain.append(&collection);

    const auto types = typesOf(chain.link());
    EXPECT_TRUE(has(types, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES));
    EXPECT_TRUE(has(types, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_16BIT_STORAGE_FEATURES));
    EXPECT_FALSE(has(types, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_TIMELINE_SEMAPHORE_FEATURES));
    EXPECT_FALSE(has(types, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_FLOAT16_INT8_FEATURES));
    const auto* copy = find<VkPhysicalDeviceVulkan12Features>(
        chain.link(), VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES);
    ASSERT_NE(copy, nullptr);
    EXPECT_NE(copy, &collection);
    EXPECT_EQ(copy->descriptorIndexing, VK_TRUE);
    EXPECT_EQ(copy->shaderInt8, VK_TRUE);
    EXPECT_EQ(copy->shaderFloat16, VK_TRUE);
    EXPECT_EQ(copy->timelineSemaphore, VK_TRUE);
    enable(own, Feature::eShaderInt8);
    EXPECT_EQ(chain.read(), own);
    EXPECT_EQ(std::memcmp(&collection, &before, sizeof(collection)), 0);
}

TEST(FeatureChain, MergesEveryCollection) {
    auto v13 = make<VkPhysicalDeviceVulkan13Features>(
        VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_3_FEATURES);
    auto v12 = make<VkPhysicalDeviceVulkan12Features>(
        VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES, &v13);
    auto v11 = make<VkPhysicalDeviceVulkan11Features>(
        VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_1_FEATURES, &v12);
    FeatureChain chain(VK_API_VERSION_1_3, allExtensions());
    chain.write(all());
    chain.append(&v11);
    EXPECT_EQ(chain.read(), all());
    const auto types = typesOf(chain.link());
    EXPECT_FALSE(has(types, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_16BIT_STORAGE_FEATURES));
    EXPECT_FALSE(has(types, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_8BIT_STORAGE_FEATURES));
    EXPECT_FALSE(has(types, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MAINTENANCE_4_FEATURES));
    EXPECT_TRUE(has(types, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_ATOMIC_FLOAT_FEATURES_EXT));
}

TEST(FeatureChain, MergesASingleStructIntoACollection) {
    auto timeline = make<VkPhysicalDeviceTimelineSemaphoreFeatures>(
        VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_TIMELINE_SEMAPHORE_FEATURES);
    timeline.timelineSemaphore = VK_TRUE;
    auto v12 = make<VkPhysicalDeviceVulkan12Features>(
        VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES, &timeline);
    FeatureChain chain(VK_API_VERSION_1_2, {});
    chain.append(&v12);
    const auto types = typesOf(chain.link());
    EXPECT_FALSE(has(types, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_TIMELINE_SEMAPHORE_FEATURES));
    EXPECT_TRUE(vulkan::has(chain.read(), Feature::eTimelineSemaphore));
}

TEST(FeatureChain, LinksStructsOfUnknownTypeUnchanged) {
    auto robustness = make<VkPhysicalDeviceImageRobustnessFeatures>(
        VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_IMAGE_ROBUSTNESS_FEATURES);
    auto int64 = make<VkPhysicalDeviceShaderAtomicInt64Features>(
        VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_ATOMIC_INT64_FEATURES, &robustness);
    int64.shaderBufferInt64Atomics = VK_TRUE;
    FeatureChain chain(VK_API_VERSION_1_3, {});
    chain.append(&int64);
    EXPECT_EQ(find<VkPhysicalDeviceImageRobustnessFeatures>(
                  chain.link(), VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_IMAGE_ROBUSTNESS_FEATURES),
              &robustness);
    EXPECT_NE(find<VkPhysicalDeviceShaderAtomicInt64Features>(
                  chain.link(), VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_ATOMIC_INT64_FEATURES),
              &int64);
    EXPECT_TRUE(vulkan::has(chain.read(), Feature::eShaderBufferInt64Atomics));
}

TEST(FeatureChain, LinksNothingTwiceAfterAStructOfUnknownType) {
    auto features = make<VkPhysicalDeviceFeatures2>(VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2);
    features.features.shaderFloat64 = VK_TRUE;
    auto v12 = make<VkPhysicalDeviceVulkan12Features>(
        VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES, &features);
    v12.shaderInt8 = VK_TRUE;
    auto robustness = make<VkPhysicalDeviceImageRobustnessFeatures>(
        VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_IMAGE_ROBUSTNESS_FEATURES, &v12);
    FeatureChain chain(VK_API_VERSION_1_3, {});
    chain.write(all());
    chain.append(&robustness);

    const auto types = typesOf(chain.link());
    EXPECT_EQ(std::set<VkStructureType>(types.begin(), types.end()).size(), types.size());
    EXPECT_FALSE(has(types, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_TIMELINE_SEMAPHORE_FEATURES));
    const FeatureSet read = chain.read();
    EXPECT_TRUE(vulkan::has(read, Feature::eShaderFloat64));
    EXPECT_FALSE(vulkan::has(read, Feature::eShaderInt64))
        << "the caller's struct replaces the library's";
    EXPECT_TRUE(vulkan::has(read, Feature::eShaderInt8));
    EXPECT_FALSE(vulkan::has(read, Feature::eTimelineSemaphore));
    EXPECT_TRUE(vulkan::has(read, Feature::eMaintenance4));
}

TEST(FeatureChain, RemovesStructsThatEnableNothing) {
    FeatureChain chain(VK_API_VERSION_1_3, allExtensions());
    FeatureSet features;
    enable(features, Feature::eTimelineSemaphore);
    chain.write(features);
    auto unknown = make<VkPhysicalDeviceImageRobustnessFeatures>(
        VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_IMAGE_ROBUSTNESS_FEATURES);
    chain.append(&unknown);
    chain.removeEmpty();
    const auto* head = static_cast<const VkBaseInStructure*>(chain.link());
    EXPECT_EQ(head->sType, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2);
    ASSERT_NE(head->pNext, nullptr);
    EXPECT_EQ(head->pNext->sType, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_TIMELINE_SEMAPHORE_FEATURES);
    EXPECT_EQ(head->pNext->pNext, reinterpret_cast<const VkBaseInStructure*>(&unknown))
        << "a caller's own structs stay";
    EXPECT_EQ(chain.read(), features);

    FeatureChain nothing(VK_API_VERSION_1_3, allExtensions());
    nothing.write({});
    nothing.removeEmpty();
    EXPECT_EQ(static_cast<const VkBaseInStructure*>(nothing.link())->pNext, nullptr);
}

TEST(FeatureChain, ReadsNoFeaturesFromAnEmptyChain) {
    EXPECT_TRUE(readFeatures(nullptr).none());
}

} // namespace
} // namespace kp::vulkan::test

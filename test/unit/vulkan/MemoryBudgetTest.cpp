// SPDX-License-Identifier: Apache-2.0
#include "vulkan/memory/MemoryBudget.hpp"

#include <gtest/gtest.h>

namespace kp::vulkan::test {
namespace {

uint64_t gUsed = 0;
int gQueries = 0;

VKAPI_ATTR void VKAPI_CALL answer(VkPhysicalDevice, VkPhysicalDeviceMemoryProperties2* properties) {
    ++gQueries;
    properties->memoryProperties.memoryHeapCount = 2;
    auto* const budget = static_cast<VkPhysicalDeviceMemoryBudgetPropertiesEXT*>(properties->pNext);
    budget->heapBudget[1] = 1000;
    budget->heapUsage[1] = gUsed;
}

TEST(MemoryBudget, AsksTheDriverAgainOnlyAfterAnAllocation) {
    gQueries = 0;
    MemoryBudget known(VK_NULL_HANDLE, answer, true);
    VkPhysicalDeviceMemoryBudgetPropertiesEXT budget{
        VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MEMORY_BUDGET_PROPERTIES_EXT};
    VkPhysicalDeviceMemoryProperties2 properties{
        VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MEMORY_PROPERTIES_2, &budget};
    gUsed = 10;
    known.query(properties);
    EXPECT_EQ(properties.memoryProperties.memoryHeapCount, 2u);
    EXPECT_EQ(budget.heapBudget[1], 1000u);
    EXPECT_EQ(budget.heapUsage[1], 10u);
    EXPECT_EQ(properties.pNext, &budget);
    gUsed = 20;
    budget.heapUsage[1] = 0;
    known.query(properties);
    EXPECT_EQ(budget.heapUsage[1], 10u);
    EXPECT_EQ(gQueries, 1);
    known.forget();
    known.query(properties);
    EXPECT_EQ(budget.heapUsage[1], 20u);
    EXPECT_EQ(gQueries, 2);
    properties.pNext = nullptr;
    known.query(properties);
    EXPECT_EQ(gQueries, 2);
}

VKAPI_ATTR void VKAPI_CALL answerWithoutBudgets(VkPhysicalDevice,
                                                VkPhysicalDeviceMemoryProperties2* properties) {
    EXPECT_EQ(properties->pNext, nullptr);
    properties->memoryProperties.memoryHeapCount = 1;
}

TEST(MemoryBudget, IsUnknownWithoutTheExtensionAndCanStillBeFull) {
    MemoryBudget unknown(VK_NULL_HANDLE, answerWithoutBudgets, false);
    VkPhysicalDeviceMemoryBudgetPropertiesEXT budget{
        VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MEMORY_BUDGET_PROPERTIES_EXT};
    VkPhysicalDeviceMemoryProperties2 properties{
        VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MEMORY_PROPERTIES_2, &budget};
    unknown.query(properties);
    EXPECT_EQ(budget.heapBudget[0], 0u);
    EXPECT_EQ(budget.heapUsage[0], 0u);
    unknown.pretendFull(true);
    unknown.query(properties);
    EXPECT_GT(budget.heapUsage[0], budget.heapBudget[0]);
}

} // namespace
} // namespace kp::vulkan::test

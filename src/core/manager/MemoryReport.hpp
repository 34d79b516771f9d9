// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include <kompute/Error.hpp>
#include <kompute/Memory.hpp>

#include "core/memory/MemoryAccount.hpp"
#include "vulkan/device/Device.hpp"

// What a manager, which has the account, says of the memory of its device. See Manager.
namespace kp {

MemoryUsage memoryUsage(const vulkan::Device& device, const MemoryAccount& account);
std::vector<MemoryKind> memoryKinds(const vulkan::Device& device, MemoryAccount& account);
std::vector<MemoryHeap> memoryHeaps(const vulkan::Device& device);

/// Returns an error with these reasons: the largest objects, the other kinds of memory, and the
/// heaps.
OutOfMemory withHolders(const OutOfMemory& error, const vulkan::Device& device,
                        MemoryAccount& account);

} // namespace kp

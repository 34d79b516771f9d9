// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <compare>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <kompute/Memory.hpp>
#include <kompute/image/ImageOptions.hpp>

#include "core/CallGate.hpp"
#include "core/Internals.hpp"
#include "core/memory/MemoryAccount.hpp"
#include "vulkan/device/Device.hpp"
#include "vulkan/memory/Buffer.hpp"
#include "vulkan/memory/HostMirror.hpp"
#include "vulkan/memory/Image.hpp"

namespace kp {

class Queue;
class Tensor;

/// The state behind a Tensor or an Image.
struct Memory::Impl {
    std::shared_ptr<vulkan::Device> device; ///< null after destroy()
    /// Of the manager that made it. Weak: unfinished work of the queue may own the memory.
    std::weak_ptr<Queue> managerQueue;
    std::shared_ptr<CallGate> gate; ///< of that manager; null without one
    AccountEntry entry;             ///< in the account of that manager
    MemoryTypes memoryType = MemoryTypes::eDevice;
    DataTypes dataType = DataTypes::eFloat;
    uint64_t count = 0; ///< elements on the device
    /// Elements as the host counts them: fewer for an image with three channels of four.
    uint64_t hostCount = 0;
    uint32_t elementSize = 0;
    uint64_t x = 0;
    uint64_t y = 0;
    std::unique_ptr<const ImageOptions> imageOptions; ///< of an image, complete

    std::shared_ptr<vulkan::Buffer> buffer; ///< device memory of a tensor
    std::shared_ptr<vulkan::Image> image;   ///< device memory of an image

    uint64_t cudaAddress = 0; ///< of memory that CUDA uses, too; else 0

    bool hasContents = false; ///< from the beginning; else it was never written

    /// The host view is a mirror; see vulkan::HostMirror.
    bool mirrored = false;

    /// True for a mapped image with padded rows. Its host view is a copy without the padding:
    /// changes by the host go to the image before each submission that uses it (pushRows), and the
    /// image comes back afterwards (pullRows).
    bool padded = false;
    std::vector<unsigned char> rows;        ///< the copy; empty until first used
    std::vector<unsigned char> rowsInImage; ///< the rows that were last copied, to detect changes
    uint64_t rowsWrites = 0; ///< how often the image had been written when they were copied to rows

    std::vector<unsigned char> packed; ///< of packedView() if it is not a view

    /// For accesses by the host. See vulkan::Resource::followsLaunches().
    void followLaunches() const {
        if (memory().followsLaunches()) [[unlikely]]
            waitForLaunches();
    }
    /// Waits until the launches so far on managerQueue are submitted.
    void waitForLaunches() const;

    bool keepsView = false; ///< release() leaves the host view's memory in place
    std::vector<std::shared_ptr<void>> keptViews;

    /// Backing store of constructDescriptorSet()'s pointers.
    alignas(8) unsigned char descriptorInfo[32] = {};

    uint64_t bytes() const { return count * elementSize; }
    uint64_t hostBytes() const { return hostCount * elementSize; }
    bool addsChannel() const { return count != hostCount; }
    /// Returns true if the host can read the device memory in place.
    bool hostReadable() const {
        return buffer ? buffer->hostReadable() : image->mapped() != nullptr;
    }
    const char* noun() const { return image ? "image" : "tensor"; }

    /// @throws InvalidArgument after destroy()
    void requireAlive() const;
    std::shared_ptr<vulkan::Resource> primary() const;
    vulkan::Resource& memory() const {
        return buffer ? static_cast<vulkan::Resource&>(*buffer) : *image;
    }
    /// Creates the mirror of memory that needs one.
    void addMirror();
    /// Requires mirrored, and that the memory is alive.
    vulkan::HostMirror& mirror() const { return *memory().mirror(); }
    bool hasHostView() const { return memoryType != MemoryTypes::eStorage; }
    /// Returns the host view with the newest contents; null for eStorage. Waits for submitted work
    /// that writes the memory.
    /// @param given  to a program that may write through the pointer. If the view is the memory
    ///               itself, waits for submitted work that reads it, too
    void* hostView(bool given);
    bool hostViewReady() const; ///< see Memory
    /// Returns the buffer of the mirror. Requires mirrored.
    const std::shared_ptr<vulkan::Buffer>& mirrorBuffer() const;
    /// Notes that the device memory changed, by other means than a recorded operation.
    void noteDeviceWrite();
    /// Called after an operation that may have been recorded by hand wrote the memory.
    void noteEvaluated();
    /// Notes that the program gets a handle to the device memory. Copies the host's newer data
    /// there.
    void expose() const;
    /// Notes writes from now on, for checked mode, if the memory began without contents.
    void followWrites() const;
    /// Copies to the device what the host has changed, before part of the memory is read or
    /// written other than by a recorded operation.
    void bringToDevice() const;
    /// Copies host memory to the device memory, all of it for an image, with the host's channels.
    void upload(const void* data, uint64_t size, uint64_t offset);
    /// Replaces the host view by data with the host's channels.
    void replaceView(const void* data);
    /// Returns the contents of the host view with the host's channels, valid until the next call.
    const void* packedView();
    /// Writes initial data, if any, to the host view, or to the device memory for eStorage.
    void initialise(const void* data);
    /// Counts the device memory, if the device's allocator has it, in an account; null for none.
    /// Follows writes if the manager checks for reads of unwritten memory.
    void enter(std::shared_ptr<MemoryAccount> account);
    /// Frees everything, and marks it so that recordings of it can no longer be submitted.
    void release();

    void pushRows();
    void pullRows();
    /// Returns true if submitted work has written a padded image since pullRows().
    bool rowsBehind() const { return !rows.empty() && rowsWrites != image->use().writes(); }
};

/// Copy the host views of padded images to the device before a submission, and back after it. Both
/// skip destroyed images, the latter also images that were not written since.
void pushRows(const std::vector<std::shared_ptr<Memory>>& images);
void pullRows(const std::vector<std::shared_ptr<Memory>>& images);

/// Returns a buffer as a tensor of its elements: bytes, or words without a sign.
std::shared_ptr<Tensor> tensorOf(const std::shared_ptr<vulkan::Device>& device,
                                 std::shared_ptr<vulkan::Buffer> buffer, uint32_t elementBytes);
/// Returns device memory with undefined contents as a tensor of words.
/// @throws as vulkan::Buffer::createScratch()
std::shared_ptr<Tensor> scratchTensor(const std::shared_ptr<vulkan::Device>& device,
                                      uint64_t bytes);

/// Returns count x elementSize.
/// @throws InvalidArgument if it is 0 ("zero-sized") or does not fit into 64 bits
uint64_t checkedBytes(uint64_t count, uint64_t elementSize, const char* noun);

struct MemoryPlacement {
    vulkan::MemoryPlace place = vulkan::MemoryPlace::eDevice;
    bool mirrored = false; ///< see Memory::Impl::mirrored
};
/// Returns where the device keeps memory of a type.
MemoryPlacement placementOf(const vulkan::Device& device, Memory::MemoryTypes type);

/// @throws InvalidArgument unless @p type is eDevice or eStorage
/// @param what  starts the message: "an exportable tensor"
void requireDeviceMemory(Memory::MemoryTypes type, const char* what);

/// Where a tensor begins in an address space that may hold other tensors with the same memory.
struct MemoryAddress {
    enum class Space { eBuffer, eHost, eCuda } space;
    uint64_t buffer; ///< the VkBuffer of Space::eBuffer; else 0
    uint64_t start;

    bool shares(const MemoryAddress& other) const {
        return space == other.space && buffer == other.buffer;
    }
    auto operator<=>(const MemoryAddress&) const = default;
};

/// Returns all addresses of a tensor: in its VkBuffer, in host memory that it is a view of, in
/// CUDA's memory. Others are empty. Images have none.
std::array<std::optional<MemoryAddress>, 3> addressesOf(const Memory& memory);

/// A range of a tensor, in bytes from its start.
struct ByteRange {
    uint64_t offset;
    uint64_t bytes;
};

/// Returns true if ranges of two tensors have memory in common: within one tensor, or at
/// addressesOf() both.
bool overlap(const Memory& a, const ByteRange& ofA, const Memory& b, const ByteRange& ofB);
/// Same, of whole tensors.
bool overlap(const Memory& a, const Memory& b);

/// @throws InvalidArgument if the device memory of @p source cannot be copied to @p destination
void requireCopyable(const Memory& source, const Memory& destination);

/// Returns the objects of an operation without repetitions: an operation has no barriers between
/// its commands, so each object may appear only once.
/// @param operation  its name, for the message
/// @throws InvalidArgument if there are no objects, or one is null
std::vector<std::shared_ptr<Memory>>
distinctObjects(const std::vector<std::shared_ptr<Memory>>& memObjects, const char* operation);

/// @throws InvalidArgument (with the names of both devices) if @p memory is not on @p device
void requireSameDevice(const Memory& memory, const vulkan::Device& device, const char* user);
/// Throws the InvalidArgument for an object of another device. @param object  "a tensor"
[[noreturn]] void failForeign(const std::string& object, const vulkan::Device& owner,
                              const char* user, const vulkan::Device& device);

} // namespace kp

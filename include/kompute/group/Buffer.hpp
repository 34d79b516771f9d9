// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <kompute/Tensor.hpp>
#include <kompute/group/DeviceGroup.hpp>
#include <kompute/group/ElementType.hpp>

namespace kp {

/// Where the elements of a Buffer are.
enum class BufferPlacement {
    eReplicated,        ///< a whole copy on each device
    eReplicatedByQueue, ///< a whole copy for each queue of the group
    eSharded            ///< each device has a part of the rows (first axis)
};

struct BufferOptions {
    BufferPlacement placement = BufferPlacement::eReplicated;
    /// eSharded: rows of each device, 0 allowed, together all of them. Empty: as even as can be,
    /// the first devices having one more.
    std::vector<uint64_t> shardRows;
    /// eStorage takes no more than the elements; others have a host view in Buffer::tensor().
    Memory::MemoryTypes memoryType = Memory::MemoryTypes::eStorage;
};

/// How collective operations join elements, number by number.
enum class ReduceOperation { eSum, eProduct, eMinimum, eMaximum };

/// The part of a buffer that one copy holds.
struct Shard {
    uint32_t index = 0;          ///< place among the copies
    uint32_t count = 1;          ///< of copies
    uint64_t offset = 0;         ///< first row, in the whole buffer
    std::vector<uint64_t> shape; ///< of this part
    std::vector<uint64_t> wholeShape;

    uint64_t size() const; ///< elements of this part
};

/// An array of one, two or three dimensions on all devices of a group: copied to each, or shared
/// out among them by rows. Its parts are ordinary tensors.
///
/// **Index.** Where a function takes an index, it is that of a queue of the group and means the
/// copy (or shard) that this queue's device has, so queues of one device have the same one unless
/// the placement is eReplicatedByQueue. With one queue for each device, it is the device's number.
///
/// **Order.** What a buffer does comes after what was launched before on the queues of the copies
/// it touches, and before what is launched there later. So a host function that runs on such a
/// queue must not call read() or write(), which would wait for it to end; it uses the tensors
/// instead.
///
/// Functions that start work return at once with an event for each copy they touch. A buffer may be
/// used by several threads; destroy() may not run beside other calls.
class KOMPUTE_API Buffer {
public:
    static constexpr uint64_t kMaxElements = uint64_t{1} << 30;
    static constexpr size_t kMaxDimensions = 3;

    /// @param shape  up to three sizes, none of them 0; none at all means one element
    /// @throws InvalidArgument for a shape that is not allowed, over kMaxElements, shards that do
    ///         not fit it; OutOfMemory. The group is as before then
    Buffer(const DeviceGroup& group, std::vector<uint64_t> shape, ElementType type = {},
           const BufferOptions& options = {});
    /// Around tensors that exist: a host application's buffers (Manager::wrapBuffer), host memory
    /// (Manager::wrapHostMemory), memory of another process (Manager::importMemory), or any other.
    /// @param copies    one for each copy, of the group's devices in their order; null where a
    ///                  shard has no rows
    /// @param writable  false: write(), collectives and kernels that would change it are refused
    Buffer(const DeviceGroup& group, std::vector<uint64_t> shape, ElementType type,
           std::vector<std::shared_ptr<Tensor>> copies, const BufferOptions& options = {},
           bool writable = true);
    ~Buffer();
    Buffer(const Buffer&) = delete;
    Buffer& operator=(const Buffer&) = delete;

    const std::vector<uint64_t>& shape() const;
    const ElementType& type() const;
    uint64_t size() const;    ///< elements
    uint64_t memSize() const; ///< bytes of all elements, once
    BufferPlacement placement() const;
    bool writable() const;
    /// Number of copies, or of shards.
    uint32_t copyCount() const;
    /// Which copy an index means. @throws InvalidArgument where the group has no such queue
    uint32_t copyOf(uint32_t index) const;
    Shard shard(uint32_t index) const;
    /// The memory of a copy: an ordinary tensor of the manager of that device, of numbers (of bytes
    /// for structs). @throws InvalidArgument where the shard has no rows; after destroy()
    std::shared_ptr<Tensor> tensor(uint32_t index = 0) const;

    // Host memory. Ranges are in bytes. All throw InvalidArgument for an index that does not exist,
    // ranges that do not fit, and after destroy(); write() also where the buffer is not writable.

    /// Bytes that read() gives for an index: of its copy; without one, of all copies one after the
    /// other, or of the whole array where it is sharded.
    uint64_t readBytes(std::optional<uint32_t> index = std::nullopt) const;

    /// Copies to host memory, and waits for it.
    /// @param index   without: all copies one after the other; where it is sharded, the whole array
    /// @param offset  of the first byte, in each copy (sharded, without index: in the whole array)
    /// @param bytes   readBytes(index) or less; of all copies, the same number of each
    void read(void* data, uint64_t bytes, std::optional<uint32_t> index = std::nullopt,
              uint64_t offset = 0) const;
    /// Copies from host memory, which may be used again when the call is back.
    /// @param index  without: to every copy; where it is sharded, to the shards that have the bytes
    void write(const void* data, uint64_t bytes, std::optional<uint32_t> index = std::nullopt,
               uint64_t offset = 0);
    template <typename T>
    std::vector<T> read(std::optional<uint32_t> index = std::nullopt) const {
        std::vector<T> data(readBytes(index) / sizeof(T));
        read(data.data(), data.size() * sizeof(T), index);
        return data;
    }
    template <typename T>
    void write(const std::vector<T>& data, std::optional<uint32_t> index = std::nullopt) {
        write(data.data(), data.size() * sizeof(T), index);
    }
    /// The same without waiting. @p data must stay until the events are done.
    std::vector<Event> readAsync(void* data, uint64_t bytes,
                                 std::optional<uint32_t> index = std::nullopt, uint64_t offset = 0,
                                 const std::vector<Event>& waitFor = {}) const;
    std::vector<Event> writeAsync(const void* data, uint64_t bytes,
                                  std::optional<uint32_t> index = std::nullopt, uint64_t offset = 0,
                                  const std::vector<Event>& waitFor = {});

    // Between devices. All need buffers of one group and one element type, and throw
    // InvalidArgument where shapes or placements do not fit. "Replicated" is of either kind.

    /// Copies bytes from one copy to another. @param bytes without: as many as both have
    Event copy(uint32_t source, uint32_t destination, uint64_t sourceOffset = 0,
               uint64_t destinationOffset = 0, std::optional<uint64_t> bytes = std::nullopt,
               const std::vector<Event>& waitFor = {});
    /// Gives all of @p destination, however it is placed, the contents of this buffer. Of copies
    /// that are not equal, a device's own is taken where it has one, else the first.
    std::vector<Event> copyTo(Buffer& destination, const std::vector<Event>& waitFor = {}) const;
    /// Replicated: every copy becomes equal to that of @p root.
    std::vector<Event> broadcast(uint32_t root = 0, const std::vector<Event>& waitFor = {});
    /// From root's copy of this replicated buffer to the shards of @p destination.
    std::vector<Event> scatter(Buffer& destination, uint32_t root = 0,
                               const std::vector<Event>& waitFor = {}) const;
    /// From the shards of this buffer to root's copy of the replicated @p destination.
    std::vector<Event> gather(Buffer& destination, uint32_t root = 0,
                              const std::vector<Event>& waitFor = {}) const;
    /// The same to every copy of @p destination.
    std::vector<Event> allGather(Buffer& destination, const std::vector<Event>& waitFor = {}) const;
    /// Root's copy becomes the sum (...) of all copies. Replicated. In a fixed order, so that
    /// the same input gives the same bits.
    std::vector<Event> reduce(ReduceOperation operation = ReduceOperation::eSum, uint32_t root = 0,
                              const std::vector<Event>& waitFor = {});
    /// Every copy becomes the sum (...) of all copies. Replicated; all copies get the same bits.
    std::vector<Event> allReduce(ReduceOperation operation = ReduceOperation::eSum,
                                 const std::vector<Event>& waitFor = {});
    /// Each shard of @p destination becomes the sum (...) of its rows in all copies of this
    /// replicated buffer.
    std::vector<Event> reduceScatter(Buffer& destination,
                                     ReduceOperation operation = ReduceOperation::eSum,
                                     const std::vector<Event>& waitFor = {}) const;

    bool isInit() const;
    /// Frees the memory on every device, after the work that uses it. A second call does nothing.
    void destroy();

    struct Impl;
    /// For the library's own files.
    const std::shared_ptr<Impl>& impl() const { return mImpl; }

private:
    std::shared_ptr<Impl> mImpl;
};

} // namespace kp

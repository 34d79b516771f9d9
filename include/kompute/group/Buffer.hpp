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
#include <kompute/primitives/Operator.hpp>

namespace kp {

/// How the elements of a Buffer are distributed.
enum class BufferPlacement {
    eReplicated,        ///< one full copy per device
    eReplicatedByQueue, ///< one full copy per queue of the group
    eSharded            ///< each device holds some of the rows (first axis)
};

/// Options of a Buffer.
struct BufferOptions {
    BufferPlacement placement = BufferPlacement::eReplicated;
    /// eSharded: rows per device; 0 is allowed, and the sum must be the number of rows. Empty:
    /// distributed evenly; if the rows do not divide evenly, the first devices get one more.
    std::vector<uint64_t> shardRows;
    /// eStorage needs memory for the elements only. Other types add a host view to
    /// Buffer::tensor().
    Memory::MemoryTypes memoryType = Memory::MemoryTypes::eStorage;
};

/// The part of a buffer in one copy.
struct Shard {
    uint32_t index = 0;               ///< index among the copies
    uint32_t count = 1;               ///< number of copies
    uint64_t offset = 0;              ///< first row in the whole buffer
    std::vector<uint64_t> shape;      ///< of this part
    std::vector<uint64_t> wholeShape; ///< of the whole buffer

    uint64_t size() const; ///< number of elements in this part
};

/// An array of up to three dimensions on all devices of a group, either replicated on each device
/// or sharded by rows. Its parts are ordinary tensors.
///
///     kp::DeviceGroup group;
///     kp::BufferOptions options;
///     options.placement = kp::BufferPlacement::eSharded;
///     kp::Buffer values(group, {1000, 64}, kp::Memory::DataTypes::eFloat, options);
///     values.write(std::vector<float>(values.size(), 1.0f));
///
/// **Indices.** An index argument is the index of a queue in the group. It selects the copy (or
/// shard) of that queue's device, so all queues of a device select the same one, except with
/// eReplicatedByQueue. With one queue per device, it is the index of the device.
///
/// **Order.** An operation on a buffer runs after earlier launches on the queues of the copies it
/// touches, and before later ones. A host function on such a queue therefore must not call read()
/// or write(), which would wait for that function; use the tensors instead.
///
/// Functions that start work return at once, with one event per copy they touch. Thread-safe,
/// except that destroy() must not run at the same time as other calls.
class KOMPUTE_API Buffer {
public:
    static constexpr uint64_t kMaxElements = uint64_t{1} << 30;
    static constexpr size_t kMaxDimensions = 3;

    /// Allocates the memory on every device. The contents are undefined.
    /// @param shape  up to three sizes, none of them 0; an empty shape means one element
    /// @throws InvalidArgument for an invalid shape, more than kMaxElements elements, or shards
    ///         that do not match; OutOfMemory. The group is unchanged then
    Buffer(const DeviceGroup& group, std::vector<uint64_t> shape, ElementType type = {},
           const BufferOptions& options = {});
    /// Wraps existing tensors: a host application's buffers (Manager::wrapBuffer), host memory
    /// (Manager::wrapHostMemory), another process's memory (Manager::importMemory), or any others.
    /// @param copies    one tensor per copy, on the group's devices in order; null for a shard
    ///                  without rows
    /// @param writable  false makes write(), collectives and kernels that would change the buffer
    ///                  throw
    /// @throws InvalidArgument for an invalid shape, or if a tensor is missing, destroyed, on
    ///         another device or of another size
    Buffer(const DeviceGroup& group, std::vector<uint64_t> shape, ElementType type,
           std::vector<std::shared_ptr<Tensor>> copies, const BufferOptions& options = {},
           bool writable = true);
    ~Buffer();
    Buffer(const Buffer&) = delete;
    Buffer& operator=(const Buffer&) = delete;

    const std::vector<uint64_t>& shape() const;
    const ElementType& type() const;
    uint64_t size() const;    ///< number of elements
    uint64_t memSize() const; ///< bytes of all elements, counted once
    BufferPlacement placement() const;
    bool writable() const;
    uint32_t copyCount() const; ///< number of copies, or of shards
    /// Returns the copy that an index selects, and the position and shape of it.
    /// @throws InvalidArgument if the group has no such queue
    uint32_t copyOf(uint32_t index) const;
    Shard shard(uint32_t index) const;
    /// Returns the memory of a copy: an ordinary tensor of the device's manager, with numbers as
    /// elements (or whole structs).
    /// @throws InvalidArgument if the group has no such queue, the shard has no rows, or after
    ///         destroy()
    std::shared_ptr<Tensor> tensor(uint32_t index = 0) const;

    // Host memory. Ranges are in bytes. All functions throw InvalidArgument for an index that does
    // not exist, for a range that does not fit, and after destroy(). write() also throws it if the
    // buffer is not writable.

    /// Returns the number of bytes that read() returns: the bytes of the copy with an index;
    /// without one, of all copies, or of the whole array if sharded.
    uint64_t readBytes(std::optional<uint32_t> index = std::nullopt) const;

    /// Copies to host memory and waits.
    /// @param bytes   at most readBytes(index); without an index, the same number from each copy
    /// @param index   selects the copy. Without it: all copies one after the other, or the whole
    ///                array if sharded
    /// @param offset  first byte in each copy; in the whole array if sharded and without an index
    void read(void* data, uint64_t bytes, std::optional<uint32_t> index = std::nullopt,
              uint64_t offset = 0) const;
    /// Copies from host memory, which may be reused once the call returns.
    /// @param index   selects the copy. Without it: every copy, or the shards with the range
    /// @param offset  as in read()
    void write(const void* data, uint64_t bytes, std::optional<uint32_t> index = std::nullopt,
               uint64_t offset = 0);
    /// With the elements' number type as T, or a struct.
    /// @throws InvalidArgument also if T differs from the element type
    template <typename T>
    std::vector<T> read(std::optional<uint32_t> index = std::nullopt) const {
        requireNumbers(Memory::numberType<T>());
        std::vector<T> data(readBytes(index) / sizeof(T));
        read(data.data(), data.size() * sizeof(T), index);
        return data;
    }
    template <typename T>
    void write(const std::vector<T>& data, std::optional<uint32_t> index = std::nullopt) {
        requireNumbers(Memory::numberType<T>());
        write(data.data(), data.size() * sizeof(T), index);
    }
    /// Starts a read or write without waiting. @p data must stay valid until the events are done.
    /// @return one event per copy that is read or written
    std::vector<Event> readAsync(void* data, uint64_t bytes,
                                 std::optional<uint32_t> index = std::nullopt, uint64_t offset = 0,
                                 const std::vector<Event>& waitFor = {}) const;
    std::vector<Event> writeAsync(const void* data, uint64_t bytes,
                                  std::optional<uint32_t> index = std::nullopt, uint64_t offset = 0,
                                  const std::vector<Event>& waitFor = {});

    // Between devices. All functions need buffers of the same group, element type and shape, and
    // throw InvalidArgument otherwise, for an unsuitable placement, for a destination that is not
    // writable, and after destroy(). "Replicated" means either kind. Each returns one event per
    // queue of the copies that take part.

    /// Copies bytes between two copies of this buffer, given by index.
    /// @param bytes  default: as much as both have after their offsets
    /// @return the event of the destination
    /// @throws InvalidArgument also if a range does not fit, or if the ranges overlap in one copy
    Event copy(uint32_t source, uint32_t destination, uint64_t sourceOffset = 0,
               uint64_t destinationOffset = 0, std::optional<uint64_t> bytes = std::nullopt,
               const std::vector<Event>& waitFor = {});
    /// Copies to @p destination, converting between placements. If copies of this buffer differ,
    /// each device takes its own if it has one, else the first.
    std::vector<Event> copyTo(Buffer& destination, const std::vector<Event>& waitFor = {}) const;
    /// Makes every copy of this replicated buffer equal to the copy of @p root.
    std::vector<Event> broadcast(uint32_t root = 0, const std::vector<Event>& waitFor = {});
    /// Copies from root's copy of this replicated buffer to the shards of @p destination.
    std::vector<Event> scatter(Buffer& destination, uint32_t root = 0,
                               const std::vector<Event>& waitFor = {}) const;
    /// Copies from the shards of this buffer to root's copy of the replicated @p destination.
    std::vector<Event> gather(Buffer& destination, uint32_t root = 0,
                              const std::vector<Event>& waitFor = {}) const;
    /// Copies from the shards of this buffer to every copy of the replicated @p destination.
    std::vector<Event> allGather(Buffer& destination, const std::vector<Event>& waitFor = {}) const;
    /// Reduces all copies of this replicated buffer to root's copy. The order is fixed, so equal
    /// inputs give identical bits.
    /// @param operation  an operator, eSum to eXor
    /// @throws InvalidArgument also if elements cannot be reduced: bool, structs, complex numbers
    ///         except for eSum, and floating-point numbers bit by bit; likewise below
    std::vector<Event> reduce(ReduceOperation operation = ReduceOperation::eSum, uint32_t root = 0,
                              const std::vector<Event>& waitFor = {});
    /// Reduces all copies of this replicated buffer to every copy. All copies get identical bits.
    std::vector<Event> allReduce(ReduceOperation operation = ReduceOperation::eSum,
                                 const std::vector<Event>& waitFor = {});
    /// Reduces all copies of this replicated buffer to the shards of @p destination: each shard
    /// gets its own rows.
    std::vector<Event> reduceScatter(Buffer& destination,
                                     ReduceOperation operation = ReduceOperation::eSum,
                                     const std::vector<Event>& waitFor = {}) const;

    /// Returns false after destroy().
    bool isInit() const;
    /// Frees the memory on every device once the work that uses it has finished. Destroys wrapped
    /// tensors, too. Further calls have no effect.
    void destroy();

    struct Impl;

private:
    friend struct Internals;
    void requireNumbers(Memory::DataTypes type) const;

    std::shared_ptr<Impl> mImpl;
};

} // namespace kp

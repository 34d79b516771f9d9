// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include <kompute/Core.hpp>
#include <kompute/memory/Half.hpp>

namespace kp {

namespace vulkan {
class Buffer;
class Device;
} // namespace vulkan

/// Base class of Tensor and Image: device memory, together with the part of it that the host sees.
///
/// data(), rawData(), vector() and setData() access the *host view*. For eDevice it is a host
/// mirror, allocated at first use, that OpSyncDevice and OpSyncLocal copy from and to. For eHost,
/// and for eDeviceAndHost if the device has such memory, it is the memory itself. eStorage has no
/// host view. All of them wait for submitted work that writes the memory. If the view is the memory
/// itself, data(), rawData(), operator[] and setData() wait for work that reads it as well, so that
/// it does not see the program's writes. A pointer that was kept waits for nothing.
///
/// A mirror also follows the device memory, and the device memory the mirror, without operations.
/// When work is submitted, these are copied to the device first: a mirror whose device memory was
/// never written; a mirror changed by setData() or noteHostChange(); and, if the work reads the
/// memory, a mirror that was handed out by data(), rawData() or operator[] since both were equal,
/// because the library cannot see writes through pointers. data(), rawData(), operator[]
/// and vector() fetch the results of submitted work, and wait for it. A program that records sync
/// operations keeps their exact meaning: after the first OpSyncDevice of a memory, only
/// OpSyncDevice copies the mirror to the device (changed by setData() otherwise, it is logged as a
/// warning, once), and after the first OpSyncLocal, pointers handed out no longer count. The same
/// holds for memory whose native handle or address was taken.
///
/// A Manager creates these objects. Thread safety: one thread at a time per object; different
/// objects may be used by different threads. Destructors never wait for the device.
class KOMPUTE_API Memory {
public:
    /// Where the memory is, and how the host sees it.
    enum class MemoryTypes {
        eDevice = 0,       ///< device memory with a host mirror
        eHost = 1,         ///< host memory that the device accesses
        eStorage = 2,      ///< device memory without a host view
        eDeviceAndHost = 3 ///< memory that is fast for both; as eDevice if there is none
    };

    /// Type of an element.
    enum class DataTypes {
        eBool = 0,
        eInt = 1,
        eUnsignedInt = 2,
        eFloat = 3,
        eDouble = 4,
        eCustom = 5, ///< a struct; its size is given with the data
        eShort = 6,
        eUnsignedShort = 7,
        eChar = 8,
        eUnsignedChar = 9,
        eLong = 10,         ///< 64-bit signed
        eUnsignedLong = 11, ///< 64-bit unsigned
        eHalf = 12,         ///< 16-bit floating point (kp::Half)
        eBFloat16 = 13      ///< upper 16 bits of a float (kp::BFloat16); raw storage for shaders
    };

    enum class Type { eTensor = 0, eImage = 1 };

    /// Returns the enumerator's name.
    static std::string toString(MemoryTypes type);
    static std::string toString(DataTypes type);

    virtual ~Memory();
    Memory(const Memory&) = delete;
    Memory(Memory&&) = delete;
    Memory& operator=(const Memory&) = delete;
    Memory& operator=(Memory&&) = delete;

    MemoryTypes memoryType() const;
    DataTypes dataType() const;
    /// Returns the data type of a C++ type: integers by size and sign; eCustom for structs and
    /// other trivially copyable types. A program may still specialise it, as Kompute requires:
    ///
    ///     template <>
    ///     inline kp::Memory::DataTypes kp::Memory::dataType<S>() {
    ///         return DataTypes::eCustom;
    ///     }
    template <typename T>
    static constexpr DataTypes dataType();
    /// Returns dataType<T>() if T is a number of more than a byte; eCustom for structs and bytes,
    /// whose type is never checked.
    template <typename T>
    static constexpr DataTypes numberType() {
        using Number = std::remove_cv_t<T>;
        if constexpr ((std::is_arithmetic<Number>::value || std::is_same<Number, Half>::value) &&
                      sizeof(Number) > 1)
            return dataType<Number>();
        else
            return DataTypes::eCustom;
    }

    virtual Type type() const = 0;
    /// Returns false after destroy() of this object or of its manager.
    virtual bool isInit() const;
    /// Returns true if all future submissions will follow every launch that uses the memory: it is
    /// not destroyed, and no launch of this process waits for the host. Memory pools check this
    /// before they reuse the memory. Any thread.
    bool canBeReused() const;
    /// Releases the device memory, which is freed once the work that uses it has finished.
    /// Afterwards functions that need the memory throw InvalidArgument. Further calls have no
    /// effect.
    virtual void destroy();

    /// Names the device memory in validation messages and captures, if there are debug utils.
    /// @throws InvalidArgument after destroy()
    void setName(std::string_view name);

    uint64_t size() const; ///< elements; width x height x channels for an image. 0 after destroy()
    uint32_t dataTypeMemorySize() const; ///< bytes per element; 0 after destroy()
    /// Returns the bytes per element of a data type; 0 for eCustom.
    static uint32_t dataTypeMemorySize(DataTypes type);
    uint64_t memorySize() const; ///< bytes: size() x dataTypeMemorySize()
    uint64_t getX() const;       ///< elements of a tensor, width of an image
    uint64_t getY() const;       ///< 1 for a tensor, height of an image

    /// Returns the start of the host view, memorySize() bytes; null for eStorage. Valid until
    /// destroy(). Waits for submitted work, and copies from the device if it must; see
    /// hostViewReady(). A pointer kept from an earlier call reads the current contents, without
    /// copying or waiting.
    /// @throws InvalidArgument after destroy()
    void* rawData();
    /// Same, as elements.
    /// @throws InvalidArgument also if T differs from the element type: read the bits through
    ///         rawData(), or convert with to<T>()
    template <typename T>
    T* data() {
        if constexpr (!std::is_void<T>::value)
            requireSameNumbers(numberType<T>(), "data<T>()");
        return static_cast<T*>(rawData());
    }

    /// Makes destroy(), and the manager's destroy(), keep the memory of the host view until this
    /// object itself is destroyed. For programs that hand out pointers to the view.
    void keepHostView();
    /// States that the program has changed the host view through a pointer or a view. The next work
    /// that uses the memory sees the change, as after setData(). Needed only for a pointer that was
    /// handed out before the device memory was written or copied last.
    /// @throws InvalidArgument after destroy()
    void noteHostChange();
    /// Returns false if the next access to the host view first copies from the device, or waits.
    /// With a mirror, this is the case after work that wrote the device memory was submitted,
    /// unless a later OpSyncLocal has finished, and after upload(). Without a mirror, until
    /// submitted work that uses the memory has finished. May be called while another thread is in
    /// upload().
    bool hostViewReady() const;
    /// Returns false if no upload and no operation has written the device memory. Work that waits
    /// for the host counts once it is submitted.
    bool deviceHasContents() const;

    /// Returns a copy of the host view, without conversion.
    /// @throws InvalidArgument after destroy(), for eStorage, if sizeof(T) is not the element size,
    ///         or if T differs from the element type: call to<T>()
    template <typename T>
    std::vector<T> vector() {
        const T* first = static_cast<const T*>(hostViewFor(sizeof(T), numberType<T>()));
        return std::vector<T>(first, first + size());
    }

    /// Returns the elements of the host view as numbers of another type. Floating-point numbers
    /// are rounded to nearest; everything else is exact.
    /// @throws InvalidArgument if T cannot hold an element: an integer that is out of range or not
    ///         exact as a T, a fraction or NaN for an integer T, a finite number that overflows;
    ///         for structs; and as vector()
    template <typename T>
    std::vector<T> to() {
        static_assert(dataType<T>() != DataTypes::eCustom && !std::is_same<T, bool>::value,
                      "elements are converted to numbers");
        std::vector<T> numbers(size());
        convertHostView(numbers.data(), dataType<T>());
        return numbers;
    }

    /// Overwrites the whole host view. The device sees the new data in the next evaluation that
    /// uses the memory; if the program records OpSyncDevice for eDevice memory, after the next one.
    /// @throws InvalidArgument if @p bytes is not memorySize(), for eStorage, after destroy(), or
    ///         if T differs from the element type
    void setData(const void* data, size_t bytes);
    template <typename T>
    void setData(const std::vector<T>& data) {
        requireNumbers(numberType<T>());
        setData(data.data(), data.size() * sizeof(T));
    }

    /// Copies host memory directly to the device memory of any memory type, without a mirror. Runs
    /// after all evaluations started earlier. @p data may be reused once the call returns.
    /// @param bytes   memorySize() for an image
    /// @param offset  bytes from the start of the device memory; 0 for an image
    /// @throws InvalidArgument if the range does not fit, or after destroy(); DeviceLost
    void upload(const void* data, uint64_t bytes, uint64_t offset = 0);
    /// Uploads a std::vector, std::array, std::span or anything else with data() and size().
    /// @param first  the element of this memory that receives the first one of @p elements
    /// @throws InvalidArgument also if their type or size differs from this memory's elements
    template <typename Array,
              typename T = std::remove_pointer_t<decltype(std::declval<const Array&>().data())>>
    void upload(const Array& elements, uint64_t first = 0) {
        upload(elements.data(), elements.size() * sizeof(T),
               offsetOf(first, sizeof(T), numberType<T>()));
    }

    /// Copies device memory directly to host memory: upload() in the other direction. Waits for
    /// earlier evaluations that write the memory. Parameters and errors as for upload().
    void download(void* data, uint64_t bytes, uint64_t offset = 0);
    /// Fills @p elements from this memory, beginning at element @p first.
    template <typename Array,
              typename T = std::remove_pointer_t<decltype(std::declval<Array&>().data())>>
    void download(Array& elements, uint64_t first = 0) {
        download(elements.data(), elements.size() * sizeof(T),
                 offsetOf(first, sizeof(T), numberType<T>()));
    }

    /// Records a copy between device memory and host mirror; nothing if there is no mirror. Records
    /// no barrier.
    virtual void recordCopyFromStagingToDevice(const vk::CommandBuffer& commandBuffer);
    virtual void recordCopyFromDeviceToStaging(const vk::CommandBuffer& commandBuffer);

    /// Records a copy of @p source's device memory into this object's. Records no barrier.
    /// @throws InvalidArgument if the data types or sizes differ, or for two images the widths or
    ///         heights
    void recordCopyFrom(const vk::CommandBuffer& commandBuffer, std::shared_ptr<Memory> source);

    /// Records a barrier on the device memory (primary) or on the host mirror (staging; nothing if
    /// there is none). Sequences place all barriers that they need themselves.
    virtual void recordPrimaryMemoryBarrier(const vk::CommandBuffer& commandBuffer,
                                            vk::AccessFlagBits srcAccess,
                                            vk::AccessFlagBits dstAccess,
                                            vk::PipelineStageFlagBits srcStage,
                                            vk::PipelineStageFlagBits dstStage);
    virtual void recordStagingMemoryBarrier(const vk::CommandBuffer& commandBuffer,
                                            vk::AccessFlagBits srcAccess,
                                            vk::AccessFlagBits dstAccess,
                                            vk::PipelineStageFlagBits srcStage,
                                            vk::PipelineStageFlagBits dstStage);

    /// Returns a descriptor write of this memory to @p binding. The pointers in it are valid until
    /// the next call on this object.
    virtual vk::WriteDescriptorSet constructDescriptorSet(vk::DescriptorSet descriptorSet,
                                                          uint32_t binding);
    vk::DescriptorType getDescriptorType() const;

    struct Impl;

protected:
    friend struct Internals;
    explicit Memory(std::unique_ptr<Impl> impl);
    /// @throws InvalidArgument if an element does not have @p elementSize bytes, or is another
    ///         number than @p type, which may be eCustom
    const void* hostViewFor(size_t elementSize, DataTypes type);
    /// Writes the elements as numbers of @p type.
    /// @throws as to()
    void convertHostView(void* numbers, DataTypes type);
    /// @throws InvalidArgument if the elements are numbers of another type, for @p call
    void requireSameNumbers(DataTypes type, const char* call) const;
    /// Returns the byte offset of an element.
    /// @throws as hostViewFor() and requireNumbers()
    uint64_t offsetOf(uint64_t element, size_t elementSize, DataTypes type) const;
    /// @throws InvalidArgument if the elements are numbers of another type. Signed and unsigned
    ///         integers are one type here, and eCustom is any
    void requireNumbers(DataTypes type) const;
    unsigned char* descriptorStore();

    std::unique_ptr<Impl> mImpl;
};

template <typename T>
constexpr Memory::DataTypes Memory::dataType() {
    static_assert(std::is_trivially_copyable<T>::value, "elements are copied byte by byte");
    if (std::is_same<T, bool>::value)
        return DataTypes::eBool;
    if (std::is_same<T, float>::value)
        return DataTypes::eFloat;
    if (std::is_same<T, double>::value)
        return DataTypes::eDouble;
    if (std::is_same<T, Half>::value)
        return DataTypes::eHalf;
    if (std::is_same<T, BFloat16>::value)
        return DataTypes::eBFloat16;
    if (!std::is_integral<T>::value)
        return DataTypes::eCustom;
    const bool isSigned = std::is_signed<T>::value;
    switch (sizeof(T)) {
    case 1:
        return isSigned ? DataTypes::eChar : DataTypes::eUnsignedChar;
    case 2:
        return isSigned ? DataTypes::eShort : DataTypes::eUnsignedShort;
    case 4:
        return isSigned ? DataTypes::eInt : DataTypes::eUnsignedInt;
    case 8:
        return isSigned ? DataTypes::eLong : DataTypes::eUnsignedLong;
    default:
        return DataTypes::eCustom;
    }
}

/// Device memory, in bytes; host memory counts only if the device has no other. See
/// Manager::memory().
struct MemoryUsage {
    /// Of the manager's living tensors, images and arrays. Memory of others that a tensor wraps or
    /// imports does not count, nor do exportable tensors.
    uint64_t allocated = 0;
    uint64_t peak = 0; ///< the largest `allocated` since the last resetPeakMemory()
    /// Kept for reuse: the manager's freed arrays and, for all managers of the device, freed small
    /// tensors, memory of intermediate results, and constants of operations. clear() frees it.
    uint64_t cached = 0;
    /// What the driver has given to the device, for all its managers: all of the above, memory of
    /// running operations, and unused parts of blocks.
    uint64_t reserved = 0;
    uint64_t peakReserved = 0; ///< the largest `reserved` since a manager's resetPeakMemory()
};

/// A tensor, image or array, and the device memory that it has. See Manager::memoryObjects().
struct MemoryObject {
    std::string name; ///< given to Memory::setName(); "" without one
    std::string kind; ///< such as "tensor of 8 eFloat"
    uint64_t bytes = 0;
};

/// Device memory of one kind: "tensors", "images", "arrays" and "freed arrays" of a manager, and of
/// all managers of its device "freed small tensors", "intermediate results", "constants" and
/// "other" (objects of other managers, running operations, and unused parts of blocks). See
/// Manager::memoryKinds().
struct MemoryKind {
    std::string kind;
    uint64_t count = 0; ///< of objects; 0 if they are not counted
    uint64_t bytes = 0;
};

/// A heap of a device's memory, in bytes. See Manager::memoryHeaps().
struct MemoryHeap {
    bool deviceLocal = false; ///< memory of the device, not of the host
    uint64_t size = 0;
    /// What this process can have, as the driver estimates it now; others use the rest. Without
    /// VK_EXT_memory_budget, four fifths of the size.
    uint64_t budget = 0;
    uint64_t used = 0;     ///< by this process, as the driver counts; else the next
    uint64_t reserved = 0; ///< of it, by the library for this device
};

} // namespace kp

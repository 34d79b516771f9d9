// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include <kompute/Core.hpp>
#include <kompute/Half.hpp>

namespace kp {

namespace vulkan {
class Buffer;
class Device;
} // namespace vulkan

/// Base of Tensor and Image: memory on a device, with what the host sees of it.
///
/// The *host view* is what data(), rawData(), vector() and setData() work on. For eDevice it is a
/// host mirror that OpSyncDevice and OpSyncLocal copy from and to; it is made when first used. For
/// eHost and (where the device has such memory) eDeviceAndHost it is the memory itself. eStorage
/// has none. Reading the host view while an evaluation that writes it runs gives undefined values:
/// wait for the evaluation first.
///
/// Objects are made by a Manager, and are used by one thread at a time; different objects may be
/// used by different threads. Destruction never waits for the device.
class KOMPUTE_API Memory {
public:
    enum class MemoryTypes {
        eDevice = 0,       ///< device memory with a host mirror
        eHost = 1,         ///< host memory that the device reads and writes
        eStorage = 2,      ///< device memory without a host view
        eDeviceAndHost = 3 ///< one memory that both reach at full speed; elsewhere as eDevice
    };

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

    /// Enumerator names: "eDevice", "eFloat".
    static std::string toString(MemoryTypes type);
    static std::string toString(DataTypes type);

    virtual ~Memory();
    Memory(const Memory&) = delete;
    Memory(Memory&&) = delete;
    Memory& operator=(const Memory&) = delete;
    Memory& operator=(Memory&&) = delete;

    MemoryTypes memoryType() const;
    DataTypes dataType() const;

    /// The data type of a C++ type. Programs specialise it for their structs:
    /// `template <> kp::Memory::DataTypes kp::Memory::dataType<S>() { return DataTypes::eCustom; }`
    template <typename T>
    static constexpr DataTypes dataType();

    virtual Type type() const = 0;

    /// False once destroy() was called or the manager is gone.
    virtual bool isInit() const;

    /// Frees the device memory now (after the work that uses it) and makes isInit() false.
    /// Everything else that needs the memory then throws InvalidArgument. A second call does
    /// nothing.
    virtual void destroy();

    /// Names the device memory in validation messages and captures; nothing without debug utils.
    void setName(const std::string& name);

    /// Number of elements; for an image width x height x channels. 0 after destroy().
    uint64_t size() const;
    /// Bytes of one element; 0 after destroy().
    uint32_t dataTypeMemorySize() const;
    /// Bytes of one element of a type; 0 for eCustom.
    static uint32_t dataTypeMemorySize(DataTypes type);
    /// Bytes in all: size() x dataTypeMemorySize().
    uint64_t memorySize() const;
    /// Tensor: number of elements and 1. Image: width and height.
    uint64_t getX() const;
    uint64_t getY() const;

    /// Start of the host view, memorySize() bytes; null for eStorage. Valid until destroy().
    /// @throws InvalidArgument after destroy()
    void* rawData();
    template <typename T>
    T* data() {
        return static_cast<T*>(rawData());
    }

    /// From now on destroy(), and that of the manager, leaves the memory of the host view in place
    /// until this object itself is gone. For programs that hand out pointers to it.
    void keepHostView();
    /// False where the next look at the host view first copies from the device, and so waits: after
    /// a copy to this object, or an upload.
    bool hostViewReady() const;

    /// A copy of the host view.
    /// @throws InvalidArgument after destroy(), for eStorage, and where sizeof(T) is not the size
    /// of
    ///         an element
    template <typename T>
    std::vector<T> vector() {
        const T* first = static_cast<const T*>(hostViewFor(sizeof(T)));
        return std::vector<T>(first, first + size());
    }

    /// Overwrites the whole host view. The device sees it after OpSyncDevice (eDevice) or at the
    /// next evaluation (eHost, eDeviceAndHost).
    /// @throws InvalidArgument unless @p bytes is memorySize(), for eStorage, and after destroy()
    void setData(const void* data, size_t bytes);
    template <typename T>
    void setData(const std::vector<T>& data) {
        setData(data.data(), data.size() * sizeof(T));
    }

    /// Copies host memory straight to the device memory, without a mirror and for every memory
    /// type; ordered after all evaluations started before. Returns when @p data may be re-used.
    /// @param bytes   bytes to copy; for an image memorySize()
    /// @param offset  bytes from the start of the memory; for an image 0
    /// @throws InvalidArgument where the range does not fit or after destroy()
    void upload(const void* data, uint64_t bytes, uint64_t offset = 0);
    template <typename T>
    void upload(const std::vector<T>& data, uint64_t offset = 0) {
        upload(data.data(), data.size() * sizeof(T), offset);
    }

    /// Copies device memory straight to host memory; as upload() in the other direction. Waits for
    /// the evaluations started before that write the memory.
    void download(void* data, uint64_t bytes, uint64_t offset = 0);

    /// Device memory and host mirror hold the same thing after these commands have run. No-op where
    /// there is no mirror. No barrier is recorded.
    virtual void recordCopyFromStagingToDevice(const vk::CommandBuffer& commandBuffer);
    virtual void recordCopyFromDeviceToStaging(const vk::CommandBuffer& commandBuffer);

    /// Records the copy of @p source's device memory into this one's. No barrier is recorded.
    /// @throws InvalidArgument where data type or size differ, or (image to image) width or height
    void recordCopyFrom(const vk::CommandBuffer& commandBuffer, std::shared_ptr<Memory> source);

    /// Records a barrier on the device memory (primary) or the host mirror (staging; nothing where
    /// there is none). Sequences place every barrier they need by themselves.
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

    /// A write of this memory to @p binding of a descriptor set. Its pointers are valid until the
    /// next call on this object.
    virtual vk::WriteDescriptorSet constructDescriptorSet(vk::DescriptorSet descriptorSet,
                                                          uint32_t binding);
    vk::DescriptorType getDescriptorType() const;

    struct Impl;
    /// For the library's own files.
    Impl& impl() const { return *mImpl; }

protected:
    explicit Memory(std::unique_ptr<Impl> impl);
    /// Start of the host view, after checking that elements have @p elementSize bytes.
    const void* hostViewFor(size_t elementSize);
    /// Where constructDescriptorSet() keeps what its result points to.
    unsigned char* descriptorStore();

    std::unique_ptr<Impl> mImpl;
};

template <>
constexpr Memory::DataTypes Memory::dataType<bool>() {
    return DataTypes::eBool;
}
template <>
constexpr Memory::DataTypes Memory::dataType<int8_t>() {
    return DataTypes::eChar;
}
template <>
constexpr Memory::DataTypes Memory::dataType<uint8_t>() {
    return DataTypes::eUnsignedChar;
}
template <>
constexpr Memory::DataTypes Memory::dataType<int16_t>() {
    return DataTypes::eShort;
}
template <>
constexpr Memory::DataTypes Memory::dataType<uint16_t>() {
    return DataTypes::eUnsignedShort;
}
template <>
constexpr Memory::DataTypes Memory::dataType<int32_t>() {
    return DataTypes::eInt;
}
template <>
constexpr Memory::DataTypes Memory::dataType<uint32_t>() {
    return DataTypes::eUnsignedInt;
}
template <>
constexpr Memory::DataTypes Memory::dataType<int64_t>() {
    return DataTypes::eLong;
}
template <>
constexpr Memory::DataTypes Memory::dataType<uint64_t>() {
    return DataTypes::eUnsignedLong;
}
template <>
constexpr Memory::DataTypes Memory::dataType<float>() {
    return DataTypes::eFloat;
}
template <>
constexpr Memory::DataTypes Memory::dataType<double>() {
    return DataTypes::eDouble;
}
template <>
constexpr Memory::DataTypes Memory::dataType<Half>() {
    return DataTypes::eHalf;
}
template <>
constexpr Memory::DataTypes Memory::dataType<BFloat16>() {
    return DataTypes::eBFloat16;
}

} // namespace kp

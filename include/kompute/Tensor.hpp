// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <type_traits>
#include <vector>

#include <kompute/Memory.hpp>
#include <kompute/memory/ArrayView.hpp>
#include <kompute/memory/CudaMemory.hpp>
#include <kompute/memory/ExternalMemory.hpp>

namespace kp {

/// A one-dimensional array on a device. Manager::tensor and Manager::tensorT create tensors; the
/// constructors are for programs that hold a Vulkan device themselves.
///
///     auto tensor = manager.tensorT<int32_t>({1, 2, 3});
///     tensor->size(); // 3 elements
///     tensor->data()[0] = 4; // host view; the next evaluation sees it
class KOMPUTE_API Tensor : public Memory {
public:
    // Names of Kompute 0.9.0.
    using TensorTypes = MemoryTypes;
    using TensorDataTypes = DataTypes;

    /// Creates a tensor. Without @p data, its contents are undefined.
    /// @param physicalDevice     ignored
    /// @param device             the device of an existing Manager
    /// @param data               elementTotalCount x elementMemorySize bytes, copied to the host
    ///                           view (eStorage: to the device memory); may be null
    /// @param elementTotalCount  number of elements, not 0
    /// @param elementMemorySize  bytes per element, not 0
    /// @throws InvalidArgument for size 0 ("zero-sized") and for sizes above a limit of the device;
    ///         OutOfMemory
    Tensor(std::shared_ptr<vk::PhysicalDevice> physicalDevice, std::shared_ptr<vk::Device> device,
           void* data, uint64_t elementTotalCount, uint64_t elementMemorySize,
           const DataTypes& dataType, const MemoryTypes& memoryType = MemoryTypes::eDevice);
    Tensor(std::shared_ptr<vk::PhysicalDevice> physicalDevice, std::shared_ptr<vk::Device> device,
           uint64_t elementTotalCount, uint64_t elementMemorySize, const DataTypes& dataType,
           const MemoryTypes& memoryType = MemoryTypes::eDevice);
    ~Tensor() override;

    Type type() const override { return Type::eTensor; }

    /// Kompute 0.9.0's name.
    MemoryTypes tensorType() const { return memoryType(); }

    /// Gives the tensor new memory of another size, with @p data (may be null) as contents.
    /// Algorithms that use the tensor bind the new memory automatically. Sequences must be recorded
    /// again (Sequence::rerecord). Kompute 0.9.0's call.
    /// @throws as the constructor
    void rebuild(const void* data, uint64_t elementTotalCount, uint64_t elementMemorySize);

    /// Calls setData() with memorySize() bytes; Kompute 0.9.0's name.
    void setRawData(const void* data);

    // Kompute 0.9.0's names of recordPrimaryMemoryBarrier(), recordStagingMemoryBarrier() and the
    // buffer part of constructDescriptorSet().
    void recordPrimaryBufferMemoryBarrier(const vk::CommandBuffer& commandBuffer,
                                          vk::AccessFlagBits srcAccess,
                                          vk::AccessFlagBits dstAccess,
                                          vk::PipelineStageFlagBits srcStage,
                                          vk::PipelineStageFlagBits dstStage) {
        recordPrimaryMemoryBarrier(commandBuffer, srcAccess, dstAccess, srcStage, dstStage);
    }
    void recordStagingBufferMemoryBarrier(const vk::CommandBuffer& commandBuffer,
                                          vk::AccessFlagBits srcAccess,
                                          vk::AccessFlagBits dstAccess,
                                          vk::PipelineStageFlagBits srcStage,
                                          vk::PipelineStageFlagBits dstStage) {
        recordStagingMemoryBarrier(commandBuffer, srcAccess, dstAccess, srcStage, dstStage);
    }
    vk::DescriptorBufferInfo constructDescriptorBufferInfo();

    /// Returns the buffer handle. The tensor keeps ownership.
    std::shared_ptr<vk::Buffer> getPrimaryBuffer();
    VkBuffer nativeBuffer() const;
    uint64_t nativeOffset() const; ///< bytes; 0 unless the tensor wraps a range of the buffer
    /// Returns the buffer device address, for shaders with buffer references. rebuild() changes it.
    /// Name the tensor in AlgorithmOptions::addressed, or dispatches wait for all earlier work.
    /// @throws Unsupported if the device has no buffer device addresses
    uint64_t deviceAddress() const;

    /// Exports a handle with which another Vulkan device on the same GPU can open the memory,
    /// through Manager::importMemory or Vulkan itself. The caller owns the file descriptor. The
    /// library does not synchronise the two devices' accesses.
    /// @throws InvalidArgument unless Manager::exportableTensor created the tensor
    ExternalMemory exportMemory() const;

    /// Returns the memory of a shared tensor for CUDA; see Manager::sharedTensor.
    /// @throws InvalidArgument for other tensors
    CudaMemory cudaMemory() const;
    /// Lets all later work that uses the tensor wait for the current work of a CUDA stream. Never
    /// waits on the host.
    /// @param stream  a CUstream or cudaStream_t of the same GPU; null is the default stream
    /// @throws InvalidArgument unless the tensor is shared, and for a stream of another device
    void waitForCuda(void* stream);
    /// Lets later work of a CUDA stream wait for all submitted work that uses the tensor. Never
    /// waits on the host. Parameters and errors as for waitForCuda().
    void letCudaWait(void* stream) const;

protected:
    friend class Manager;
    friend struct Internals;
    Tensor(std::shared_ptr<vulkan::Device> device, const void* data, uint64_t elementTotalCount,
           uint64_t elementMemorySize, DataTypes dataType, MemoryTypes memoryType);
    /// In a range of a host application's VkBuffer.
    Tensor(std::shared_ptr<vulkan::Device> device, VkBuffer buffer, uint64_t offset,
           uint64_t elementTotalCount, uint64_t elementMemorySize, DataTypes dataType,
           MemoryTypes memoryType);
    /// In existing memory.
    Tensor(std::shared_ptr<vulkan::Device> device, std::shared_ptr<vulkan::Buffer> buffer,
           uint64_t elementTotalCount, uint64_t elementMemorySize, DataTypes dataType,
           MemoryTypes memoryType);

    /// Sets the data type, which TensorT knows only after construction of the base.
    void setElementType(DataTypes dataType);
};

namespace detail {

/// Returns null for an image. Needs no RTTI.
inline std::shared_ptr<Tensor> toTensor(const std::shared_ptr<Memory>& memory) {
    return memory && memory->type() == Memory::Type::eTensor
               ? std::static_pointer_cast<Tensor>(memory)
               : nullptr;
}

} // namespace detail

/// A Tensor whose element type is known at compile time.
template <typename T>
class TensorT : public Tensor {
public:
    TensorT(std::shared_ptr<vk::PhysicalDevice> physicalDevice, std::shared_ptr<vk::Device> device,
            const size_t size, const MemoryTypes& memoryType = MemoryTypes::eDevice)
        : Tensor(std::move(physicalDevice), std::move(device), size, sizeof(T), DataTypes::eCustom,
                 memoryType) {
        setElementType(dataType());
    }
    TensorT(std::shared_ptr<vk::PhysicalDevice> physicalDevice, std::shared_ptr<vk::Device> device,
            const std::vector<T>& data, const MemoryTypes& memoryType = MemoryTypes::eDevice)
        : Tensor(std::move(physicalDevice), std::move(device),
                 const_cast<T*>(Contiguous(data).data()), data.size(), sizeof(T),
                 DataTypes::eCustom, memoryType) {
        setElementType(dataType());
    }
    /// Returns the data type of T. Programs for Kompute 0.9.0 specialise this function for their
    /// structs, programs for Kompute's master branch specialise Memory::dataType<T>(). Either is
    /// enough.
    DataTypes dataType() { return Memory::dataType<T>(); }

    std::vector<T> vector() { return Memory::vector<T>(); }
    T* data() { return static_cast<T*>(rawData()); }
    T& operator[](size_t index) { return data()[index]; }

    void setData(const std::vector<T>& data) {
        Memory::setData(Contiguous(data).data(), data.size() * sizeof(T));
    }
    using Memory::setData;

private:
    /// Presents a vector's elements as an array. Only std::vector<bool> has none and is copied.
    template <typename U, typename = void>
    class ContiguousOf {
    public:
        explicit ContiguousOf(const std::vector<U>& source) : mData(source.data()) {}
        const U* data() const { return mData; }

    private:
        const U* mData;
    };
    template <typename U>
    class ContiguousOf<U, std::enable_if_t<std::is_same<U, bool>::value>> {
    public:
        explicit ContiguousOf(const std::vector<bool>& source)
            : mData(std::make_unique<bool[]>(source.size() + 1)) {
            for (size_t i = 0; i < source.size(); ++i)
                mData[i] = source[i];
        }
        const bool* data() const { return mData.get(); }

    private:
        std::unique_ptr<bool[]> mData;
    };
    using Contiguous = ContiguousOf<T>;

    friend class Manager;
    TensorT(std::shared_ptr<vulkan::Device> device, size_t size, MemoryTypes memoryType)
        : Tensor(std::move(device), nullptr, size, sizeof(T), DataTypes::eCustom, memoryType) {
        setElementType(dataType());
    }
    TensorT(std::shared_ptr<vulkan::Device> device, const std::vector<T>& data,
            MemoryTypes memoryType)
        : TensorT(std::move(device), ArrayView<T>(Contiguous(data).data(), data.size()),
                  memoryType) {}
    TensorT(std::shared_ptr<vulkan::Device> device, ArrayView<T> data, MemoryTypes memoryType)
        : Tensor(std::move(device), data.data(), data.size(), sizeof(T), DataTypes::eCustom,
                 memoryType) {
        setElementType(dataType());
    }
};

} // namespace kp

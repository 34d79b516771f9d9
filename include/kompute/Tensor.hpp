// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <type_traits>
#include <vector>

#include <kompute/ExternalMemory.hpp>
#include <kompute/Memory.hpp>

namespace kp {

/// A one-dimensional array on a device. Made by Manager::tensor and Manager::tensorT; the
/// constructors serve programs that hold a Vulkan device themselves.
class KOMPUTE_API Tensor : public Memory {
public:
    // Names of Kompute 0.9.0.
    using TensorTypes = MemoryTypes;
    using TensorDataTypes = DataTypes;

    /// @param data               elementTotalCount x elementMemorySize bytes that become the host
    ///                           view (eStorage: the device memory); may be null
    /// @param elementTotalCount  number of elements, not 0
    /// @param elementMemorySize  bytes of one element, not 0
    /// @throws InvalidArgument for size 0 ("zero-sized") and sizes over a limit of the device,
    ///         OutOfMemory
    Tensor(std::shared_ptr<vk::PhysicalDevice> physicalDevice, std::shared_ptr<vk::Device> device,
           void* data, uint64_t elementTotalCount, uint64_t elementMemorySize,
           const DataTypes& dataType, const MemoryTypes& memoryType = MemoryTypes::eDevice);
    /// Same with undefined contents.
    Tensor(std::shared_ptr<vk::PhysicalDevice> physicalDevice, std::shared_ptr<vk::Device> device,
           uint64_t elementTotalCount, uint64_t elementMemorySize, const DataTypes& dataType,
           const MemoryTypes& memoryType = MemoryTypes::eDevice);
    /// What a Manager calls.
    Tensor(std::shared_ptr<vulkan::Device> device, const void* data, uint64_t elementTotalCount,
           uint64_t elementMemorySize, DataTypes dataType, MemoryTypes memoryType);
    /// A range of a host application's VkBuffer, which stays the application's and must outlive
    /// the tensor and its work. See Manager::wrapBuffer.
    Tensor(std::shared_ptr<vulkan::Device> device, VkBuffer buffer, uint64_t offset,
           uint64_t elementTotalCount, uint64_t elementMemorySize, DataTypes dataType,
           MemoryTypes memoryType);
    /// Memory that is there already; what a Manager calls.
    Tensor(std::shared_ptr<vulkan::Device> device, std::shared_ptr<vulkan::Buffer> buffer,
           uint64_t elementTotalCount, uint64_t elementMemorySize, DataTypes dataType,
           MemoryTypes memoryType);
    ~Tensor() override;

    Type type() const override { return Type::eTensor; }

    /// Same as memoryType(); Kompute 0.9.0's name.
    MemoryTypes tensorType() const { return memoryType(); }

    /// Gives the tensor new memory of another size, with @p data (may be null) in it. Algorithms
    /// that use it bind the new memory by themselves; sequences must be recorded again
    /// (Sequence::rerecord). Kompute 0.9.0's call.
    void rebuild(const void* data, uint64_t elementTotalCount, uint64_t elementMemorySize);

    /// setData of the whole tensor; Kompute 0.9.0's name.
    void setRawData(const void* data);

    /// The device memory. The handle stays the tensor's.
    std::shared_ptr<vk::Buffer> getPrimaryBuffer();
    /// The same as a C handle, and where in it the tensor starts (0 unless it wraps a range).
    VkBuffer nativeBuffer() const;
    uint64_t nativeOffset() const;
    /// Address for shaders that use buffer references.
    /// @throws Unsupported where the device has no buffer device addresses
    uint64_t deviceAddress() const;

    /// A handle by which another Vulkan device of the same GPU opens the memory, with
    /// Manager::importMemory or Vulkan itself. The file descriptor becomes the caller's. What the
    /// two do with the memory, they order themselves.
    /// @throws InvalidArgument unless Manager::exportableTensor made it
    ExternalMemory exportMemory() const;

protected:
    /// TensorT knows its data type only once it exists.
    void setElementType(DataTypes dataType);
};

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
    TensorT(std::shared_ptr<vulkan::Device> device, size_t size, MemoryTypes memoryType)
        : Tensor(std::move(device), nullptr, size, sizeof(T), DataTypes::eCustom, memoryType) {
        setElementType(dataType());
    }
    TensorT(std::shared_ptr<vulkan::Device> device, const std::vector<T>& data,
            MemoryTypes memoryType)
        : Tensor(std::move(device), Contiguous(data).data(), data.size(), sizeof(T),
                 DataTypes::eCustom, memoryType) {
        setElementType(dataType());
    }

    /// Programs for Kompute 0.9.0 specialise this for their structs, programs for master
    /// Memory::dataType<T>(). Either is enough.
    DataTypes dataType() { return Memory::dataType<T>(); }

    std::vector<T> vector() { return Memory::vector<T>(); }
    T* data() { return Memory::data<T>(); }
    T& operator[](size_t index) { return data()[index]; }

    void setData(const std::vector<T>& data) {
        Memory::setData(Contiguous(data).data(), data.size() * sizeof(T));
    }
    using Memory::setData;

private:
    /// A vector's elements as an array. Only std::vector<bool> has none and is copied.
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
};

} // namespace kp

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <vector>

#include <kompute/Tensor.hpp>
#include <kompute/arrays/DType.hpp>
#include <kompute/arrays/Shape.hpp>

namespace kp::arrays {

class Home;
struct Node;

/// Who writes to new memory first.
enum class Writer { eDevice, eHost };

/// A tensor, and the expressions that still have to read it. Functions that write
/// to it call beforeWrite() first, so that these expressions keep the values that they were written
/// with. Expressions of memory that others may write to are computed at once instead.
class Storage {
public:
    /// Takes memory with undefined contents for a number of elements.
    /// @throws Unsupported if the device has no arrays of the type; OutOfMemory
    Storage(std::shared_ptr<Home> home, DType dtype, int64_t count,
            Memory::MemoryTypes type = Memory::MemoryTypes::eStorage,
            Writer writer = Writer::eDevice);
    /// Takes a tensor. It is given back as well, unless give() is called.
    Storage(std::shared_ptr<Home> home, DType dtype, std::shared_ptr<Tensor> tensor);
    /// Takes the memory of another storage for elements of another type. Both have the same readers
    /// and arrays, so that each notices writes to the other.
    Storage(const std::shared_ptr<Storage>& other, DType dtype);
    /// Returns the memory for new arrays, unless the tensor has another owner.
    ~Storage();
    Storage(const Storage&) = delete;
    Storage& operator=(const Storage&) = delete;

    const std::shared_ptr<Home>& home() const { return mHome; }
    DType dtype() const { return mDType; }
    const std::shared_ptr<Tensor>& tensor() const { return mTensor; }
    /// Returns the state that all storages with this memory share.
    const void* memory() const { return root().mTensor.get(); }
    /// Returns the number of elements.
    int64_t count() const { return mCount; }
    uint64_t bytes() const { return static_cast<uint64_t>(mCount) * itemSize(mDType); }
    /// Returns true if the memory is more than a kernel may bind.
    bool large() const;

    /// True if no one but arrays has the tensor.
    bool isPooled() const { return root().mPooled; }
    /// True if the tensor has another owner, who may write to it unnoticed.
    bool isShared() const { return root().mShared; }
    /// Returns the tensor for an owner that may keep it and write to it.
    const std::shared_ptr<Tensor>& give() {
        root().mPooled = false;
        root().mShared = true;
        return mTensor;
    }
    /// Keeps the memory from being used for new arrays.
    void keep() { root().mPooled = false; }

    /// Counts the arrays with a view of the memory.
    void addArray() { ++root().mArrays; }
    void removeArray() { --root().mArrays; }
    int arrays() const { return root().mArrays; }
    /// CapturedLaunches::id() of the capture that made it; 0: none.
    const uint64_t capture;
    /// The object of a language binding that stands for the tensor; null if there is none.
    std::shared_ptr<void> handle;

    /// Registers a leaf of an expression until it ends or forget() is called. Thread-safe, as the
    /// two next ones.
    void addReader(Node& leaf);
    void removeReader(Node& leaf);
    /// Forgets all readers, and returns them.
    std::vector<std::shared_ptr<Node>> takeReaders();
    bool hasReaders() const { return root().mReaders.load(std::memory_order_acquire) != nullptr; }

private:
    /// Returns the storage that took the memory.
    const Storage& root() const { return mRoot ? *mRoot : *this; }
    Storage& root() { return mRoot ? *mRoot : *this; }

    const std::shared_ptr<Storage> mRoot; ///< null: this one
    const std::shared_ptr<Home> mHome;
    const std::shared_ptr<void> mOwner; ///< of the manager, if it has one
    const DType mDType;
    const int64_t mCount;
    std::shared_ptr<Tensor> mTensor;
    std::atomic<bool> mPooled;
    std::atomic<bool> mShared{false};
    std::atomic<int> mArrays{0};
    std::atomic<Node*> mReaders{nullptr}; ///< first of a list
};

/// Strided elements of a storage. Offset and strides count elements.
struct View {
    std::shared_ptr<Storage> storage;
    int64_t offset = 0;
    Shape shape;
    Shape strides;
    bool writable = true;

    /// Returns new memory in C order. @throws as Storage
    static View blank(const std::shared_ptr<Home>& home, const Shape& shape, DType dtype,
                      Writer writer = Writer::eDevice);
    explicit operator bool() const { return storage != nullptr; }
    DType dtype() const { return storage->dtype(); }
    /// Returns true if the elements are in C order without gaps.
    bool isContiguous() const;
    /// Returns true if these are all elements of the storage, in C order.
    bool isWhole() const;
};

} // namespace kp::arrays

// SPDX-License-Identifier: Apache-2.0
#include "arrays/memory/Storage.hpp"

#include <mutex>
#include <utility>

#include "arrays/capture/CapturedLaunches.hpp"
#include "arrays/engine/Node.hpp"
#include "arrays/memory/Home.hpp"
#include "core/Internals.hpp"
#include "core/memory/MemoryImpl.hpp"

namespace kp::arrays {
namespace {

/// Guards the lists of readers of all storages. Held for a few instructions at a time.
std::mutex gReaders;

/// Returns a tensor in the memory of another one, for elements of another type.
std::shared_ptr<Tensor> retyped(const Tensor& tensor, DType dtype, int64_t count) {
    const Memory::Impl& impl = implOf(tensor);
    return Internals::make<Tensor>(impl.device, impl.buffer, static_cast<uint64_t>(count),
                                   static_cast<uint32_t>(itemSize(dtype)), dataTypeOf(dtype),
                                   Memory::MemoryTypes::eStorage);
}

} // namespace

Storage::Storage(std::shared_ptr<Home> home, DType dtype, int64_t count, Memory::MemoryTypes type,
                 Writer writer)
    : capture(CapturedLaunches::noteStorage()), mHome(std::move(home)), mOwner(mHome->owner()),
      mDType(dtype), mCount(count), mTensor(mHome->take(dtype, count, type, writer)),
      mPooled(true) {}

Storage::Storage(std::shared_ptr<Home> home, DType dtype, std::shared_ptr<Tensor> tensor)
    : capture(CapturedLaunches::noteStorage()), mHome(std::move(home)), mOwner(mHome->owner()),
      mDType(dtype), mCount(static_cast<int64_t>(tensor->memorySize() / itemSize(dtype))),
      mTensor(std::move(tensor)), mPooled(mTensor->memoryType() == Memory::MemoryTypes::eStorage) {}

Storage::Storage(const std::shared_ptr<Storage>& other, DType dtype)
    : capture(CapturedLaunches::noteStorage()), mRoot(other->mRoot ? other->mRoot : other),
      mHome(other->mHome), mOwner(other->mOwner), mDType(dtype),
      mCount(static_cast<int64_t>(mRoot->bytes() / itemSize(dtype))),
      mTensor(retyped(*other->mTensor, dtype, mCount)), mPooled(false) {
    // Launches with this tensor are not among the uses of the other one.
    mRoot->mPooled = false;
    CapturedLaunches::noteDerived(mTensor, *mRoot->mTensor);
}

Storage::~Storage() {
    if (capture != 0) [[unlikely]]
        CapturedLaunches::noteStorageEnd(capture);
    if (mPooled)
        mHome->giveBack(std::move(mTensor), mDType, mCount);
}

bool Storage::large() const {
    return bytes() > mHome->range();
}

void Storage::addReader(Node& leaf) {
    const std::lock_guard lock(gReaders);
    std::atomic<Node*>& readers = root().mReaders;
    Node* const first = readers.load(std::memory_order_relaxed);
    leaf.previousReader = nullptr;
    leaf.nextReader = first;
    if (first)
        first->previousReader = &leaf;
    leaf.isReader = true;
    readers.store(&leaf, std::memory_order_release);
}

void Storage::removeReader(Node& leaf) {
    const std::lock_guard lock(gReaders);
    if (!leaf.isReader)
        return;
    if (leaf.previousReader)
        leaf.previousReader->nextReader = leaf.nextReader;
    else
        root().mReaders.store(leaf.nextReader, std::memory_order_release);
    if (leaf.nextReader)
        leaf.nextReader->previousReader = leaf.previousReader;
    leaf.isReader = false;
}

std::vector<std::shared_ptr<Node>> Storage::takeReaders() {
    std::vector<std::shared_ptr<Node>> taken;
    const std::lock_guard lock(gReaders);
    for (Node* each = root().mReaders.load(); each; each = each->nextReader) {
        each->isReader = false;
        if (std::shared_ptr<Node> alive = each->weak_from_this().lock())
            taken.push_back(std::move(alive));
    }
    root().mReaders.store(nullptr);
    return taken;
}

View View::blank(const std::shared_ptr<Home>& home, const Shape& shape, DType dtype,
                 Writer writer) {
    requireCountable(shape);
    const int64_t count = shape.product();
    // Empty arrays have memory of one element.
    return {std::make_shared<Storage>(home, dtype, count ? count : 1, Memory::MemoryTypes::eStorage,
                                      writer),
            0, shape, contiguousStrides(shape)};
}

bool View::isContiguous() const {
    int64_t expected = 1;
    bool contiguous = true;
    for (size_t axis = shape.size(); axis-- > 0;) {
        if (shape[axis] == 0)
            return true;
        contiguous &= shape[axis] == 1 || strides[axis] == expected;
        expected *= shape[axis];
    }
    return contiguous;
}

bool View::isWhole() const {
    return offset == 0 && shape.product() == storage->count() && isContiguous();
}

} // namespace kp::arrays

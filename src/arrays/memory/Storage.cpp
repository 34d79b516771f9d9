// SPDX-License-Identifier: Apache-2.0
#include "arrays/memory/Storage.hpp"

#include <mutex>
#include <utility>

#include "arrays/engine/Node.hpp"
#include "arrays/memory/Home.hpp"

namespace kp::arrays {
namespace {

/// Guards the lists of readers of all storages. Held for a few instructions at a time.
std::mutex gReaders;

} // namespace

Storage::Storage(std::shared_ptr<Home> home, DType dtype, int64_t count, Memory::MemoryTypes type)
    : mHome(std::move(home)), mOwner(mHome->owner()), mDType(dtype), mCount(count),
      mTensor(mHome->take(dtype, count, type)), mPooled(true) {}

Storage::Storage(std::shared_ptr<Home> home, DType dtype, std::shared_ptr<Tensor> tensor)
    : mHome(std::move(home)), mOwner(mHome->owner()), mDType(dtype),
      mCount(static_cast<int64_t>(tensor->memorySize() / itemSize(dtype))),
      mTensor(std::move(tensor)), mPooled(mTensor->memoryType() == Memory::MemoryTypes::eStorage) {}

Storage::~Storage() {
    if (mPooled)
        mHome->giveBack(std::move(mTensor), mDType, mCount);
}

bool Storage::large() const {
    return bytes() > mHome->range();
}

void Storage::addReader(Node& leaf) {
    const std::lock_guard lock(gReaders);
    Node* const first = mReaders.load(std::memory_order_relaxed);
    leaf.previousReader = nullptr;
    leaf.nextReader = first;
    if (first)
        first->previousReader = &leaf;
    leaf.isReader = true;
    mReaders.store(&leaf, std::memory_order_release);
}

void Storage::removeReader(Node& leaf) {
    const std::lock_guard lock(gReaders);
    if (!leaf.isReader)
        return;
    if (leaf.previousReader)
        leaf.previousReader->nextReader = leaf.nextReader;
    else
        mReaders.store(leaf.nextReader, std::memory_order_release);
    if (leaf.nextReader)
        leaf.nextReader->previousReader = leaf.previousReader;
    leaf.isReader = false;
}

std::vector<std::shared_ptr<Node>> Storage::takeReaders() {
    std::vector<std::shared_ptr<Node>> taken;
    const std::lock_guard lock(gReaders);
    for (Node* each = mReaders.load(); each; each = each->nextReader) {
        each->isReader = false;
        if (std::shared_ptr<Node> alive = each->weak_from_this().lock())
            taken.push_back(std::move(alive));
    }
    mReaders.store(nullptr);
    return taken;
}

View View::blank(const std::shared_ptr<Home>& home, const Shape& shape, DType dtype) {
    requireCountable(shape);
    const int64_t count = shape.product();
    // Empty arrays have memory of one element.
    return {std::make_shared<Storage>(home, dtype, count ? count : 1), 0, shape,
            contiguousStrides(shape)};
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

// SPDX-License-Identifier: Apache-2.0
#include "arrays/capture/CapturedLaunches.hpp"

#include <algorithm>

#include "arrays/memory/Home.hpp"
#include "arrays/memory/Storage.hpp"
#include "core/queue/QueueImpl.hpp"

namespace kp::arrays {

CapturedLaunches::CapturedLaunches(Home& home, Part part)
    : LaunchCapture(implOf(*home.queue())), mHome(home), mPart(part) {}

CapturedLaunches::~CapturedLaunches() {
    end();
}

std::shared_ptr<Tensor> CapturedLaunches::memory(DType dtype, int64_t count,
                                                 Memory::MemoryTypes type) {
    std::vector<std::shared_ptr<Tensor>>& free = mFree[Home::keyOf(dtype, count, type)];
    std::shared_ptr<Tensor> tensor;
    if (free.empty()) {
        tensor = mHome.allocate(dtype, count, type);
    } else {
        tensor = std::move(free.back());
        free.pop_back();
    }
    mMade[tensor.get()] = {tensor, dtype, count};
    return tensor;
}

bool CapturedLaunches::giveBack(const std::shared_ptr<Tensor>& tensor, DType dtype, int64_t count) {
    if (!mMade.contains(tensor.get()))
        return outer() && outer()->giveBack(tensor, dtype, count);
    mFree[Home::keyOf(dtype, count, tensor->memoryType())].push_back(tensor);
    return true;
}

void CapturedLaunches::endAsPart() {
    end();
    CapturedLaunches* const whole = outer();
    if (!whole)
        return;
    whole->mMade.insert(mMade.begin(), mMade.end());
    for (auto& [key, tensors] : mFree) {
        auto& free = whole->mFree[key];
        free.insert(free.end(), tensors.begin(), tensors.end());
    }
    mFree.clear();
    whole->addAlgorithmsOf(*this);
    whole->mDerived.insert(whole->mDerived.end(), mDerived.begin(), mDerived.end());
}

std::optional<CapturedLaunches::Made> CapturedLaunches::made(const Storage& storage) const {
    const auto found = mMade.find(storage.memory());
    return found == mMade.end() ? std::nullopt : std::optional(found->second);
}

void CapturedLaunches::use(const std::shared_ptr<Storage>& storage) {
    if (storage->capture == id() ||
        std::ranges::find(mStandIns, storage.get()) != mStandIns.end() ||
        std::ranges::find(mOthers, storage) != mOthers.end())
        return;
    // Memory that the capture around this one made may be used again after this one.
    if (outer())
        outer()->use(storage);
    else
        storage->keep();
    mOthers.push_back(storage);
}

} // namespace kp::arrays

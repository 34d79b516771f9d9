// SPDX-License-Identifier: Apache-2.0
#include "arrays/capture/CapturedLaunches.hpp"

#include <algorithm>

#include "arrays/memory/Home.hpp"
#include "arrays/memory/Storage.hpp"
#include "core/queue/QueueImpl.hpp"

namespace kp::arrays {

CapturedLaunches::CapturedLaunches(Home& home)
    : LaunchCapture(implOf(*home.queue())), mHome(home) {}

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
        return false;
    mFree[Home::keyOf(dtype, count, tensor->memoryType())].push_back(tensor);
    return true;
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
    storage->keep();
    mOthers.push_back(storage);
}

} // namespace kp::arrays

// SPDX-License-Identifier: Apache-2.0
#include "arrays/Bounds.hpp"

#include <kompute/arrays/NumberType.hpp>
#include <kompute/arrays/Reductions.hpp>

#include "arrays/ArrayState.hpp"
#include "arrays/engine/Evaluate.hpp"
#include "base/Text.hpp"
#include "core/queue/LaunchCapture.hpp"

namespace kp::arrays {
namespace {

bool isSigned(DType dtype) {
    return numberType(dtype).family == 'i';
}

/// Returns true if an integer of a type may be beyond an extent.
bool reaches(DType dtype, int64_t extent) {
    const size_t bits = 8 * itemSize(dtype) - (isSigned(dtype) ? 1 : 0);
    return bits >= 63 || extent < int64_t{1} << bits;
}

/// Returns whether each index is beyond an extent.
NodePtr wrongOf(const Array& indices, int64_t extent) {
    static const std::string* const above = interned("({0} >= {1})");
    static const std::string* const beside = interned("({0} >= {1} || {0} < {2})");
    const DType dtype = indices.dtype();
    std::vector<NodePtr> operands{stateOf(indices).node(), nodeOf(Operand(extent), dtype)};
    if (isSigned(dtype))
        operands.push_back(nodeOf(Operand(-extent), dtype));
    return text(isSigned(dtype) ? beside : above, DType::eBool, indices.shape(),
                std::move(operands));
}

[[noreturn]] void throwOutOfBounds(const Array& indices, const Step& step) {
    const auto extreme = [](const Array& found) {
        return found.dtype() == DType::eUint64 ? formatted("{}", found.item<uint64_t>())
                                               : formatted("{}", found.item<int64_t>());
    };
    throw OutOfBounds(
        formatted("an index is out of bounds for axis {} with {}: the indices are from {} to {}",
                  step.axis, counted(static_cast<uint64_t>(step.extent), "element"),
                  extreme(min(indices)), extreme(max(indices))));
}

} // namespace

Bounds::Bounds(const std::shared_ptr<Home>& home, const std::vector<Array>& indices,
               const std::vector<Step>& steps)
    : mIndices(indices), mSteps(steps) {
    for (size_t i = 0; i < indices.size(); ++i) {
        if (steps[i].axis < 0 || indices[i].size() == 0 ||
            !reaches(indices[i].dtype(), steps[i].extent))
            continue;
        LaunchCapture::refuse("an array of indices, whose bounds the host checks,",
                              "use the indices in a kernel (kp.kernel, @kp.jit), or choose "
                              "elements with where()");
        mChecked.push_back(i);
        mWrong.push_back(wrongOf(indices[i], steps[i].extent));
    }
    if (!mChecked.empty())
        mMark.emplace(home);
}

Write Bounds::beside(const NodePtr& value) {
    const std::lock_guard lock(engineLock());
    if (mWrong.size() != 1 || value->shape.product() == 0 || !fit({value, mWrong[0]}, 2))
        return {};
    mLaunched = true;
    return mMark->where(mWrong[0], value->shape);
}

void Bounds::launch() {
    for (size_t i = 0; i < mChecked.size() && !mLaunched; ++i) {
        const Array& indices = mIndices[mChecked[i]];
        run(stateOf(indices).home, indices.shape(), {mMark->where(mWrong[i], indices.shape())});
    }
    mLaunched = true;
}

NodePtr Bounds::passed() {
    if (mChecked.empty())
        return nullptr;
    launch();
    return mMark->isAbsent();
}

bool Bounds::require() {
    if (mChecked.empty())
        return true;
    launch();
    if (!mMark->maybeSet())
        return true;
    for (size_t i = 0; i < mChecked.size(); ++i)
        if (any(arrayOf(mWrong[i])).item<bool>())
            throwOutOfBounds(mIndices[mChecked[i]], mSteps[mChecked[i]]);
    return false;
}

void requireElements(const Array& indices, const Step& step) {
    if (step.axis >= 0 && step.extent == 0 && indices.size() != 0)
        throwOutOfBounds(indices, step);
}

} // namespace kp::arrays

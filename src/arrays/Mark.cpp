// SPDX-License-Identifier: Apache-2.0
#include "arrays/Mark.hpp"

#include <atomic>

#include <kompute/arrays/Reductions.hpp>

#include "arrays/ArrayState.hpp"
#include "arrays/engine/Evaluate.hpp"

namespace kp::arrays {
namespace {

std::atomic<uint32_t> gMarks{0};

} // namespace

Mark::Mark(const std::shared_ptr<Home>& home) : mWord(home), mNumber(++gMarks) {}

Write Mark::where(const NodePtr& condition, const Shape& shape) const {
    View still = mWord.view();
    still.shape = shape;
    still.strides = Shape::filled(shape.size(), 0);
    return {still, constant(DType::eUint32, {mNumber}), {}, {}, condition};
}

NodePtr Mark::isAbsent() const {
    static const std::string* const differs = interned("({0} != {1})");
    return text(differs, DType::eBool, {},
                {leaf(mWord.view()), constant(DType::eUint32, {mNumber})});
}

bool Mark::maybeSet() const {
    return mWord.read() == mNumber;
}

bool holdsAnywhere(const Array& condition) {
    if (condition.size() == 0)
        return false;
    const Mark mark(stateOf(condition).home);
    run(stateOf(condition).home, condition.shape(),
        {mark.where(stateOf(condition).node(), condition.shape())});
    return mark.maybeSet() && any(condition).item<bool>();
}

} // namespace kp::arrays

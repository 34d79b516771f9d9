// SPDX-License-Identifier: Apache-2.0
#include "primitives/select/SelectOperation.hpp"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include <kompute/Error.hpp>

#include "base/Text.hpp"
#include "core/memory/MemoryImpl.hpp"
#include "operations/GlslType.hpp"
#include "primitives/move/MoveUnit.hpp"
#include "primitives/plan/Axis.hpp"
#include "primitives/plan/KnownPlans.hpp"
#include "primitives/select/SelectPlan.hpp"

namespace kp::primitives {
namespace {

using DataTypes = Memory::DataTypes;

/// The arguments in the order of the plan, with their roles.
class SelectBinder {
public:
    explicit SelectBinder(const SelectArguments& given) : mGiven(given), mName(given.operation) {}

    std::unique_ptr<BoundPlan> bind() {
        mProblem.in = *add(mGiven.in, "the input");
        if (mGiven.flags)
            mProblem.flags = add(*mGiven.flags, "the flags");
        const size_t inputs = mArguments.size();
        mProblem.out = add(mGiven.out, "the output");
        if (mGiven.needsLengths || mGiven.lengths)
            mProblem.lengths = add(mGiven.lengths, mGiven.lengthsName);
        if (mGiven.inverse)
            mProblem.inverse = add(mGiven.inverse, "the inverse");
        if (mGiven.number)
            mProblem.number = add(mGiven.number, "the count", true);
        if (mGiven.options.dispatch)
            mProblem.dispatch = add(mGiven.options.dispatch, "the dispatch", true);
        mProblem.arguments = static_cast<uint32_t>(mArguments.size());
        const std::shared_ptr<vulkan::Device> device = deviceOf(mArguments, mName);
        for (size_t a = 0; a < mArguments.size(); ++a)
            for (size_t b = std::max(a + 1, inputs); b < mArguments.size(); ++b)
                requireDisjoint(mArguments[a], mArguments[b], mName);
        checkElements();
        checkNumbers();
        return boundPlan(device, mProblem, planSelect, std::move(mArguments), mName);
    }

private:
    std::optional<uint32_t> add(const TensorRange& range, const char* name, bool replaced = false) {
        mArguments.push_back({range, name, replaced});
        return static_cast<uint32_t>(mArguments.size()) - 1;
    }

    void checkElements() {
        const Tensor& in = *mGiven.in.tensor;
        mProblem.type = in.dataType();
        mProblem.count = elementsOf(mGiven.in);
        mProblem.elementBytes = implOf(in).elementSize;
        mProblem.inUnit = startUnit(mGiven.in);
        mProblem.outUnit = startUnit(mGiven.out);
        mProblem.outCount = elementsOf(mGiven.out);
        mProblem.partition = mGiven.partition;
        requireSameElements(mArguments[0], mArguments[*mProblem.out], mName);
        if (mGiven.partition && mProblem.outCount != mProblem.count)
            fail<InvalidArgument>("{}: the input has {}, but the output has {}", mName,
                                  counted(mProblem.count, "element"), mProblem.outCount);
        if (mGiven.flags) {
            mProblem.choice = SelectProblem::Choice::eFlags;
            mProblem.flagType = mGiven.flags->tensor->dataType();
            glslTypeOf(mProblem.flagType, "used as flags");
            if (elementsOf(*mGiven.flags) != mProblem.count)
                fail<InvalidArgument>("{}: the input has {}, but there are {}", mName,
                                      counted(mProblem.count, "element"),
                                      counted(elementsOf(*mGiven.flags), "flag"));
        } else if (mGiven.predicate) {
            mProblem.choice = SelectProblem::Choice::ePredicate;
            mProblem.predicate = mGiven.predicate->expression;
            if (mProblem.predicate.empty())
                fail<InvalidArgument>("{}: the predicate is empty; give a GLSL expression over x",
                                      mName);
            glslTypeOf(mProblem.type, "given to a predicate");
        } else {
            mProblem.choice = SelectProblem::Choice::eHeads;
        }
    }

    void checkNumbers() {
        if (mProblem.lengths) {
            mProblem.wideLengths = integerType(*mProblem.lengths);
            mProblem.lengthCount = elementsOf(mGiven.lengths);
        }
        if (mProblem.inverse) {
            mProblem.wideInverse = integerType(*mProblem.inverse);
            if (elementsOf(mGiven.inverse) != mProblem.count)
                fail<InvalidArgument>("{}: the input has {}, but the inverse has {}", mName,
                                      counted(mProblem.count, "element"),
                                      elementsOf(mGiven.inverse));
        }
        if (mProblem.number) {
            mProblem.wideNumber = integerType(*mProblem.number);
            if (elementsOf(mGiven.number) != 1)
                fail<InvalidArgument>("{}: the count is one element, but {} were given", mName,
                                      elementsOf(mGiven.number));
        }
        if (mProblem.dispatch) {
            const TensorRange& dispatch = mGiven.options.dispatch;
            if (dispatch.tensor->dataType() != DataTypes::eUnsignedInt || elementsOf(dispatch) != 3)
                fail<InvalidArgument>("{}: the dispatch is three elements of eUnsignedInt, not {} "
                                      "of {}",
                                      mName, elementsOf(dispatch),
                                      Memory::toString(dispatch.tensor->dataType()));
            if (mGiven.options.groupSize == 0)
                fail<InvalidArgument>("{}: the group size of the dispatch is 0; it must be at "
                                      "least 1",
                                      mName);
            mProblem.groupSize = mGiven.options.groupSize;
        }
    }

    bool integerType(uint32_t argument) const {
        return isWideCount(mArguments[argument], mProblem.count, mName);
    }

    const SelectArguments& mGiven;
    const char* mName;
    std::vector<Argument> mArguments;
    SelectProblem mProblem;
};

} // namespace

std::unique_ptr<BoundPlan> selectOperation(const SelectArguments& given) {
    return SelectBinder(given).bind();
}

} // namespace kp::primitives

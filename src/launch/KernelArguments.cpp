// SPDX-License-Identifier: Apache-2.0
#include "launch/KernelArguments.hpp"

#include <algorithm>
#include <utility>

#include "launch/KernelImpl.hpp"
#include "launch/LauncherChecks.hpp"

namespace kp {
namespace {

using launch::throwFor;

/// Push constants with this name that are not given get the global size, so that the shader can
/// check its bounds.
bool isGlobalSize(const KernelArgument& argument) {
    return argument.kind == ArgumentKind::ePushConstant && argument.name == "kp_global_size" &&
           argument.bytes <= 3 * sizeof(uint32_t);
}

} // namespace

const KernelArgument* findArgument(const KernelSignature& signature,
                                   const std::optional<uint32_t>& index, const std::string& name) {
    if (!index)
        return signature.find(name);
    return *index < signature.arguments().size() ? &signature.arguments()[*index] : nullptr;
}

KernelArguments::KernelArguments(const KernelLauncher& launcher, Kernel kernel)
    : mLauncher(launcher), mKernel(std::move(kernel)), mValues(declared().size()) {}

std::string KernelArguments::describe(uint32_t index) const {
    const KernelArgument& argument = declared()[index];
    const std::string name = argument.name.empty() ? "" : formatted(" '{}'", argument.name);
    return formatted("argument {}{} ({})", index, name, typeName(argument));
}

const KernelArguments::Parameter* KernelArguments::parameterFor(uint32_t index) const {
    const auto found = std::ranges::find(mParameters, index, &Parameter::index);
    return found == mParameters.end() ? nullptr : &*found;
}

bool KernelArguments::isGiven(uint32_t index) const {
    return mValues[index].kind() != ArgumentValue::Kind::eNone;
}

uint32_t KernelArguments::indexOf(const Argument& argument) const {
    if (const KernelArgument* found =
            findArgument(mKernel.signature(), argument.index, argument.name))
        return found->index;
    if (argument.index)
        throwFor(mLauncher.name(), "argument {} was given, but the kernel has {} arguments",
                 *argument.index, declared().size());
    std::vector<std::string> known;
    for (const KernelArgument& each : declared())
        known.push_back(each.name.empty() ? "(no name)" : each.name);
    throwFor(mLauncher.name(), "the kernel has no argument '{}'; it has {}", argument.name,
             join(known));
}

void KernelArguments::addParameter(const std::string& name, uint32_t index) {
    if (const Parameter* other = parameterFor(index))
        throwFor(mLauncher.name(), "parameters '{}' and '{}' both stand for {}", other->name, name,
                 describe(index));
    mParameters.push_back({name, index});
}

void KernelArguments::set(const Arguments& given) {
    const auto isNamed = [](const Argument& argument) {
        return argument.index || !argument.name.empty();
    };
    const size_t named = static_cast<size_t>(std::count_if(given.begin(), given.end(), isNamed));
    if (named != 0 && named != given.size())
        throwFor(mLauncher.name(),
                 "arguments are either all by position, or all with an index or a name; {} of {} "
                 "have one",
                 named, given.size());
    if (given.size() > declared().size())
        throwFor(mLauncher.name(), "{} arguments were given, but the kernel has {}", given.size(),
                 declared().size());
    for (uint32_t i = 0; i < given.size(); ++i) {
        const uint32_t index = named ? indexOf(given[i]) : i;
        if (isGiven(index))
            throwFor(mLauncher.name(), "{} was given twice", describe(index));
        if (const Parameter* parameter = parameterFor(index))
            throwFor(mLauncher.name(), "{} was given, but parameter '{}' stands for it as well",
                     describe(index), parameter->name);
        mLauncher.checkKernelArg(given[i].value, index, declared()[index].name, declared()[index]);
        mValues[index] = given[i].value;
    }
}

void KernelArguments::setFromAlgorithm() {
    const Algorithm::Impl& algorithm = mKernel.impl()->algorithm->impl();
    for (const KernelArgument& argument : declared()) {
        if (isMemory(argument)) {
            mValues[argument.index] = ArgumentValue(algorithm.memObjects[argument.place]);
        } else if (argument.kind == ArgumentKind::ePushConstant &&
                   algorithm.pushConstants.size() >= size_t{argument.place} + argument.bytes) {
            mValues[argument.index] = ArgumentValue::bytes(
                algorithm.pushConstants.data() + argument.place, argument.bytes);
        }
    }
}

void KernelArguments::requireComplete() const {
    for (const KernelArgument& argument : declared()) {
        const bool known = parameterFor(argument.index) || isGiven(argument.index);
        if (argument.kind == ArgumentKind::eSpecialization) {
            if (known && mKernel.impl()->algorithm)
                throwFor(mLauncher.name(),
                         "{} is fixed by the algorithm that the kernel was made of; make the "
                         "kernel of SPIR-V to choose it here",
                         describe(argument.index));
        } else if (!known && !isGlobalSize(argument)) {
            throwFor(mLauncher.name(), "{} is missing; the kernel has {} arguments",
                     describe(argument.index), declared().size());
        }
    }
}

} // namespace kp

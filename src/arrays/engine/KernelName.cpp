// SPDX-License-Identifier: Apache-2.0
#include "arrays/engine/KernelName.hpp"

#include <algorithm>
#include <string_view>
#include <vector>

namespace kp::arrays {
namespace {

/// Names of a kernel at most; three dots stand for the others.
constexpr size_t kMostNames = 6;

std::vector<std::string_view> functionsOf(const KernelCode& program) {
    std::vector<std::string_view> names;
    for (const Instruction& instruction : program.instructions()) {
        std::string_view name;
        if (instruction.op == Op::eCall && instruction.function)
            name = instruction.function->name;
        else if (instruction.op == Op::eTake)
            name = "take";
        if (!name.empty() && std::ranges::find(names, name) == names.end())
            names.push_back(name);
    }
    return names;
}

bool has(const KernelCode& program, Op op) {
    return std::ranges::any_of(program.instructions(), [&](const Instruction& each) {
        return !each.stores && each.op == op;
    });
}

std::string joined(const std::vector<std::string_view>& names) {
    std::string text;
    for (size_t i = 0; i < std::min(names.size(), kMostNames); ++i) {
        text += i ? ", " : "";
        text += names[i];
    }
    return names.size() > kMostNames ? text + ", ..." : text;
}

} // namespace

std::string kernelName(const KernelCode& program) {
    const std::vector<std::string_view> names = functionsOf(program);
    if (!names.empty())
        return joined(names);
    if (has(program, Op::eText))
        return "formula";
    if (has(program, Op::eAddress))
        return "arange";
    if (has(program, Op::eCast))
        return "astype";
    return has(program, Op::eLeaf) ? "copy" : "full";
}

std::string reductionName(std::string_view reduction, const KernelCode& program) {
    const std::vector<std::string_view> names = functionsOf(program);
    std::string name(reduction);
    return names.empty() ? name : name + " of " + joined(names);
}

} // namespace kp::arrays

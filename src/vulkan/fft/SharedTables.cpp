// SPDX-License-Identifier: Apache-2.0
#include "vulkan/fft/SharedTables.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>

#include "base/Text.hpp"

namespace kp::vulkan {
namespace {

/// No device asks for a larger alignment of bindings.
constexpr uint64_t kAlignment = 256;

/// The declaration of a table in a kernel of VkFFT:
///   layout(std430, binding = 3) readonly buffer Name {
///   vec2 table[];
///   };
struct Table {
    size_t begin = 0, end = 0; ///< in the text
    std::string_view type, name;
};

std::optional<Table> tableOf(std::string_view text, size_t binding) {
    Table table;
    const std::string start = formatted("layout(std430, binding = {}) readonly buffer ", binding);
    table.begin = text.find(start);
    const size_t open = text.find('{', table.begin);
    const size_t close = text.find("};", open);
    if (table.begin == std::string_view::npos || close == std::string_view::npos)
        return std::nullopt;
    table.end = close + 2;
    const std::string_view member = text.substr(open + 1, close - open - 1);
    const size_t type = member.find_first_not_of(" \t\n");
    const size_t space = member.find(' ', type);
    const size_t brackets = member.find("[];", space);
    if (brackets == std::string_view::npos)
        return std::nullopt;
    table.type = member.substr(type, space - type);
    table.name = member.substr(space + 1, brackets - space - 1);
    return table;
}

uint64_t bytesOf(std::string_view type) {
    return type == "vec2" ? 8 : type == "dvec2" ? 16 : type == "f16vec2" ? 4 : 0;
}

/// Returns a kernel that finds the table of its last binding in the one before, so many bytes from
/// the start on; nothing if the text is not understood.
std::optional<std::string> joined(std::string_view text, size_t last, uint64_t bytes) {
    const std::optional<Table> first = tableOf(text, last - 1), second = tableOf(text, last);
    if (!first || !second || first->type != second->type || bytesOf(first->type) == 0)
        return std::nullopt;
    const std::string name(second->name);
    std::string made(text.substr(0, second->begin));
    std::string_view rest = text.substr(second->end);
    const std::string use = name + "[";
    for (size_t at = rest.find(use); at != std::string_view::npos; at = rest.find(use)) {
        size_t end = at + use.size();
        for (int depth = 1; depth > 0 && end < rest.size(); ++end)
            depth += rest[end] == '[' ? 1 : rest[end] == ']' ? -1 : 0;
        const size_t index = at + use.size();
        made += rest.substr(0, at);
        made += formatted("{}[{}u + uint({})]", first->name, bytes / bytesOf(first->type),
                          rest.substr(index, end - 1 - index));
        rest = rest.substr(end);
    }
    return made + std::string(rest);
}

class TableJoiner {
public:
    TableJoiner(FftProgram program, uint32_t maxBuffers)
        : mMaxBuffers(maxBuffers), mProgram(std::move(program)) {}

    FftProgram run() {
        // Where a table goes does not depend on the step, so that all find it there.
        for (FftProgram::Dispatch& step : mProgram.steps)
            while (step.bindings.size() > mMaxBuffers && join(step))
                ;
        return std::move(mProgram);
    }

private:
    bool join(FftProgram::Dispatch& step) {
        const size_t last = step.bindings.size() - 1;
        const FftProgram::Binding first = step.bindings[last - 1], second = step.bindings[last];
        const bool areTables = last >= 3 && first.offset == 0 && !first.writes && !second.writes &&
                               mProgram.isConstant(first.memory) &&
                               mProgram.isConstant(second.memory);
        if (!areTables)
            return false;
        const bool areOne = first.memory == second.memory;
        const uint64_t place = areOne ? second.offset
                                      : (mProgram.memoryBytes[first.memory] + kAlignment - 1) /
                                                kAlignment * kAlignment +
                                            second.offset;
        const auto kernel = variant(step.kernel, last, place);
        if (!kernel)
            return false;
        if (!areOne)
            move(second.memory, first.memory, place - second.offset);
        step.kernel = *kernel;
        step.bindings.pop_back();
        step.bindings.back().bytes = place + second.bytes;
        return true;
    }

    std::optional<uint32_t> variant(uint32_t kernel, size_t last, uint64_t place) {
        const auto [known, isNew] = mVariants.try_emplace(
            std::tuple(kernel, last, place), static_cast<uint32_t>(mProgram.kernels.size()));
        if (isNew) {
            std::optional<std::string> text = joined(mProgram.kernels[kernel], last, place);
            if (!text) {
                mVariants.erase(known);
                return std::nullopt;
            }
            mProgram.kernels.push_back(std::move(*text));
        }
        return known->second;
    }

    /// Puts a memory into another one.
    void move(uint32_t memory, uint32_t into, uint64_t place) {
        mProgram.memoryBytes[into] = place + std::exchange(mProgram.memoryBytes[memory], 0);
        const auto moved = [&](FftProgram::Dispatch& dispatch) {
            for (FftProgram::Binding& binding : dispatch.bindings)
                if (binding.memory == memory) {
                    binding.memory = into;
                    binding.offset += place;
                }
        };
        for (FftProgram::Dispatch& step : mProgram.steps)
            moved(step);
        for (auto& step : mProgram.setup) {
            auto* const upload = std::get_if<FftProgram::Upload>(&step);
            if (!upload) {
                moved(std::get<FftProgram::Dispatch>(step));
            } else if (upload->memory == memory) {
                upload->memory = into;
                upload->offset += place;
            }
        }
    }

    const uint32_t mMaxBuffers;
    FftProgram mProgram;
    std::map<std::tuple<uint32_t, size_t, uint64_t>, uint32_t> mVariants;
};

} // namespace

FftProgram withSharedTables(FftProgram program, uint32_t maxBuffers) {
    return TableJoiner(std::move(program), maxBuffers).run();
}

} // namespace kp::vulkan

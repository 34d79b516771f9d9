// SPDX-License-Identifier: Apache-2.0
#include "wide/WideKernel.hpp"

#include <kompute/shader/ShaderLibrary.hpp>

#include "base/Text.hpp"
#include "device/TestSupport.hpp"
#include "shader/module/StraightFunctions.hpp"

namespace kp::test {
namespace {

/// Returns GLSL that reads an argument from the words of a buffer.
std::string loaded(char type, const std::string& buffer) {
    const std::string low = buffer + "[2 * i]";
    switch (type) {
    case 'f':
        return "uintBitsToFloat(" + low + ")";
    case 'i':
    case 'e':
        return "int(" + low + ")";
    case 'u':
    case 's':
    case 'h':
        return low;
    default:
        return formatted("uvec2({}, {}[2 * i + 1])", low, buffer);
    }
}

/// Returns GLSL for the two words of a result.
std::string stored(char type, const std::string& result) {
    switch (type) {
    case 'f':
        return "uvec2(floatBitsToUint(" + result + "), 0)";
    case 'l':
    case 'd':
    case 'r':
        return result;
    default:
        return "uvec2(uint(" + result + "), 0)";
    }
}

/// Functions that do not round to doubles stay as they are.
std::string withFault(std::string text, const std::string& plant) {
    const std::string right = "0x1ffu + (bits.x >> 10 & 1u)"; // in kp_f64_round()
    const size_t at = plant == "ties" ? text.find(right) : std::string::npos;
    return at == std::string::npos ? text : text.replace(at, right.size(), "0x200u");
}

std::vector<uint32_t> wordsOf(const std::vector<uint64_t>& values) {
    std::vector<uint32_t> words;
    words.reserve(2 * values.size());
    for (const uint64_t value : values)
        words.insert(words.end(),
                     {static_cast<uint32_t>(value), static_cast<uint32_t>(value >> 32)});
    return words;
}

} // namespace

WideKernel::WideKernel(kp::Manager& manager, const WideFunction& function, const std::string& plant)
    : mManager(manager), mCount(function.arguments.size()) {
    shader::LibraryText library;
    library.use(function.name, "uint");
    std::string source = "#version 450\nlayout(local_size_x = 64) in;\n", call;
    for (size_t place = 0; place < mCount; ++place) {
        const std::string name(1, static_cast<char>('a' + place));
        source += buffer(static_cast<int>(place), "readonly", "uint", name);
        call += (place == 0 ? "" : ", ") + loaded(function.arguments[place], name);
    }
    source += buffer(static_cast<int>(mCount), "writeonly", "uint", "results") +
              withFault(library.text(), plant) +
              formatted("void main() {{\n"
                        "    uint i = gl_GlobalInvocationID.x;\n"
                        "    if (2 * i >= results.length()) return;\n"
                        "    uvec2 result = {};\n"
                        "    results[2 * i] = result.x;\n"
                        "    results[2 * i + 1] = result.y;\n"
                        "}}\n",
                        stored(function.result, formatted("{}({})", function.name, call)));
    mSpirv = shader::withStraightFunctions(kp::compile(source));
}

std::vector<uint64_t> WideKernel::run(const WideArguments& arguments) const {
    const size_t count = arguments[0].size();
    std::vector<std::shared_ptr<kp::Memory>> memory;
    for (size_t place = 0; place < mCount; ++place)
        memory.push_back(mManager.tensorT<uint32_t>(wordsOf(arguments[place])));
    const auto results = mManager.tensorT<uint32_t>(2 * count);
    memory.push_back(results);
    const auto groups = static_cast<uint32_t>((count + 63) / 64);
    mManager.sequence()
        ->record<kp::OpSyncDevice>(memory)
        ->record<kp::OpAlgoDispatch>(mManager.algorithm(memory, mSpirv, {groups, 1, 1}))
        ->record<kp::OpSyncLocal>({results})
        ->eval();
    std::vector<uint64_t> made(count);
    const uint32_t* words = results->data();
    for (size_t i = 0; i < count; ++i)
        made[i] = static_cast<uint64_t>(words[2 * i + 1]) << 32 | words[2 * i];
    return made;
}

} // namespace kp::test

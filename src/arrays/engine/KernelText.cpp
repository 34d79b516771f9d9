// SPDX-License-Identifier: Apache-2.0
#include "arrays/engine/KernelText.hpp"

#include <algorithm>
#include <cctype>

#include "base/Text.hpp"

namespace kp::arrays {
namespace {

/// The bits of 0, which no compiler knows: the first parameter is a number of elements.
constexpr std::string_view kZero = "(p[0] >> 31)";

/// Returns the number in a text, in a way that no compiler knows it. Compilers take the product of
/// x and 0 for 0, even if x may be NaN, in spite of `precise`.
std::string unknown(std::string_view value, std::string_view computed) {
    const auto ofDouble = [](const std::string& text) {
        return formatted("packDouble2x32(unpackDouble2x32({}) | uvec2({}))", text, kZero);
    };
    if (computed == "float")
        return formatted("uintBitsToFloat(floatBitsToUint({}) | {})", value, kZero);
    if (computed == "vec2")
        return formatted("uintBitsToFloat(floatBitsToUint({}) | uvec2({}))", value, kZero);
    if (computed == "double")
        return ofDouble(std::string(value));
    return formatted("dvec2({}, {})", ofDouble(formatted("{}.x", value)),
                     ofDouble(formatted("{}.y", value)));
}

bool isFloating(DType dtype) {
    return dtype >= DType::eFloat16;
}

bool isComplex(DType dtype) {
    return dtype >= DType::eComplex64;
}

/// Returns the vector of four numbers in registers for one in memory.
std::string_view registersOf(std::string_view vector) {
    if (vector == "i8vec4" || vector == "i16vec4")
        return "ivec4";
    if (vector == "u8vec4" || vector == "u16vec4")
        return "uvec4";
    return vector == "f16vec4" ? "vec4" : vector;
}

bool isWordCharacter(char c) {
    return std::isalnum(static_cast<unsigned char>(c)) || c == '_';
}

/// Returns true for v1, kept0, rest_kept and so on.
bool isOwnName(std::string_view word, Part part) {
    const std::string_view axis = part == Part::eKept ? "kept" : "reduced";
    if (word.starts_with("rest_"))
        return word.substr(5) == axis;
    const std::string_view digits = word.starts_with(axis)  ? word.substr(axis.size())
                                    : word.starts_with('v') ? word.substr(1)
                                                            : std::string_view();
    return !digits.empty() &&
           std::ranges::all_of(digits, [](unsigned char c) { return std::isdigit(c); });
}

} // namespace

std::string filledAll(std::string_view text, const std::vector<std::string>& values) {
    std::string filled;
    for (size_t at = 0; at < text.size(); ++at) {
        const char c = text[at];
        if ((c == '{' || c == '}') && at + 1 < text.size() && text[at + 1] == c) {
            filled += c;
            ++at;
        } else if (c == '{') {
            size_t index = 0;
            for (++at; at < text.size() && text[at] != '}'; ++at)
                index = 10 * index + static_cast<size_t>(text[at] - '0');
            if (index >= values.size())
                fail<InvalidArgument>("the expression '{}' names value {}, but has {}", text, index,
                                      values.size());
            filled += values[index];
        } else {
            filled += c;
        }
    }
    return filled;
}

std::string renamed(std::string_view statements, Part part, std::string_view suffix) {
    std::string result;
    for (size_t at = 0; at < statements.size();) {
        size_t end = at;
        while (end < statements.size() && isWordCharacter(statements[end]))
            ++end;
        if (end == at) {
            result += statements[at++];
            continue;
        }
        const std::string_view word = statements.substr(at, end - at);
        result += word;
        if (isOwnName(word, part))
            result += suffix;
        at = end;
    }
    return result;
}

KernelText::KernelText(const KernelCode& program, const Layout& layout, size_t header,
                       const std::vector<int>& used, uint64_t wide)
    : mProgram(program), mLayout(layout), mHeader(header), mWide(wide) {
    const std::vector<Instruction>& instructions = program.instructions();
    mObserved.resize(instructions.size());
    mComputedWith.resize(instructions.size());
    for (const int value : used)
        if (value >= 0)
            mObserved[static_cast<size_t>(value)] = mComputedWith[static_cast<size_t>(value)] =
                true;
    // A compiler may find that a conversion to another type undoes an earlier one, which must have
    // rounded.
    for (size_t index = instructions.size(); index-- > 0;) {
        const Instruction& each = instructions[index];
        const bool indexes = each.stores || each.op == Op::eTake;
        for (size_t i = 0; i < each.values.size(); ++i) {
            const auto value = static_cast<size_t>(each.values[i]);
            if (indexes || mObserved[index] || each.op == Op::eText || each.kinds[i] != each.dtype)
                mObserved[value] = true;
            if (!indexes)
                mComputedWith[value] = true;
        }
    }
    size_t position =
        header + layout.divisorWords(Part::eKept) + layout.divisorWords(Part::eReduced);
    for (size_t place = 0; place < layout.keptWalks.size(); ++place) {
        mPositions.push_back(position);
        position += 1;
        position += layout.keptWalks[place] == Walk::eStrided ? layout.kept : 0;
        position += layout.reducedWalks[place] == Walk::eStrided ? layout.reduced : 0;
    }
    mConstants = position;
    mWords = position + program.constants().size();
}

void KernelText::use(DType dtype) {
    const std::string_view extension = numberType(dtype).extension;
    if (!extension.empty())
        mExtensions.insert(extension);
}

std::string KernelText::calling(std::string text, std::string_view computed) {
    mLibrary.use(text, computed);
    return text;
}

std::string KernelText::parameter(size_t position) const {
    if (position < kPushedWords)
        return formatted("p[{}]", position);
    const size_t word = position - kPushedWords;
    return formatted("parameters[{}].{}", word / kBlockWords, "xyzw"[word % kBlockWords]);
}

std::string KernelText::coordinates(std::string_view index, Part part, std::string_view indent) {
    const size_t count = mLayout.axes(part);
    if (count == 0)
        return {};
    const std::string_view name = part == Part::eKept ? "kept" : "reduced";
    if (count == 1)
        return formatted("{}uint {}0 = {};\n", indent, name, index);
    std::string text = formatted("{}uint rest_{} = {};\n", indent, name, index);
    size_t divisor = mHeader + (part == Part::eKept ? 0 : mLayout.divisorWords(Part::eKept));
    for (size_t axis = count; axis-- > 1; divisor += kDivisorWords)
        text += formatted("{0}uint {1}{2} = rest_{1};\n"
                          "{0}rest_{1} = kp_quotient(rest_{1}, {3}, {4});\n"
                          "{0}{1}{2} -= rest_{1} * {5};\n",
                          indent, name, axis, parameter(divisor + 1), parameter(divisor + 2),
                          parameter(divisor));
    return calling(text + formatted("{0}uint {1}0 = rest_{1};\n", indent, name), "uint");
}

std::string KernelText::placeText(int place, std::string_view kept,
                                  std::string_view reduced) const {
    const auto number = static_cast<size_t>(place);
    size_t position = mPositions[number];
    std::string text = parameter(position++);
    for (const Part part : {Part::eKept, Part::eReduced}) {
        const Walk walk = mLayout.walk(part, number);
        if (walk == Walk::eAlong)
            text += formatted(" + {}", part == Part::eKept ? kept : reduced);
        for (size_t axis = 0; walk == Walk::eStrided && axis < mLayout.axes(part); ++axis)
            text += formatted(" + {}{} * {}", part == Part::eKept ? "kept" : "reduced", axis,
                              parameter(position++));
    }
    return text;
}

std::string KernelText::beyond(const std::vector<int>& indices, int position) const {
    std::string text;
    size_t extent = mConstants + static_cast<size_t>(std::max(position, 0));
    // A wrong index, which is found later, reads the last element: what lies behind the memory may
    // not be mapped, and some devices never end a kernel that reads it.
    for (const int index : indices) {
        text += formatted(
            " + min(uint(int(v{0}) < 0 ? int(v{0}) + int({1}) : int(v{0})), {1} - 1u) * {2}", index,
            parameter(extent), parameter(extent + 1));
        extent += 2;
    }
    return text;
}

std::string KernelText::loading(int binding, std::string_view where, DType dtype) {
    use(dtype);
    return filled(numberType(dtype).load, {formatted("memory{}[{}]", binding, where)});
}

std::string KernelText::storing(int binding, std::string_view where, DType dtype,
                                std::string_view value) {
    use(dtype);
    return formatted("memory{}[{}] = {};", binding, where,
                     filled(numberType(dtype).store, {value}));
}

std::string KernelText::called(const Instruction& instruction,
                               const std::vector<std::string>& names) {
    const NumberType& of = numberType(instruction.dtype);
    const DType first = instruction.kinds[0];
    std::string text =
        calling(filledAll(instruction.function->textFor(first), names), numberType(first).computed);
    if (of.wrap.empty())
        return text;
    mLibrary.use(of.wrap, "float");
    return filled(of.wrap, {text});
}

std::string KernelText::valueOf(const Instruction& instruction, size_t number,
                                std::string_view kept, std::string_view reduced) {
    const NumberType& of = numberType(instruction.dtype);
    std::vector<std::string> names;
    for (const int value : instruction.values)
        names.push_back(formatted("v{}", value));
    switch (instruction.op) {
    case Op::eLeaf:
        return loading(instruction.binding, placeText(instruction.place, kept, reduced),
                       instruction.dtype);
    case Op::eConstant: {
        std::vector<std::string> words;
        for (int i = 0; i < static_cast<int>(of.words); ++i)
            words.push_back(parameter(mConstants + static_cast<size_t>(instruction.position + i)));
        return filledAll(of.constant, words);
    }
    case Op::eAddress:
        return calling(convert(formatted("int({})", placeText(instruction.place, kept, reduced)),
                               DType::eInt32, instruction.dtype, mObserved[number]),
                       "float");
    case Op::eTake:
        return loading(instruction.binding,
                       placeText(instruction.place, kept, reduced) +
                           beyond(instruction.values, instruction.position),
                       instruction.dtype);
    case Op::eCast:
        use(instruction.kinds[0]);
        return calling(
            convert(names[0], instruction.kinds[0], instruction.dtype, mObserved[number]), "float");
    case Op::eText:
        return calling(filledAll(*instruction.text, names),
                       numberType(instruction.kinds[0]).computed);
    case Op::eCall:
        break;
    }
    return called(instruction, names);
}

std::string KernelText::statement(size_t number, std::string_view kept, std::string_view reduced) {
    const Instruction& instruction = mProgram.instructions()[number];
    use(instruction.dtype);
    if (instruction.stores) {
        const std::string where = placeText(instruction.place, kept, reduced) +
                                  beyond(instruction.values, instruction.position);
        const std::string condition =
            instruction.mask >= 0 ? formatted("if (v{}) ", instruction.mask) : "";
        return condition + storing(instruction.binding, where, instruction.dtype,
                                   formatted("v{}", instruction.value));
    }
    const std::string_view computed = numberType(instruction.dtype).computed;
    std::string value = valueOf(instruction, number, kept, reduced);
    // An integer, a bool or the imaginary part of a real number may be 0 without memory being read.
    if (instruction.op == Op::eCast && isFloating(instruction.dtype) && mComputedWith[number] &&
        (isComplex(instruction.dtype) || !isFloating(instruction.kinds[0])))
        value = unknown(value, computed);
    return formatted("{}{} v{} = {};", isFloating(instruction.dtype) ? "precise " : "", computed,
                     number, value);
}

KernelText::Neighbours KernelText::neighbours(std::string_view index, Part part,
                                              std::string_view indent) {
    const std::vector<Instruction>& instructions = mProgram.instructions();
    const auto ofWide = [&](const Instruction& each) {
        return each.binding >= 0 && each.binding < 64 && (mWide >> each.binding & 1u) != 0 &&
               (each.stores || each.op == Op::eLeaf);
    };
    const auto indices = [&](std::string_view own) {
        return part == Part::eKept ? std::pair<std::string_view, std::string_view>{own, "0u"}
                                   : std::pair<std::string_view, std::string_view>{"i", own};
    };
    Neighbours found;
    std::string loads;
    for (size_t at = 0; at < instructions.size(); ++at) {
        const Instruction& each = instructions[at];
        if (!ofWide(each))
            continue;
        const std::string_view memory = vectorOf(each.dtype);
        const std::string_view registers = registersOf(memory);
        const auto [kept, reduced] = indices(index);
        const std::string where = formatted("memory{}[({}) / {}u]", each.binding,
                                            placeText(each.place, kept, reduced), kWide);
        if (each.stores) {
            std::vector<std::string> values;
            for (uint32_t element = 0; element < kWide; ++element)
                values.push_back(formatted("v{}_{}", each.value, element));
            found.stores +=
                formatted("{}{} = {}({}({}));\n", indent, where, memory, registers, join(values));
        } else {
            loads += formatted("{0}{1} block{2} = {1}({3});\n", indent, registers, at, where);
        }
    }
    for (uint32_t element = 0; element < kWide; ++element) {
        const std::string own = formatted("({} + {}u)", index, element);
        const std::string suffix = formatted("_{}", element);
        const auto [kept, reduced] = indices(own);
        std::string text = coordinates(own, part, indent);
        for (size_t at = 0; at < instructions.size(); ++at) {
            const Instruction& each = instructions[at];
            if (!ofWide(each)) {
                const std::string line = formatted("{}{}\n", indent, statement(at, kept, reduced));
                if (each.stores)
                    found.stores += renamed(line, part, suffix);
                else
                    text += line;
            } else if (!each.stores) {
                use(each.dtype);
                text += formatted(
                    "{}{} v{} = {};\n", indent, numberType(each.dtype).computed, at,
                    filled(numberType(each.dtype).load, {formatted("block{}[{}]", at, element)}));
            }
        }
        found.computed += renamed(text, part, suffix);
    }
    found.computed = loads + found.computed;
    return found;
}

std::string KernelText::source(std::string_view name, std::string_view body,
                               std::string_view declarations) const {
    std::string memory;
    std::set<std::string_view> extensions = mExtensions;
    const auto& storages = mProgram.storages();
    for (size_t binding = 0; binding < storages.size(); ++binding) {
        const NumberType& of = numberType(storages[binding]->dtype());
        if (!of.extension.empty())
            extensions.insert(of.extension);
        const bool wide = binding < 64 && (mWide >> binding & 1u) != 0;
        memory += formatted("layout(set = 0, binding = {0}) buffer Memory{0} {{ {1} memory{0}[]; "
                            "}};\n",
                            binding, wide ? vectorOf(storages[binding]->dtype()) : of.stored);
    }
    std::string parameters =
        formatted("layout(push_constant) uniform Parameters {{ uint p[{}]; }};\n",
                  std::min(mWords, kPushedWords));
    if (mWords > kPushedWords)
        parameters +=
            formatted("layout(set = 0, binding = {}) uniform Block {{ uvec4 parameters[{}]; }};\n",
                      storages.size(), (mWords - kPushedWords + kBlockWords - 1) / kBlockWords);
    std::string required;
    for (const std::string_view extension : extensions)
        required += formatted("#extension {} : require\n", extension);
    return formatted("#version 450\n// {}\n{}layout(local_size_x = {}) in;\n{}{}{}\n{}{}\nvoid "
                     "main() {{\n{}}}\n",
                     name, required, kLocalSize, memory, parameters, declarations, mLibrary.text(),
                     mDefinitions, body);
}

} // namespace kp::arrays

// SPDX-License-Identifier: Apache-2.0
#include <kompute/shader/ShaderLibrary.hpp>

#include <algorithm>
#include <optional>
#include <unordered_map>

#include <Complex.glsl.hpp>
#include <ComplexInverses.glsl.hpp>
#include <Conversions.glsl.hpp>
#include <Distributions.glsl.hpp>
#include <DoubleExponentials.glsl.hpp>
#include <DoubleHyperbolic.glsl.hpp>
#include <DoublePowers.glsl.hpp>
#include <DoubleTrigonometry.glsl.hpp>
#include <FloatExponentials.glsl.hpp>
#include <FloatPowers.glsl.hpp>
#include <FloatTrigonometry.glsl.hpp>
#include <Integers.glsl.hpp>
#include <Neighbours.glsl.hpp>
#include <Pairs.glsl.hpp>
#include <Reals.glsl.hpp>
#include <Rounding.glsl.hpp>
#include <Special.glsl.hpp>
#include <WideComparisons.glsl.hpp>
#include <WideConversions.glsl.hpp>
#include <WideDoubleConversions.glsl.hpp>
#include <WideDoubles.glsl.hpp>
#include <WideFused.glsl.hpp>
#include <WideIntegers.glsl.hpp>
#include <WideRoots.glsl.hpp>
#include <WideRounding.glsl.hpp>
#include <WideWords.glsl.hpp>

#include <kompute/Error.hpp>

#include "base/Text.hpp"

namespace kp::shader {
namespace {

constexpr std::string_view kTexts[] = {COMPLEX_GLSL,
                                       COMPLEXINVERSES_GLSL,
                                       CONVERSIONS_GLSL,
                                       DISTRIBUTIONS_GLSL,
                                       DOUBLEEXPONENTIALS_GLSL,
                                       DOUBLEHYPERBOLIC_GLSL,
                                       DOUBLEPOWERS_GLSL,
                                       DOUBLETRIGONOMETRY_GLSL,
                                       FLOATEXPONENTIALS_GLSL,
                                       FLOATPOWERS_GLSL,
                                       FLOATTRIGONOMETRY_GLSL,
                                       INTEGERS_GLSL,
                                       NEIGHBOURS_GLSL,
                                       PAIRS_GLSL,
                                       REALS_GLSL,
                                       ROUNDING_GLSL,
                                       SPECIAL_GLSL,
                                       WIDECOMPARISONS_GLSL,
                                       WIDECONVERSIONS_GLSL,
                                       WIDEDOUBLECONVERSIONS_GLSL,
                                       WIDEDOUBLES_GLSL,
                                       WIDEFUSED_GLSL,
                                       WIDEINTEGERS_GLSL,
                                       WIDEROOTS_GLSL,
                                       WIDEROUNDING_GLSL,
                                       WIDEWORDS_GLSL};

constexpr std::string_view kPrefix = "kp_";

bool isWordCharacter(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

/// Calls visit(begin, word) for all names and numbers in a text.
template <typename Visitor>
void visitWords(std::string_view text, Visitor visit) {
    for (size_t at = 0; at < text.size();) {
        const size_t begin = at;
        while (at < text.size() && isWordCharacter(text[at]))
            ++at;
        if (at > begin)
            visit(begin, text.substr(begin, at - begin));
        else
            ++at;
    }
}

std::string_view partOf(std::string_view computed) {
    return computed == "vec2" ? "float" : computed == "dvec2" ? "double" : computed;
}

std::string_view complexOf(std::string_view part) {
    return part == "double" ? "dvec2" : "vec2";
}

struct Parameter {
    std::string_view type;
    std::string_view name;
};

/// A function of the library. T and C stand for a type of numbers and the complex type of them.
struct Definition {
    std::string_view text;
    std::vector<Parameter> parameters;
    std::vector<size_t> generic;         ///< places of T and C
    std::vector<std::string_view> calls; ///< each once
};

/// Returns the parameters in the brackets that follow a function's name.
std::vector<Parameter> parametersOf(std::string_view text) {
    std::vector<Parameter> found;
    const size_t open = text.find('(');
    std::vector<std::string_view> words;
    visitWords(text.substr(open, text.find(')', open) - open),
               [&words](size_t, std::string_view word) {
                   if (word != "const" && word != "out" && word != "inout")
                       words.push_back(word);
               });
    for (size_t i = 0; i + 1 < words.size(); i += 2)
        found.push_back({words[i], words[i + 1]});
    return found;
}

class Library {
public:
    Library() {
        for (std::string_view text : kTexts)
            parse(text);
    }

    const std::vector<Definition>& definitions() const { return mDefinitions; }

    /// Returns the place of the function of a name for a type of numbers; if it has none, of the
    /// one for floats, or of the first.
    std::optional<size_t> find(std::string_view name, std::string_view part) const {
        const auto found = mByName.find(name);
        if (found == mByName.end())
            return std::nullopt;
        for (const std::string_view type : {part, std::string_view("float")})
            for (const size_t place : found->second)
                if (isFor(mDefinitions[place], type))
                    return place;
        return found->second.front();
    }

    /// Returns true if a function takes numbers of a type.
    static bool isFor(const Definition& definition, std::string_view part) {
        if (!definition.generic.empty())
            return true;
        const std::string_view first = definition.parameters.front().type;
        return first == part || first == complexOf(part);
    }

private:
    /// Functions begin at the start of a line, and end with a bracket there or in that line.
    void parse(std::string_view text) {
        while (!text.empty()) {
            const std::string_view line = text.substr(0, text.find('\n'));
            size_t length = std::min(line.size() + 1, text.size());
            if (!line.empty() && isWordCharacter(line.front())) {
                if (!line.ends_with('}'))
                    length = text.find("\n}") + 3;
                add(text.substr(0, length));
            }
            text.remove_prefix(std::min(length, text.size()));
        }
    }

    void add(std::string_view text) {
        Definition made;
        made.text = text;
        made.parameters = parametersOf(text);
        std::string_view name;
        visitWords(text, [&](size_t at, std::string_view word) {
            if (word == "T" || word == "C")
                made.generic.push_back(at);
            if (!word.starts_with(kPrefix))
                return;
            if (name.empty())
                name = word;
            else if (word != name && std::ranges::find(made.calls, word) == made.calls.end())
                made.calls.push_back(word);
        });
        mByName[name].push_back(mDefinitions.size());
        mDefinitions.push_back(std::move(made));
    }

    std::vector<Definition> mDefinitions;
    std::unordered_map<std::string_view, std::vector<size_t>> mByName;
};

const Library& library() {
    static const Library all;
    return all;
}

/// Returns a function's text for a type of numbers.
std::string textFor(const Definition& definition, std::string_view part) {
    std::string made;
    made.reserve(definition.text.size() + 8 * definition.generic.size() + 1);
    size_t written = 0;
    for (const size_t at : definition.generic) {
        made += definition.text.substr(written, at - written);
        made += definition.text[at] == 'T' ? part : complexOf(part);
        written = at + 1;
    }
    made += definition.text.substr(written);
    return made;
}

} // namespace

void LibraryText::use(std::string_view text, std::string_view computed) {
    visitWords(text, [&](size_t, std::string_view word) {
        if (word.starts_with(kPrefix))
            define(word, computed);
    });
}

void LibraryText::define(std::string_view name, std::string_view computed) {
    const std::string_view part = partOf(computed);
    const std::optional<size_t> place = library().find(name, part);
    if (!place)
        return;
    const Definition& definition = library().definitions()[*place];
    const bool isGeneric = !definition.generic.empty();
    if (!mDefined.emplace(*place, isGeneric ? part : "").second)
        return;
    // A function of floats may replace a missing one of doubles.
    const std::string_view own = isGeneric ? part : partOf(definition.parameters.front().type);
    for (std::string_view called : definition.calls)
        define(called, own);
    mText += textFor(definition, part);
}

void LibraryText::useByPart(std::string_view name, std::string_view number, std::string_view whole,
                            std::string_view result, uint32_t count) {
    const std::optional<size_t> place = library().find(name, partOf(number));
    if (!place)
        fail<InvalidArgument>("the library of GLSL functions has no {}", name);
    define(name, number);
    if (!mDefined.emplace(*place, formatted("{} {}", whole, result)).second)
        return;
    const std::vector<Parameter>& given = library().definitions()[*place].parameters;
    const std::string_view own = given.front().type;
    std::string declared, calls;
    for (const Parameter& each : given)
        declared += formatted("{}{} {}", declared.empty() ? "" : ", ",
                              each.type == own ? whole : each.type, each.name);
    for (uint32_t i = 0; i < count; ++i) {
        std::string arguments;
        for (const Parameter& each : given)
            arguments += formatted("{}{}{}", arguments.empty() ? "" : ", ", each.name,
                                   each.type == own ? formatted("[{}]", i) : "");
        calls += formatted("{}{}({})", i == 0 ? "" : ", ", name, arguments);
    }
    mText += formatted("{0} {1}({2}) {{ return {0}({3}); }}\n", result, name, declared, calls);
}

} // namespace kp::shader

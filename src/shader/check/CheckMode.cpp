// SPDX-License-Identifier: Apache-2.0
#include "shader/check/CheckMode.hpp"

#include <atomic>
#include <charconv>
#include <string>
#include <vector>

#include <kompute/shader/Check.hpp>

#include "base/Environment.hpp"
#include "base/Text.hpp"

namespace kp {

/// Shared, because a scope may end in another thread than it began, as with Python's generators.
struct OpenScope {
    shader::CheckKinds kinds;
    std::atomic<bool> ended{false};
};

namespace {

/// The scopes of this thread, outermost first. Those that have ended leave when the next is looked
/// for.
std::vector<std::shared_ptr<OpenScope>>& openScopes() {
    thread_local std::vector<std::shared_ptr<OpenScope>> scopes;
    while (!scopes.empty() && scopes.back()->ended)
        scopes.pop_back();
    return scopes;
}

} // namespace

struct CheckScope::State {
    std::shared_ptr<OpenScope> scope = std::make_shared<OpenScope>();
};

CheckScope::CheckScope(const std::string& checks) : mState(std::make_unique<State>()) {
    mState->scope->kinds = shader::parseChecks(checks);
    openScopes().push_back(mState->scope);
}

CheckScope::~CheckScope() {
    mState->scope->ended = true;
}

std::string currentChecks() {
    return shader::textOf(shader::currentChecks());
}

namespace shader {
namespace {

uint32_t stepsOf(const std::string& number) {
    uint32_t steps = 0;
    const char* const end = number.data() + number.size();
    const auto [read, error] = std::from_chars(number.data(), end, steps);
    if (error != std::errc() || read != end || steps == 0 || steps == UINT32_MAX)
        fail<InvalidArgument>("checked mode was given steps={}; expected a number of iterations "
                              "from 1 to 4294967294",
                              number);
    return steps;
}

void setSteps(CheckKinds& kinds, const std::string& number) {
    const uint32_t steps = stepsOf(number);
    if (kinds.steps != 0 && kinds.steps != steps)
        fail<InvalidArgument>("checked mode was given steps={} and steps={}; expected one of them",
                              kinds.steps, steps);
    kinds.steps = steps;
}

void requireAlone(const std::string& word, size_t words, std::string_view text) {
    if (words > 1)
        fail<InvalidArgument>("checked mode was given '{}', in which '{}' contradicts the others; "
                              "expected it alone, or without it",
                              text, word);
}

} // namespace

CheckKinds parseChecks(std::string_view text) {
    CheckKinds kinds;
    const std::vector<std::string> words = listed(text);
    for (const std::string& given : words) {
        const std::string word = lowerCase(given);
        if (word == "1" || word == "on" || word == "true" || word == "yes")
            kinds.bounds = kinds.arithmetic = true;
        else if (word == "bounds")
            kinds.bounds = true;
        else if (word == "arithmetic")
            kinds.arithmetic = true;
        else if (word == "nan")
            kinds.nan = true;
        else if (word == "races")
            kinds.races = true;
        else if (word == "uninitialised" || word == "uninitialized")
            kinds.uninitialised = true;
        else if (word.starts_with("steps="))
            setSteps(kinds, word.substr(6));
        else if (word == "0" || word == "off" || word == "false" || word == "no")
            requireAlone(given, words.size(), text);
        else
            fail<InvalidArgument>(
                "checked mode knows no '{}'; expected a list of bounds, "
                "arithmetic, nan, races, uninitialised and steps=1000000, 1 for the first two, "
                "or off",
                given);
    }
    return kinds;
}

std::string textOf(const CheckKinds& kinds) {
    std::vector<std::string> words;
    if (kinds.bounds)
        words.emplace_back("bounds");
    if (kinds.arithmetic)
        words.emplace_back("arithmetic");
    if (kinds.nan)
        words.emplace_back("nan");
    if (kinds.races)
        words.emplace_back("races");
    if (kinds.uninitialised)
        words.emplace_back("uninitialised");
    if (kinds.steps != 0)
        words.push_back(formatted("steps={}", kinds.steps));
    return join(words, ",");
}

CheckKinds currentChecks() {
    if (const auto& scopes = openScopes(); !scopes.empty())
        return scopes.back()->kinds;
    static const CheckKinds kinds = parseChecks(environment("KOMPUTE_CHECK"));
    return kinds;
}

} // namespace shader
} // namespace kp

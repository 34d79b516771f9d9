// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdio>
#include <exception>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

// The command line and the exit status, which all benchmark programs share.

namespace kp::benchmark {

/// The command line of a program, which asks for each of its options and then calls finish().
class Arguments {
public:
    Arguments(int count, char** words, std::string usage)
        : mWords(words + 1, words + count), mUsage(std::move(usage)) {}

    /// Returns whether the option is given.
    bool flag(const std::string& name) {
        const auto found = std::find(mWords.begin(), mWords.end(), name);
        if (found == mWords.end())
            return false;
        mWords.erase(found);
        return true;
    }

    /// Returns the word after the option, or @p fallback if the option is not given.
    std::string value(const std::string& name, std::string fallback = {}) {
        const auto found = std::find(mWords.begin(), mWords.end(), name);
        if (found == mWords.end())
            return fallback;
        if (found + 1 == mWords.end())
            throw std::runtime_error(name + " needs a value\n" + mUsage);
        std::string given = *(found + 1);
        mWords.erase(found, found + 2);
        return given;
    }

    const std::string& usage() const { return mUsage; }

    /// Throws if an option was not asked for.
    void finish() const {
        if (!mWords.empty())
            throw std::runtime_error("unknown argument " + mWords.front() + "\n" + mUsage);
    }

private:
    std::vector<std::string> mWords;
    std::string mUsage;
};

/// Runs @p body, which gets the Arguments and returns the exit status. Returns 2 after an exception
/// and prints its message. With --help it only prints the usage.
/// @param options  for the usage, for example "[--check]"
template <typename Body>
int runProgram(int count, char** words, const std::string& options, Body&& body) {
    const std::string usage = "usage: " + std::string(words[0]) + " " + options;
    try {
        Arguments arguments(count, words, usage);
        if (arguments.flag("--help")) {
            std::printf("%s\n", usage.c_str());
            return 0;
        }
        return body(arguments);
    } catch (const std::exception& error) {
        std::fprintf(stderr, "%s\n", error.what());
        return 2;
    }
}

} // namespace kp::benchmark

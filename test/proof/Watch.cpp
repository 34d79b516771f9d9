// SPDX-License-Identifier: Apache-2.0
#include "proof/Watch.hpp"

#include <csignal>
#include <cstdio>
#include <cstdlib>

#if !defined(_WIN32)
#include <unistd.h>
#endif

namespace kp::proof {
namespace {

constexpr unsigned kSeconds = 120;

char gCurrent[128]; ///< for the handler

extern "C" void reportSignal(int signal) {
#if !defined(_WIN32)
    const char* const what = signal == SIGALRM ? "took too long: " : "crashed: ";
    size_t length = 0;
    while (what[length] != '\0')
        ++length;
    static_cast<void>(!write(STDOUT_FILENO, what, length));
    for (length = 0; gCurrent[length] != '\0';)
        ++length;
    static_cast<void>(!write(STDOUT_FILENO, gCurrent, length));
#else
    std::fputs(gCurrent, stdout);
    std::fflush(stdout);
#endif
    std::_Exit(1);
}

void watchSignals() {
    for (const int signal : {SIGSEGV, SIGABRT, SIGFPE, SIGILL})
        std::signal(signal, reportSignal);
#if !defined(_WIN32)
    std::signal(SIGBUS, reportSignal);
    std::signal(SIGALRM, reportSignal);
#endif
}

} // namespace

void Watch::begin(const std::string& name) {
    static const bool watching = [] {
        watchSignals();
        return true;
    }();
    static_cast<void>(watching);
    std::snprintf(gCurrent, sizeof gCurrent, "%s\n", name.c_str());
#if !defined(_WIN32)
    alarm(kSeconds);
#endif
}

void Watch::begin(const char* proof, const Settings& settings, uint64_t number) {
    begin(std::string(proof) + " --seed " + std::to_string(settings.seed) + " --only " +
          std::to_string(number));
}

} // namespace kp::proof

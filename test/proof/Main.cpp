// SPDX-License-Identifier: Apache-2.0
//
//   kompute_proof PROOF [--count N] [--seed N | --seed date] [--only N] [--plant FAULT]
//
// Runs one proof that is too long for the tests; scripts/proof.sh runs all of them. A failure names
// the seed and the number of the program, so that --seed and --only run it again. The exit status
// is 0 if the proof holds.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <exception>

#include <kompute/Kompute.hpp>

#include "proof/Settings.hpp"

namespace {

using kp::proof::Settings;

struct Proof {
    const char* name;
    int (*run)(const Settings&);
    uint64_t count; ///< by default
};

constexpr Proof kProofs[] = {
    {"programs", &kp::proof::provePrograms, 3000},
    {"long", &kp::proof::proveLongPrograms, 100'000},
    {"soak", &kp::proof::proveSoak, 1'000'000},
    {"threads", &kp::proof::proveThreads, 60},
    {"task", &kp::proof::runTask, 20},
};

uint64_t seedOf(const char* text) {
    if (std::strcmp(text, "date") != 0)
        return std::strtoull(text, nullptr, 10);
    return static_cast<uint64_t>(std::time(nullptr)) / (24 * 60 * 60);
}

int usage() {
    std::fprintf(stderr, "usage: kompute_proof PROOF [--count N] [--seed N | --seed date] "
                         "[--only N] [--plant FAULT]\nproofs:");
    for (const Proof& proof : kProofs)
        std::fprintf(stderr, " %s", proof.name);
    std::fprintf(stderr, "\n");
    return 2;
}

} // namespace

int main(int count, char** arguments) {
    const Proof* chosen = nullptr;
    for (const Proof& proof : kProofs)
        if (count > 1 && std::strcmp(arguments[1], proof.name) == 0)
            chosen = &proof;
    if (!chosen)
        return usage();
    Settings settings;
    settings.count = chosen->count;
    for (int i = 2; i < count; ++i) {
        const auto option = [&](const char* name) {
            return std::strcmp(arguments[i], name) == 0 && i + 1 < count;
        };
        if (option("--count"))
            settings.count = std::strtoull(arguments[++i], nullptr, 10);
        else if (option("--seed"))
            settings.seed = seedOf(arguments[++i]);
        else if (option("--only"))
            settings.only = std::strtoull(arguments[++i], nullptr, 10);
        else if (option("--plant"))
            settings.plant = arguments[++i];
        else
            return usage();
    }
    // Random programs do what the library warns of.
    kp::logger::setLogLevel(kp::logger::Level::eError);
    try {
        return chosen->run(settings);
    } catch (const std::exception& error) {
        std::printf("%s: %s\n", chosen->name, error.what());
        return 1;
    }
}

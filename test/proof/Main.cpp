// SPDX-License-Identifier: Apache-2.0
//
//   kompute_proof PROOF [--count N] [--seed N | --seed date] [--only N] [--plant FAULT]
//
// Runs one proof that is too long for the tests; scripts/proof.sh runs all of them. A failure names
// the seed and the number of the program, so that --seed and --only run it again. The exit status
// is 0 if the proof holds, 1 if it does not, and 2 for a wrong command line.
#include <cstdio>
#include <exception>
#include <string>
#include <vector>

#include <kompute/Kompute.hpp>

#include "ProgramOptions.hpp"
#include "proof/Settings.hpp"

namespace {

using kp::proof::Settings;
using kp::test::UsageError;

struct Proof {
    const char* name;
    int (*run)(const Settings&);
    uint64_t count; ///< by default
    std::vector<const char*> faults;
};

const Proof kProofs[] = {
    {"programs", &kp::proof::provePrograms, 3000, {"dispatch", "copy", "fill", "barrier"}},
    {"groups", &kp::proof::proveGroups, 1000, {"dispatch", "copy", "fill", "barrier"}},
    {"checked", &kp::proof::proveChecked, 1000, {"shared"}},
    {"files", &kp::proof::proveFiles, 2000, {"checksum"}},
    {"wide", &kp::proof::proveWide, 10'000'000, {"ties"}},
    {"long", &kp::proof::proveLongPrograms, 100'000, {"quadratic"}},
    {"soak", &kp::proof::proveSoak, 1'000'000, {"leak"}},
    {"threads", &kp::proof::proveThreads, 60, {"race"}},
    {"task", &kp::proof::runTask, 20, {"stale"}},
};

/// Returns the proof of that name. @throws UsageError
const Proof& proofNamed(const std::string& name) {
    std::string names;
    for (const Proof& proof : kProofs) {
        if (name == proof.name)
            return proof;
        names += std::string(" ") + proof.name;
    }
    throw UsageError(name.empty() ? "expected the name of a proof; there are:" + names
                                  : "no proof is called '" + name + "'; there are:" + names);
}

/// @throws UsageError
std::string faultNamed(const Proof& proof, const std::string& name) {
    if (name.empty())
        return name; // none
    std::string names;
    for (const char* const fault : proof.faults) {
        if (name == fault)
            return fault;
        names += std::string(" ") + fault;
    }
    throw UsageError("--plant is '" + name + "'; the faults of this proof are:" + names);
}

/// @param arguments  those after the name of the proof
Settings settingsOf(const Proof& proof, int count, char** arguments) {
    Settings settings;
    settings.count = proof.count;
    for (int i = 0; i < count; ++i) {
        const std::string option = arguments[i];
        const auto value = [&]() -> std::string {
            if (++i == count)
                throw UsageError(option + " needs a value");
            return arguments[i];
        };
        if (option == "--count")
            settings.count = kp::test::numberOf(option, value(), 1);
        else if (option == "--seed")
            settings.seed = kp::test::seedOf(option, value());
        else if (option == "--only")
            settings.only = kp::test::numberOf(option, value());
        else if (option == "--plant")
            settings.plant = faultNamed(proof, value());
        else
            throw UsageError("no option is called '" + option +
                             "'; there are: --count N, --seed N or date, --only N, --plant FAULT");
    }
    return settings;
}

} // namespace

int main(int count, char** arguments) {
    // Random programs do what the library warns of.
    kp::logger::setLogLevel(kp::logger::Level::eError);
    try {
        const Proof& proof = proofNamed(count > 1 ? arguments[1] : "");
        return proof.run(settingsOf(proof, count - 2, arguments + 2));
    } catch (const UsageError& error) {
        std::fprintf(stderr, "kompute_proof: %s\n", error.what());
        return 2;
    } catch (const std::exception& error) {
        std::printf("%s: %s\n", arguments[1], error.what());
        return 1;
    }
}

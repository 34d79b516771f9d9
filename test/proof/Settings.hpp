// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace kp::proof {

/// Options of kompute_proof.
struct Settings {
    uint64_t seed = 1;
    uint64_t count = 0;           ///< volume; each proof says of what
    std::optional<uint64_t> only; ///< one program of the seed
    std::string plant;            ///< a fault to plant
};

// Each runs one proof and returns the exit status: 0 if it holds. They throw if it does not.
int provePrograms(const Settings& settings);     ///< of `count` random programs
int proveGroups(const Settings& settings);       ///< of `count` random programs of groups
int proveChecked(const Settings& settings);      ///< of `count` mutated shaders
int proveFiles(const Settings& settings);        ///< of `count` damaged files of programs
int proveWide(const Settings& settings);         ///< of `count` calls of each function
int proveLongPrograms(const Settings& settings); ///< of `count` operations
int proveSoak(const Settings& settings);         ///< of `count` evaluations
int proveThreads(const Settings& settings);      ///< of `count` seconds
int runTask(const Settings& settings);           ///< of `count` shaders; for processes.py

} // namespace kp::proof

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

/// Each runs one proof and returns the exit status. They throw if something does not hold.
int provePrograms(const Settings& settings); ///< count programs

} // namespace kp::proof

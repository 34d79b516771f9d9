// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <random>
#include <string>
#include <vector>

namespace kp::fuzz {

/// Returns the texts of the repository's own shaders.
std::vector<std::string> sourceSeeds();

/// Changes a source where it hurts: tokens removed, doubled, exchanged or taken from another
/// source; numbers made extreme; statements and brackets nested; macros that grow; includes.
void mutateSource(std::string& source, const std::vector<std::string>& seeds, std::mt19937& random);

/// Compiles a source, validates the result and reads its interface. Each step must succeed or throw
/// ShaderError.
void runSource(const std::string& source);

} // namespace kp::fuzz

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "profile/ProfilerImpl.hpp"

namespace kp::profile {

/// Implements Profiler::entries().
/// @param impl  its mutex must be held
std::vector<ProfileEntry> entriesOf(const Profiler::Impl& impl);

/// Implements Profiler::table().
std::string tableOf(const std::vector<ProfileEntry>& entries);

} // namespace kp::profile

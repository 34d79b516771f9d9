// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "group/BufferImpl.hpp"

namespace kp::group {

/// DeviceGroup::sort().
/// @param values  null: none
std::vector<Event> sortShards(const DeviceGroup::Impl& group, const Buffer::Impl& keys,
                              const Buffer::Impl* values, bool descending,
                              const std::vector<Event>& waitFor);

} // namespace kp::group

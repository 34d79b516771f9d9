// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <vector>

#include "group/BufferImpl.hpp"

namespace kp::group {

/// DeviceGroup::reduce().
std::vector<Event> reduceShards(const DeviceGroup::Impl& group, const Buffer::Impl& in,
                                const Buffer::Impl& out, const Operator& combine,
                                std::optional<int> axis, const std::vector<Event>& waitFor);

} // namespace kp::group

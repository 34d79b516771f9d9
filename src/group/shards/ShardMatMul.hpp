// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "group/BufferImpl.hpp"

namespace kp::group {

/// DeviceGroup::matmul().
std::vector<Event> multiplyShards(const DeviceGroup::Impl& group, const Buffer::Impl& a,
                                  const Buffer::Impl& b, const Buffer::Impl& c,
                                  const std::vector<Event>& waitFor);

} // namespace kp::group

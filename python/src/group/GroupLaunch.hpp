// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "group/Groups.hpp"

namespace kp::python {

/// Binds the launches of DeviceGroup.
void bindGroupLaunch(GroupClass& type);

} // namespace kp::python

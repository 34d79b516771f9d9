// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/Classes.hpp"

namespace kp::python {

/// Binds Image, Manager.image and image_t.
void bindImage(Classes& classes);

} // namespace kp::python

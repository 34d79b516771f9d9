// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace kp::python {

/// Sends the library's messages to logging.getLogger("kp").
void bindLogging();

} // namespace kp::python

// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace kp {

/// Whether results are equal from run to run. Differences can only come from rounding: results of
/// integers are always equal.
enum class Determinism {
    eRunToRun, ///< equal bits for equal input on one device and driver
    eNone      ///< rounding may depend on timing, if that is faster
};

} // namespace kp

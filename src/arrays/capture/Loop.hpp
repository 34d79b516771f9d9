// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <utility>
#include <vector>

#include <kompute/Array.hpp>

namespace kp::arrays {

/// Stores values in the memory of arrays of the same shapes, in one kernel for each shape. No value
/// is one of these arrays itself, and no expression that is still needed reads them, but for
/// values.
void storeInPlace(const std::vector<std::pair<Array, Array>>& values);

/// The parts of a step, each of which the device may skip by itself. By default, there is one.
class LoopParts {
public:
    virtual ~LoopParts() = default;
    /// Begins another part.
    /// @param flag  an eUint32 in memory of its own: not 0 to skip the part. A null array skips it
    ///              if no step is to run
    virtual void begin(const Array& flag) = 0;
};

/// Launches a step that the device repeats. Within a capture, all steps are one operation of it;
/// otherwise they are launched in blocks, and the host looks at the flag of earlier ones.
/// @param stops  an eUint32 without axes, in memory of its own: not 0 if no step is to run. Then,
///               and after the last step, it is not 0
/// @param most   steps that run at most, 1 or more
/// @param step   launches the work of a step, which leaves its results in arrays from before, and
///               returns an array of one element: whether the step was the last one. Its last part
///               is skipped only if no step is to run
/// @param name   of the launches in profiles
/// @return the number of steps that ran, an eUint32 without axes
/// @throws InvalidArgument if an array that the step made outlives it
Array repeatSteps(const Array& stops, uint32_t most, const std::function<Array(LoopParts&)>& step,
                  const char* name);

} // namespace kp::arrays

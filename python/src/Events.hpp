// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "Handles.hpp"

namespace kp::python {

/// A kp.Queue.
struct QueueHandle {
    std::shared_ptr<ManagerHandle> manager;
    std::shared_ptr<Queue> queue;
};

/// A wait_for argument: events, in which None means nothing; None, or one event alone.
/// @throws TypeError
std::vector<Event> toEvents(py::handle waitFor);

/// A timeout argument in nanoseconds; None is for ever. @throws ValueError
uint64_t toTimeout(std::optional<double> seconds);

/// Keeps a Python object (memory that a transfer reads or fills) until all events are over.
void keepUntilOver(const std::vector<Event>& events, const std::shared_ptr<PyObject>& object);

} // namespace kp::python

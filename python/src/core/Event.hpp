// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/Held.hpp"
#include "core/Classes.hpp"

namespace kp::python {

/// Returns a wait_for argument: events, in which None is ignored; None, or one event alone.
/// @throws TypeError
std::vector<Event> toEvents(py::handle waitFor);

/// Keeps a Python object (memory that a transfer reads or fills) until all events are over.
void keepUntilOver(const std::vector<Event>& events, const Held& object);

void bindEvent(py::module_& module, Classes& classes);

} // namespace kp::python

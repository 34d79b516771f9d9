// SPDX-License-Identifier: Apache-2.0
#include "Waiting.hpp"

#include <algorithm>

namespace kp::python {

bool waitFor(const Event& event, uint64_t timeout) {
    constexpr uint64_t kSlice = 50'000'000; // how long Ctrl-C may take to be noticed
    for (;;) {
        const uint64_t slice = std::min(timeout, kSlice);
        bool done = false;
        {
            const py::gil_scoped_release release;
            done = event.wait(slice);
        }
        if (done)
            return true;
        if (PyErr_CheckSignals() != 0)
            throw py::error_already_set();
        if (timeout != UINT64_MAX)
            timeout -= slice;
        if (timeout == 0)
            return false;
    }
}

} // namespace kp::python

// SPDX-License-Identifier: Apache-2.0
#include "base/Gil.hpp"

#include <chrono>
#include <thread>

namespace kp::python {
namespace {

/// Calls @p take, which takes the GIL.
///
/// Once the interpreter ends, CPython ends other threads that ask for the GIL, daemon threads for
/// example. Before version 3.14 it does so by unwinding their stack, and that calls
/// std::terminate() in destructors: the whole process would abort instead of ending. So the thread
/// stays here until the process ends, as it does from 3.14 on.
template <typename Take>
void takeGil(Take&& take) noexcept {
    try {
        take();
    } catch (...) { // the unwinding of pthread_exit(): CPython is C and throws nothing
        for (;;)
            std::this_thread::sleep_for(std::chrono::hours(1));
    }
}

} // namespace

bool holdsGil() noexcept {
    if (!Py_IsInitialized())
        return false;
    const PyThreadState* const own = PyGILState_GetThisThreadState();
    return own && own == py::detail::get_thread_state_unchecked();
}

ReleaseGil::~ReleaseGil() {
    takeGil([this] { PyEval_RestoreThread(mState); });
}

AcquireGil::AcquireGil() {
    takeGil([this] { mState = PyGILState_Ensure(); });
}

} // namespace kp::python

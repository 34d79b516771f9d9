// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/Pybind.hpp"

/// The global interpreter lock. pybind11's classes of this kind are not used: see takeGil().
namespace kp::python {

/// Returns true if this thread holds the GIL. In any thread, also after the end of the interpreter,
/// and beside sub-interpreters, where PyGILState_Check() is true in each thread.
bool holdsGil() noexcept;

/// Releases the GIL for a scope. If the interpreter has ended meanwhile, the thread stays in the
/// destructor forever.
class ReleaseGil {
public:
    ReleaseGil() : mState(PyEval_SaveThread()) {}
    ~ReleaseGil();
    ReleaseGil(const ReleaseGil&) = delete;
    ReleaseGil& operator=(const ReleaseGil&) = delete;

private:
    PyThreadState* const mState;
};

/// Takes the GIL for a scope, in a thread that may have it already. If the interpreter has ended, a
/// thread stays in the constructor forever: threads of the library, which the end of the process
/// waits for, come here by runFromLibrary() alone.
class AcquireGil {
public:
    AcquireGil();
    ~AcquireGil() { PyGILState_Release(mState); }
    AcquireGil(const AcquireGil&) = delete;
    AcquireGil& operator=(const AcquireGil&) = delete;

private:
    PyGILState_STATE mState;
};

} // namespace kp::python

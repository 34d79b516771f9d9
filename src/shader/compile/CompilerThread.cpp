// SPDX-License-Identifier: Apache-2.0
#include "shader/compile/CompilerThread.hpp"

#include <exception>

#if defined(_WIN32)
#include <process.h>
#include <windows.h>
#else
#include <pthread.h>
#endif

namespace kp::shader {
namespace {

struct StackRun {
    const std::function<void()>& function;
    std::exception_ptr failure;

    void operator()() {
        try {
            function();
        } catch (...) {
            failure = std::current_exception();
        }
    }
};

/// @return false if there is no such thread
#if defined(_WIN32)
bool runOnThread(StackRun& run, size_t stackBytes) {
    const auto entry = [](void* given) -> unsigned {
        (*static_cast<StackRun*>(given))();
        return 0;
    };
    // Without the flag, the system would take all of the stack's memory at once.
    const auto thread =
        reinterpret_cast<HANDLE>(_beginthreadex(nullptr, static_cast<unsigned>(stackBytes), entry,
                                                &run, STACK_SIZE_PARAM_IS_A_RESERVATION, nullptr));
    if (!thread)
        return false;
    WaitForSingleObject(thread, INFINITE);
    CloseHandle(thread);
    return true;
}
#else
bool runOnThread(StackRun& run, size_t stackBytes) {
    pthread_attr_t attributes;
    if (pthread_attr_init(&attributes) != 0)
        return false;
    pthread_t thread{};
    const auto entry = [](void* given) -> void* {
        (*static_cast<StackRun*>(given))();
        return nullptr;
    };
    const bool started = pthread_attr_setstacksize(&attributes, stackBytes) == 0 &&
                         pthread_create(&thread, &attributes, entry, &run) == 0;
    pthread_attr_destroy(&attributes);
    if (started)
        pthread_join(thread, nullptr);
    return started;
}
#endif

} // namespace

void runWithLargeStack(const std::function<void()>& function) {
    StackRun run{function, nullptr};
    bool done = false;
    for (size_t bytes = kCompilerStackBytes; !done && bytes >= kCompilerStackBytes / 32; bytes /= 4)
        done = runOnThread(run, bytes);
    if (!done)
        run();
    if (run.failure != nullptr)
        std::rethrow_exception(run.failure);
}

} // namespace kp::shader

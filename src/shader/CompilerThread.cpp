// SPDX-License-Identifier: Apache-2.0
#include "shader/CompilerThread.hpp"

#include <exception>
#include <thread>

#if !defined(_WIN32)
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

#if !defined(_WIN32)
/// @return false if there is no such thread
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
#if defined(_WIN32)
    // Windows reserves the stack that the program's header names; 1 MiB by default.
    std::thread(std::ref(run)).join();
#else
    bool done = false;
    for (size_t bytes = kCompilerStackBytes; !done && bytes >= kCompilerStackBytes / 32; bytes /= 4)
        done = runOnThread(run, bytes);
    if (!done)
        run();
#endif
    if (run.failure != nullptr)
        std::rethrow_exception(run.failure);
}

} // namespace kp::shader

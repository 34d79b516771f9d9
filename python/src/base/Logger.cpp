// SPDX-License-Identifier: Apache-2.0
#include "base/Errors.hpp"
#include "base/Process.hpp"

#include <cstdlib>
#include <mutex>

#include <kompute/logger/Logger.hpp>

// The library may log from any thread, with its own locks held and without the GIL. Taking the GIL
// there could wait for a thread that waits for such a lock. So messages are queued, and the main
// thread delivers them when it next runs Python code.
namespace kp::python {
namespace {

struct Message {
    logger::Level level;
    std::string file;
    int line;
    std::string text;
};

std::mutex gMessageMutex;
auto& gMessages = *new std::vector<Message>; ///< never freed: others may log until the end
bool gDelivering = false;                    ///< a delivery is pending
bool gLoggingEnded = false; ///< modules may be gone when a pending call comes; guarded by the GIL

/// Python's levels, from eTrace to eOff.
constexpr int kLevels[] = {5, 10, 20, 30, 40, 50, 50};

int deliver(void*) {
    if (gLoggingEnded)
        return 0;
    std::vector<Message> messages;
    {
        const std::lock_guard lock(gMessageMutex);
        messages.swap(gMessages);
        gDelivering = false;
    }
    try {
        // The layers' messages quote Vulkan.
        const auto spelled = [](const Message& message) {
            const bool quotes = message.file.ends_with("Validation.cpp");
            return quotes ? message.text : inPythonSpelling(message.text);
        };
        const py::object log = py::module_::import("logging").attr("getLogger")("kp");
        for (const Message& message : messages) {
            const int level = kLevels[static_cast<int>(message.level)];
            if (py::cast<bool>(log.attr("isEnabledFor")(level)))
                log.attr("handle")(log.attr("makeRecord")("kp", level, message.file, message.line,
                                                          spelled(message), py::tuple(),
                                                          py::none()));
        }
    } catch (py::error_already_set& error) {
        // The exception of a handler is raised in the code that happens to run, as a signal
        // handler's.
        error.restore();
        return -1;
    }
    return 0;
}

void keepMessage(void*, logger::Level level, const char* file, int line, const char* text) {
    const std::lock_guard lock(gMessageMutex);
    gMessages.push_back({level, file, line, text});
    if (!gDelivering)
        gDelivering = Py_AddPendingCall(deliver, nullptr) == 0;
}

void dropMessage(void*, logger::Level, const char*, int, const char*) {}

} // namespace

void bindLogging() {
    // Python's logger filters the messages, unless the environment does.
    if (!std::getenv("KOMPUTE_LOG_LEVEL"))
        logger::setLogLevel(logger::Level::eDebug);
    logger::setSink(keepMessage);
    py::module_::import("atexit").attr("register")(py::cpp_function([] {
        logger::setSink(dropMessage);
        const int delivered = deliver(nullptr);
        gLoggingEnded = true;
        if (delivered != 0)
            throw py::error_already_set();
    }));
}

} // namespace kp::python

// SPDX-License-Identifier: Apache-2.0
#include "base/Process.hpp"

#include "base/Gil.hpp"
#include "base/Held.hpp"
#include "base/Waiting.hpp"

namespace kp::python {

bool gForked = false;

namespace {

std::vector<std::weak_ptr<Manager>> gManagers;

void afterForkInChild() {
    forgetBackground();
    gForked = !gManagers.empty();
}

void atExit() {
    if (gForked)
        return;
    endBackground();
    endCallsFromLibrary();
    const std::vector<std::weak_ptr<Manager>> managers = gManagers; // other threads may add some
    for (const std::weak_ptr<Manager>& weak : managers) {
        const std::shared_ptr<Manager> manager = weak.lock();
        if (!manager || !manager->isInit())
            continue;
        const ReleaseGil release;
        manager->finish();
    }
}

} // namespace

void throwForked() {
    static_cast<void>(listDevices()); // the library refuses it with the reason
}

void awaitAtExit(const std::shared_ptr<Manager>& manager) {
    std::erase_if(gManagers, [](const std::weak_ptr<Manager>& weak) { return weak.expired(); });
    gManagers.push_back(manager);
}

void bindProcess() {
    py::module_::import("atexit").attr("register")(py::cpp_function(&atExit));
    const py::module_ os = py::module_::import("os");
    if (py::hasattr(os, "register_at_fork"))
        os.attr("register_at_fork")("after_in_child"_a = py::cpp_function(&afterForkInChild));
}

} // namespace kp::python

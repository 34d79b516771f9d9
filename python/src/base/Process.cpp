// SPDX-License-Identifier: Apache-2.0
#include "base/Process.hpp"

#include <kompute/Error.hpp>

#include "base/Held.hpp"

namespace kp::python {

bool gForked = false;

namespace {

bool gDriverUsed = false;
std::vector<std::weak_ptr<Manager>> gManagers;
std::vector<PyTypeObject*> gKeptTypes;

void keepObjects() {
    py::detail::with_internals([](py::detail::internals& internals) {
        for (const auto& [pointer, instance] : internals.registered_instances)
            for (PyTypeObject* const type : gKeptTypes) {
                auto* const object = reinterpret_cast<PyObject*>(instance);
                if (PyObject_TypeCheck(object, type)) {
                    Py_INCREF(object);
                    break;
                }
            }
    });
}

void afterForkInChild() {
    if (!gDriverUsed)
        return;
    gForked = true;
    keepObjects();
}

void atExit() {
    if (gForked)
        return;
    endCallsFromLibrary();
    for (const std::weak_ptr<Manager>& weak : gManagers) {
        const std::shared_ptr<Manager> manager = weak.lock();
        if (!manager || !manager->isInit())
            continue;
        const py::gil_scoped_release release;
        try {
            manager->waitIdle();
        } catch (const Error&) { // a lost device runs nothing
        }
    }
}

} // namespace

void throwForked() {
    throw Unsupported(
        "this process was forked from one that had used a device already, and drivers "
        "do not survive that; start workers with multiprocessing's \"spawn\" or "
        "\"forkserver\" method, or make the first Manager after the fork");
}

void keepAfterFork(PyTypeObject* type) {
    gKeptTypes.push_back(type);
}

void noteDriverUse() {
    gDriverUsed = true;
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

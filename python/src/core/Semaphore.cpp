// SPDX-License-Identifier: Apache-2.0
#include "core/Classes.hpp"

namespace kp::python {
namespace {

Semaphore& semaphoreIn(py::handle self) {
    return *handleOf<SemaphoreHandle>(self).semaphore;
}

template <typename Make>
std::unique_ptr<SemaphoreHandle> newSemaphore(py::handle self, Make&& make) {
    const auto manager = sharedOf<ManagerHandle>(self);
    auto handle = std::make_unique<SemaphoreHandle>();
    handle->semaphore = withoutGil(*manager, [&] { return make(*manager->manager); });
    return handle;
}

} // namespace

void bindSemaphore(Classes& classes) {
    classes.manager
        .def(
            "exportable_semaphore",
            [](py::handle self) {
                return newSemaphore(
                    self, [](const Manager& manager) { return manager.exportableSemaphore(); });
            },
            doc(R"(
                A timeline semaphore with the value 0 that other devices of the GPU, other processes
                and CUDA can open; see Semaphore.export_handle(). Unsupported if the device cannot
                export semaphores.)"))
        .def(
            "import_semaphore",
            [](py::handle self, int fd) {
                return newSemaphore(
                    self, [fd](const Manager& manager) { return manager.importSemaphore(fd); });
            },
            "fd"_a, "Opens an exported timeline semaphore. The caller closes the file descriptor.");
    classes.semaphore
        .def(
            "at",
            [](py::handle self, uint64_t value) {
                return py::reinterpret_steal<py::object>(toPython(semaphoreIn(self).at(value)));
            },
            "value"_a, doc(R"(
                An event that is done when the semaphore has this value or a larger one. The device
                waits: work that waits for the event occupies its queue until then, so the signal
                must come from the host, from another queue, or from earlier work.)"))
        .def(
            "signal_after",
            [](py::handle self, const Event& event, uint64_t value) {
                Semaphore& semaphore = semaphoreIn(self);
                const ReleaseGil release;
                semaphore.signalAfter(event, value);
            },
            "event"_a, "value"_a, doc(R"(
                Signals the semaphore with a value when an event is done; on the device if its work
                is submitted to this device. Values only grow.)"))
        .def(
            "signal", [](py::handle self, uint64_t value) { semaphoreIn(self).signal(value); },
            "value"_a, "Signals it from the host, with a value larger than all before.")
        .def_property_readonly(
            "value", [](py::handle self) { return semaphoreIn(self).value(); },
            "The value that it has now.")
        .def(
            "export_handle", [](py::handle self) { return semaphoreIn(self).exportHandle(); },
            doc(R"(
                An opaque file descriptor for import_semaphore() of another device or process, or
                for CUDA. The caller closes it.)"))
        .def("__repr__", [](py::handle self) {
            return formatted("<kp.Semaphore value={}>", semaphoreIn(self).value());
        });
}

} // namespace kp::python

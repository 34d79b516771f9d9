// SPDX-License-Identifier: Apache-2.0
#include "Module.hpp"

#include "Held.hpp"
#include "Memory.hpp"

namespace kp::python {

Classes::Classes(py::module_& module)
    : manager(module, "Manager",
              "Owns a device and makes the objects that live on it.\n\n"
              "Objects hold on to their manager, so it goes when the last of them goes, or with\n"
              "destroy(), or at the end of a `with` block. Any thread may use it."),
      memory(module, "Memory", memoryTypeSetup(),
             "Base of Tensor and Image: memory on a device, and what the host sees of it."),
      tensor(module, "Tensor", memoryTypeSetup(),
             "An array on a device. Made by Manager.tensor and tensor_t."),
      image(module, "Image", memoryTypeSetup(),
            "A storage image. Made by Manager.image and image_t."),
      algorithm(module, "Algorithm",
                "A compute shader with its memory, constants and work groups. Made by\n"
                "Manager.algorithm."),
      operation(module, "OpBase",
                "An operation that a sequence records. Derive from it to make one out of others:\n"
                "define record(), and where wanted accesses(), pre_eval() and post_eval()."),
      sequence(module, "Sequence",
               "Records operations and evaluates them, waiting or not. Made by Manager.sequence."),
      event(module, "Event",
            "A point in the work of a device, or of the host. Launchers, copies, queues and\n"
            "Sequence.event give them; wait_for takes them, done or not."),
      userEvent(module, "UserEvent",
                "An event that the host signals: what waits for it starts when set() is called.\n"
                "Where it is gone without set() or fail(), it fails."),
      queue(module, "Queue",
            "A line of work of a device: launches go to it, events come from it. Made by\n"
            "Manager.queue.") {
    gType<ManagerHandle> = reinterpret_cast<PyTypeObject*>(manager.ptr());
    gType<MemoryHandle> = reinterpret_cast<PyTypeObject*>(memory.ptr());
    gType<TensorHandle> = reinterpret_cast<PyTypeObject*>(tensor.ptr());
    gType<ImageHandle> = reinterpret_cast<PyTypeObject*>(image.ptr());
    gType<AlgorithmHandle> = reinterpret_cast<PyTypeObject*>(algorithm.ptr());
    gType<OpHandle> = reinterpret_cast<PyTypeObject*>(operation.ptr());
    gType<SequenceHandle> = reinterpret_cast<PyTypeObject*>(sequence.ptr());
    gType<Event> = reinterpret_cast<PyTypeObject*>(event.ptr());
    gType<UserEvent> = reinterpret_cast<PyTypeObject*>(userEvent.ptr());
    gType<QueueHandle> = reinterpret_cast<PyTypeObject*>(queue.ptr());
}

} // namespace kp::python

PYBIND11_MODULE(_kp, module) {
    using namespace kp::python;
    module.doc() = "GPU compute over Vulkan: the compiled part of kp.";
    module.attr("__version__") = KOMPUTE_VERSION;
    bindErrors();
    bindHeld();
    bindEnums(module);
    Classes classes(module);
    bindMemory(classes);
    bindAlgorithm(classes);
    bindOperations(module, classes);
    bindEvent(module, classes);
    bindQueue(classes);
    bindSequence(module, classes);
    bindManager(module, classes);
    bindStatistics(module);
    bindLaunchers(module);
    bindKernelList(module);
    bindHostMemory(module);
    bindShaders(module);
    bindTunableKernel(module);
    bindTuningArguments(module);
    bindAutotuner(module);
    bindProfiler(module);
    bindExternalMemory(module, classes);
    bindDeviceGroup(module);
    bindGroupBuffer(module);
    bindGroupKernel(module);
    bindLogging();
    bindProcess();
}

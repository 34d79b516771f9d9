// SPDX-License-Identifier: Apache-2.0
#include "core/Classes.hpp"

#include "core/Memory.hpp"

namespace kp::python {

Classes::Classes(py::module_& module)
    : manager(module, "Manager", doc(R"(
          Owns a device and creates the objects that live on it.

          Objects hold a reference to their manager. It is destroyed with the last of them, by
          destroy(), or at the end of a `with` block. Any thread may use it.
      )")),
      memory(module, "Memory", memoryTypeSetup(),
             "Base of Tensor and Image: memory on a device, and its host view."),
      tensor(module, "Tensor", memoryTypeSetup(),
             "An array on a device. Created by Manager.tensor and tensor_t."),
      image(module, "Image", memoryTypeSetup(),
            "A storage image. Created by Manager.image and image_t."),
      algorithm(module, "Algorithm", doc(R"(
          A compute shader with its memory, constants and work groups. Created by Manager.algorithm.
      )")),
      operation(module, "OpBase", doc(R"(
          An operation that a sequence records. Derive a class to compose one of others: define
          record() and, if needed, accesses(), pre_eval() and post_eval().
      )")),
      sequence(module, "Sequence", doc(R"(
          Records operations and evaluates them, with or without waiting. Created by
          Manager.sequence.
      )")),
      event(module, "Event", doc(R"(
          A point in the work of a device or of the host. Launchers, copies, queues and
          Sequence.event return events; wait_for takes them, done or not.
      )")),
      userEvent(module, "UserEvent", doc(R"(
          An event that the host signals: work that waits for it starts when set() is called. It
          fails if it is deleted before set() or fail().
      )")),
      queue(module, "Queue", doc(R"(
          A queue of a device: launchers submit work to it and return events. Created by
          Manager.queue.
      )")) {
    setType<ManagerHandle>(manager);
    setType<MemoryHandle>(memory);
    setType<TensorHandle>(tensor);
    setType<ImageHandle>(image);
    setType<AlgorithmHandle>(algorithm);
    setType<OpHandle>(operation);
    setType<SequenceHandle>(sequence);
    setType<Event>(event);
    setType<UserEvent>(userEvent);
    setType<QueueHandle>(queue);
}

} // namespace kp::python

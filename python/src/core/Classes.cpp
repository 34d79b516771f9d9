// SPDX-License-Identifier: Apache-2.0
#include "core/Classes.hpp"

#include <pybind11/native_enum.h>

namespace kp::python {
namespace {

enum class AccessFlags : uint32_t {};
enum class PipelineStageFlags : uint32_t {};

using Types = Memory::DataTypes;
constexpr Named<Types> kTypes[] = {{"bool", Types::eBool},        {"int", Types::eInt},
                                   {"uint", Types::eUnsignedInt}, {"float", Types::eFloat},
                                   {"double", Types::eDouble},    {"custom", Types::eCustom},
                                   {"short", Types::eShort},      {"ushort", Types::eUnsignedShort},
                                   {"char", Types::eChar},        {"uchar", Types::eUnsignedChar},
                                   {"long", Types::eLong},        {"ulong", Types::eUnsignedLong},
                                   {"half", Types::eHalf},        {"bfloat16", Types::eBFloat16}};
constexpr Named<Memory::MemoryTypes> kPlaces[] = {
    {"device", Memory::MemoryTypes::eDevice},
    {"host", Memory::MemoryTypes::eHost},
    {"storage", Memory::MemoryTypes::eStorage},
    {"deviceAndHost", Memory::MemoryTypes::eDeviceAndHost},
    {"staging", Memory::MemoryTypes::eHost}}; // in Kompute's first releases

/// The flags that compute uses, with Vulkan's values.
constexpr Named<uint32_t> kAccess[] = {{"none", 0},
                                       {"indirect_command_read", 0x1},
                                       {"uniform_read", 0x8},
                                       {"shader_read", 0x20},
                                       {"shader_write", 0x40},
                                       {"transfer_read", 0x800},
                                       {"transfer_write", 0x1000},
                                       {"host_read", 0x2000},
                                       {"host_write", 0x4000},
                                       {"memory_read", 0x8000},
                                       {"memory_write", 0x10000}};
constexpr Named<uint32_t> kStages[] = {{"top_of_pipe", 0x1},       {"draw_indirect", 0x2},
                                       {"compute_shader", 0x800},  {"transfer", 0x1000},
                                       {"bottom_of_pipe", 0x2000}, {"host", 0x4000},
                                       {"all_commands", 0x10000}};

template <typename Enum, typename Value, size_t N>
void bindEnum(py::module_& module, const char* name, const char* base,
              const Named<Value> (&values)[N], const char* documentation) {
    py::native_enum<Enum> type(module, name, base, documentation);
    for (const Named<Value>& each : values)
        type.value(each.name, static_cast<Enum>(each.value));
    type.finalize();
}

} // namespace

void bindEnums(py::module_& module) {
    bindEnum<Types>(module, "DataTypes", "enum.IntEnum", kTypes, doc(R"(
        The type of an element. char, short, int and long have 8, 16, 32 and 64 bits, uchar to ulong
        the same without a sign; custom is a struct.)"));
    bindEnum<Memory::MemoryTypes>(module, "MemoryTypes", "enum.IntEnum", kPlaces, doc(R"(
        The place of memory.

        device: device memory, with a host view; OpSyncDevice and OpSyncLocal copy between the two.
        host: host memory that the device reads and writes. storage: device memory without a host
        view. deviceAndHost: memory that both reach at full speed; same as device if there is none.
    )"));
    bindEnum<AccessFlags>(module, "AccessFlags", "enum.IntFlag", kAccess,
                          "Vulkan's VkAccessFlagBits, for OpMemoryBarrier.");
    bindEnum<PipelineStageFlags>(module, "PipelineStageFlags", "enum.IntFlag", kStages,
                                 "Vulkan's VkPipelineStageFlagBits, for OpMemoryBarrier.");
}

Memory::MemoryTypes toMemoryType(py::handle value, const char* argument) {
    if (PyUnicode_Check(value.ptr()))
        return valueNamed(kPlaces, toText(value, argument), argument);
    try {
        return py::cast<Memory::MemoryTypes>(value);
    } catch (const py::cast_error&) {
        throwTypeError(argument, "a kp.MemoryTypes or its name", value);
    }
}

Classes::Classes(py::module_& module)
    : manager(module, "Manager", doc(R"(
          Owns a device and creates the objects that live on it.

          Objects hold a reference to their manager. It is destroyed with the last of them, by
          destroy(), or at the end of a `with` block. Any thread may use it.)")),
      memory(module, "Memory", memoryTypeSetup(),
             "Base of Tensor and Image: memory on a device, and its host view."),
      tensor(module, "Tensor", memoryTypeSetup(),
             "An array on a device. Created by Manager.tensor and tensor_t."),
      image(module, "Image", memoryTypeSetup(),
            "Texels that shaders load, store and sample. Created by Manager.image and image_t."),
      sampler(module, "Sampler", doc(R"(
          How shaders read sampled images: filter, address modes, coordinates. Created by
          Manager.sampler; given to algorithms and kernels as `samplers`.)")),
      semaphore(module, "Semaphore", doc(R"(
          A timeline semaphore: a number that only grows, which devices, processes and CUDA signal
          and wait for. Created by Manager.exportable_semaphore and import_semaphore.)")),
      algorithm(module, "Algorithm", doc(R"(
          A compute shader with its memory, constants and work groups. Created by Manager.algorithm.
      )")),
      operation(module, "OpBase", doc(R"(
          An operation that a sequence records. Derive a class to compose one of others: define
          record() and, if needed, accesses(), pre_eval() and post_eval().)")),
      sequence(module, "Sequence", sequenceTypeSetup(), doc(R"(
          Records operations and evaluates them, with or without waiting. Created by
          Manager.sequence.)")),
      event(module, "Event", eventTypeSetup(), doc(R"(
          A point in the work of a device or of the host. Launchers, copies, queues and
          Sequence.event return events; wait_for takes them, done or not.)")),
      userEvent(module, "UserEvent", doc(R"(
          An event that the host signals: work that waits for it starts when set() is called. It
          fails if it is deleted before set() or fail().)")),
      queue(module, "Queue", doc(R"(
          A queue of a device: launchers submit work to it and return events. Created by
          Manager.queue.)")) {
    setType<ManagerHandle>(manager);
    setType<MemoryHandle>(memory);
    setType<TensorHandle>(tensor);
    setType<ImageHandle>(image);
    setType<SamplerHandle>(sampler);
    setType<SemaphoreHandle>(semaphore);
    setType<AlgorithmHandle>(algorithm);
    setType<OpHandle>(operation);
    setType<SequenceHandle>(sequence);
    setType<Event>(event);
    setType<UserEvent>(userEvent);
    setType<QueueHandle>(queue);
}

} // namespace kp::python

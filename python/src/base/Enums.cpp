// SPDX-License-Identifier: Apache-2.0
#include "base/Enums.hpp"

#include <pybind11/native_enum.h>

#include <kompute/Memory.hpp>

namespace kp::python {

void bindEnums(py::module_& module) {
    using Types = Memory::DataTypes;
    py::native_enum<Types>(module, "DataTypes", "enum.IntEnum", doc(R"(
        The type of an element. char, short, int and long have 8, 16, 32 and 64 bits, uchar to ulong
        the same without a sign; custom is a struct.
    )"))
        .value("bool", Types::eBool)
        .value("int", Types::eInt)
        .value("uint", Types::eUnsignedInt)
        .value("float", Types::eFloat)
        .value("double", Types::eDouble)
        .value("custom", Types::eCustom)
        .value("short", Types::eShort)
        .value("ushort", Types::eUnsignedShort)
        .value("char", Types::eChar)
        .value("uchar", Types::eUnsignedChar)
        .value("long", Types::eLong)
        .value("ulong", Types::eUnsignedLong)
        .value("half", Types::eHalf)
        .value("bfloat16", Types::eBFloat16)
        .finalize();

    using Kinds = Memory::MemoryTypes;
    py::native_enum<Kinds>(module, "MemoryTypes", "enum.IntEnum", doc(R"(
        The place of memory.

        device: device memory, with a host view; OpSyncDevice and OpSyncLocal copy between the two.
        host: host memory that the device reads and writes. storage: device memory without a host
        view. deviceAndHost: memory that both reach at full speed; same as device if there is none.
    )"))
        .value("device", Kinds::eDevice)
        .value("host", Kinds::eHost)
        .value("storage", Kinds::eStorage)
        .value("deviceAndHost", Kinds::eDeviceAndHost)
        .finalize();

    py::native_enum<AccessFlags>(module, "AccessFlags", "enum.IntFlag",
                                 "Vulkan's VkAccessFlagBits, for OpMemoryBarrier.")
        .value("none", AccessFlags::eNone)
        .value("indirect_command_read", AccessFlags::eIndirectCommandRead)
        .value("uniform_read", AccessFlags::eUniformRead)
        .value("shader_read", AccessFlags::eShaderRead)
        .value("shader_write", AccessFlags::eShaderWrite)
        .value("transfer_read", AccessFlags::eTransferRead)
        .value("transfer_write", AccessFlags::eTransferWrite)
        .value("host_read", AccessFlags::eHostRead)
        .value("host_write", AccessFlags::eHostWrite)
        .value("memory_read", AccessFlags::eMemoryRead)
        .value("memory_write", AccessFlags::eMemoryWrite)
        .finalize();

    py::native_enum<PipelineStageFlags>(module, "PipelineStageFlags", "enum.IntFlag",
                                        "Vulkan's VkPipelineStageFlagBits, for OpMemoryBarrier.")
        .value("top_of_pipe", PipelineStageFlags::eTopOfPipe)
        .value("draw_indirect", PipelineStageFlags::eDrawIndirect)
        .value("compute_shader", PipelineStageFlags::eComputeShader)
        .value("transfer", PipelineStageFlags::eTransfer)
        .value("bottom_of_pipe", PipelineStageFlags::eBottomOfPipe)
        .value("host", PipelineStageFlags::eHost)
        .value("all_commands", PipelineStageFlags::eAllCommands)
        .finalize();
}

} // namespace kp::python

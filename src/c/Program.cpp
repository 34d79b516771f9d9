// SPDX-License-Identifier: Apache-2.0
//
// The functions of <kompute/program.h>, but for primitives.
#include <kompute/program.h>

#include <cctype>
#include <iterator>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/Text.hpp"
#include "c/Objects.hpp"

namespace kp {
namespace {

thread_local std::string tLastError;

constexpr const char* kTypeNames[] = {
    "KP_BOOL",   "KP_INT32", "KP_UINT32", "KP_FLOAT32", "KP_FLOAT64", "KP_STRUCT",  "KP_INT16",
    "KP_UINT16", "KP_INT8",  "KP_UINT8",  "KP_INT64",   "KP_UINT64",  "KP_FLOAT16", "KP_BFLOAT16"};

/// Returns a message with the names that types have in C.
std::string inC(std::string message) {
    const auto inWord = [&](size_t at) {
        return at < message.size() && std::isalnum(static_cast<unsigned char>(message[at])) != 0;
    };
    for (size_t type = 0; type < std::size(kTypeNames); ++type) {
        const std::string name = Memory::toString(static_cast<Memory::DataTypes>(type));
        for (size_t at = 0; (at = message.find(name, at)) != std::string::npos;) {
            const bool whole = !inWord(at + name.size()) && (at == 0 || !inWord(at - 1));
            const std::string_view given = whole ? kTypeNames[type] : std::string_view(name);
            message.replace(at, name.size(), given);
            at += given.size();
        }
    }
    return message;
}

} // namespace

kp_status failed(kp_status status, const std::exception& error) noexcept {
    try {
        tLastError = inC(error.what());
    } catch (...) { // the message does not fit into memory
        tLastError.clear();
    }
    return status;
}

Memory::DataTypes typeOf(kp_type type) {
    if (type < KP_BOOL || type > KP_BFLOAT16)
        fail<InvalidArgument>("{} is not a kp_type", static_cast<int>(type));
    return static_cast<Memory::DataTypes>(type);
}

namespace {

uint32_t bytesOf(kp_type type, uint32_t given) {
    const uint32_t known = Memory::dataTypeMemorySize(typeOf(type));
    if (known == 0 && given == 0)
        throw InvalidArgument("tensors of KP_STRUCT need element_bytes");
    if (known != 0 && given != 0 && given != known)
        fail<InvalidArgument>("elements of {} have {} bytes, but {} were given",
                              Memory::toString(typeOf(type)), known, given);
    return known != 0 ? known : given;
}

void requireBytes(const Tensor& tensor, size_t bytes) {
    if (bytes != tensor.memorySize())
        fail<InvalidArgument>("the tensor has {} bytes, but {} were given", tensor.memorySize(),
                              bytes);
}

NamedTensors named(const kp_named_tensor* tensors, size_t count) {
    NamedTensors all;
    if (count != 0)
        requirePointers(tensors);
    for (size_t i = 0; i < count; ++i) {
        requirePointers(tensors[i].name, tensors[i].tensor);
        if (!all.emplace(tensors[i].name, tensors[i].tensor->tensor).second)
            fail<InvalidArgument>("the tensor '{}' was given twice", tensors[i].name);
    }
    return all;
}

HostDevice hostDeviceOf(const kp_host_device& given) {
    HostDevice host;
    host.instance = static_cast<VkInstance>(given.instance);
    host.physicalDevice = static_cast<VkPhysicalDevice>(given.physical_device);
    host.device = static_cast<VkDevice>(given.device);
    host.getInstanceProcAddr =
        reinterpret_cast<void (*(*)(VkInstance, const char*))()>(given.get_instance_proc_addr);
    if (given.api_version != 0)
        host.apiVersion = given.api_version;
    HostQueue queue;
    queue.family = given.queue_family;
    queue.index = given.queue_index;
    host.queues.push_back(queue);
    for (size_t i = 0; i < given.device_extension_count; ++i)
        host.deviceExtensions.emplace_back(given.device_extensions[i]);
    host.enabledFeatures = given.enabled_features;
    return host;
}

} // namespace
} // namespace kp

using kp::guarded;
using kp::requirePointers;

extern "C" {

const char* kp_last_error(void) {
    return kp::tLastError.c_str();
}

kp_status kp_manager_create(uint32_t device, kp_manager** manager) {
    return guarded([&] {
        requirePointers(manager);
        *manager = new kp_manager{std::make_shared<kp::Manager>(device)};
    });
}

kp_status kp_manager_wrap(const kp_host_device* host, kp_manager** manager) {
    return guarded([&] {
        requirePointers(host, manager);
        *manager = new kp_manager{std::make_shared<kp::Manager>(kp::hostDeviceOf(*host))};
    });
}

void kp_manager_destroy(kp_manager* manager) {
    delete manager;
}

kp_status kp_tensor_create(kp_manager* manager, kp_type type, uint64_t count,
                           uint32_t element_bytes, const void* data, kp_tensor** tensor) {
    return guarded([&] {
        requirePointers(manager, tensor);
        *tensor = new kp_tensor{
            manager->manager, manager->manager->tensor(
                                  const_cast<void*>(data), count, kp::bytesOf(type, element_bytes),
                                  kp::typeOf(type), kp::Memory::MemoryTypes::eStorage)};
    });
}

kp_status kp_tensor_wrap(kp_manager* manager, kp_type type, uint64_t count, uint32_t element_bytes,
                         uint64_t vk_buffer, uint64_t offset, kp_tensor** tensor) {
    return guarded([&] {
        requirePointers(manager, tensor);
        *tensor = new kp_tensor{manager->manager,
                                manager->manager->wrapBuffer(
                                    (VkBuffer)vk_buffer, count, kp::bytesOf(type, element_bytes),
                                    kp::typeOf(type), offset, kp::Memory::MemoryTypes::eStorage)};
    });
}

kp_status kp_tensor_write(kp_tensor* tensor, const void* data, size_t bytes) {
    return guarded([&] {
        requirePointers(tensor, data);
        kp::requireBytes(*tensor->tensor, bytes);
        tensor->tensor->upload(data, bytes);
    });
}

kp_status kp_tensor_read(const kp_tensor* tensor, void* data, size_t bytes) {
    return guarded([&] {
        requirePointers(tensor, data);
        kp::requireBytes(*tensor->tensor, bytes);
        tensor->tensor->download(data, bytes);
    });
}

void kp_tensor_destroy(kp_tensor* tensor) {
    delete tensor;
}

kp_status kp_program_load(kp_manager* manager, const char* path, kp_program** program) {
    return guarded([&] {
        requirePointers(manager, path, program);
        *program = new kp_program{manager->manager, kp::Program::load(*manager->manager, path)};
    });
}

kp_status kp_program_parse(kp_manager* manager, const void* content, size_t bytes,
                           kp_program** program) {
    return guarded([&] {
        requirePointers(manager, program);
        *program =
            new kp_program{manager->manager, kp::Program::parse(*manager->manager, content, bytes)};
    });
}

kp_status kp_program_save(const kp_program* program, const char* path) {
    return guarded([&] {
        requirePointers(program, path);
        program->program.save(path);
    });
}

void kp_program_destroy(kp_program* program) {
    delete program;
}

size_t kp_program_variants(const kp_program* program) {
    return program ? program->program.variants() : 0;
}

size_t kp_program_tensors(const kp_program* program) {
    return program ? program->program.tensors().size() : 0;
}

kp_status kp_program_tensor(const kp_program* program, size_t variant, size_t index,
                            kp_tensor_info* info) {
    return guarded([&] {
        requirePointers(program, info);
        const std::vector<kp::ProgramTensor>& tensors = program->program.tensors(variant);
        if (index >= tensors.size())
            kp::fail<kp::InvalidArgument>("the program has no tensor {}; it has {}", index,
                                          tensors.size());
        const kp::ProgramTensor& tensor = tensors[index];
        *info = {tensor.name.c_str(), static_cast<kp_type>(tensor.type),
                 tensor.elementSize,  tensor.shape.data(),
                 tensor.shape.size(), tensor.input,
                 tensor.output};
    });
}

kp_status kp_program_run(const kp_program* program, const kp_named_tensor* tensors, size_t count) {
    return guarded([&] {
        requirePointers(program);
        program->program.run(kp::named(tensors, count));
    });
}

kp_status kp_program_record(const kp_program* program, const kp_named_tensor* tensors, size_t count,
                            void* command_buffer, kp_recording** recording) {
    return guarded([&] {
        requirePointers(program, command_buffer, recording);
        auto made = std::make_unique<kp_recording>();
        made->manager = program->manager;
        made->sequence = program->manager->sequence();
        made->sequence->record(program->program.operation(kp::named(tensors, count)));
        made->sequence->recordInto(static_cast<VkCommandBuffer>(command_buffer));
        *recording = made.release();
    });
}

void kp_recording_destroy(kp_recording* recording) {
    delete recording;
}

} // extern "C"

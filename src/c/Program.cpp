// SPDX-License-Identifier: Apache-2.0
//
// The functions of <kompute/program.h>.
#include <kompute/program.h>

#include <cctype>
#include <exception>
#include <initializer_list>
#include <iterator>
#include <memory>
#include <new>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <kompute/Error.hpp>
#include <kompute/Manager.hpp>
#include <kompute/Sequence.hpp>
#include <kompute/primitives/matrices/OpMatMul.hpp>
#include <kompute/primitives/reduce/OpReduce.hpp>
#include <kompute/primitives/scan/OpScan.hpp>
#include <kompute/primitives/sort/OpSort.hpp>
#include <kompute/primitives/transforms/OpFFT.hpp>
#include <kompute/program/Program.hpp>

#include "base/Text.hpp"

// Members keep the manager until after the other ones.
struct kp_manager {
    std::shared_ptr<kp::Manager> manager;
};
struct kp_tensor {
    std::shared_ptr<kp::Manager> manager;
    std::shared_ptr<kp::Tensor> tensor;
};
struct kp_program {
    std::shared_ptr<kp::Manager> manager;
    kp::Program program;
};
struct kp_recording {
    std::shared_ptr<kp::Manager> manager;
    std::shared_ptr<kp::Sequence> sequence;
};

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

/// Calls a function, and turns exceptions into a status and a message.
template <typename Function>
kp_status guarded(Function&& function) noexcept {
    const auto failed = [](kp_status status, const std::exception& error) {
        try {
            tLastError = inC(error.what());
        } catch (...) { // the message does not fit into memory
            tLastError.clear();
        }
        return status;
    };
    try {
        function();
        return KP_SUCCESS;
    } catch (const InvalidArgument& error) {
        return failed(KP_INVALID_ARGUMENT, error);
    } catch (const Unsupported& error) {
        return failed(KP_UNSUPPORTED, error);
    } catch (const ShaderError& error) {
        return failed(KP_SHADER_ERROR, error);
    } catch (const OutOfMemory& error) {
        return failed(KP_OUT_OF_MEMORY, error);
    } catch (const std::bad_alloc& error) {
        return failed(KP_OUT_OF_MEMORY, error);
    } catch (const DeviceLost& error) {
        return failed(KP_DEVICE_LOST, error);
    } catch (const std::exception& error) {
        return failed(KP_FAILED, error);
    }
}

template <typename... Pointers>
void requirePointers(const Pointers*... pointers) {
    if ((!pointers || ...))
        throw InvalidArgument("a pointer argument is null");
}

Memory::DataTypes typeOf(kp_type type) {
    if (type < KP_BOOL || type > KP_BFLOAT16)
        fail<InvalidArgument>("{} is not a kp_type", static_cast<int>(type));
    return static_cast<Memory::DataTypes>(type);
}

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

ReduceOperation operationOf(kp_operation operation) {
    switch (operation) {
    case KP_SUM:
        return ReduceOperation::eSum;
    case KP_PRODUCT:
        return ReduceOperation::eProduct;
    case KP_MINIMUM:
        return ReduceOperation::eMinimum;
    case KP_MAXIMUM:
        return ReduceOperation::eMaximum;
    }
    fail<InvalidArgument>("{} is not a kp_operation", static_cast<int>(operation));
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

/// Makes the program of one primitive.
class Maker {
public:
    Maker(kp_manager* manager, kp_type type) : mType(typeOf(type)) {
        requirePointers(manager);
        mManager = manager->manager;
    }
    std::shared_ptr<Tensor> tensor(std::initializer_list<uint64_t> extents) {
        uint64_t count = 1;
        for (const uint64_t extent : extents) {
            if (extent == 0 || count > UINT64_MAX / extent)
                throw InvalidArgument("the sizes of a primitive are at least 1, and fit into 64 "
                                      "bits");
            count *= extent;
        }
        return mManager->tensor(count, Memory::dataTypeMemorySize(mType), mType,
                                Memory::MemoryTypes::eStorage);
    }
    template <typename Operation, typename... Arguments>
    kp_program* make(const NamedTensors& inputs, const NamedTensors& outputs,
                     Arguments&&... arguments) {
        const std::shared_ptr<Sequence> sequence = mManager->sequence();
        sequence->record(std::make_shared<Operation>(std::forward<Arguments>(arguments)...));
        return new kp_program{mManager, Program::of(*sequence, inputs, outputs)};
    }

private:
    std::shared_ptr<Manager> mManager;
    Memory::DataTypes mType;
};

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

kp_status kp_program_sort(kp_manager* manager, kp_type type, uint64_t count, int descending,
                          kp_program** program) {
    return guarded([&] {
        requirePointers(program);
        kp::Maker maker(manager, type);
        const auto keys = maker.tensor({count});
        kp::SortOptions options;
        options.descending = descending != 0;
        *program = maker.make<kp::OpSort>({{"keys", keys}}, {{"keys", keys}}, keys,
                                          kp::TensorRange(), options);
    });
}

kp_status kp_program_reduce(kp_manager* manager, kp_type type, uint64_t count,
                            kp_operation operation, kp_program** program) {
    return guarded([&] {
        requirePointers(program);
        kp::Maker maker(manager, type);
        const auto in = maker.tensor({count});
        const auto out = maker.tensor({1});
        *program = maker.make<kp::OpReduce>({{"in", in}}, {{"out", out}}, in, out,
                                            kp::operationOf(operation));
    });
}

kp_status kp_program_scan(kp_manager* manager, kp_type type, uint64_t count, kp_operation operation,
                          int exclusive, kp_program** program) {
    return guarded([&] {
        requirePointers(program);
        kp::Maker maker(manager, type);
        const auto in = maker.tensor({count});
        const auto out = maker.tensor({count});
        kp::ScanOptions options;
        options.exclusive = exclusive != 0;
        *program = maker.make<kp::OpScan>({{"in", in}}, {{"out", out}}, in, out,
                                          kp::operationOf(operation), options);
    });
}

kp_status kp_program_fft(kp_manager* manager, kp_type type, uint64_t rows, uint64_t length,
                         int inverse, kp_program** program) {
    return guarded([&] {
        requirePointers(program);
        kp::Maker maker(manager, type);
        const auto in = maker.tensor({rows, length, 2});
        const auto out = maker.tensor({rows, length, 2});
        kp::FftOptions options;
        options.inverse = inverse != 0;
        options.axes = {-1};
        *program = maker.make<kp::OpFFT>({{"in", in}}, {{"out", out}}, in, out,
                                         std::vector<uint64_t>{rows, length}, options);
    });
}

kp_status kp_program_matmul(kp_manager* manager, kp_type type, uint64_t rows, uint64_t inner,
                            uint64_t columns, kp_program** program) {
    return guarded([&] {
        requirePointers(program);
        kp::Maker maker(manager, type);
        const auto a = maker.tensor({rows, inner});
        const auto b = maker.tensor({inner, columns});
        const auto c = maker.tensor({rows, columns});
        *program = maker.make<kp::OpMatMul>({{"a", a}, {"b", b}}, {{"c", c}}, a, b, c,
                                            kp::MatrixExtents{rows, columns, inner});
    });
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

// SPDX-License-Identifier: Apache-2.0
#include <kompute/program/Program.hpp>

#include <algorithm>
#include <iterator>
#include <optional>
#include <span>
#include <utility>

#include <kompute/Error.hpp>
#include <kompute/Manager.hpp>
#include <kompute/logger/Logger.hpp>
#include <kompute/operations/OpSyncDevice.hpp>
#include <kompute/operations/OpSyncLocal.hpp>

#include "base/Text.hpp"
#include "base/files/Files.hpp"
#include "core/algorithm/BindingText.hpp"
#include "core/manager/ManagerImpl.hpp"
#include "core/memory/MemoryImpl.hpp"
#include "core/queue/QueueImpl.hpp"
#include "program/CheckProgram.hpp"
#include "program/OpProgram.hpp"
#include "program/ProgramFile.hpp"
#include "program/ProgramImpl.hpp"
#include "program/ValidateKernels.hpp"
#include "shader/compile/ContentKey.hpp"

namespace kp {
namespace {

using program::Data;
using program::Kernel;
using program::Variant;

/// Returns the checks that can find a program's mistakes, and no others.
shader::CheckKinds programChecks(const Queue* managerQueue, const vulkan::Device& device) {
    shader::CheckKinds kinds = checksOf(managerQueue);
    kinds.steps = 0; // loops of primitives are the library's, and look like others
    // Where kernels access words instead, neighbours in one word would seem to be one element.
    if (kinds.races && !(device.has(vulkan::Feature::eStorageBuffer8BitAccess) &&
                         device.has(vulkan::Feature::eStorageBuffer16BitAccess))) {
        kinds.races = false;
        KP_LOG_WARN("races in this program are not found: {} has no 8- and 16-bit storage",
                    device.name());
    }
    return kinds;
}

/// @param checked  null without checks
std::shared_ptr<vulkan::Pipeline> pipelineOf(const Kernel& kernel, const Data& data,
                                             const CheckedShader* checked, vulkan::Device& device) {
    std::vector<vulkan::DescriptorBinding> bindings;
    for (const Kernel::Binding& binding : kernel.bindings)
        bindings.push_back({binding.binding,
                            binding.uniform ? VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER
                                            : VK_DESCRIPTOR_TYPE_STORAGE_BUFFER,
                            binding.count, binding.set});
    std::vector<VkSpecializationMapEntry> constants;
    for (const Kernel::Constant& constant : kernel.constants)
        constants.push_back({constant.id, constant.offset, constant.size});
    if (checked)
        addReportBindings(*checked, bindings);
    const std::vector<uint32_t>& spirv =
        checked ? checked->module.spirv : data.modules[kernel.module];
    const Hash key = checked ? checked->key : shader::contentKey(spirv);
    vulkan::PipelineRequest request;
    request.spirv = spirv;
    request.spirvKey = {key.low, key.high};
    request.entryPoint = kernel.entryPoint;
    request.layout = device.pipelines().layout(std::move(bindings), kernel.pushBytes);
    request.specializationEntries = constants;
    request.specializationData = kernel.constantBytes;
    request.fullSubgroups = kernel.fullSubgroups;
    request.subgroupSize = kernel.subgroupSize;
    request.robustAccess = kernel.robustAccess;
    request.robustImages = device.physical().has(vulkan::Feature::eRobustImageAccess2);
    return device.pipelines().pipeline(request);
}

std::vector<std::string> namesOf(const Variant& variant) {
    std::vector<std::string> names;
    for (const ProgramTensor& tensor : variant.tensors)
        names.push_back(formatted("'{}'", tensor.name));
    return names;
}

void requireNames(const NamedTensors& given, const Data& data, const vulkan::Device& device) {
    const Variant& variant = data.variants.front();
    for (const ProgramTensor& tensor : variant.tensors)
        if (!given.contains(tensor.name))
            fail<InvalidArgument>("the program takes {}, but '{}' was not given",
                                  join(namesOf(variant)), tensor.name);
    for (const auto& [name, tensor] : given) {
        const auto known = std::ranges::find(variant.tensors, name, &ProgramTensor::name);
        if (known == variant.tensors.end())
            fail<InvalidArgument>("the program has no tensor '{}'; it takes {}", name,
                                  join(namesOf(variant)));
        if (!tensor)
            fail<InvalidArgument>("the tensor '{}' of the program is null", name);
        implOf(*tensor).requireAlive();
        requireSameDevice(*tensor, device, "a program");
        if (tensor->dataType() != known->type || tensor->dataTypeMemorySize() != known->elementSize)
            fail<InvalidArgument>("the program's tensor '{}' has elements of {} ({} bytes), but "
                                  "{} was given",
                                  name, Memory::toString(known->type), known->elementSize,
                                  describeMemory(implOf(*tensor)));
    }
}

bool fits(const Variant& variant, const NamedTensors& given) {
    return std::ranges::all_of(variant.tensors, [&](const ProgramTensor& tensor) {
        return given.at(tensor.name)->size() == tensor.size();
    });
}

/// Returns the number of the variant with the tensors' sizes.
size_t variantFor(const NamedTensors& given, const Data& data) {
    for (size_t number = 0; number < data.variants.size(); ++number)
        if (fits(data.variants[number], given))
            return number;
    std::vector<std::string> sizes;
    std::vector<std::string> known;
    for (const ProgramTensor& tensor : data.variants.front().tensors)
        sizes.push_back(formatted("{} in '{}'", counted(given.at(tensor.name)->size(), "element"),
                                  tensor.name));
    for (const Variant& variant : data.variants) {
        std::vector<std::string> tensors;
        for (const ProgramTensor& tensor : variant.tensors)
            tensors.push_back(
                formatted("{} in '{}'", counted(tensor.size(), "element"), tensor.name));
        known.push_back(join(tensors));
    }
    fail<InvalidArgument>("the program was saved for other sizes than {}: for {}. Save it for "
                          "these, too, and put both into one program by Program::join()",
                          join(sizes), join(known));
}

/// Inputs that stay as they are may share memory.
void requireApart(const std::vector<ProgramTensor>& tensors, const NamedTensors& given) {
    for (auto a = tensors.begin(); a != tensors.end(); ++a)
        for (auto b = std::next(a); b != tensors.end(); ++b)
            if ((a->output || b->output) && overlap(*given.at(a->name), *given.at(b->name)))
                fail<InvalidArgument>("the tensors '{}' and '{}' of the program share memory, and "
                                      "one is written; give it memory of its own",
                                      a->name, b->name);
}

/// @throws InvalidArgument unless a variant has the tensors of a program, in other sizes
void requireAlike(const Variant& variant, const Data& data) {
    const auto same = [](const ProgramTensor& a, const ProgramTensor& b) {
        return a.name == b.name && a.type == b.type && a.elementSize == b.elementSize &&
               a.input == b.input && a.output == b.output;
    };
    const Variant& first = data.variants.front();
    if (!std::ranges::equal(variant.tensors, first.tensors, same))
        fail<InvalidArgument>("programs to join have the same tensors in other sizes, but one has "
                              "{}, and another has {} of other names, types or uses",
                              join(namesOf(first)), join(namesOf(variant)));
    for (const Variant& known : data.variants)
        if (std::ranges::equal(variant.tensors, known.tensors, {}, &ProgramTensor::size,
                               &ProgramTensor::size))
            throw InvalidArgument("two programs to join are for tensors of the same sizes");
}

std::string contentOf(const std::string& path) {
    std::optional<std::string> content = readFile(path);
    if (!content)
        fail<InvalidArgument>("the program {} does not exist, or cannot be read", path);
    return std::move(*content);
}

/// Returns a program of a file, whose errors name the file.
template <typename Parse>
Program named(const std::string& path, const Parse& parse) {
    try {
        return parse();
    } catch (const InvalidArgument& error) {
        fail<InvalidArgument>("{}: {}", path, error.what());
    } catch (const Unsupported& error) {
        fail<Unsupported>("{}: {}", path, error.what());
    } catch (const ShaderError& error) {
        fail<ShaderError>("{}: {}", path, error.what());
    }
}

/// Adds the variants of a program, with their kernels and contents.
void append(Data& all, const Data& more) {
    if (more.subgroupSize != all.subgroupSize || more.vendor != all.vendor ||
        more.device != all.device)
        throw InvalidArgument("the programs to join were made on different devices");
    const auto modules = static_cast<uint32_t>(all.modules.size());
    const auto kernels = static_cast<uint32_t>(all.kernels.size());
    const auto contents = static_cast<uint32_t>(all.contents.size());
    all.modules.insert(all.modules.end(), more.modules.begin(), more.modules.end());
    all.contents.insert(all.contents.end(), more.contents.begin(), more.contents.end());
    for (Kernel kernel : more.kernels) {
        kernel.module += modules;
        all.kernels.push_back(std::move(kernel));
    }
    for (Variant variant : more.variants) {
        requireAlike(variant, all);
        for (program::Command& command : variant.commands)
            command.kernel += kernels;
        for (program::Slot& slot : variant.slots)
            slot.saved += contents;
        all.variants.push_back(std::move(variant));
    }
}

Data parsed(const void* file, size_t bytes) {
    if (!file)
        throw InvalidArgument("the program's content is a null pointer");
    return program::fromFile({static_cast<const unsigned char*>(file), bytes});
}

Program made(const Manager& manager, Data data, program::CheckKernel* checks = nullptr) {
    const Manager::Impl& impl = implOf(manager);
    return Program::Impl::make(impl.device, impl.defaultQueue, std::move(data), checks);
}

} // namespace

program::Loaded::Loaded(std::shared_ptr<vulkan::Device> ofDevice, std::weak_ptr<Queue> ofQueue,
                        Data ofProgram, CheckKernel* checks)
    : device(std::move(ofDevice)), queue(std::move(ofQueue)), data(std::move(ofProgram)),
      checkKernel(checks) {
    requireDevice(data, *device);
    const shader::CheckKinds kinds = programChecks(queue.lock().get(), *device);
    if (kinds.any() && !checkKernel)
        KP_LOG_WARN("this program runs without checks: only loadUntrusted() and parseUntrusted() "
                    "have them");
    for (const Kernel& kernel : data.kernels) {
        checked.push_back(kinds.any() && checkKernel ? checkKernel(kernel, data, *device, kinds)
                                                     : nullptr);
        pipelines.push_back(pipelineOf(kernel, data, checked.back().get(), *device));
    }
    for (const std::vector<std::byte>& bytes : data.contents) {
        contents.push_back(scratchTensor(device, bytes.size()));
        implOf(*contents.back()).upload(bytes.data(), bytes.size(), 0);
    }
}

Program Program::join(const std::vector<Program>& programs) {
    if (programs.empty())
        throw InvalidArgument("no programs were given to join");
    const program::Loaded& first = *programs.front().mImpl->loaded;
    Data all = first.data;
    for (const Program& program : std::span(programs).subspan(1)) {
        if (program.mImpl->loaded->device != first.device)
            throw InvalidArgument("the programs to join are on different devices");
        append(all, program.mImpl->loaded->data);
    }
    return Impl::make(first.device, first.queue, std::move(all), first.checkKernel);
}

Program Program::load(const Manager& manager, const std::string& path) {
    const std::string content = contentOf(path);
    return named(path, [&] { return parse(manager, content.data(), content.size()); });
}

Program Program::parse(const Manager& manager, const void* data, size_t bytes) {
    return made(manager, parsed(data, bytes));
}

Program Program::loadUntrusted(const Manager& manager, const std::string& path) {
    const std::string content = contentOf(path);
    return named(path, [&] { return parseUntrusted(manager, content.data(), content.size()); });
}

Program Program::parseUntrusted(const Manager& manager, const void* data, size_t bytes) {
    Data program = parsed(data, bytes);
    program::requireValidKernels(program, *implOf(manager).device);
    return made(manager, std::move(program), &program::checkedKernel);
}

std::vector<unsigned char> Program::content() const {
    return program::toFile(mImpl->loaded->data);
}

void Program::save(const std::string& path) const {
    const std::vector<unsigned char> bytes = content();
    if (!replaceFile(path, {{reinterpret_cast<const char*>(bytes.data()), bytes.size()}}))
        fail<InvalidArgument>("the program cannot be written to {}; does its folder exist?", path);
}

size_t Program::variants() const {
    return mImpl->loaded->data.variants.size();
}

const std::vector<ProgramTensor>& Program::tensors(size_t variant) const {
    if (variant >= variants())
        fail<InvalidArgument>("the program has no variant {}; it has {}", variant, variants());
    return mImpl->loaded->data.variants[variant].tensors;
}

std::shared_ptr<OpBase> Program::operation(const NamedTensors& tensors) const {
    requireNames(tensors, mImpl->loaded->data, *mImpl->loaded->device);
    requireApart(this->tensors(), tensors);
    const size_t number = variantFor(tensors, mImpl->loaded->data);
    std::vector<std::shared_ptr<Tensor>> inOrder;
    for (const ProgramTensor& tensor : mImpl->loaded->data.variants[number].tensors)
        inOrder.push_back(tensors.at(tensor.name));
    return std::make_shared<program::OpProgram>(mImpl->loaded, number, std::move(inOrder));
}

void Program::run(const NamedTensors& tensors) const {
    const std::shared_ptr<Queue> queue = mImpl->loaded->queue.lock();
    if (!queue)
        throw InvalidArgument("the program's manager was destroyed");
    const std::shared_ptr<OpBase> work = operation(tensors);
    std::vector<std::shared_ptr<OpBase>> operations;
    std::vector<std::shared_ptr<Memory>> inputs;
    std::vector<std::shared_ptr<Memory>> outputs;
    for (const ProgramTensor& tensor : this->tensors()) {
        if (tensor.input)
            inputs.push_back(tensors.at(tensor.name));
        if (tensor.output)
            outputs.push_back(tensors.at(tensor.name));
    }
    if (!inputs.empty())
        operations.push_back(std::make_shared<OpSyncDevice>(inputs));
    operations.push_back(work);
    if (!outputs.empty())
        operations.push_back(std::make_shared<OpSyncLocal>(outputs));
    queue->launch(std::move(operations)).wait();
}

} // namespace kp

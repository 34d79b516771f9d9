// SPDX-License-Identifier: Apache-2.0
//
// A program that instantiates the templates of the public headers. It is checked with many warnings
// and language versions, and never linked.

#include <kompute/Array.hpp>
#include <kompute/Group.hpp>
#include <kompute/Kompute.hpp>
#include <kompute/Launch.hpp>

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <vector>

struct Particle {
    float position[3];
    std::int16_t charge;
};

// Constructors that take the library's own types are for the library.
using Device = std::shared_ptr<kp::vulkan::Device>;
static_assert(!std::is_constructible<kp::Tensor, Device, const void*, std::uint64_t, std::uint64_t,
                                     kp::Memory::DataTypes, kp::Memory::MemoryTypes>::value,
              "Tensor");
static_assert(
    !std::is_constructible<kp::TensorT<float>, Device, std::size_t, kp::Memory::MemoryTypes>::value,
    "TensorT");
static_assert(!std::is_constructible<kp::Algorithm, Device>::value, "Algorithm");
static_assert(!std::is_constructible<kp::PinnedArray<int>, Device, std::size_t>::value,
              "PinnedArray");
static_assert(!std::is_constructible<kp::HostImport, Device, void*, std::uint64_t>::value,
              "HostImport");
static_assert(!std::is_constructible<kp::Event, std::shared_ptr<kp::EventState>>::value, "Event");
static_assert(!std::is_constructible<kp::Queue, std::shared_ptr<kp::Queue::Impl>>::value, "Queue");

template <typename T>
void useElements(kp::Manager& manager, std::vector<T> values) {
    auto tensor = manager.tensorT(values);
    auto sized = manager.tensorT<T>(values.size());
    auto counted = manager.tensorT<T>(3);
    tensor->setData(values);
    tensor->upload(values);
    tensor->download(values);
    values = tensor->vector();
    (*tensor)[0] = values[0];
    T* const data = tensor->data();
    *data = values[0];
    const std::shared_ptr<kp::Memory> memory = sized;
    values = memory->vector<T>();
    static_cast<void>(memory->to<double>());

    auto pinned = manager.pinnedArray<T>(values.size());
    for (T& element : *pinned)
        element = values[0];
    (*pinned)[0] = values[0];
    const auto import = manager.importHost(values);
    kp::CopyLauncher copy("copy", values, tensor);

    auto algorithm = manager.algorithm<T, T>({tensor, counted}, std::vector<std::uint32_t>(), {},
                                             values, values);
    algorithm->setPushConstants(values);
    values = algorithm->template getPushConstants<T>();
    values = algorithm->template getSpecializationConstants<T>();
    manager.sequence()->template record<kp::OpAlgoDispatch>(algorithm, values);
    kp::TuningArguments arguments({tensor});
    arguments.pushConstants(values).expect(tensor, values);
}

template <typename T>
void useNumbers(kp::Manager& manager, const std::vector<T>& values) {
    useElements(manager, values);
    auto image = manager.imageT(values, 1, 1, 1);
    auto empty = manager.imageT<T>(1, 1, 1);
    manager.sequence()->template eval<kp::OpCopy>({image, empty});
    kp::OpFill fill({manager.tensorT(values)}, values[0]);
    kp::TunableKernel("kernel").constant(kp::SpecializationConstant::of(0, values[0]));

    const kp::Argument argument(values[0]);
    const kp::GroupArgument groupArgument("x", values[0]);
    const kp::Parameter parameter("x", std::array<T, 2>{values[0], values[0]});
    KP_LOG_INFO("{} {}", values[0], values.size());

    kp::DeviceGroup group;
    kp::Buffer buffer(group, {values.size()}, kp::Memory::dataType<T>());
    buffer.write(values);
    const std::vector<T> copy = buffer.read<T>(0);
}

void useObjects(kp::Manager& manager) {
    auto tensor = manager.tensor({1, 2, 3});
    const std::vector<std::shared_ptr<kp::Memory>> memory = {tensor};
    const std::vector<std::shared_ptr<kp::TensorT<float>>> typed = {tensor};
    auto algorithm = manager.algorithm(memory, kp::compile("", {}), kp::Workgroup({1}));
    auto sequence = manager.sequence();
    sequence->record<kp::OpSyncDevice>(typed)
        ->record<kp::OpAlgoDispatch>(algorithm)
        ->record<kp::OpMult>(memory, manager.algorithm())
        ->record<kp::OpSyncLocal>({tensor})
        ->eval();
    sequence->eval<kp::OpSyncLocal>(memory)->evalAsync<kp::OpSyncLocal>(memory);
    sequence->evalAsync<kp::OpAlgoDispatch>(algorithm)->evalAwait(std::chrono::seconds(1));
    algorithm->rebuild(memory, std::array<std::uint32_t, 2>{1, 2});
    const std::vector<bool> flags = {true, false};
    manager.algorithm(memory, {}, {}, flags, flags)->setPushConstants(flags);
    sequence->record<kp::OpAlgoDispatch>(algorithm, flags)
        ->eval<kp::OpAlgoDispatch>(algorithm, flags);
    static_cast<void>(algorithm->getSpecializationConstants<bool>());
    KP_LOG_WARN("no arguments");
    KP_LOG_ERROR("{} {} {}", "text", std::string("text"), static_cast<const void*>(&manager));

    kp::UserEvent event;
    kp::whenDone(event, [] {});
    event.fail(std::runtime_error("failed"));
    while (!kp::Event::waitAll({}, std::chrono::milliseconds(1)) &&
           !kp::Event::waitAny({}, std::chrono::duration<double>(0.5))) {
    }
}

void launch(kp::Manager& manager) {
    auto tensor = manager.tensor({1, 2, 3});
    auto kernel = std::make_shared<kp::ParametrizedKernelLauncher>(
        "decay", kp::Kernel(manager, std::string()), kp::ParametersMap{{"dt", 1}, {"k", "n"}},
        kp::Arguments{tensor, {2, 0.5f}, {"n", 3}});
    kp::KernelListLauncher list("step");
    list.pushKernels(kernel, kernel).pushCopyDeviceToDevice("x", tensor, tensor);
    list += kernel;
    const kp::Event all = list(manager.queue(), {}, {{"dt", 0.1f}});
    const kp::Half half(1.0f);
    const kp::BFloat16 brain(static_cast<float>(half));
    const auto one = (*kernel)(
        {manager.queue(), {}, kp::WorkSize(3), {}, {{"dt", half}, {"k", brain.bits}}, true});
}

template <typename T>
T readBack(const kp::Array& x) {
    const std::vector<T> elements = x.vector<T>();
    return elements.empty() ? x.item<T>() : elements[0];
}

void compute(kp::Manager& manager) {
    const kp::Array x = kp::Array::of<float>({1, 2, 3, 4}, {2, 2}, &manager);
    const kp::Array flags = kp::Array::of(std::vector<bool>{true, false}, &manager);
    kp::Array y = x + 1 - 2.0f * x / true;
    for (const kp::Array& compared : {x == 1, 1 == x, x != y, 3u > x, !x})
        y = kp::where(compared, y, 0.5);
    y = y(0, kp::Slice(1, kp::end), kp::newAxis, kp::ellipsis, std::size_t{3});
    y = kp::sum(x, {0, 1}) + kp::sum(x, -1, true) + kp::pad(x, {{1, 2}, {3, 4}}) +
        kp::pad(x, 2, 0.5);
    readBack<bool>(flags);
    readBack<float>(y);
    readBack<double>(y);
    readBack<std::int8_t>(y);
    readBack<std::uint32_t>(y);
    readBack<std::int64_t>(y);
    readBack<std::uint64_t>(y);
}

void use() {
    kp::Manager manager;
    compute(manager);
    useNumbers<float>(manager, {1});
    useNumbers<double>(manager, {1});
    useNumbers<std::int8_t>(manager, {1});
    useNumbers<std::uint8_t>(manager, {1});
    useNumbers<std::int16_t>(manager, {1});
    useNumbers<std::uint16_t>(manager, {1});
    useNumbers<std::int32_t>(manager, {1});
    useNumbers<std::uint32_t>(manager, {1});
    useElements<std::int64_t>(manager, {1});
    useElements<std::uint64_t>(manager, {1});
    useElements<kp::Half>(manager, {kp::Half(1.0f)});
    useElements<Particle>(manager, {Particle{}});
    auto flags = manager.tensorT<bool>({true, false});
    flags->setData(std::vector<bool>{true});
    useObjects(manager);
    launch(manager);
}

int main() {
    use();
}

// SPDX-License-Identifier: Apache-2.0
//
// Lists of launchers, host launchers, copies and fills.
#include <atomic>

#include "device/CallCounter.hpp"
#include "device/launch/LaunchSupport.hpp"

namespace kp::test {
namespace {

class ListTest : public LaunchTest {
protected:
    template <typename T>
    std::shared_ptr<kp::TensorT<T>> storage(const std::vector<T>& values) {
        return manager.tensorT<T>(values, kp::Memory::MemoryTypes::eStorage);
    }
    /// Adds launchers "k0", "k1", ... that take `scale` and `offset` with each call.
    void pushParametrized(kp::KernelListLauncher& list, int count,
                          const std::shared_ptr<kp::Memory>& tensor) {
        for (int i = 0; i < count; ++i)
            list += parametrized("k" + std::to_string(i), tensor);
    }
};

/// A launcher that a user defines. It launches another one twice.
class TwiceLauncher : public kp::Launcher {
public:
    TwiceLauncher(std::string name, std::shared_ptr<kp::Launcher> inner)
        : Launcher(std::move(name)), mInner(std::move(inner)) {}
    using kp::Launcher::operator();
    std::optional<kp::Event> operator()(const kp::LaunchOptions& options) override {
        (*mInner)(options);
        return (*mInner)({options.queue, {}, {}, {}, options.parameters, true});
    }
    bool globalSizeConfigured() const override { return true; }

private:
    std::shared_ptr<kp::Launcher> mInner;
};

TEST_F(ListTest, RunsInOrderInOneSubmission) {
    auto tensor = floats({1});
    kp::KernelListLauncher list("list");
    auto nested = std::make_shared<kp::KernelListLauncher>("nested");
    *nested += fixed("x3", tensor, 3, 0);
    nested->push(std::shared_ptr<kp::Launcher>());
    nested->push(std::shared_ptr<kp::KernelListLauncher>());
    EXPECT_EQ(&(list += fixed("+1", tensor, 1, 1)), &list);
    list.pushKernels(nested, fixed("+5", tensor, 1, 5), std::shared_ptr<kp::KernelLauncher>());
    list += nullptr;
    list += nested;
    EXPECT_EQ(list.size(), 4u);
    list(queue).wait(); // creates pipelines and command buffers
    EXPECT_EQ(tensor->vector()[0], 33.0f);
    CallCounter calls(manager);
    list(queue).wait();
    EXPECT_EQ(calls.submits(), 1u);
    EXPECT_EQ(calls.of("vkCmdDispatch"), 0u) << "an unchanged list is not recorded again";
    EXPECT_EQ(tensor->vector()[0], ((33.0f + 1) * 3 + 5) * 3);
}

TEST_F(ListTest, RecordsChangedParametersIntoOneSubmission) {
    auto tensor = floats({1});
    kp::KernelListLauncher list("list");
    pushParametrized(list, 4, tensor);
    list(queue, {}, {{"scale", 2.0f}, {"offset", 0.0f}}).wait();
    EXPECT_EQ(tensor->vector()[0], 16.0f);
    CallCounter calls(manager);
    list(queue, {}, {{"offset", 0.0f}, {"scale", 0.5f}}).wait();
    EXPECT_EQ(calls.submits(), 1u);
    EXPECT_EQ(calls.objectsCreated(), 0u);
    EXPECT_EQ(tensor->vector()[0], 1.0f);
}

TEST_F(ListTest, BindsKernelsOnTheSameMemoryOnce) {
    if (checking())
        GTEST_SKIP() << "checked mode binds a report for each kernel";
    auto tensor = floats({1});
    auto other = floats({5});
    kp::KernelListLauncher list("list");
    pushParametrized(list, 3, tensor);
    list += parametrized("other", other);
    list(queue, {}, {{"scale", 2.0f}, {"offset", 0.0f}}).wait();
    CallCounter calls(manager);
    list(queue, {}, {{"scale", 1.0f}, {"offset", 1.0f}}).wait();
    EXPECT_EQ(calls.of("vkCmdDispatch"), 4u);
    EXPECT_EQ(calls.of("vkCmdBindPipeline"), 1u);
    EXPECT_EQ(calls.of("vkCmdBindDescriptorSets"), 2u);
    EXPECT_EQ(calls.of("vkUpdateDescriptorSets"), 0u);
    EXPECT_EQ(tensor->vector()[0], 11.0f);
    EXPECT_EQ(other->vector()[0], 11.0f);
}

TEST_F(ListTest, BindsRebuiltMemoryToEveryKernel) {
    auto tensor = floats({1});
    kp::KernelListLauncher list("list");
    pushParametrized(list, 3, tensor);
    list(queue, {}, {{"scale", 2.0f}, {"offset", 0.0f}}).wait();
    EXPECT_EQ(tensor->vector()[0], 8.0f);
    const float fresh[] = {7};
    tensor->rebuild(fresh, 1, sizeof(float));
    list(queue, {}, {{"scale", 2.0f}, {"offset", 0.0f}}).wait();
    EXPECT_EQ(tensor->vector()[0], 56.0f);
    list += parametrized("late", tensor);
    list(queue, {}, {{"scale", 1.0f}, {"offset", 1.0f}}).wait();
    EXPECT_EQ(tensor->vector()[0], 60.0f);
}

TEST_F(ListTest, RejectsUnsizedLaunchersAndWrongParameters) {
    auto tensor = floats({1});
    kp::KernelListLauncher list("list");
    auto bare =
        std::make_shared<kp::KernelLauncher>("bare", scale, kp::Arguments{tensor, 1.0f, 0.0f});
    EXPECT_ERROR(InvalidArgument, "launcher 'bare' has no default global size", list.push(bare));
    EXPECT_EQ(list.size(), 0u);
    EXPECT_ERROR(InvalidArgument, "no queue was given", list(nullptr));
    list += parametrized("step", tensor);
    EXPECT_ERROR(InvalidArgument, "parameter 'offset' is missing",
                 list(queue, {}, {{"scale", 1.0f}}));
    EXPECT_ERROR(InvalidArgument, "parameter 'dt' is unknown",
                 list(queue, {}, {{"scale", 1.0f}, {"offset", 1.0f}, {"dt", 1.0f}}));
    EXPECT_EQ(tensor->vector()[0], 1.0f);
}

TEST_F(ListTest, IgnoresDefaultQueuesOfLaunchers) {
    auto tensor = floats({1});
    kp::KernelOptions options = sized(1);
    options.queue = manager.queue(3, true, true);
    kp::KernelListLauncher list("list");
    auto launcher = std::make_shared<kp::KernelLauncher>(
        "x2", scale, kp::Arguments{tensor, 2.0f, 0.0f}, options);
    list += launcher;
    list(queue).wait();
    EXPECT_TRUE(launcher->events().empty());
    EXPECT_EQ(tensor->vector()[0], 2.0f);
}

TEST_F(ListTest, WaitsForEventsBeforeTheFirstLauncher) {
    auto tensor = floats({1});
    kp::KernelListLauncher list("list");
    list.pushKernels(fixed("x2", tensor, 2, 0), fixed("+1", tensor, 1, 1));
    kp::UserEvent gate;
    const kp::Event event = list(queue, {gate});
    EXPECT_EQ(event.status(), kp::EventStatus::eQueued);
    EXPECT_EQ(tensor->vector()[0], 1.0f);
    gate.set();
    event.wait();
    EXPECT_EQ(tensor->vector()[0], 3.0f);
}

TEST_F(ListTest, EmptyListWaitsOnTheHost) {
    kp::KernelListLauncher list("empty");
    kp::UserEvent gate;
    std::atomic<bool> set{false};
    std::thread later([&] {
        std::this_thread::sleep_for(std::chrono::milliseconds(5));
        set = true;
        gate.set();
    });
    const kp::Event event = list(queue, {gate});
    EXPECT_TRUE(set);
    EXPECT_TRUE(event.done());
    later.join();
}

TEST_F(ListTest, MergesTheParametersOfItsLaunchers) {
    auto tensor = floats({1});
    kp::KernelListLauncher list("list");
    list.pushKernels(parametrized("a", tensor), parametrized("b", tensor));
    ASSERT_EQ(list.parameters().size(), 2u);
    EXPECT_EQ(list.parameters()[0].name, "offset");
    EXPECT_EQ(list.parameters()[0].type, "float");
    EXPECT_EQ(list.parameters()[0].launchers, (std::vector<std::string>{"a", "b"}));
    auto other = std::make_shared<kp::ParametrizedKernelLauncher>(
        "c", kp::Kernel(manager, std::string(kAddTo)), kp::ParametersMap{{"scale", 2}},
        kp::Arguments{{0, manager.tensorT<uint32_t>({1})}, {1, manager.tensorT<uint32_t>({1})}},
        sized(1));
    EXPECT_ERROR(InvalidArgument, "'scale' is a float for 'a', but a uint for 'c'",
                 list.push(other));
    auto nested = std::make_shared<kp::KernelListLauncher>("nested");
    nested->pushKernels(fixed("fine", tensor, 1, 1), other);
    EXPECT_ERROR(InvalidArgument, "'scale' is a float", list.push(nested));
    EXPECT_EQ(list.size(), 2u);
    EXPECT_EQ(list.parameters().size(), 2u);
}

TEST_F(ListTest, CopiesAtOffsets) {
    auto a = storage<uint32_t>({1, 2, 3, 4});
    auto b = storage<uint32_t>({0, 0, 0, 0});
    auto c = manager.tensorT<uint32_t>({0, 0, 0, 0}, kp::Memory::MemoryTypes::eHost);
    std::vector<uint32_t> in{7, 8};
    std::vector<uint32_t> out(4, 99);
    kp::KernelListLauncher list("copies");
    list.pushCopyHostToDevice("in", in, a, 4)
        .pushCopyDeviceToDevice("middle", a, b, {4, 0, 8})
        .pushCopyHostDevice("whole", b, c)
        .pushCopyDeviceToHost("out", c, out);
    list(queue).wait();
    EXPECT_EQ(onDevice<uint32_t>(*a), (std::vector<uint32_t>{1, 7, 8, 4}));
    EXPECT_EQ(out, (std::vector<uint32_t>{7, 8, 0, 0}));
    kp::KernelListLauncher part("part");
    part.pushCopyDeviceToHost("tail", a, out, 8);
    part(queue).wait();
    EXPECT_EQ(out, (std::vector<uint32_t>{8, 4, 0, 0}));
    kp::KernelListLauncher inside("inside");
    inside.pushCopyDeviceToDevice("shift", a, a, {0, 8, 8});
    inside(queue).wait();
    EXPECT_EQ(onDevice<uint32_t>(*a), (std::vector<uint32_t>{1, 7, 1, 7}));

    EXPECT_ERROR(InvalidArgument, "launcher 'x': the source offset 17 is past its 16 bytes",
                 part.pushCopyDeviceToDevice("x", a, b, {17, 0, std::nullopt}));
    EXPECT_ERROR(InvalidArgument, "a copy of 16 bytes was asked for, but the destination has 12",
                 part.pushCopyDeviceToDevice("x", a, b, {0, 4, 16}));
    EXPECT_ERROR(InvalidArgument, "a copy of 0 bytes",
                 part.pushCopyDeviceToDevice("x", a, b, {16, 0, std::nullopt}));
    EXPECT_ERROR(InvalidArgument, "overlap in one tensor",
                 part.pushCopyDeviceToDevice("x", a, a, {0, 4, 8}));
    EXPECT_ERROR(InvalidArgument, "a tensor on both ends", part.pushCopyDeviceToDevice("x", in, a));
    EXPECT_ERROR(InvalidArgument, "goes from host memory to a tensor",
                 part.pushCopyHostToDevice("x", a, b));
    EXPECT_ERROR(InvalidArgument, "goes from a tensor to host memory",
                 part.pushCopyDeviceToHost("x", in, a));
    EXPECT_ERROR(InvalidArgument, "both ends are host memory",
                 part.pushCopyHostDevice("x", in, out));
    EXPECT_ERROR(InvalidArgument, "the source is null",
                 part.pushCopyHostToDevice("x", kp::CopyEnd(nullptr, 4), a));
    EXPECT_EQ(part.size(), 1u);
}

TEST_F(ListTest, CopiesOnlyWholeImages) {
    auto image = manager.image(2, 2, 1);
    std::vector<float> in{1, 2, 3, 4};
    std::vector<float> out(4);
    auto tensor = storage<float>({0, 0, 0, 0});
    kp::KernelListLauncher list("images");
    list.pushCopyHostToDevice("in", in, image)
        .pushCopyDeviceToDevice("over", image, tensor)
        .pushCopyDeviceToHost("out", image, out);
    list(queue).wait();
    EXPECT_EQ(out, in);
    EXPECT_EQ(onDevice<float>(*tensor), in);
    EXPECT_ERROR(InvalidArgument, "images are copied whole",
                 list.pushCopyDeviceToDevice("x", image, tensor, {0, 0, 4}));
}

TEST_F(ListTest, MarksTheMirrorStaleAfterACopy) {
    auto source = storage<uint32_t>({1, 2});
    auto mirrored = manager.tensorT<uint32_t>({0, 0});
    kp::CopyLauncher copy("copy", source, mirrored, {4, 0, 4}, queue);
    copy()->wait();
    EXPECT_EQ(mirrored->vector()[0], 2u);
}

TEST_F(ListTest, FillsElementsOfEverySize) {
    auto words = storage<float>({0, 0, 0, 0});
    kp::FillLauncher(std::string("w"), words, 2.5f, 4, 8, queue)()->wait();
    EXPECT_EQ(onDevice<float>(*words), (std::vector<float>{0, 2.5f, 2.5f, 0}));
    auto bytes = storage<uint8_t>({0, 0, 0, 0, 0, 0, 0});
    kp::FillLauncher(std::string("b"), bytes, uint8_t{7}, 1, 4, queue)()->wait();
    EXPECT_EQ(onDevice<uint8_t>(*bytes), (std::vector<uint8_t>{0, 7, 7, 7, 7, 0, 0}));
    kp::FillLauncher(std::string("b"), bytes, uint8_t{9}, 0, std::nullopt, queue)()->wait();
    EXPECT_EQ(onDevice<uint8_t>(*bytes), (std::vector<uint8_t>(7, 9)));
    auto wide = storage<double>(std::vector<double>(20'000, 0.0));
    kp::FillLauncher(std::string("d"), wide, 1.25, 8, std::nullopt, queue)()->wait();
    std::vector<double> expected(20'000, 1.25);
    expected[0] = 0;
    EXPECT_EQ(onDevice<double>(*wide), expected);
    EXPECT_ERROR(InvalidArgument,
                 "elements are eFloat of 4 bytes, but the value to fill with is int",
                 kp::FillLauncher("x", words, 1));
    EXPECT_ERROR(InvalidArgument, "does not fit a tensor of 16 bytes",
                 kp::FillLauncher("x", words, 1.0f, 8, 12));
    EXPECT_ERROR(InvalidArgument, "whole elements of 4 bytes",
                 kp::FillLauncher("x", words, 1.0f, 2));
}

TEST_F(ListTest, RunsHostLaunchersBetweenKernels) {
    auto tensor = floats({1, 2});
    std::vector<float> seen;
    auto host = std::make_shared<kp::HostLauncher>(
        "exchange",
        [&](const kp::Parameters& parameters) {
            seen = onDevice<float>(*tensor);
            float shift = 0;
            std::memcpy(&shift, parameters.at(0).value.data(), sizeof shift);
            std::vector<float> changed = seen;
            for (float& value : changed)
                value += shift;
            tensor->upload(changed.data(), changed.size() * sizeof(float));
        },
        std::vector<std::string>{"shift"});
    kp::KernelListLauncher list("list");
    list.pushKernels(fixed("x2", tensor, 2, 0), host, fixed("x10", tensor, 10, 0));
    EXPECT_EQ(list.parameters()[0].type, "anything");
    EXPECT_ERROR(InvalidArgument, "parameter 'shift' is missing", list(queue));
    for (int i = 0; i < 3; ++i) {
        tensor->setData(std::vector<float>{1, 2});
        list(queue, {}, {{"shift", 100.0f}}).wait();
        EXPECT_EQ(seen, (std::vector<float>{2, 4}));
        EXPECT_EQ(tensor->vector(), (std::vector<float>{1020, 1040}));
    }
}

TEST_F(ListTest, ReturnsWhileAHostLauncherRuns) {
    auto tensor = floats({1});
    kp::UserEvent started;
    kp::UserEvent gate;
    auto host = std::make_shared<kp::HostLauncher>("slow", [&] {
        started.set();
        gate.wait();
    });
    kp::KernelListLauncher list("list");
    list.pushKernels(fixed("x2", tensor, 2, 0), host, fixed("x10", tensor, 10, 0));
    const kp::Event event = list(queue);
    started.wait();
    EXPECT_FALSE(event.done());
    EXPECT_EQ(tensor->vector()[0], 2.0f);
    // Another queue and its transfers do not wait.
    auto other = floats({1});
    (*fixed("x3", other, 3, 0))(on(manager.queue(1)))->wait();
    EXPECT_EQ(onDevice<float>(*other)[0], 3.0f);
    gate.set();
    event.wait();
    EXPECT_EQ(tensor->vector()[0], 20.0f);
}

TEST_F(ListTest, FailsTheDependentsOfAHostLauncherThatThrows) {
    auto tensor = floats({1});
    bool fail = true;
    auto host = std::make_shared<kp::HostLauncher>("throws", [&] {
        if (fail)
            throw std::domain_error("planted");
    });
    kp::KernelListLauncher list("list");
    list.pushKernels(fixed("x2", tensor, 2, 0), host, fixed("x10", tensor, 10, 0));
    const kp::Event event = list(queue);
    const kp::Event dependent = *(*fixed("x7", tensor, 7, 0))(on(queue, {event}));
    EXPECT_THROW(event.wait(), std::domain_error);
    EXPECT_THROW(dependent.wait(), std::domain_error);
    EXPECT_EQ(event.status(), kp::EventStatus::eError);
    EXPECT_EQ(tensor->vector()[0], 2.0f);
    fail = false;
    list(queue).wait();
    EXPECT_EQ(tensor->vector()[0], 40.0f);
}

TEST_F(ListTest, CallsLaunchersDefinedByTheUser) {
    auto tensor = floats({1});
    kp::KernelListLauncher list("list");
    list += fixed("+1", tensor, 1, 1);
    list += std::make_shared<TwiceLauncher>("twice", fixed("x3", tensor, 3, 0));
    list += fixed("+1", tensor, 1, 1);
    list(queue).wait();
    EXPECT_EQ(tensor->vector()[0], 19.0f);
}

TEST_F(ListTest, RunsIterativeLaunchers) {
    auto tensor = floats({1});
    kp::KernelListLauncher list("list");
    list += fixed("+1", tensor, 1, 1);
    list += std::make_shared<kp::IterativeKernelLauncher>(
        "loop", scale, kp::ParametersMap{{"scale", 1}, {"offset", 2}}, kp::Arguments{{0, tensor}},
        std::vector<kp::IteratedParameter>{{"scale", yielder({2.0f, 3.0f})}}, sized(1));
    ASSERT_EQ(list.parameters().size(), 1u);
    CallCounter calls(manager);
    list(queue, {}, {{"offset", 1.0f}}).wait();
    EXPECT_EQ(calls.submits(), 1u);
    EXPECT_EQ(tensor->vector()[0], 16.0f);
    calls.reset();
    list(queue, {}, {{"offset", 1.0f}}).wait();
    EXPECT_EQ(calls.of("vkCmdDispatch"), 0u);
}

TEST_F(ListTest, CanBeDestroyedWhileItRuns) {
    auto tensor = floats({1});
    kp::UserEvent gate;
    kp::Event event;
    {
        kp::KernelListLauncher list("list");
        list.pushKernels(fixed("x2", tensor, 2, 0), fixed("+1", tensor, 1, 1));
        list(queue);
        event = list(queue, {gate});
    }
    gate.set();
    event.wait();
    EXPECT_EQ(tensor->vector()[0], 7.0f);
}

TEST_F(ListTest, ReleasesTheDeviceIfALauncherIsDestroyedWhileItRuns) {
    std::weak_ptr<vulkan::Device> device;
    {
        kp::ManagerOptions options;
        options.timelineSemaphores = false;
        kp::Manager own(options);
        device = deviceOf(own);
        auto tensor = own.tensorT<float>(std::vector<float>(1 << 20, 1.0f));
        kp::KernelOptions sizes = sized(1 << 20);
        sizes.localSize = kp::WorkSize(128);
        kp::KernelLauncher launcher("x2", kp::Kernel(own, std::string(kScaleShader)),
                                    {tensor, 2.0f, 0.0f}, sizes);
        for (int i = 0; i < 4; ++i)
            launcher(on(own.queue()));
    }
    // All managers of this run may share it.
    if (device.lock() != deviceOf(manager)) {
        EXPECT_TRUE(device.expired());
    }
}

} // namespace
} // namespace kp::test

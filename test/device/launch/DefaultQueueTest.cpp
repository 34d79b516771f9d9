// SPDX-License-Identifier: Apache-2.0
//
// Launchers that are given no queue.
#include "device/launch/LaunchSupport.hpp"

namespace kp::test {
namespace {

using Floats = std::vector<float>;

class DefaultQueueTest : public LaunchTest {
protected:
    /// Calls a launcher of each kind that doubles a tensor, and expects that it does.
    void expectDoubles(const std::shared_ptr<kp::Launcher>& launcher,
                       const std::shared_ptr<kp::TensorT<float>>& tensor,
                       const kp::Parameters& parameters = {}) {
        const float before = tensor->vector()[0];
        const kp::Event event = launcher->launch(parameters);
        event.wait();
        EXPECT_EQ(tensor->vector()[0], 2 * before);
        EXPECT_EQ(launcher->managerQueue(), manager.defaultQueue());
    }
};

TEST_F(DefaultQueueTest, IsOneInOrderQueueOnTheFirstVkQueue) {
    const std::shared_ptr<kp::Queue>& queue = manager.defaultQueue();
    EXPECT_EQ(queue, manager.defaultQueue());
    EXPECT_NE(queue, manager.queue());
    EXPECT_EQ(queue->index(), 0u);
    EXPECT_TRUE(queue->inOrder());
    EXPECT_FALSE(queue->isVirtual());
    EXPECT_FALSE(queue->profiling());
}

TEST_F(DefaultQueueTest, RunsKernelsThatAreGivenNoQueue) {
    auto tensor = floats({1});
    auto plain = fixed("plain", tensor, 2.0f, 0.0f);
    expectDoubles(plain, tensor);
    EXPECT_FALSE(plain->queueConfigured());
    EXPECT_EQ(plain->defaultQueue(), nullptr);
    expectDoubles(parametrized("parametrized", tensor), tensor,
                  {{"scale", 2.0f}, {"offset", 0.0f}});
    expectDoubles(std::make_shared<kp::IterativeKernelLauncher>(
                      "iterative", scale, kp::ParametersMap{{"scale", 1}},
                      kp::Arguments{{0, tensor}, {2, 0.0f}},
                      std::vector<kp::IteratedParameter>{{"scale", yielder({4.0f, 0.5f})}},
                      sized(1)),
                  tensor);
    auto algorithm = manager.algorithm<float, float>({tensor}, manager.compile(kScaleShader),
                                                     kp::Workgroup{1}, {}, Floats{2.0f, 0.0f});
    expectDoubles(std::make_shared<kp::KernelLauncher>("algorithm", kp::Kernel(algorithm),
                                                       kp::Arguments{}, sized(1)),
                  tensor);
    algorithm->rebuild(kp::MemoryObjects{tensor}, manager.compile(kScaleShader), kp::Workgroup{1},
                       Floats{}, Floats{2.0f, 0.0f});
    expectDoubles(std::make_shared<kp::KernelLauncher>("rebuilt", kp::Kernel(algorithm),
                                                       kp::Arguments{}, sized(1)),
                  tensor);
}

TEST_F(DefaultQueueTest, RunsCopiesAndFillsThatAreGivenNoQueue) {
    auto tensor = floats({1});
    Floats result(1);
    kp::CopyLauncher download("download", tensor, result);
    download()->wait();
    EXPECT_EQ(result[0], 1.0f);
    kp::FillLauncher("fill", tensor, 3.0f)()->wait();
    result[0] = 5.0f;
    const float fresh[] = {4.0f};
    tensor->rebuild(fresh, 1, sizeof(float));
    kp::CopyLauncher("upload", result, tensor)()->wait();
    EXPECT_EQ(tensor->vector()[0], 5.0f);
}

TEST_F(DefaultQueueTest, RunsListsThatAreGivenNoQueue) {
    auto tensor = floats({1});
    kp::KernelListLauncher list("list");
    int calls = 0;
    list += std::make_shared<kp::HostLauncher>("host", [&] { ++calls; });
    EXPECT_ERROR(InvalidArgument, "none of its launchers knows a manager", list());
    kp::KernelOptions options = sized(1);
    options.queue = manager.queue();
    list += std::make_shared<kp::KernelLauncher>("x2", scale, kp::Arguments{tensor, 2.0f, 0.0f},
                                                 options);
    EXPECT_EQ(list.managerQueue(), manager.defaultQueue());
    list().wait();
    EXPECT_EQ(tensor->vector()[0], 2.0f);
    EXPECT_EQ(calls, 1);
}

TEST_F(DefaultQueueTest, OrdersTheLaunchesOfAllLaunchers) {
    auto first = floats({1});
    auto second = floats({1});
    kp::UserEvent gate;
    const kp::Event held = fixed("held", first, 2.0f, 0.0f)->launch({}, {gate});
    const kp::Event behind = fixed("behind", second, 2.0f, 0.0f)->launch();
    EXPECT_EQ(behind.status(), kp::EventStatus::eQueued);
    gate.set();
    behind.wait();
    EXPECT_TRUE(held.done());
}

TEST_F(DefaultQueueTest, PrefersTheQueueOfTheCallAndOfTheOptions) {
    auto tensor = floats({1});
    kp::KernelOptions options = sized(1);
    options.queue = manager.queue(2, true, true);
    kp::KernelLauncher launcher("x2", scale, {tensor, 2.0f, 0.0f}, options);
    launcher()->wait();
    EXPECT_EQ(launcher.events().size(), options.queue->profiling() ? 1u : 0u);
    launcher(on(manager.queue()))->wait();
    EXPECT_EQ(launcher.events().size(), options.queue->profiling() ? 1u : 0u);
}

TEST_F(DefaultQueueTest, IsNotKnownToHostFunctions) {
    kp::HostLauncher host("host", [] {});
    EXPECT_ERROR(InvalidArgument, "launcher 'host': no queue was given with the call", host());
    EXPECT_ERROR(InvalidArgument, "give it one of Manager::queue()", host());
}

TEST_F(DefaultQueueTest, EndsWithItsManagerAndItsLaunchers) {
    kp::Manager other;
    const std::weak_ptr<kp::Queue> queue = other.defaultQueue();
    auto tensor = other.tensorT<float>({1});
    auto launcher =
        std::make_shared<kp::KernelLauncher>("x2", kp::Kernel(other, std::string(kScaleShader)),
                                             kp::Arguments{tensor, 2.0f, 0.0f}, sized(1));
    launcher->launch().wait();
    other.destroy();
    EXPECT_ERROR(InvalidArgument, "was destroyed", other.defaultQueue());
    EXPECT_ERROR(InvalidArgument, "destroyed", launcher->launch());
    EXPECT_FALSE(queue.expired());
    launcher.reset();
    EXPECT_TRUE(queue.expired());
}

} // namespace
} // namespace kp::test

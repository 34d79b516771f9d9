// SPDX-License-Identifier: Apache-2.0
//
// The code of docs/guides/synchronisation.md. Each block of that page is a part of this file, apart
// from whitespace.
#include "../DocsSupport.hpp"
#include "../TestSupport.hpp"

#include <kompute/Launch.hpp>

#include <atomic>
#include <cmath>
#include <future>

namespace kp::test {
namespace {

using SynchronisationDocsTest = DeviceTest;

TEST_F(SynchronisationDocsTest, RunsTheCodeOnTheOrderInsideASequence) {
    auto input = manager.tensor({0, 3, 6, 0});
    auto blurred = manager.tensor({0, 0, 0, 0});
    auto sharpened = manager.tensor({0, 0, 0, 0});
    auto counts = manager.tensorT<uint32_t>({0, 0});
    const std::string from = buffer(0, "readonly", "float", "a");
    auto blur = manager.algorithm({input, blurred},
                                  spirv(shader(from + buffer(1, "writeonly", "float", "b"),
                                               "b[i] = (a[i] + a[(i + 1) % 4]) / 2;")));
    auto sharpen = manager.algorithm(
        {blurred, sharpened},
        spirv(shader(from + buffer(1, "writeonly", "float", "b"), "b[i] = 2 * a[i] - 1;")));
    auto histogram = manager.algorithm(
        {input, counts},
        spirv(shader(from + buffer(1, "", "uint", "n"), "atomicAdd(n[a[i] > 0 ? 1 : 0], 1);")));
    auto sequence = manager.sequence();
    // clang-format off
sequence->record<kp::OpSyncDevice>({input})
    ->record<kp::OpAlgoDispatch>(blur)        // reads input, writes blurred
    ->record<kp::OpAlgoDispatch>(sharpen)     // reads blurred: waits for blur
    ->record<kp::OpAlgoDispatch>(histogram)   // reads input only: overlaps both
    ->record<kp::OpSyncLocal>({sharpened, counts});
    // clang-format on
    sequence->eval();
    EXPECT_EQ(sharpened->vector(), (std::vector<float>{2, 8, 5, -1}));
    EXPECT_EQ(counts->vector(), (std::vector<uint32_t>{2, 2}));
}

TEST_F(SynchronisationDocsTest, RunsTheCodeOnLoops) {
    auto number = manager.tensor({2});
    auto root = manager.tensor({1});
    auto done = manager.tensorT<uint32_t>({0});
    auto newton = manager.algorithm(
        {number, root, done},
        spirv(shader(buffer(0, "readonly", "float", "a") + buffer(1, "", "float", "x") +
                         buffer(2, "writeonly", "uint", "done"),
                     "float next = 0.5 * (x[0] + a[0] / x[0]);"
                     "done[0] = uint(abs(next - x[0]) <= 1e-6 * next); x[0] = next;")));
    // clang-format off
std::vector<std::shared_ptr<kp::OpBase>> step = {std::make_shared<kp::OpAlgoDispatch>(newton)};
manager.sequence()->record<kp::OpRepeat>(step, done, 50)->eval();
    // clang-format on
    EXPECT_NEAR(onDevice<float>(*root)[0], std::sqrt(2.0f), 1e-6f);
    EXPECT_EQ(onDevice<uint32_t>(*done)[0], 1u);
}

TEST_F(SynchronisationDocsTest, RunsTheCodeOnTwoQueues) {
    if (manager.deviceInfo().computeQueues.at(0) < 2)
        GTEST_SKIP() << "the device has fewer than two queues in family 0";
    kp::ManagerOptions both;
    both.queueFamilies = {0, 0};
    kp::Manager owner(both); // the manager of the page shares its device
    auto a = owner.tensorT<uint32_t>({5});
    auto b = owner.tensorT<uint32_t>({0});
    auto writesA = owner.algorithm({a}, addShader(1));
    auto readsA = owner.algorithm({a, b}, copyShader());
    // clang-format off
kp::ManagerOptions options;
options.queueFamilies = {0, 0}; // two queues of family 0
kp::Manager manager(options);

auto produce = manager.sequence(0)->record<kp::OpAlgoDispatch>(writesA);
auto consume = manager.sequence(1)->record<kp::OpAlgoDispatch>(readsA);
produce->evalAsync();
consume->evalAsync(); // starts when produce is done, because both use A
consume->evalAwait();
produce->evalAwait();
    // clang-format on
    EXPECT_EQ(b->vector(), std::vector<uint32_t>{6});
}

TEST_F(SynchronisationDocsTest, RunsTheCodeOnEvents) {
    auto a = manager.tensorT<uint32_t>({1});
    auto b = manager.tensorT<uint32_t>({1});
    auto first =
        manager.sequence()->record<kp::OpAlgoDispatch>(manager.algorithm({a}, addShader(1)));
    auto second =
        manager.sequence()->record<kp::OpAlgoDispatch>(manager.algorithm({b}, addShader(2)));
    // clang-format off
first->evalAsync();
kp::Event done = first->event();
second->evalAsync({done});   // starts when first is done, even on other memory
if (!done.done()) {          // asks, never blocks
    done.wait(1000000);      // waits for at most one millisecond
}
    // clang-format on
    second->evalAwait();
    EXPECT_TRUE(done.done());
    first->evalAwait();
    EXPECT_EQ(a->vector(), std::vector<uint32_t>{2});
    EXPECT_EQ(b->vector(), std::vector<uint32_t>{3});
}

TEST_F(SynchronisationDocsTest, RunsTheCodeOnCallbacks) {
    auto a = manager.tensorT<uint32_t>({1});
    auto first =
        manager.sequence()->record<kp::OpAlgoDispatch>(manager.algorithm({a}, addShader(1)));
    auto queue = manager.queue();
    first->evalAsync();
    kp::Event done = first->event();
    std::promise<void> called;
    std::atomic<int> written{0};
    // clang-format off
kp::whenDone(done, [&] { called.set_value(); });                   // however the work ends
kp::Event log = queue->hostFunction([&] { ++written; }, {done});   // an event of its own
    // clang-format on
    log.wait();
    called.get_future().wait();
    first->evalAwait();
    EXPECT_EQ(written, 1);
    EXPECT_EQ(a->vector(), std::vector<uint32_t>{2});
}

TEST_F(SynchronisationDocsTest, HasTheCodeOfThePage) {
    expectCodeOfPage("docs/guides/synchronisation.md",
                     "test/device/docs/SynchronisationDocsTest.cpp", 5);
}

} // namespace
} // namespace kp::test

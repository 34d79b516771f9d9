// SPDX-License-Identifier: Apache-2.0
//
// Rows about launchers that are called again and again without waiting.
#include <string>

#include <kompute/Launch.hpp>

#include "Increments.hpp"

namespace kp::benchmark {
namespace {

/// A launcher of the increment kernel, on buffers of its own.
class LaunchedIncrements {
public:
    LaunchedIncrements(kp::Manager& manager, const std::vector<uint32_t>& spirv,
                       const std::vector<uint32_t>& initial)
        : mIncrements(manager, spirv, 1, initial), mQueue(manager.queue()),
          mLauncher(std::make_shared<kp::KernelLauncher>(
              "increment", kp::Kernel(manager, spirv), kp::Arguments{mIncrements.tensors[0]},
              kp::KernelOptions{.globalSize = kp::WorkSize(64), .queue = mQueue})) {}

    void launch(size_t times) {
        for (size_t i = 0; i < times; ++i)
            mEvent = *(*mLauncher)({});
    }
    void wait() const { mEvent.wait(); }
    void verify(uint64_t times, const std::string& side) { mIncrements.verify(times, side); }

private:
    KomputeIncrements mIncrements;
    std::shared_ptr<kp::Queue> mQueue;
    std::shared_ptr<kp::KernelLauncher> mLauncher;
    kp::Event mEvent;
};

std::unique_ptr<kp::Manager> submittingAtOnce(const Suite& suite) {
    kp::ManagerOptions options;
    options.waitPolicy = suite.options().wait;
    options.coalesce = false;
    return std::make_unique<kp::Manager>(options);
}

/// Launches that depend on each other, then one wait.
/// @param callsOnly  times the calls alone, without the wait
void chain(Suite& suite, Row& row, size_t launches, bool callsOnly) {
    const auto initial = randomWords(kElements);
    LaunchedIncrements kompute(suite.manager(), suite.increment(), initial);
    const auto manager = submittingAtOnce(suite);
    LaunchedIncrements single(*manager, suite.increment(), initial);
    RawIncrements raw(suite.manager(), suite.waitMode(), suite.increment(), 1, initial);
    const auto commands = raw.recordEach(launches);
    const double items = static_cast<double>(launches);
    const auto side = [&](const std::string& name, auto launch, auto wait) {
        if (callsOnly)
            row.side(name, launch, items, wait);
        else
            row.side(
                name,
                [=] {
                    launch();
                    wait();
                },
                items);
    };
    side(
        "kompute", [&] { kompute.launch(launches); }, [&] { kompute.wait(); });
    side(
        "each at once", [&] { single.launch(launches); }, [&] { single.wait(); });
    uint64_t last = 0;
    side(
        "raw",
        [&] {
            for (const auto& each : commands) {
                const VkCommandBuffer handle = each->handle();
                last = raw.queue.submit({&handle, 1});
            }
        },
        [&] { raw.queue.wait(last); });
    std::unique_ptr<Cuda::Increments> cuda;
    if (suite.cuda()) {
        cuda = suite.cuda()->increments(1, initial);
        side(
            "cuda", [&] { cuda->launchOnly(launches, true); }, [&] { cuda->synchronize(); });
    }
    if (callsOnly)
        row.target("", 1.0);
    else if (launches > 1)
        row.target("cuda", 0.6);
    row.note("raw: a submission for each launch");
    suite.measure(row);
    kompute.verify(row.calls("kompute") * launches, "kompute");
    single.verify(row.calls("each at once") * launches, "each at once");
    raw.verify(row.calls("raw") * launches);
    if (cuda)
        requireIncrements(initial, cuda->read(0), row.calls("cuda") * launches, "cuda");
}

} // namespace

void addLaunching(Suite& suite) {
    suite.add("launch/chain_1000", "1,000 dependent launches and one wait, each",
              [](Suite& s, Row& row) { chain(s, row, 1000, false); });
    suite.add("launch/call", "what a launch costs the caller, each of 200",
              [](Suite& s, Row& row) { chain(s, row, 200, true); });
    suite.add("launch/one", "launch and wait", [](Suite& s, Row& row) { chain(s, row, 1, false); });
}

} // namespace kp::benchmark

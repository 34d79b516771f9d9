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

/// A list of dependent kernels and its buffer.
class IncrementList {
public:
    IncrementList(Suite& suite, size_t kernels, const std::vector<uint32_t>& initial,
                  bool profiling)
        : mIncrements(suite.manager(), suite.increment(), 1, initial),
          mQueue(suite.manager().queue(0, true, profiling)), mList("list") {
        const kp::Kernel kernel(suite.manager(), suite.increment());
        for (size_t i = 0; i < kernels; ++i)
            mList.push(std::make_shared<kp::KernelLauncher>(
                "kernel " + std::to_string(i), kernel, kp::Arguments{mIncrements.tensors[0]},
                kp::KernelOptions{.globalSize = kp::WorkSize(64)}));
    }

    /// Calls the list and waits. A program that profiles fetches the statistics now and then.
    void run() {
        mList(mQueue).wait();
        if (profiles() && ++mCalls % 50 == 0)
            mList.statistics();
    }
    bool profiles() const { return mQueue->profiling(); }
    void verify(uint64_t calls, const std::string& side) {
        mIncrements.verify(calls * mList.size(), side);
        if (profiles())
            Suite::require(mList.statistics().at("kernel 0").count() == calls,
                           "the number of profiled calls");
    }

private:
    KomputeIncrements mIncrements;
    std::shared_ptr<kp::Queue> mQueue;
    kp::KernelListLauncher mList;
    uint64_t mCalls = 0;
};

/// Calls of a list with and without profiling.
void profiledList(Suite& suite, Row& row, size_t kernels) {
    if (!suite.device().timestamps)
        throw Skip{"the device has no timestamps"};
    const auto initial = randomWords(kElements);
    IncrementList profiled(suite, kernels, initial, true);
    IncrementList plain(suite, kernels, initial, false);
    row.side("kompute", [&] { profiled.run(); });
    row.side("not profiled", [&] { plain.run(); });
    row.target("not profiled", 1.05);
    suite.measure(row);
    profiled.verify(row.calls("kompute"), "kompute");
    plain.verify(row.calls("not profiled"), "not profiled");
}

} // namespace

void addLaunching(Suite& suite) {
    suite.add("launch/chain_1000", "1,000 dependent launches and one wait, each",
              [](Suite& s, Row& row) { chain(s, row, 1000, false); });
    suite.add("launch/call", "what a launch costs the caller, each of 200",
              [](Suite& s, Row& row) { chain(s, row, 200, true); });
    suite.add("launch/one", "launch and wait", [](Suite& s, Row& row) { chain(s, row, 1, false); });
    for (const size_t kernels : {20, 100})
        suite.add("launch/profiled_" + std::to_string(kernels),
                  "list of " + std::to_string(kernels) + " dependent kernels, profiled",
                  [=](Suite& s, Row& row) { profiledList(s, row, kernels); });
}

} // namespace kp::benchmark

// SPDX-License-Identifier: Apache-2.0
//
// Functions that programs pass or override may throw anything. The exception reaches the call, or
// the event of the work, and what threw can be used afterwards.
#include "device/group/GroupSupport.hpp"
#include "device/launch/LaunchSupport.hpp"

namespace kp::test {
namespace {

/// Not derived from std::exception.
struct Thrown {};

class ThrowingHook : public LaunchTest {
protected:
    std::shared_ptr<kp::TensorT<float>> tensor = floats({1, 2});
    bool throws = true;

    void maybe() const {
        if (throws)
            throw Thrown();
    }
};

TEST_F(ThrowingHook, AnOperationMayThrowFromEachOfItsFunctions) {
    struct Op : kp::OpBase {
        std::string at;
        void maybe(const char* place) const {
            if (at == place)
                throw Thrown();
        }
        void init() override { maybe("init"); }
        kp::Accesses accesses() override {
            maybe("accesses");
            return {};
        }
        void record(const vk::CommandBuffer&) override { maybe("record"); }
        void preEval(const vk::CommandBuffer&) override { maybe("preEval"); }
        void postEval(const vk::CommandBuffer&) override { maybe("postEval"); }
    };
    auto sequence = manager.sequence();
    auto op = std::make_shared<Op>();
    for (const char* const place : {"init", "accesses", "record", "preEval", "postEval"}) {
        SCOPED_TRACE(place);
        op->at = place;
        sequence->clear();
        EXPECT_THROW(sequence->record(op)->eval(), Thrown);
        op->at.clear();
        EXPECT_FALSE(sequence->isRunning());
        sequence->clear();
        sequence->record(op)->eval();
    }
    EXPECT_THROW(
        {
            op->at = "postEval";
            sequence->evalAsync();
            sequence->evalAwait();
        },
        Thrown);
    op->at.clear();
    sequence->eval();
}

TEST_F(ThrowingHook, AHostFunctionFailsItsEvent) {
    const kp::Event failed = queue->hostFunction([this] { maybe(); });
    const kp::Event dependent = *(*fixed("x2", tensor, 2, 0))(on(queue, {failed}));
    EXPECT_THROW(failed.wait(), Thrown);
    EXPECT_THROW(dependent.wait(), Thrown);
    throws = false;
    queue->hostFunction([this] { maybe(); }).wait();
    EXPECT_EQ(tensor->vector()[0], 1.0f);
}

TEST_F(ThrowingHook, AGeneratorOfParametersLaunchesNothing) {
    int values = 0;
    kp::IterativeKernelLauncher launcher(
        "iterates", scale, {{"scale", "scale"}}, {{0, tensor}, {2, 0.0f}},
        {{"scale", std::make_shared<kp::ParameterYielder>([&] {
              return [&, given = 0]() mutable -> std::optional<kp::ArgumentValue> {
                  if (++given == 2)
                      maybe();
                  ++values;
                  return given < 3 ? std::optional<kp::ArgumentValue>(2.0f) : std::nullopt;
              };
          })}},
        sized(2));
    EXPECT_THROW(launcher(on(queue)), Thrown);
    queue->finish();
    EXPECT_EQ(tensor->vector()[1], 2.0f);
    throws = false;
    launcher(on(queue))->wait();
    EXPECT_EQ(tensor->vector()[1], 8.0f);
    EXPECT_EQ(values, 4);
}

TEST_F(ThrowingHook, AnOverriddenCheckOfAnArgumentRefusesTheLaunch) {
    struct Checked : kp::ParametrizedKernelLauncher {
        using ParametrizedKernelLauncher::ParametrizedKernelLauncher;
        void checkKernelArg(const kp::ArgumentValue&, uint32_t, const std::string&,
                            const kp::KernelArgument&) const override {
            if (*refuses)
                throw Thrown();
        }
        const bool* refuses = nullptr;
    };
    Checked launcher("scale", scale, kp::ParametersMap{{"by", "scale"}},
                     kp::Arguments{{0, tensor}, {2, 0.0f}}, sized(2));
    launcher.refuses = &throws;
    EXPECT_THROW(launcher(on(queue, {}, {{"by", 2.0f}})), Thrown);
    throws = false;
    launcher(on(queue, {}, {{"by", 3.0f}}))->wait();
    EXPECT_EQ(tensor->vector()[1], 6.0f);
}

TEST_F(ThrowingHook, AnOverriddenBindingOfParametersRunsNothing) {
    struct Bound : kp::HostLauncher {
        using HostLauncher::HostLauncher;
        std::function<void()> bindParameters(const kp::LaunchOptions& options) const override {
            if (*refuses)
                throw Thrown();
            return HostLauncher::bindParameters(options);
        }
        const bool* refuses = nullptr;
    };
    int calls = 0;
    Bound launcher("host", [&] { ++calls; });
    launcher.refuses = &throws;
    EXPECT_THROW(launcher(on(queue)), Thrown);
    throws = false;
    launcher(on(queue))->wait();
    EXPECT_EQ(calls, 1);
}

TEST_F(ThrowingHook, AnOutputOfTracesReachesTheLaunch) {
    const kp::TraceOptions before = kp::traceOptions();
    kp::TraceOptions options = before;
    options.traceKernels = true;
    kp::setTraceOptions(options);
    kp::setTraceOutput([this](const std::string&) { maybe(); });
    auto launcher = fixed("x2", tensor, 2, 0);
    EXPECT_THROW((*launcher)(on(queue)), Thrown);
    throws = false;
    (*launcher)(on(queue))->wait();
    kp::setTraceOutput({});
    kp::setTraceOptions(before);
    EXPECT_EQ(tensor->vector()[1], 4.0f) << "the launch that could not be traced ran";
}

TEST_F(ThrowingHook, AReceiverOfTimesReachesTheCallThatReadsThem) {
    struct Sink : kp::TimingSink {
        void addTiming(const std::string&, const kp::Event&, const kp::EventProfile&,
                       uint64_t) override {
            ++times;
            if (throws)
                throw Thrown();
        }
        int times = 0;
        bool throws = true;
    };
    const auto sink = std::make_shared<Sink>();
    kp::KernelOptions options = sized(2);
    options.profiler = sink;
    const auto profiling = manager.queue(0, true, true);
    kp::KernelLauncher launcher("x2", scale, {tensor, 2.0f, 0.0f}, options);
    launcher(on(profiling))->wait();
    EXPECT_THROW(launcher.statistics(), Thrown);
    sink->throws = false;
    EXPECT_EQ(launcher.statistics().count(), 1u);
    EXPECT_EQ(sink->times, 2);
}

TEST(ThrowingGroupHook, AGlobalSizeLaunchesNothing) {
    kp::DeviceGroup group(groupOptions(2));
    auto buffer = makeBuffer(group, {8}, {}, kp::BufferPlacement::eSharded);
    buffer->write(std::vector<float>(8, 1));
    bool throws = true;
    kp::GroupKernelOptions options;
    options.globalSize = [&](const kp::Shard& shard) {
        if (throws)
            throw Thrown();
        return kp::WorkSize(shard.size());
    };
    EXPECT_THROW(kp::GroupKernel(group, "x2", kGroupScale, {buffer, 2.0f, 0.0f}, options), Thrown);
    throws = false;
    kp::GroupKernel twice(group, "x2", kGroupScale, {buffer, 2.0f, 0.0f}, options);
    kp::Event::waitAll(twice());
    EXPECT_EQ(buffer->read<float>(0)[0], 2.0f);
}

} // namespace
} // namespace kp::test

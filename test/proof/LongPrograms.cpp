// SPDX-License-Identifier: Apache-2.0
//
// Programs of unusual length take time in proportion to it: twice the length at most three times
// the time.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <ctime>
#include <functional>
#include <stdexcept>
#include <string>
#include <thread>

#include <kompute/Launch.hpp>

#include "device/TestSupport.hpp"
#include "device/VulkanHpp.hpp"
#include "proof/Settings.hpp"

namespace kp::proof {
namespace {

constexpr double kMaxRatio = 3;

/// Returns the least seconds of processor time of three calls.
double secondsOf(const std::function<void()>& work) {
    double least = 1e9;
    for (int i = 0; i < 3; ++i) {
        const std::clock_t start = std::clock();
        work();
        least = std::min(least, static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC);
    }
    return least;
}

/// @param work    does the timed work, for a length
/// @param plant   makes twice the length take sixteen times as long
void expectLinear(const char* name, uint32_t length, bool plant,
                  const std::function<void(uint32_t)>& work) {
    const auto run = [&](uint32_t n) {
        for (int i = 0; i < (plant && n == length ? 8 : 1); ++i)
            work(n);
    };
    run(length / 2);                                // compiles pipelines and allocates memory
    for (int attempt = 0; attempt < 3; ++attempt) { // the machine may be busy
        const double half = std::max(1e-2, secondsOf([&] { run(length / 2); }));
        const double whole = secondsOf([&] { run(length); });
        std::printf("%s: %u take %.3f s, %u take %.3f s\n", name, length / 2, half, length, whole);
        if (whole <= kMaxRatio * half)
            return;
    }
    throw std::runtime_error(std::string(name) + ": the time is not linear in the length");
}

void expect(bool holds, const char* what) {
    if (!holds)
        throw std::runtime_error(std::string("wrong result: ") + what);
}

/// An operation within an operation within an operation ...
class Nested : public kp::OpBase {
public:
    explicit Nested(std::shared_ptr<kp::OpBase> part) : mPart(std::move(part)) {}
    kp::Accesses accesses() override { return {}; }
    void record(const vk::CommandBuffer& commands) override { recordPart(commands, *mPart); }
    void preEval(const vk::CommandBuffer& commands) override { mPart->preEval(commands); }
    void postEval(const vk::CommandBuffer& commands) override { mPart->postEval(commands); }

private:
    std::shared_ptr<kp::OpBase> mPart;
};

void proveOperations(kp::Manager& manager, uint32_t length, bool plant) {
    const auto tensor = manager.tensorT<uint32_t>({0});
    const auto add = manager.algorithm({tensor}, test::addShader(1));
    expectLinear("operations in a sequence", length, plant, [&](uint32_t n) {
        tensor->upload(std::vector<uint32_t>{0});
        const auto sequence = manager.sequence();
        for (uint32_t i = 0; i < n; ++i)
            sequence->record<kp::OpAlgoDispatch>(add);
        sequence->eval();
        expect(test::onDevice<uint32_t>(*tensor)[0] == n, "operations in a sequence");
    });
}

void proveTensors(kp::Manager& manager, uint32_t length, bool plant) {
    std::vector<std::shared_ptr<kp::Memory>> tensors;
    for (uint32_t i = 0; i < length; ++i)
        tensors.push_back(manager.tensorT<uint32_t>({i}));
    expectLinear("tensors in an operation", length, plant, [&](uint32_t n) {
        const std::vector<std::shared_ptr<kp::Memory>> some(tensors.begin(), tensors.begin() + n);
        manager.sequence()
            ->record<kp::OpSyncDevice>(some)
            ->record<kp::OpFill>(some, n)
            ->record<kp::OpCopy>(some)
            ->record<kp::OpSyncLocal>(some)
            ->eval();
        expect(some.back()->vector<uint32_t>()[0] == n, "tensors in an operation");
    });
}

void proveNesting(kp::Manager& manager, uint32_t depth, bool plant) {
    const auto tensor = manager.tensorT<uint32_t>({0});
    const auto add = manager.algorithm({tensor}, test::addShader(1));
    expectLinear("depth of nested operations", depth, plant, [&](uint32_t n) {
        tensor->upload(std::vector<uint32_t>{0});
        std::shared_ptr<kp::OpBase> operation = std::make_shared<kp::OpAlgoDispatch>(add);
        for (uint32_t i = 0; i < n; ++i)
            operation = std::make_shared<Nested>(operation);
        for (int i = 0; i < 20; ++i)
            manager.sequence()->record(operation)->eval();
        expect(test::onDevice<uint32_t>(*tensor)[0] == 20, "nested operations");
    });
    expectLinear("depth of nested lists", depth, plant, [&](uint32_t n) {
        tensor->upload(std::vector<uint32_t>{0});
        auto list = std::make_shared<kp::KernelListLauncher>("list");
        *list += std::make_shared<kp::FillLauncher>("fill", tensor, n);
        for (uint32_t i = 0; i < n; ++i) {
            const auto outer = std::make_shared<kp::KernelListLauncher>("list");
            outer->push(list);
            list = outer;
        }
        for (int i = 0; i < 20; ++i)
            (*list)(manager.queue()).wait();
        expect(test::onDevice<uint32_t>(*tensor)[0] == n, "nested lists");
    });
}

} // namespace

int proveLongPrograms(const Settings& settings) {
    kp::Manager manager;
    const auto length = static_cast<uint32_t>(settings.count);
    const bool plant = settings.plant == "quadratic";
    proveOperations(manager, length, plant);
    proveTensors(manager, length / 10, plant);
    proveNesting(manager, length / 100, plant);
    return 0;
}

} // namespace kp::proof

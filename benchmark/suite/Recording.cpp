// SPDX-License-Identifier: Apache-2.0
//
// Rows about recording: the host time for a command buffer, compared with the bare vkCmd calls.
#include "Increments.hpp"

namespace kp::benchmark {
namespace {

constexpr size_t kOperations = 100;

void record(Suite& suite, Row& row, bool dependent) {
    const size_t buffers = dependent ? 1 : kOperations;
    const auto initial = randomWords(kElements);
    KomputeIncrements kompute(suite.manager(), suite.increment(), buffers, initial);
    RawIncrements raw(suite.manager(), suite.waitMode(), suite.increment(), buffers, initial);
    row.side(
        "kompute", [&] { kompute.record(kOperations, dependent); }, kOperations);
    row.side(
        "raw", [&] { raw.record(kOperations, dependent); }, kOperations);
    row.target("raw", 1.5);
    suite.measure(row);
    kompute.sequence->eval();
    raw.run();
    const uint64_t each = dependent ? kOperations : 1;
    kompute.verify(each);
    raw.verify(each);
}

/// Each dispatch adds another push constant to the same buffer.
void recordPushConstants(Suite& suite, Row& row) {
    kp::Manager& manager = suite.manager();
    const auto initial = randomWords(kElements);
    const auto values = randomWords(kOperations);
    const auto tensor = manager.tensorT<uint32_t>(initial, kp::Memory::MemoryTypes::eStorage);
    const auto algorithm = manager.algorithm<float, uint32_t>({tensor}, suite.add(), {1, 1, 1}, {},
                                                              std::vector<uint32_t>{0});
    const auto sequence = manager.sequence();
    RawQueue queue(manager, suite.waitMode());
    RawBuffers buffer(queue, 1, kElements * sizeof(uint32_t), RawMemory::eDevice);
    buffer.write(0, initial.data(), buffer.bytesEach());
    RawKernel kernel(queue, suite.add(), 1, sizeof(uint32_t), 1);
    const VkDescriptorSet set = kernel.bind({buffer[0]});
    RawCommands commands(queue);

    row.side(
        "kompute",
        [&] {
            sequence->begin();
            for (const uint32_t value : values)
                sequence->record<kp::OpAlgoDispatch>(algorithm, std::vector<uint32_t>{value});
            sequence->end();
        },
        kOperations);
    row.side(
        "raw",
        [&] {
            commands.begin();
            commands.bind(kernel);
            commands.bindSet(kernel, set);
            for (size_t i = 0; i < values.size(); ++i) {
                if (i > 0)
                    commands.computeBarrier();
                commands.push(kernel, &values[i], sizeof(uint32_t));
                commands.dispatch(1);
            }
            commands.end();
        },
        kOperations);
    row.target("raw", 1.5);
    suite.measure(row);

    sequence->eval();
    queue.run(commands.handle());
    uint32_t sum = 0;
    for (const uint32_t value : values)
        sum += value;
    std::vector<uint32_t> now(kElements);
    tensor->download(now.data(), kElements * sizeof(uint32_t));
    requireIncrements(initial, now, sum, "kompute");
    buffer.read(0, now.data(), buffer.bytesEach());
    requireIncrements(initial, now, sum, "raw");
}

/// Two alternating shaders, each dispatch on its own buffer.
void recordTwoKernels(Suite& suite, Row& row) {
    kp::Manager& manager = suite.manager();
    const auto initial = randomWords(kElements);
    KomputeIncrements kompute(manager, suite.increment(), kOperations, initial);
    for (size_t i = 1; i < kOperations; i += 2)
        kompute.algorithms[i] = manager.algorithm<float, uint32_t>(
            {kompute.tensors[i]}, suite.add(), {1, 1, 1}, {}, std::vector<uint32_t>{1});
    RawIncrements raw(manager, suite.waitMode(), suite.increment(), kOperations, initial);
    RawKernel addKernel(raw.queue, suite.add(), 1, sizeof(uint32_t), kOperations);
    std::vector<VkDescriptorSet> sets;
    for (size_t i = 0; i < kOperations; ++i)
        sets.push_back(i % 2 == 0 ? raw.sets[i] : addKernel.bind({raw.buffer(i)}));
    row.side(
        "kompute", [&] { kompute.record(kOperations, false); }, kOperations);
    row.side(
        "raw",
        [&] {
            const uint32_t one = 1;
            raw.commands.begin();
            for (size_t i = 0; i < kOperations; ++i) {
                const RawKernel& kernel = i % 2 == 0 ? raw.kernel : addKernel;
                raw.commands.bind(kernel);
                raw.commands.bindSet(kernel, sets[i]);
                if (i % 2 == 1)
                    raw.commands.push(kernel, &one, sizeof one);
                raw.commands.dispatch(1);
            }
            raw.commands.end();
        },
        kOperations);
    row.target("raw", 1.5);
    suite.measure(row);
    kompute.sequence->eval();
    raw.run();
    kompute.verify(1);
    raw.verify(1);
}

} // namespace

void addRecording(Suite& suite) {
    suite.add("record/independent", "record 100 independent dispatches, each",
              [](Suite& s, Row& row) { record(s, row, false); });
    suite.add("record/dependent", "record 100 dependent dispatches, each",
              [](Suite& s, Row& row) { record(s, row, true); });
    suite.add("record/push_constants", "record 100 with push constants, each", recordPushConstants);
    suite.add("record/two_kernels", "record 100 of two shaders, each", recordTwoKernels);
}

} // namespace kp::benchmark

// SPDX-License-Identifier: Apache-2.0
//
// Every primitive between other work on the same memory: in sequences, lists of launchers, and
// command buffers of a host application.
#include <numeric>
#include <optional>

#include <kompute/Launch.hpp>

#include "device/HostVulkan.hpp"
#include "device/primitives/PrimitiveSupport.hpp"

namespace kp::test {
namespace {

using kp::TensorRange;
using TensorOfWords = std::shared_ptr<kp::TensorT<uint32_t>>;

constexpr uint64_t kWords = 256; ///< of the input: a matrix of 16 x 16
constexpr int kRounds = 3;

/// A primitive that reads the first tensor and writes into the second, which has 2 kWords.
struct Embedded {
    const char* name;
    std::function<std::shared_ptr<kp::Primitive>(kp::Manager&, const TensorOfWords&,
                                                 const TensorOfWords&)>
        make;
};

TensorRange part(const TensorOfWords& tensor, uint64_t first, uint64_t count) {
    return {tensor, first, count};
}

/// Floats in the words of a tensor.
std::shared_ptr<kp::Tensor> floatsIn(kp::Manager& manager, uint64_t count) {
    std::vector<float> values(count);
    std::iota(values.begin(), values.end(), 1.0f);
    return manager.tensorT<float>(values, kp::Memory::MemoryTypes::eStorage);
}

std::vector<Embedded> allPrimitives() {
    const auto indices = [](kp::Manager& manager) {
        std::vector<uint32_t> values(kWords);
        for (uint32_t i = 0; i < kWords; ++i)
            values[i] = i * 37 % kWords;
        return manager.tensorT<uint32_t>(values, kp::Memory::MemoryTypes::eStorage);
    };
    const auto with = [](auto make) {
        return [make](kp::Manager& manager, const TensorOfWords& in, const TensorOfWords& out) {
            return std::shared_ptr<kp::Primitive>(make(manager, in, out));
        };
    };
#define PRIMITIVE(...)                                                                             \
    with([=](kp::Manager& m, const TensorOfWords& in, const TensorOfWords& out) {                  \
        (void)m, (void)in;                                                                         \
        return __VA_ARGS__;                                                                        \
    })
    using std::make_shared;
    return {
        {"OpReduce",
         PRIMITIVE(make_shared<kp::OpReduce>(in, part(out, 3, 1), kp::ReduceOperation::eSum))},
        {"OpScan",
         PRIMITIVE(make_shared<kp::OpScan>(in, part(out, 1, kWords), kp::ReduceOperation::eSum))},
        {"OpSort", PRIMITIVE([&] {
             kp::SortOptions options;
             options.descending = true;
             options.sortedKeys = part(out, 0, kWords);
             return make_shared<kp::OpSort>(in, TensorRange{}, options);
         }())},
        {"OpArgSort", PRIMITIVE(make_shared<kp::OpArgSort>(in, part(out, 0, kWords)))},
        {"OpSelect", PRIMITIVE(make_shared<kp::OpSelect>(in, kp::Predicate("x % 3 == 0"),
                                                         part(out, 1, kWords), part(out, 0, 1)))},
        {"OpPartition",
         PRIMITIVE(make_shared<kp::OpPartition>(in, kp::Predicate("x % 3 == 0"),
                                                part(out, 1, kWords), part(out, 0, 1)))},
        {"OpUnique",
         PRIMITIVE(make_shared<kp::OpUnique>(in, part(out, 1, kWords), part(out, 0, 1)))},
        {"OpRunLength",
         PRIMITIVE(make_shared<kp::OpRunLength>(part(in, 0, 200), part(out, 1, 200),
                                                part(out, 201, 200), part(out, 0, 1)))},
        {"OpTopK", PRIMITIVE(make_shared<kp::OpTopK>(in, 7, part(out, 0, 7), part(out, 7, 7)))},
        {"OpSearchSorted",
         PRIMITIVE(make_shared<kp::OpSearchSorted>(in, indices(m), part(out, 0, kWords)))},
        {"OpHistogram",
         PRIMITIVE(make_shared<kp::OpHistogram>(in, part(out, 0, 300), kp::Bins::integers()))},
        {"OpGather", PRIMITIVE(make_shared<kp::OpGather>(in, indices(m), part(out, 0, kWords)))},
        {"OpScatter", PRIMITIVE(make_shared<kp::OpScatter>(in, indices(m), part(out, 0, kWords)))},
        {"OpTranspose", PRIMITIVE(make_shared<kp::OpTranspose>(in, part(out, 0, kWords),
                                                               std::vector<uint64_t>{16, 16}))},
        {"OpReverse", PRIMITIVE(make_shared<kp::OpReverse>(in, part(out, 0, kWords)))},
        {"OpConcatenate",
         PRIMITIVE(make_shared<kp::OpConcatenate>(
             std::vector<TensorRange>{part(in, 5, 56), in, part(in, 0, 200)}, out))},
        {"OpMatMul", PRIMITIVE(make_shared<kp::OpMatMul>(in, in, part(out, 0, kWords),
                                                         kp::MatrixExtents{16, 16, 16}))},
        {"OpRandom",
         PRIMITIVE(make_shared<kp::OpRandom>(out, kp::Distribution::bits(), kp::RandomState{9}))},
        {"OpPermutation",
         PRIMITIVE(make_shared<kp::OpPermutation>(part(out, 0, kWords), kp::RandomState{9}))},
    };
#undef PRIMITIVE
}

class PrimitiveEmbeddingTest : public DeviceTest {
protected:
    /// An ascending input, and an output full of 7.
    struct Memories {
        TensorOfWords in;
        TensorOfWords out;
        std::shared_ptr<kp::Algorithm> add; ///< in[i] += 1

        explicit Memories(kp::Manager& manager)
            : in(manager.tensorT<uint32_t>(kWords, kp::Memory::MemoryTypes::eStorage)),
              out(manager.tensorT<uint32_t>(2 * kWords, kp::Memory::MemoryTypes::eStorage)),
              add(manager.algorithm({in}, addShader(1))) {
            reset();
        }
        void reset() {
            std::vector<uint32_t> values(kWords);
            for (uint32_t i = 0; i < kWords; ++i)
                values[i] = i / 2;
            in->upload(values);
        }
        std::vector<uint32_t> result() const { return onDevice<uint32_t>(*out); }
    };

    /// Returns what the primitive writes after so many increments, each operation by itself.
    static std::vector<uint32_t> alone(kp::Manager& manager, const Embedded& embedded,
                                       Memories& memories, int increments) {
        memories.reset();
        for (int i = 0; i < increments; ++i)
            manager.sequence()->eval<kp::OpAlgoDispatch>(memories.add);
        manager.sequence()->eval<kp::OpFill>({memories.out}, 7u);
        manager.sequence()->eval(embedded.make(manager, memories.in, memories.out));
        return memories.result();
    }
};

TEST_F(PrimitiveEmbeddingTest, SequencesAndListsRepeatEachAmongOtherWork) {
    const auto queue = manager.queue();
    for (const Embedded& embedded : allPrimitives()) {
        SCOPED_TRACE(embedded.name);
        Memories memories(manager);
        const auto expected = alone(manager, embedded, memories, 2 * kRounds);
        const auto primitive = embedded.make(manager, memories.in, memories.out);

        memories.reset();
        auto sequence = manager.sequence();
        sequence->record<kp::OpAlgoDispatch>(memories.add);
        sequence->record(primitive); // overwritten
        sequence->record<kp::OpAlgoDispatch>(memories.add);
        sequence->record<kp::OpFill>({memories.out}, 7u);
        sequence->record(primitive);
        for (int round = 0; round < kRounds; ++round)
            sequence->eval();
        EXPECT_EQ(memories.result(), expected) << "in a sequence";

        memories.reset();
        const auto run = std::make_shared<kp::PrimitiveLauncher>("run", primitive);
        const auto add = std::make_shared<kp::KernelLauncher>(
            "add", kp::Kernel(manager, addShader(1)), kp::Arguments{{0, memories.in}}, [] {
                kp::KernelOptions options;
                options.globalSize = kp::WorkSize(kWords);
                return options;
            }());
        kp::KernelListLauncher list("list");
        for (int i = 0; i < 2; ++i) {
            list += add;
            list += std::make_shared<kp::FillLauncher>("fill", memories.out,
                                                       kp::ArgumentValue(uint32_t{7}));
            list += run;
        }
        for (int round = 0; round < kRounds; ++round)
            list(queue);
        queue->finish();
        EXPECT_EQ(memories.result(), expected) << "in a list";

        memories.reset();
        for (int i = 0; i < 2 * kRounds; ++i)
            (*add)();
        manager.sequence()->eval<kp::OpFill>({memories.out}, 7u);
        run->launch().wait();
        EXPECT_EQ(memories.result(), expected) << "launched";
    }
}

TEST_F(PrimitiveEmbeddingTest, HostApplicationsCaptureEachAmongOtherWork) {
    HostVulkan host(manager);
    kp::Manager theirs(host.description());
    for (const Embedded& embedded : allPrimitives()) {
        SCOPED_TRACE(embedded.name);
        Memories memories(theirs);
        const auto expected = alone(theirs, embedded, memories, kRounds);
        memories.reset();
        auto sequence = theirs.sequence();
        sequence->record<kp::OpAlgoDispatch>(memories.add);
        sequence->record<kp::OpFill>({memories.out}, 7u);
        sequence->record(embedded.make(theirs, memories.in, memories.out));
        for (int round = 0; round < kRounds; ++round) {
            const VkCommandBuffer commands = host.begin();
            sequence->recordInto(commands);
            sequence->preEval();
            host.submitAndWait(commands);
            sequence->postEval();
        }
        EXPECT_EQ(memories.result(), expected);
    }
}

/// Transforms work with floats, on memory that the host rewrites.
TEST_F(PrimitiveEmbeddingTest, TransformsRunInSequencesAndLists) {
    const auto values = floatsIn(manager, 64);
    const auto kernel = floatsIn(manager, 3);
    const auto make = [&](const std::shared_ptr<kp::Tensor>& out, bool convolve) {
        return convolve ? std::shared_ptr<kp::Primitive>(std::make_shared<kp::OpConvolve>(
                              values, kernel, TensorRange(out, 0, 66)))
                        : std::make_shared<kp::OpFFT>(values, TensorRange(out, 0, 64));
    };
    for (const bool convolve : {false, true}) {
        const auto out = manager.tensorT<float>(66);
        std::shared_ptr<kp::Primitive> primitive;
        try {
            primitive = make(out, convolve);
        } catch (const kp::Unsupported& error) {
            GTEST_SKIP() << error.what();
        }
        manager.sequence()->eval<kp::OpFill>({values}, 3)->eval(primitive);
        const std::vector<float> expected = onDevice<float>(*out);
        const auto fill = [&](float value) {
            return std::make_shared<kp::FillLauncher>(
                "fill", std::static_pointer_cast<kp::Tensor>(values), kp::ArgumentValue(value));
        };
        kp::KernelListLauncher list("list");
        list += fill(5);
        list += std::make_shared<kp::PrimitiveLauncher>("first", primitive);
        list += fill(3);
        list += std::make_shared<kp::PrimitiveLauncher>("second", primitive);
        for (int round = 0; round < kRounds; ++round)
            list(manager.queue());
        manager.queue()->finish();
        EXPECT_EQ(onDevice<float>(*out), expected);
    }
}

TEST_F(PrimitiveEmbeddingTest, LaunchersRefuseWhatCannotRun) {
    EXPECT_ERROR(kp::InvalidArgument, "'none'", kp::PrimitiveLauncher("none", nullptr));
    const auto in = manager.tensorT<uint32_t>(4);
    const auto out = manager.tensorT<uint32_t>(1);
    kp::PrimitiveLauncher sum("sum",
                              std::make_shared<kp::OpReduce>(in, out, kp::ReduceOperation::eSum));
    in->destroy();
    EXPECT_ERROR(kp::InvalidArgument, "the input was destroyed", sum());
}

} // namespace
} // namespace kp::test

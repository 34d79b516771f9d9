// SPDX-License-Identifier: Apache-2.0
//
// A program of each primitive computes what the primitive does.
#include <cstring>
#include <functional>

#include <kompute/Primitives.hpp>

#include "device/program/ProgramSupport.hpp"

namespace kp::test {
namespace {

using Operations = std::vector<std::shared_ptr<kp::OpBase>>;

/// Tensors of operations, and how to make these.
struct Case {
    const char* name;
    std::vector<std::pair<const char*, kp::Memory::DataTypes>> types; ///< by name
    std::vector<size_t> sizes;
    size_t inputs; ///< the first tensors; the others are outputs
    std::function<Operations(const std::vector<std::shared_ptr<kp::Tensor>>&)> make;
    size_t inPlace = 0; ///< inputs that are outputs, too: the last ones
};

using Type = kp::Memory::DataTypes;

template <typename Operation, typename... Arguments>
Operations one(Arguments&&... arguments) {
    return {std::make_shared<Operation>(std::forward<Arguments>(arguments)...)};
}

const std::vector<Case>& cases() {
    using Tensors = std::vector<std::shared_ptr<kp::Tensor>>;
    static const std::vector<Case> all = {
        {"SortOfFewKeys",
         {{"keys", Type::eUnsignedInt}},
         {1000},
         1,
         [](const Tensors& t) { return one<kp::OpSort>(t[0]); },
         1},
        {"SortOfManyPairs",
         {{"keys", Type::eUnsignedInt}, {"values", Type::eUnsignedInt}},
         {70'000, 70'000},
         2,
         [](const Tensors& t) { return one<kp::OpSort>(t[0], t[1]); },
         2},
        {"Sum",
         {{"in", Type::eUnsignedInt}, {"out", Type::eUnsignedInt}},
         {50'000, 1},
         1,
         [](const Tensors& t) { return one<kp::OpReduce>(t[0], t[1], kp::ReduceOperation::eSum); }},
        {"Scan",
         {{"in", Type::eUnsignedInt}, {"out", Type::eUnsignedInt}},
         {50'000, 50'000},
         1,
         [](const Tensors& t) { return one<kp::OpScan>(t[0], t[1], kp::ReduceOperation::eSum); }},
        {"FourierTransform",
         {{"in", Type::eFloat}, {"out", Type::eFloat}},
         {2 * 1000, 2 * 1000},
         1,
         [](const Tensors& t) { return one<kp::OpFFT>(t[0], t[1]); }},
        {"LongFourierTransform",
         {{"in", Type::eFloat}, {"out", Type::eFloat}},
         {2 << 14, 2 << 14},
         1,
         [](const Tensors& t) { return one<kp::OpFFT>(t[0], t[1]); }},
        {"Product",
         {{"a", Type::eFloat}, {"b", Type::eFloat}, {"c", Type::eFloat}},
         {33 * 40, 40 * 50, 33 * 50},
         2,
         [](const Tensors& t) {
             return one<kp::OpMatMul>(t[0], t[1], t[2], kp::MatrixExtents{33, 50, 40});
         }},
        {"SelectionWithItsCount",
         {{"in", Type::eUnsignedInt}, {"out", Type::eUnsignedInt}, {"count", Type::eUnsignedInt}},
         {20'000, 20'000, 1},
         1,
         [](const Tensors& t) {
             return one<kp::OpSelect>(t[0], kp::Predicate("x % 3u == 0u"), t[1], t[2]);
         }},
        {"SortOfASelection", // whose group counts come from the device
         {{"in", Type::eUnsignedInt}, {"out", Type::eUnsignedInt}},
         {20'000, 20'000},
         1,
         [](const Tensors& t) {
             Operations both = one<kp::OpScan>(t[0], t[1], kp::ReduceOperation::eMaximum);
             both.push_back(std::make_shared<kp::OpSort>(t[1]));
             return both;
         }},
        {"Largest",
         {{"in", Type::eUnsignedInt}, {"out", Type::eUnsignedInt}},
         {20'000, 10},
         1,
         [](const Tensors& t) { return one<kp::OpTopK>(t[0], 10, t[1]); }},
        {"Transposition",
         {{"in", Type::eUnsignedInt}, {"out", Type::eUnsignedInt}},
         {300 * 200, 300 * 200},
         1,
         [](const Tensors& t) {
             return one<kp::OpTranspose>(t[0], t[1], std::vector<uint64_t>{300, 200});
         }},
    };
    return all;
}

class ProgramOfPrimitive : public ProgramTest, public ::testing::WithParamInterface<size_t> {
protected:
    const Case& given = cases()[GetParam()];

    std::vector<std::shared_ptr<kp::Tensor>> tensors(uint32_t seed) {
        std::vector<std::shared_ptr<kp::Tensor>> made;
        for (size_t i = 0; i < given.types.size(); ++i) {
            std::vector<uint32_t> words(given.sizes[i]);
            for (size_t k = 0; k < words.size() && i < given.inputs; ++k) {
                words[k] = (static_cast<uint32_t>(k) * 2654435761u + seed) >> 12;
                if (given.types[i].second == Type::eFloat) {
                    const float value = static_cast<float>(words[k] % 1000) / 100;
                    std::memcpy(&words[k], &value, sizeof value);
                }
            }
            made.push_back(manager.tensor(words.data(), words.size(), 4, given.types[i].second));
        }
        return made;
    }
    kp::NamedTensors named(const std::vector<std::shared_ptr<kp::Tensor>>& all, size_t first,
                           size_t end) const {
        kp::NamedTensors names;
        for (size_t i = first; i < end; ++i)
            names[given.types[i].first] = all[i];
        return names;
    }
    std::vector<std::vector<uint32_t>>
    results(const std::vector<std::shared_ptr<kp::Tensor>>& all) const {
        std::vector<std::vector<uint32_t>> values;
        for (size_t i = given.inputs - given.inPlace; i < all.size(); ++i) {
            values.emplace_back(all[i]->size());
            all[i]->download(values.back().data(), all[i]->memorySize());
        }
        return values;
    }
};

TEST_P(ProgramOfPrimitive, ComputesTheSame) {
    const auto shown = tensors(1);
    auto sequence = manager.sequence();
    for (const auto& operation : given.make(shown))
        sequence->record(operation);
    const kp::Program program =
        reloaded(kp::Program::of(*sequence, named(shown, 0, given.inputs),
                                 named(shown, given.inputs - given.inPlace, shown.size())));
    for (const uint32_t seed : {7u, 8u}) {
        const auto expected = tensors(seed);
        auto direct = manager.sequence();
        std::vector<std::shared_ptr<kp::Memory>> inputs(
            expected.begin(), expected.begin() + static_cast<ptrdiff_t>(given.inputs));
        direct->record<kp::OpSyncDevice>(inputs);
        for (const auto& operation : given.make(expected))
            direct->record(operation);
        direct->eval();
        const auto actual = tensors(seed);
        program.run(named(actual, 0, actual.size()));
        EXPECT_EQ(results(actual), results(expected));
    }
}

INSTANTIATE_TEST_SUITE_P(Primitives, ProgramOfPrimitive,
                         ::testing::Range<size_t>(0, cases().size()),
                         [](const auto& info) { return cases()[info.param].name; });

} // namespace
} // namespace kp::test

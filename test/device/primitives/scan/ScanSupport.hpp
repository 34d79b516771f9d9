// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <numeric>

#include "device/primitives/PrimitiveSupport.hpp"
#include "primitives/scan/ScanPlan.hpp"
#include "primitives/source/OperatorSource.hpp"

namespace kp::test {

using kp::ReduceOperation;
using kp::ScanOptions;
using kp::TensorRange;
using kp::primitives::ScanProblem;

/// Scans by a loop. @param starts  whether a segment starts at an element
template <typename Out, typename In, typename Combine>
std::vector<Out> scannedByLoop(const std::vector<In>& values, bool exclusive, Out identity,
                               Combine combine, const std::function<bool(size_t)>& starts = {}) {
    std::vector<Out> results(values.size());
    Out sum = identity;
    for (size_t i = 0; i < values.size(); ++i) {
        if (starts && starts(i))
            sum = identity;
        const Out before = sum;
        sum = combine(sum, static_cast<Out>(values[i]));
        results[i] = exclusive ? before : sum;
    }
    return results;
}

inline constexpr auto kPlus = [](auto a, auto b) { return wrapped(a, b, std::plus<>()); };

class ScanTest : public DeviceTest {
protected:
    static constexpr auto kStorage = kp::Memory::MemoryTypes::eStorage;

    template <typename Out, typename In>
    std::vector<Out> scanned(const std::vector<In>& values, const kp::Operator& combine,
                             const ScanOptions& options = {}) {
        const auto in = manager.tensorT<In>(values, kStorage);
        const auto out = manager.tensorT<Out>(values.size());
        manager.sequence()->eval<kp::OpScan>(in, out, combine, options);
        return out->vector();
    }
    /// Runs a plan for uint32_t sums.
    std::vector<uint32_t> planned(const std::vector<uint32_t>& values, ScanProblem problem,
                                  const kp::primitives::DeviceTraits& traits,
                                  const std::vector<uint32_t>& offsets = {}) {
        problem.in = problem.out = kp::Memory::DataTypes::eUnsignedInt;
        const auto in = manager.tensorT<uint32_t>(values, kStorage);
        const auto out = problem.inPlace ? in : manager.tensorT<uint32_t>(values.size(), kStorage);
        std::vector<TensorRange> tensors = {in, out};
        if (!offsets.empty())
            tensors.push_back(manager.tensorT<uint32_t>(offsets, kStorage));
        manager.sequence()->eval(
            plannedOperation(kp::primitives::planScan(problem, traits), tensors));
        return onDevice<uint32_t>(*out);
    }

    static ScanOptions exclusively() {
        ScanOptions options;
        options.exclusive = true;
        return options;
    }

    template <typename In, typename Out = In>
    void expectSums() {
        for (const size_t count : {9001, 70001}) {
            const std::vector<In> values = randomValues<In>(count, count);
            EXPECT_EQ(scanned<Out>(values, ReduceOperation::eSum),
                      scannedByLoop<Out>(values, false, Out{0}, kPlus))
                << count;
        }
    }
};

} // namespace kp::test

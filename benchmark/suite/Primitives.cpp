// SPDX-License-Identifier: Apache-2.0
//
// Rows about primitives, beside NVIDIA's libraries.
#include <algorithm>
#include <string>

#include <kompute/Primitives.hpp>

#include "CudaLibraries.hpp"
#include "Suite.hpp"

namespace kp::benchmark {
namespace {

using Types = kp::Memory::MemoryTypes;

/// Zeros and a few ones, so that sums are exact in any order.
std::vector<float> fewOnes(size_t count) {
    std::vector<float> values(count);
    uint32_t state = 1;
    for (float& value : values) {
        state = state * 1664525u + 1013904223u;
        value = state >> 27 == 0 ? 1.0f : 0.0f;
    }
    return values;
}

/// Calls in one submission, or launches before one wait: enough that starting and waiting is a
/// small part of the time. One for small sizes, where that is the question.
size_t repetitions(size_t count) {
    return count <= size_t{1} << 16 ? 1 : count <= size_t{1} << 24 ? 20 : 4;
}

void skipLarge(const Suite& suite, size_t count) {
    const size_t most = size_t{1} << (suite.options().quick ? 18 : 24);
    if (suite.software() && count > most)
        throw Skip{"takes a software driver too long"};
}

/// A primitive on floats, as often as repetitions() says.
/// @param bytes                 that one call reads and writes
/// @param wanted, wantedSmall   rates relative to CUDA's
template <typename Record>
void onFloats(Suite& suite, Row& row, size_t count, size_t results, double bytes, Record record,
              CudaLibraryMaker cudaSide, double wanted, double wantedSmall) {
    skipLarge(suite, count);
    const std::vector<float> values = fewOnes(count);
    const auto in = suite.manager().tensorT<float>(values, Types::eStorage);
    const auto out = suite.manager().tensorT<float>(results, Types::eStorage);
    const size_t times = repetitions(count);
    auto sequence = suite.manager().sequence();
    for (size_t i = 0; i < times; ++i)
        record(*sequence, in, out);
    row.bytes(bytes * static_cast<double>(times));
    row.side("kompute", [&] { sequence->eval(); });
    std::unique_ptr<Cuda::Buffer> cudaIn;
    std::unique_ptr<Cuda::Buffer> cudaOut;
    std::unique_ptr<CudaLibrary> library;
    if (suite.cuda()) {
        cudaIn = suite.cuda()->buffer(count * sizeof(float));
        cudaIn->upload(values.data());
        cudaOut = suite.cuda()->buffer(results * sizeof(float));
        library = cudaSide(*cudaIn, *cudaOut, count);
        row.side("cuda", [&] { library->run(times); });
        row.target("cuda", times == 1 ? wantedSmall : wanted);
    }
    row.note("cuda: CUB");
    suite.measure(row);

    std::vector<float> given(results);
    out->download(given);
    float sum = 0;
    bool correct = true;
    for (size_t i = 0; i < count; ++i) {
        sum += values[i];
        if (results == count)
            correct = correct && given[i] == sum;
    }
    Suite::require(correct && given[results - 1] == sum, "the sums are those of a loop");
}

void reduceFloats(Suite& suite, Row& row, size_t count) {
    onFloats(
        suite, row, count, 1, 4.0 * static_cast<double>(count),
        [](kp::Sequence& sequence, const auto& in, const auto& out) {
            sequence.record<kp::OpReduce>(in, out, kp::ReduceOperation::eSum);
        },
        cubReduce, 0.97, 1 / 1.2);
}

void scanFloats(Suite& suite, Row& row, size_t count, kp::Determinism determinism) {
    kp::ScanOptions options;
    options.determinism = determinism;
    onFloats(
        suite, row, count, count, 8.0 * static_cast<double>(count),
        [&](kp::Sequence& sequence, const auto& in, const auto& out) {
            sequence.record<kp::OpScan>(in, out, kp::ReduceOperation::eSum, options);
        },
        cubScan, 1.0, 1 / 1.2);
}

} // namespace

void addPrimitives(Suite& suite) {
    for (const int power : {16, 20, 24, 28}) {
        const size_t count = size_t{1} << power;
        const std::string size = "2^" + std::to_string(power);
        suite.add("primitives/reduce_" + size, "sum of " + size + " floats",
                  [=](Suite& s, Row& row) { reduceFloats(s, row, count); });
        suite.add(
            "primitives/scan_" + size, "prefix sums of " + size + " floats",
            [=](Suite& s, Row& row) { scanFloats(s, row, count, kp::Determinism::eRunToRun); });
    }
    suite.add("primitives/scan_free_2^28", "the same, without determinism", [](Suite& s, Row& row) {
        scanFloats(s, row, size_t{1} << 28, kp::Determinism::eNone);
    });
}

} // namespace kp::benchmark

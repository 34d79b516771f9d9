// SPDX-License-Identifier: Apache-2.0
//
// Measures OpMatMul and OpRandom. Figures are medians over evaluations of a sequence with several
// of the same operation: TFLOP/s (or GB/s of the matrix, for products with a vector), and random
// numbers per second.
//
//   kompute_benchmark_matrices [--check]
//
// --check  accepted for uniformity: sums of products are always checked
//
// The exit status is 1 if a product is wrong.
#include <cmath>
#include <cstdio>
#include <string>
#include <vector>

#include <kompute/Primitives.hpp>

#include "Measure.hpp"
#include "Program.hpp"

namespace {

using DataTypes = kp::Memory::DataTypes;

constexpr auto kStorage = kp::Memory::MemoryTypes::eStorage;

/// Evaluates `count` times the operation at a time, and returns the median seconds of one.
template <typename Record>
double secondsEach(kp::Manager& manager, bool software, Record&& record) {
    const int count = software ? 1 : 20;
    const auto sequence = manager.sequence();
    for (int i = 0; i < count; ++i)
        record(*sequence);
    return kp::benchmark::medianSeconds(software ? 3 : 15, [&] { sequence->eval(); }) / count;
}

std::shared_ptr<kp::Tensor> storage(kp::Manager& manager, uint64_t elements, DataTypes type) {
    return manager.tensor(elements, kp::Memory::dataTypeMemorySize(type), type, kStorage);
}

struct Product {
    uint64_t rows;
    uint64_t columns;
    uint64_t inner;
    bool transposeA = false;
    bool transposeB = false;
    uint64_t batches = 1;
};

/// Returns false if the product of matrices of ones is not `inner` everywhere.
bool measureProduct(kp::Manager& manager, bool software, const Product& product, DataTypes in,
                    DataTypes out) {
    const auto a = storage(manager, product.rows * product.inner * product.batches, in);
    const auto b = storage(manager, product.inner * product.columns * product.batches, in);
    const auto c = storage(manager, product.rows * product.columns * product.batches, out);
    kp::MatMulOptions options;
    options.transposeA = product.transposeA;
    options.transposeB = product.transposeB;
    options.batches = product.batches;
    const kp::MatrixExtents extents{product.rows, product.columns, product.inner};
    const auto fill = manager.sequence();
    fill->record<kp::OpRandom>(a, kp::Distribution::uniform(1, 1));
    fill->record<kp::OpRandom>(b, kp::Distribution::uniform(1, 1));
    fill->eval();
    const double seconds = secondsEach(manager, software, [&](kp::Sequence& sequence) {
        sequence.record<kp::OpMatMul>(a, b, c, extents, options);
    });
    const auto limits = manager.tensorT<float>(2);
    bool right = true;
    if (out == DataTypes::eFloat) {
        manager.sequence()
            ->record<kp::OpReduce>(c, kp::TensorRange(limits, 0, 1), kp::ReduceOperation::eMinimum)
            ->record<kp::OpReduce>(c, kp::TensorRange(limits, 1, 1), kp::ReduceOperation::eMaximum)
            ->eval();
        const auto expected = static_cast<float>(product.inner);
        right = limits->data()[0] == expected && limits->data()[1] == expected;
    }
    const double operations = 2.0 * static_cast<double>(product.rows * product.columns) *
                              static_cast<double>(product.inner * product.batches);
    const bool isVector = product.rows == 1 || product.columns == 1;
    const uint64_t matrix = (product.rows == 1 ? product.columns : product.rows) * product.inner *
                            product.batches * kp::Memory::dataTypeMemorySize(in);
    std::printf("%-9s -> %-9s %6llu x %6llu x %6llu%s%s x %-4llu %10.1f us %9.4g %s%s\n",
                kp::Memory::toString(in).c_str(), kp::Memory::toString(out).c_str(),
                static_cast<unsigned long long>(product.rows),
                static_cast<unsigned long long>(product.columns),
                static_cast<unsigned long long>(product.inner), product.transposeA ? " A'" : "   ",
                product.transposeB ? " B'" : "   ",
                static_cast<unsigned long long>(product.batches), seconds * 1e6,
                isVector ? static_cast<double>(matrix) / seconds * 1e-9
                         : operations / seconds * 1e-12,
                isVector ? "GB/s" : "TFLOP/s", right ? "" : "  WRONG");
    std::fflush(stdout);
    return right;
}

void measureRandom(kp::Manager& manager, bool software, const char* name, DataTypes type,
                   const kp::Distribution& distribution, uint64_t counter) {
    const uint64_t count = software ? 1 << 20 : 1 << 28;
    const auto out = storage(manager, count, type);
    const double seconds = secondsEach(manager, software, [&](kp::Sequence& sequence) {
        sequence.record<kp::OpRandom>(out, distribution, kp::RandomState{1, counter, 0});
    });
    std::printf("%-24s %-13s counter %llu %10.1f us %9.4g Gnumbers/s %8.4g GB/s\n", name,
                kp::Memory::toString(type).c_str(), static_cast<unsigned long long>(counter),
                seconds * 1e6, static_cast<double>(count) / seconds * 1e-9,
                static_cast<double>(out->memorySize()) / seconds * 1e-9);
    std::fflush(stdout);
}

bool run() {
    kp::Manager manager;
    const bool software = manager.deviceInfo().type == kp::DeviceType::eCpu;
    std::printf("%s\n", manager.deviceInfo().name.c_str());
    std::vector<Product> products = {{4096, 4096, 4096},
                                     {4096, 4096, 4096, true, false},
                                     {4096, 4096, 4096, false, true},
                                     {4096, 4096, 4096, true, true},
                                     {8192, 8192, 8192},
                                     {4095, 4097, 4093},
                                     {2048, 2048, 2048},
                                     {1024, 1024, 1024},
                                     {512, 512, 512},
                                     {256, 256, 256},
                                     {128, 128, 1 << 20},
                                     {256, 256, 65536, true, false},
                                     {65536, 64, 1024},
                                     {65536, 16, 1024},
                                     {16, 65536, 1024},
                                     {512, 512, 512, false, false, 64},
                                     {64, 64, 64, false, false, 4096},
                                     {1 << 16, 1, 4096},
                                     {1 << 12, 1, 1 << 16},
                                     {1 << 16, 1, 4096, true, false},
                                     {1, 1 << 16, 4096},
                                     {1, 1 << 16, 4096, false, true}};
    if (software)
        products = {{256, 256, 256}, {255, 257, 253}, {1 << 12, 1, 1024}, {16, 16, 1 << 14}};
    bool right = true;
    for (const Product& product : products)
        right = measureProduct(manager, software, product, DataTypes::eFloat, DataTypes::eFloat) &&
                right;
    const uint64_t n = software ? 128 : 4096;
    right =
        measureProduct(manager, software, {n, n, n}, DataTypes::eHalf, DataTypes::eFloat) && right;
    right = measureProduct(manager, software, {n - 1, n - 3, n + 1}, DataTypes::eHalf,
                           DataTypes::eFloat) &&
            right;
    right = measureProduct(manager, software, {n, n, n}, DataTypes::eBFloat16, DataTypes::eFloat) &&
            right;
    measureProduct(manager, software, {n, n, n}, DataTypes::eDouble, DataTypes::eDouble);
    using kp::Distribution;
    for (const uint64_t counter : {0, 1}) {
        measureRandom(manager, software, "bits", DataTypes::eUnsignedInt, Distribution::bits(),
                      counter);
        measureRandom(manager, software, "uniform", DataTypes::eFloat, Distribution::uniform(),
                      counter);
        measureRandom(manager, software, "normal", DataTypes::eFloat, Distribution::normal(),
                      counter);
    }
    measureRandom(manager, software, "exponential", DataTypes::eFloat, Distribution::exponential(),
                  0);
    measureRandom(manager, software, "integers 0 to 999", DataTypes::eUnsignedInt,
                  Distribution::integers(0, 999), 0);
    measureRandom(manager, software, "uniform", DataTypes::eDouble, Distribution::uniform(), 0);
    measureRandom(manager, software, "normal", DataTypes::eDouble, Distribution::normal(), 0);
    measureRandom(manager, software, "uniform", DataTypes::eHalf, Distribution::uniform(), 0);
    return right;
}

} // namespace

int main(int argc, char** argv) {
    using namespace kp::benchmark;
    return runProgram(argc, argv, "[--check]", [](Arguments& arguments) {
        arguments.flag("--check");
        arguments.finish();
        return run() ? 0 : 1;
    });
}

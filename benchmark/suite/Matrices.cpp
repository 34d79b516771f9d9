// SPDX-License-Identifier: Apache-2.0
//
// Rows about products of matrices, beside cuBLAS.
#include <string>
#include <type_traits>
#include <vector>

#include <kompute/Primitives.hpp>

#include "Suite.hpp"
#include "cuda/CudaMatrices.hpp"

namespace kp::benchmark {
namespace {

using Types = kp::Memory::MemoryTypes;

/// Values whose products and their sums are exact: multiples of 1/4 up to 1.
template <typename T>
std::vector<T> quarters(size_t count, uint32_t seed) {
    std::vector<T> values(count);
    uint32_t state = seed;
    for (T& value : values) {
        state = state * 1664525u + 1013904223u;
        value = static_cast<T>(static_cast<float>(static_cast<int>(state >> 28) % 9 - 4) * 0.25f);
    }
    return values;
}

template <typename T>
constexpr CublasTask::Type kCublasType = sizeof(T) == 2   ? CublasTask::Type::eHalf
                                         : sizeof(T) == 4 ? CublasTask::Type::eFloat
                                                          : CublasTask::Type::eDouble;

/// @param transposed  A and B
template <typename T>
void multiply(Suite& suite, Row& row, size_t n, double wanted, bool transposed = false) {
    using Sum = std::conditional_t<sizeof(T) == 8, double, float>;
    if (suite.software())
        throw Skip{"takes a software driver too long; see kompute_benchmark_matrices"};
    const size_t times = n > 2048 ? 10 : 100;
    const auto valuesA = quarters<T>(n * n, 1);
    const auto valuesB = quarters<T>(n * n, 2);
    const auto a = suite.manager().tensorT<T>(valuesA, Types::eStorage);
    const auto b = suite.manager().tensorT<T>(valuesB, Types::eStorage);
    const auto c = suite.manager().tensorT<Sum>(n * n, Types::eStorage);
    kp::MatMulOptions options;
    options.transposeA = options.transposeB = transposed;
    auto sequence = suite.manager().sequence();
    for (size_t i = 0; i < times; ++i)
        sequence->record<kp::OpMatMul>(a, b, c, kp::MatrixExtents{n, n, n}, options);
    const auto items = static_cast<double>(times);
    row.side(
        "kompute", [&] { sequence->eval(); }, items);
    std::unique_ptr<Cuda::Buffer> cudaA;
    std::unique_ptr<Cuda::Buffer> cudaB;
    std::unique_ptr<Cuda::Buffer> cudaC;
    std::unique_ptr<CudaLibrary> library;
    if (suite.cuda()) {
        cudaA = suite.cuda()->buffer(n * n * sizeof(T));
        cudaA->upload(valuesA.data());
        cudaB = suite.cuda()->buffer(n * n * sizeof(T));
        cudaB->upload(valuesB.data());
        cudaC = suite.cuda()->buffer(n * n * sizeof(Sum));
        library = cublasProduct(*cudaA, *cudaB, *cudaC,
                                {static_cast<int>(n), kCublasType<T>, transposed, transposed});
    }
    if (library) {
        row.side(
            "cuda", [&] { library->run(times); }, items);
        row.target("cuda", wanted);
        row.note("cuda: cuBLAS");
    }
    suite.measure(row);
    std::vector<Sum> found(n * n);
    c->download(found);
    bool correct = true;
    for (size_t i = 0; i < n * n; i += n * n / 100 + 1) {
        float sum = 0;
        for (size_t k = 0; k < n; ++k)
            sum += static_cast<float>(valuesA[transposed ? k * n + i / n : i / n * n + k]) *
                   static_cast<float>(valuesB[transposed ? i % n * n + k : k * n + i % n]);
        correct = correct && found[i] == sum;
    }
    Suite::require(correct, "the elements match a loop's");
}

} // namespace

void addMatrices(Suite& suite) {
    for (const int power : {9, 10, 11, 12, 13}) {
        const size_t n = size_t{1} << power;
        const std::string size = std::to_string(n);
        // Wanted of 4096^3 and more: 0.9 and 0.5 of cuBLAS's speed.
        suite.add("matrices/float_" + size, size + "^3, float",
                  [=](Suite& s, Row& row) { multiply<float>(s, row, n, n < 4096 ? 0 : 1 / 0.9); });
        suite.add("matrices/half_" + size, size + "^3, half to float", [=](Suite& s, Row& row) {
            multiply<kp::Half>(s, row, n, n < 4096 ? 0 : 1 / 0.5);
        });
        suite.add("matrices/double_" + size, size + "^3, double",
                  [=](Suite& s, Row& row) { multiply<double>(s, row, n, 0); });
    }
    suite.add("matrices/float_transposed_4096", "4096^3, float, A and B transposed",
              [](Suite& s, Row& row) { multiply<float>(s, row, 4096, 0, true); });
    suite.add("matrices/float_4095", "4095^3, float, rows at no multiple of 16 bytes",
              [](Suite& s, Row& row) { multiply<float>(s, row, 4095, 0); });
}

} // namespace kp::benchmark

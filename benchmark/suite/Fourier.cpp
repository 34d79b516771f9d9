// SPDX-License-Identifier: Apache-2.0
//
// Rows about Fourier transforms, beside cuFFT.
#include <algorithm>
#include <cmath>
#include <complex>
#include <string>
#include <vector>

#include <kompute/Primitives.hpp>

#include "Suite.hpp"
#include "cuda/CudaLibraries.hpp"

namespace kp::benchmark {
namespace {

using Complex = std::complex<float>;
using Types = kp::Memory::MemoryTypes;

/// Calls in one submission, or launches before one wait.
constexpr size_t kTimes = 4;

/// Returns one number of the transform of an array: the sum of the definition, in double.
std::complex<double> numberOf(const Complex* values, size_t length, size_t index) {
    constexpr double kTwoPi = 6.283185307179586;
    std::complex<double> sum = 0;
    for (size_t i = 0; i < length; ++i) {
        const double turns = static_cast<double>(index * i % length) / static_cast<double>(length);
        sum += std::complex<double>(values[i]) * std::polar(1.0, -kTwoPi * turns);
    }
    return sum;
}

/// Compares three numbers of the first and of the last array.
bool agree(const std::vector<Complex>& values, const std::vector<Complex>& found, size_t length) {
    for (const size_t first : {size_t{0}, values.size() - length})
        for (const size_t index : {size_t{0}, length / 3, length - 1}) {
            const std::complex<double> wanted = numberOf(&values[first], length, index);
            // The numbers grow with the root of the length, and the errors with its logarithm.
            const double bound = 1e-6 * std::sqrt(static_cast<double>(length)) *
                                 std::log2(static_cast<double>(length));
            if (std::abs(std::complex<double>(found[first + index]) - wanted) > bound)
                return false;
        }
    return true;
}

/// Forward transforms of arrays of one length, out of place.
/// @param total  complex numbers of all arrays
void transforms(Suite& suite, Row& row, size_t length, size_t total) {
    if (suite.software())
        total = std::max(length, size_t{1} << (suite.options().quick ? 16 : 20));
    if (suite.software() && total > size_t{1} << 20)
        throw Skip{"takes a software driver too long"};
    std::vector<Complex> values(total);
    uint32_t state = 1;
    const auto next = [&] {
        state = state * 1664525u + 1013904223u;
        return static_cast<float>(state >> 8) * 0x1p-23f - 1;
    };
    for (Complex& value : values)
        value = {next(), next()};
    const auto tensor = [&] { return suite.manager().tensorT<float>(2 * total, Types::eStorage); };
    const auto in = tensor();
    const auto out = tensor();
    in->upload(values.data(), total * sizeof(Complex));
    auto sequence = suite.manager().sequence();
    for (size_t i = 0; i < kTimes; ++i)
        sequence->record<kp::OpFFT>(in, out, std::vector<uint64_t>{length});
    row.bytes(2.0 * sizeof(Complex) * static_cast<double>(total * kTimes));
    row.side("kompute", [&] { sequence->eval(); });
    std::unique_ptr<Cuda::Buffer> cudaIn;
    std::unique_ptr<Cuda::Buffer> cudaOut;
    std::unique_ptr<CudaLibrary> library;
    if (suite.cuda()) {
        cudaIn = suite.cuda()->buffer(total * sizeof(Complex));
        cudaIn->upload(values.data());
        cudaOut = suite.cuda()->buffer(total * sizeof(Complex));
        library = cuFft(*cudaIn, *cudaOut, length, total / length);
    }
    if (library) {
        row.side("cuda", [&] { library->run(kTimes); });
        row.target("cuda", 0.9);
    }
    row.note("bytes of input and output; CUDA: cuFFT");
    suite.measure(row);
    std::vector<Complex> found(total);
    out->download(found.data(), total * sizeof(Complex));
    Suite::require(agree(values, found, length), "the transforms match the definition");
}

void add(Suite& suite, const std::string& group, int power) {
    const std::string length = "2^" + std::to_string(power);
    suite.add(group + "/fft_" + length, "transforms of " + length + " complex floats, 2^26 in all",
              [=](Suite& s, Row& row) { transforms(s, row, size_t{1} << power, size_t{1} << 26); });
}

} // namespace

void addFourier(Suite& suite) {
    for (int power = 8; power <= 20; ++power)
        add(suite, "primitives", power);
}

void addFourierSweep(Suite& suite) {
    for (int power = 4; power <= 26; ++power)
        add(suite, "sweep", power);
}

} // namespace kp::benchmark

// SPDX-License-Identifier: Apache-2.0
//
// Runs the filter that train.py trained and saved, without Python and without a shader compiler.
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <vector>

#include <kompute/Manager.hpp>
#include <kompute/Tensor.hpp>
#include <kompute/program/Program.hpp>

namespace {

/// Returns pseudo-random numbers from -1 to 1.
class Noise {
public:
    float next() {
        mState = mState * 1664525u + 1013904223u;
        return static_cast<float>(mState >> 8) / 8388608.0f - 1.0f;
    }

private:
    uint32_t mState = 1;
};

float meanError(const std::vector<float>& signal, const std::vector<float>& wanted, size_t first,
                size_t count) {
    float sum = 0;
    for (size_t i = 0; i < count; ++i)
        sum += std::fabs(signal[first + i] - wanted[i]);
    return sum / static_cast<float>(count);
}

} // namespace

int main(int count, char** arguments) {
    if (count != 2) {
        std::puts("usage: trained_filter FILE");
        return 2;
    }
    try {
        kp::Manager manager;
        const kp::Program filter = kp::Program::load(manager, arguments[1]);
        const kp::ProgramTensor& input = filter.tensors()[0];
        const kp::ProgramTensor& output = filter.tensors()[1];
        std::printf("%s: %zu samples in, %zu out\n", arguments[1],
                    static_cast<size_t>(input.size()), static_cast<size_t>(output.size()));

        const size_t middle = (input.size() - output.size()) / 2;
        std::vector<float> noisy(input.size());
        std::vector<float> smooth;
        Noise noise;
        for (size_t i = 0; i < noisy.size(); ++i) {
            const float at = static_cast<float>(i) * 0.01f;
            const float value = std::sin(at) + 0.3f * std::cos(1.7f * at);
            noisy[i] = value + 0.7f * noise.next();
            if (i >= middle && smooth.size() < output.size())
                smooth.push_back(value);
        }
        auto in = manager.tensor(noisy);
        auto out = manager.tensor(std::vector<float>(output.size()));
        filter.run({{"noisy", in}, {"result", out}});

        const float before = meanError(noisy, smooth, middle, smooth.size());
        const float after = meanError(out->vector(), smooth, 0, smooth.size());
        std::printf("mean error: %.3f before, %.3f after\n", static_cast<double>(before),
                    static_cast<double>(after));
        return after < before / 2 ? 0 : 1;
    } catch (const std::exception& error) {
        std::fprintf(stderr, "trained_filter: %s\n", error.what());
        return 1;
    }
}

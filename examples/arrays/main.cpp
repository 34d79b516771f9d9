// SPDX-License-Identifier: Apache-2.0
//
// Fits a curve to noisy points with kp::Array, without a shader: NumPy's functions in C++.
//
// The points lie on a damped oscillation. Its decay and frequency are found by gradient descent, in
// which each step is a kernel for each mean. Nothing but the printed numbers comes back to the
// host.

#include <cmath>
#include <cstdio>
#include <exception>
#include <iostream>

#include <kompute/Array.hpp>

namespace {

constexpr double kDecay = 0.35;
constexpr double kFrequency = 2.2;
constexpr int kSteps = 200;

/// Returns numbers between -1 and 1 that look random: the device makes them from their index.
kp::Array noise(int64_t count) {
    const kp::Array index = kp::arange(0, count, 1, kp::DType::eUint32);
    const kp::Array mixed = (index * 1664525u + 1013904223u) ^ (index << 13);
    return (mixed >> 8).astype(kp::DType::eFloat32) / float(1 << 23) - 1;
}

kp::Array curve(const kp::Array& time, const kp::Array& decay, const kp::Array& frequency) {
    return kp::exp(-decay * time) * kp::cos(frequency * time);
}

} // namespace

int main() {
    try {
        kp::setDefaultFloat(kp::DType::eFloat32);
        const kp::Array time = kp::linspace(0, 6, 10000);
        kp::Array points =
            curve(time, kp::full({}, kDecay), kp::full({}, kFrequency)) + 0.05 * noise(time.size());
        points.evaluate(); // once, instead of as a part of every step

        kp::Array decay = kp::full({}, 0.2);
        kp::Array frequency = kp::full({}, 2.0);
        for (int step = 0; step < kSteps; ++step) {
            const kp::Array damping = kp::exp(-decay * time);
            const kp::Array error = damping * kp::cos(frequency * time) - points;
            const kp::Array slope = -time * damping * error;
            decay = decay - kp::mean(slope * kp::cos(frequency * time));
            frequency = frequency - kp::mean(slope * kp::sin(frequency * time));
            frequency.evaluate();
            decay.evaluate();
        }

        const kp::Array rest = curve(time, decay, frequency) - points;
        std::cout << "decay " << decay << ", frequency " << frequency << "\n"
                  << "the largest deviations: " << kp::sort(kp::abs(rest))(kp::Slice(-3, kp::end))
                  << "\n"
                  << "points by deviation: " << kp::histogram(rest, 8, -0.06, 0.06).counts << "\n";

        const kp::Array late = kp::compress(time > 5, points);
        std::cout << late.size() << " points after t = 5, of mean " << kp::mean(late) << "\n";

        const bool found = std::abs(decay.item<double>() - kDecay) < 0.01 &&
                           std::abs(frequency.item<double>() - kFrequency) < 0.01;
        if (!found)
            std::fprintf(stderr, "expected decay %g and frequency %g\n", kDecay, kFrequency);
        return found ? 0 : 1;
    } catch (const std::exception& error) {
        std::fprintf(stderr, "%s\n", error.what());
        return 1;
    }
}

// SPDX-License-Identifier: Apache-2.0
//
// Heat in a square plate, by implicit time steps: the whole simulation is one submission.
//
// Each step of Crank and Nicolson's method solves a sparse system with conjugate gradients, a loop
// that the device ends. All steps are one captured function, so the host waits once. Two waves of
// heat, which decay at known rates, check the result.

#include <chrono>
#include <cmath>
#include <cstdio>
#include <exception>
#include <vector>

#include <kompute/Array.hpp>
#include <kompute/Sparse.hpp>
#include <kompute/arrays/Capture.hpp>

namespace {

using State = std::vector<kp::Array>;

constexpr int kPoints = 64; ///< in each direction, within a border of temperature 0
constexpr int kTimeSteps = 20;
constexpr double kTimeStep = 0.001;
constexpr uint32_t kMaxSolverSteps = 40;

/// Returns I - h/2 Laplace, where h is the time step.
kp::sparse::Csr equations() {
    std::vector<float> values;
    std::vector<int32_t> rows, columns;
    const double weight = kTimeStep / 2 * (kPoints + 1) * (kPoints + 1);
    const auto add = [&](int row, int x, int y, double value) {
        if (x < 0 || x >= kPoints || y < 0 || y >= kPoints)
            return;
        rows.push_back(row);
        columns.push_back(y * kPoints + x);
        values.push_back(static_cast<float>(value));
    };
    for (int y = 0; y < kPoints; ++y)
        for (int x = 0; x < kPoints; ++x) {
            const int row = y * kPoints + x;
            add(row, x, y, 1 + 4 * weight);
            add(row, x - 1, y, -weight);
            add(row, x + 1, y, -weight);
            add(row, x, y - 1, -weight);
            add(row, x, y + 1, -weight);
        }
    constexpr int64_t size = kPoints * kPoints;
    return kp::sparse::compressed(kp::Array::of(values), kp::Array::of(rows),
                                  kp::Array::of(columns), {size, size});
}

/// Returns the temperatures after a time.
kp::Array exact(double time) {
    const double pi = std::acos(-1);
    const kp::Array along = kp::arange(1, kPoints + 1, 1, kp::DType::eFloat32) / (kPoints + 1);
    const auto wave = [&](int waves) { return kp::sin(along * (pi * waves)); };
    const auto decay = [&](int x, int y) { return std::exp(-pi * pi * (x * x + y * y) * time); };
    const kp::Array slow = kp::outer(wave(1), wave(1)) * decay(1, 1);
    const kp::Array fast = kp::outer(wave(3), wave(2)) * (0.5 * decay(3, 2));
    return (slow + fast).reshape({-1});
}

/// Returns the temperatures a time step later, and the number of the solver's steps added to one.
State later(const kp::sparse::Csr& matrix, const kp::Array& before, const kp::Array& steps) {
    // The right side is 2 u - A u, so this is the residual of a solver that begins at u.
    const kp::Array residual = 2 * (before - kp::sparse::matmul(matrix, before));
    const kp::Array limit = 1e-12 * kp::sum(kp::square(before));
    const auto goesOn = [&](const State& s) { return s[3] > limit; };
    const auto step = [&](const State& s) {
        const kp::Array &u = s[0], &rest = s[1], &direction = s[2], &square = s[3];
        const kp::Array image = kp::sparse::matmul(matrix, direction);
        const kp::Array length = square / kp::sum(direction * image);
        const kp::Array nextRest = rest - length * image;
        const kp::Array nextSquare = kp::sum(kp::square(nextRest));
        return State{u + length * direction, nextRest, nextRest + nextSquare / square * direction,
                     nextSquare, s[4] + 1};
    };
    const State start = {before, residual, residual, kp::sum(kp::square(residual)), steps};
    const State end = kp::whileLoop(goesOn, step, start, kMaxSolverSteps);
    return {end[0], end[4]};
}

} // namespace

int main() {
    try {
        const kp::sparse::Csr matrix = equations();
        const kp::CapturedFunction simulate = kp::capture([&](const State& in) {
            State state = {in[0], kp::zeros({}, kp::DType::eInt32)};
            for (int i = 0; i < kTimeSteps; ++i)
                state = later(matrix, state[0], state[1]);
            return state;
        });
        const kp::Array start = exact(0);
        simulate({start})[1].item<int>(); // compiles and records

        const auto began = std::chrono::steady_clock::now();
        const State found = simulate({start});
        const int steps = found[1].item<int>();
        const std::chrono::duration<double, std::milli> took =
            std::chrono::steady_clock::now() - began;
        std::printf("%d time steps of %d points, %d steps of the solver, in one submission: "
                    "%.1f ms\n",
                    kTimeSteps, kPoints * kPoints, steps, took.count());

        const kp::Array expected = exact(kTimeSteps * kTimeStep);
        const double error = kp::max(kp::abs(found[0] - expected)).item<double>();
        std::printf("the warmest point fell from %.4f to %.4f; the largest error is %.1e\n",
                    kp::max(start).item<double>(), kp::max(found[0]).item<double>(), error);
        return error < 1e-3 ? 0 : 1;
    } catch (const std::exception& error) {
        std::fprintf(stderr, "%s\n", error.what());
        return 1;
    }
}

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <utility>
#include <vector>

// Timing, and the figures of a list of times.

namespace kp::benchmark {

using Clock = std::chrono::steady_clock;

inline double secondsSince(Clock::time_point start) {
    return std::chrono::duration<double>(Clock::now() - start).count();
}

template <typename Call>
double secondsOf(Call&& call) {
    const auto start = Clock::now();
    call();
    return secondsSince(start);
}

/// Calls @p call again and again until @p duration seconds have passed.
template <typename Call>
void repeatFor(double duration, Call&& call) {
    const auto start = Clock::now();
    while (secondsSince(start) < duration)
        call();
}

/// Returns the upper median of a list that is not empty.
inline double median(std::vector<double> values) {
    const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
    std::nth_element(values.begin(), middle, values.end());
    return *middle;
}

/// Returns the quantile @p q, from 0 to 1, of a sorted list that is not empty. Interpolates between
/// neighbours.
inline double quantileOfSorted(const std::vector<double>& sorted, double q) {
    const double place = q * static_cast<double>(sorted.size() - 1);
    const size_t below = static_cast<size_t>(place);
    const size_t above = std::min(below + 1, sorted.size() - 1);
    return sorted[below] + (place - static_cast<double>(below)) * (sorted[above] - sorted[below]);
}

inline double quantile(std::vector<double> values, double q) {
    std::sort(values.begin(), values.end());
    return quantileOfSorted(values, q);
}

/// Returns the median seconds of @p repeat calls, after one untimed call.
template <typename Call>
double medianSeconds(int repeat, Call&& call) {
    call();
    std::vector<double> times;
    for (int i = 0; i < repeat; ++i)
        times.push_back(secondsOf(call));
    return median(std::move(times));
}

} // namespace kp::benchmark

// SPDX-License-Identifier: Apache-2.0
#include <kompute/launch/KernelStatistics.hpp>

#include <algorithm>
#include <cmath>

#include <kompute/Error.hpp>

#include "base/Text.hpp"

namespace kp {
namespace {

/// Formats a duration in a suitable unit, such as "1.250 ms".
std::string timeText(double nanoseconds) {
    constexpr const char* kUnits[] = {"ns", "us", "ms", "s"};
    size_t unit = 0;
    for (; unit < 3 && nanoseconds >= 1000; ++unit)
        nanoseconds /= 1000;
    return formatted("{:.{}f} {}", nanoseconds, unit == 0 ? 0 : 3, kUnits[unit]);
}

std::string rateText(double bytesPerSecond) {
    return formatted("{:.2f} GB/s", bytesPerSecond * 1e-9);
}

} // namespace

TimingSink::~TimingSink() = default;

void KernelStatistics::add(uint64_t nanoseconds, uint64_t bytes) {
    if (mCount % mStride == 0) {
        mSamples.push_back(nanoseconds);
        if (mSamples.size() > kMaxSamples)
            thin();
    }
    ++mCount;
    mTotal += nanoseconds;
    mBytes += bytes;
    mMin = std::min(mMin, nanoseconds);
    mMax = std::max(mMax, nanoseconds);
    // Welford's update, which subtracts no large numbers from each other.
    const double value = static_cast<double>(nanoseconds);
    const double before = value - mMean;
    mMean += before / static_cast<double>(mCount);
    mSquares += before * (value - mMean);
}

void KernelStatistics::thin() {
    for (size_t i = 0; 2 * i < mSamples.size(); ++i)
        mSamples[i] = mSamples[2 * i];
    mSamples.resize((mSamples.size() + 1) / 2);
    mStride *= 2;
}

KernelStatistics& KernelStatistics::operator+=(const KernelStatistics& other) {
    mUnprofiled += other.mUnprofiled;
    if (other.mCount == 0)
        return *this;
    KernelStatistics added = other;
    while (mStride < added.mStride)
        thin();
    while (added.mStride < mStride)
        added.thin();
    mSamples.insert(mSamples.end(), added.mSamples.begin(), added.mSamples.end());
    while (mSamples.size() > kMaxSamples)
        thin();
    // Chan's update for the union of two sets.
    const double own = static_cast<double>(mCount);
    const double theirs = static_cast<double>(added.mCount);
    const double distance = added.mMean - mMean;
    mMean += distance * theirs / (own + theirs);
    mSquares += added.mSquares + distance * distance * own * theirs / (own + theirs);
    mCount += added.mCount;
    mTotal += added.mTotal;
    mBytes += added.mBytes;
    mMin = std::min(mMin, added.mMin);
    mMax = std::max(mMax, added.mMax);
    return *this;
}

double KernelStatistics::mean() const {
    return mCount ? static_cast<double>(mTotal) / static_cast<double>(mCount) : 0;
}

double KernelStatistics::variance() const {
    return mCount ? mSquares / static_cast<double>(mCount) : 0;
}

double KernelStatistics::stddev() const {
    return std::sqrt(variance());
}

double KernelStatistics::percentile(double percent) const {
    if (!(percent >= 0 && percent <= 100))
        fail<InvalidArgument>("the percentile is {}; it must be between 0 and 100", percent);
    if (mSamples.empty())
        return 0;
    std::vector<uint64_t> sorted = mSamples;
    std::sort(sorted.begin(), sorted.end());
    const double place = percent / 100 * static_cast<double>(sorted.size() - 1);
    const auto below = static_cast<size_t>(place);
    const size_t above = std::min(below + 1, sorted.size() - 1);
    const double share = place - static_cast<double>(below);
    return static_cast<double>(sorted[below]) * (1 - share) +
           static_cast<double>(sorted[above]) * share;
}

double KernelStatistics::bytesPerSecond() const {
    return mTotal ? static_cast<double>(mBytes) / (static_cast<double>(mTotal) * 1e-9) : 0;
}

std::string KernelStatistics::toString() const {
    std::string text = formatted("{} runs, total {}, mean {} +- {}, min {}, median {}, max {}",
                                 mCount, timeText(mTotal), timeText(mean()), timeText(stddev()),
                                 timeText(min()), timeText(median()), timeText(mMax));
    if (mBytes)
        text += formatted(", {}", rateText(bytesPerSecond()));
    if (mUnprofiled)
        text += formatted(", {} without times", mUnprofiled);
    return text;
}

std::string toTable(const StatisticsByName& statistics) {
    std::vector<StatisticsByName::const_pointer> rows;
    size_t width = 4;
    for (const auto& row : statistics) {
        rows.push_back(&row);
        width = std::max(width, row.first.size());
    }
    std::stable_sort(rows.begin(), rows.end(), [](const auto* a, const auto* b) {
        return a->second.total() > b->second.total();
    });
    const auto line = [&](const auto&... cells) {
        return formatted("{:<{}} {:>11} {:>11} {:>11} {:>11} {:>11} {:>11} {:>11} {:>11}\n",
                         cells...);
    };
    std::string table =
        line("name", width, "runs", "total", "mean", "stddev", "min", "median", "max", "rate");
    for (const auto* row : rows) {
        const KernelStatistics& of = row->second;
        table += line(row->first, width, of.count(), timeText(of.total()), timeText(of.mean()),
                      timeText(of.stddev()), timeText(of.min()), timeText(of.median()),
                      timeText(of.max()), of.bytes() ? rateText(of.bytesPerSecond()) : "-");
    }
    return table;
}

} // namespace kp

// SPDX-License-Identifier: Apache-2.0
#include <kompute/launch/KernelStatistics.hpp>

#include <algorithm>
#include <cmath>
#include <cstdio>

#include <kompute/Error.hpp>

namespace kp {
namespace {

/// "1.250 ms": nanoseconds with a unit that suits them.
std::string timeText(double nanoseconds) {
    static constexpr const char* kUnits[] = {"ns", "us", "ms", "s"};
    size_t unit = 0;
    for (; unit < 3 && nanoseconds >= 1000; ++unit)
        nanoseconds /= 1000;
    char text[48];
    std::snprintf(text, sizeof text, unit == 0 ? "%.0f %s" : "%.3f %s", nanoseconds, kUnits[unit]);
    return text;
}

std::string rateText(double bytesPerSecond) {
    char text[48];
    std::snprintf(text, sizeof text, "%.2f GB/s", bytesPerSecond * 1e-9);
    return text;
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
    // Welford's update: no difference of large numbers.
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
    // Chan's rule for the union of two sets.
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
        throw InvalidArgument("a percentile is between 0 and 100, not " + std::to_string(percent));
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
    std::string text = std::to_string(mCount) + " runs, total " +
                       timeText(static_cast<double>(mTotal)) + ", mean " + timeText(mean()) +
                       " +- " + timeText(stddev()) + ", min " +
                       timeText(static_cast<double>(min())) + ", median " + timeText(median()) +
                       ", max " + timeText(static_cast<double>(mMax));
    if (mBytes)
        text += ", " + rateText(bytesPerSecond());
    if (mUnprofiled)
        text += ", " + std::to_string(mUnprofiled) + " without times";
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
    const auto column = [](const std::string& text) {
        return std::string(text.size() < 12 ? 12 - text.size() : 1, ' ') + text;
    };
    std::string table = "name" + std::string(width - 4, ' ') + column("runs") + column("total") +
                        column("mean") + column("stddev") + column("min") + column("median") +
                        column("max") + column("rate") + "\n";
    for (const auto* row : rows) {
        const KernelStatistics& s = row->second;
        table += row->first + std::string(width - row->first.size(), ' ') +
                 column(std::to_string(s.count())) +
                 column(timeText(static_cast<double>(s.total()))) + column(timeText(s.mean())) +
                 column(timeText(s.stddev())) + column(timeText(static_cast<double>(s.min()))) +
                 column(timeText(s.median())) + column(timeText(static_cast<double>(s.max()))) +
                 column(s.bytes() ? rateText(s.bytesPerSecond()) : "-") + "\n";
    }
    return table;
}

} // namespace kp

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <limits>
#include <map>
#include <string>
#include <vector>

#include <kompute/Event.hpp>

namespace kp {

/// Times of the runs of one kernel, in nanoseconds. A value; two of them merge to what one that saw
/// all runs would say (median and percentiles: as long as samples fit, see kMaxSamples).
class KOMPUTE_API KernelStatistics {
public:
    /// Runs whose single times are kept for median() and percentile(). Past it every second,
    /// fourth,
    /// ... run is kept, so that memory stays bounded and the samples stay spread over all runs.
    static constexpr size_t kMaxSamples = 1024;

    void add(uint64_t nanoseconds, uint64_t bytes = 0);
    /// A run that was not timed.
    void addUnprofiled() { ++mUnprofiled; }
    KernelStatistics& operator+=(const KernelStatistics& other);
    friend KernelStatistics operator+(KernelStatistics a, const KernelStatistics& b) {
        return a += b;
    }

    uint64_t count() const { return mCount; }
    uint64_t unprofiled() const { return mUnprofiled; }
    uint64_t total() const { return mTotal; }
    uint64_t min() const { return mCount ? mMin : 0; } ///< 0 without runs, as all that follow
    uint64_t max() const { return mMax; }
    double mean() const;
    double variance() const; ///< of the runs themselves (divided by count)
    double stddev() const;
    double median() const { return percentile(50); }
    /// @param percent  0 to 100; between two samples the value in between
    /// @throws InvalidArgument for other percentages
    double percentile(double percent) const;

    uint64_t bytes() const { return mBytes; }
    double bytesPerSecond() const; ///< 0 where nothing was copied

    /// One line: count, total, mean, deviation, min, median, max and the rate of copies.
    std::string toString() const;

    /// By mean.
    friend bool operator<(const KernelStatistics& a, const KernelStatistics& b) {
        return a.mean() < b.mean();
    }

private:
    void thin();

    uint64_t mCount = 0;
    uint64_t mUnprofiled = 0;
    uint64_t mTotal = 0;
    uint64_t mMin = std::numeric_limits<uint64_t>::max();
    uint64_t mMax = 0;
    uint64_t mBytes = 0;
    double mMean = 0;
    double mSquares = 0; ///< sum of squared distances from the mean
    uint64_t mStride = 1;
    std::vector<uint64_t> mSamples; ///< every mStride-th run
};

/// By name; kernels of one name count together.
using StatisticsByName = std::map<std::string, KernelStatistics>;

/// A table with one line for each name, the longest total first.
KOMPUTE_API std::string toTable(const StatisticsByName& statistics);

/// Is told of each profiled launch once its times are known, by the calls that fetch statistics
/// (and now and then by launches). May be called from several threads at once.
class KOMPUTE_API TimingSink {
public:
    virtual ~TimingSink();
    /// @param name   of the launcher
    /// @param bytes  moved, for copies and fills; 0 for kernels
    virtual void addTiming(const std::string& name, const Event& event, const EventProfile& profile,
                           uint64_t bytes) = 0;
};

} // namespace kp

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <limits>
#include <map>
#include <string>
#include <vector>

#include <kompute/queue/Event.hpp>

namespace kp {

/// Statistics of the run times of one kernel, in nanoseconds. A value type. The sum of two equals
/// the statistics over all their runs; median and percentiles are exact up to kMaxSamples runs.
class KOMPUTE_API KernelStatistics {
public:
    /// Maximum number of times kept for median() and percentile(). Beyond it only every second,
    /// fourth, ... run is kept, so memory stays bounded and the samples stay evenly spread.
    static constexpr size_t kMaxSamples = 1024;

    /// Adds a run. @p bytes moved by a copy or fill; 0 for kernels.
    void add(uint64_t nanoseconds, uint64_t bytes = 0);
    void addUnprofiled() { ++mUnprofiled; } ///< adds a run without a time
    KernelStatistics& operator+=(const KernelStatistics& other);
    friend KernelStatistics operator+(KernelStatistics a, const KernelStatistics& b) {
        return a += b;
    }

    uint64_t count() const { return mCount; }
    uint64_t unprofiled() const { return mUnprofiled; }
    uint64_t total() const { return mTotal; }
    uint64_t(min)() const { return mCount ? mMin : 0; } ///< 0 without runs, like all below
    uint64_t(max)() const { return mMax; }
    double mean() const;
    double variance() const; ///< population variance (divided by count)
    double stddev() const;
    double median() const { return percentile(50); }
    /// Returns a percentile, interpolated linearly between samples.
    /// @throws InvalidArgument unless @p percent is 0 to 100
    double percentile(double percent) const;

    uint64_t bytes() const { return mBytes; }
    double bytesPerSecond() const; ///< 0 if nothing was copied

    /// Returns one line with count, total, mean, standard deviation, minimum, median, maximum and,
    /// for copies, the rate.
    std::string toString() const;

    /// Compares means.
    friend bool operator<(const KernelStatistics& a, const KernelStatistics& b) {
        return a.mean() < b.mean();
    }

private:
    void thin();

    uint64_t mCount = 0;
    uint64_t mUnprofiled = 0;
    uint64_t mTotal = 0;
    uint64_t mMin = (std::numeric_limits<uint64_t>::max)();
    uint64_t mMax = 0;
    uint64_t mBytes = 0;
    double mMean = 0;
    double mSquares = 0; ///< sum of squared distances from the mean
    uint64_t mStride = 1;
    std::vector<uint64_t> mSamples; ///< every mStride-th run
};

/// Statistics by name. Kernels of the same name are counted together.
using StatisticsByName = std::map<std::string, KernelStatistics>;

/// Returns a table with one row per name, the largest total first.
KOMPUTE_API std::string toTable(const StatisticsByName& statistics);

/// Receives each profiled launch once its times are known: from calls that read statistics, and
/// occasionally from launches. May be called by several threads at once.
class KOMPUTE_API TimingSink {
public:
    virtual ~TimingSink();
    /// Receives one launch of the launcher @p name. @p bytes as in KernelStatistics::add().
    virtual void addTiming(const std::string& name, const Event& event, const EventProfile& profile,
                           uint64_t bytes) = 0;
};

} // namespace kp

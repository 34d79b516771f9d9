// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include <kompute/Manager.hpp>
#include <kompute/launch/Autotuner.hpp>

namespace kp::launch {

/// Runs algorithms on the memory of tuning arguments, puts the memory back before every run, and
/// takes times. Whoever uses it calls restore() at the end; the destructor does so too, for when
/// something is thrown.
class TuningBench {
public:
    /// @throws Unsupported where device times are asked for and the device has none
    TuningBench(Manager& manager, const TuningArguments& arguments, TuningTime time);
    ~TuningBench();
    TuningBench(const TuningBench&) = delete;
    TuningBench& operator=(const TuningBench&) = delete;

    /// Keeps a copy of what a kernel will write, on the device. To be called before it runs; what
    /// is kept already is not touched again.
    void protect(const std::vector<uint32_t>& bindings);

    /// One run without a time, after which the results can be looked at.
    void run(const std::shared_ptr<Algorithm>& algorithm);

    /// Times of @p runs runs, in nanoseconds.
    /// @param expectedNs  about what one takes; 0: not known. Decides how many go to the device at
    ///                    once
    std::vector<double> time(const std::shared_ptr<Algorithm>& algorithm, uint32_t runs,
                             double expectedNs);

    /// Puts everything back as it was at first, also what was filled with zeros or left.
    void restore();

    /// Timed runs so far.
    uint64_t benchmarks() const { return mBenchmarks; }

private:
    /// Memory that is written, with what it held and what it holds before each run.
    struct Protected {
        std::shared_ptr<Memory> memory;
        std::shared_ptr<Memory> original;
        std::shared_ptr<Memory> start; ///< null: left as runs leave it
    };

    std::shared_ptr<Memory> emptyCopyOf(const std::shared_ptr<Memory>& memory) const;
    size_t startCount() const;
    void recordStart(Sequence& sequence) const;
    std::vector<double> timeOnDevice(const std::shared_ptr<Algorithm>& algorithm, uint32_t runs);
    double timeOnHost(const std::shared_ptr<Algorithm>& algorithm);

    Manager& mManager;
    const TuningArguments& mArguments;
    bool mDeviceTime;
    bool mDirty = false;
    std::vector<Protected> mProtected;
    std::shared_ptr<Sequence> mSequence; ///< without times
    std::shared_ptr<Sequence> mTimed;
    size_t mTimedOperations = 0; ///< that mTimed has times for
    uint64_t mBenchmarks = 0;
};

} // namespace kp::launch

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include <kompute/Manager.hpp>
#include <kompute/launch/Autotuner.hpp>

namespace kp::tune {

/// Compares values of a data type; integers, bools and structs byte by byte.
/// @return "" if all are within the tolerances, else a description of the first one that is not
std::string compareValues(Memory::DataTypes type, uint32_t elementSize, const unsigned char* actual,
                          const unsigned char* expected, size_t bytes, double relative,
                          double absolute);

/// Runs, times and verifies algorithms on the memory of tuning arguments, and restores the memory
/// before every run. Call restore() at the end; the destructor does so too, in case an exception is
/// thrown.
class TuningBench {
public:
    /// @throws Unsupported if device times are requested and the device has no timestamps
    TuningBench(Manager& manager, const TuningArguments& arguments, TuningTime time);
    ~TuningBench();
    TuningBench(const TuningBench&) = delete;
    TuningBench& operator=(const TuningBench&) = delete;

    /// Copies the memory that a kernel will write, on the device. Call it before the kernel runs.
    /// Memory that already has a copy is not copied again.
    void protect(const std::vector<uint32_t>& bindings);

    /// Runs once, untimed. Afterwards the results can be checked.
    void run(const std::shared_ptr<Algorithm>& algorithm);

    /// Returns the times of @p runs runs, in nanoseconds.
    /// @param expectedNs  approximate time of one run, which decides how many are submitted at
    ///                    once; 0 if unknown
    std::vector<double> time(const std::shared_ptr<Algorithm>& algorithm, uint32_t runs,
                             double expectedNs);

    /// Returns true if the arguments expect anything.
    bool verifies() const;
    /// Compares the device memory with everything that the arguments expect.
    /// @return "" if it is correct, else a description of the first error
    std::string verify(const TuningConfiguration& configuration) const;

    /// Restores the original content of all memory, including memory that was filled with zeros or
    /// left as it was.
    void restore();

    /// Returns the number of timed runs so far.
    uint64_t benchmarks() const { return mBenchmarks; }

private:
    /// Memory that a kernel writes, its original content, and its content before each run.
    struct Protected {
        std::shared_ptr<Memory> memory;
        std::shared_ptr<Memory> original;
        std::shared_ptr<Memory> start; ///< null: as the previous run leaves it
    };

    std::shared_ptr<Memory> emptyCopyOf(const std::shared_ptr<Memory>& memory) const;
    size_t startCount() const;
    void recordStart(Sequence& sequence) const;
    std::vector<double> timeOnDevice(const std::shared_ptr<Algorithm>& algorithm, uint32_t runs);
    double timeOnHost(const std::shared_ptr<Algorithm>& algorithm);

    Manager& mManager;
    const TuningArguments& mArguments;
    std::shared_ptr<Sequence> mSequence; ///< without timestamps
    bool mDeviceTime;
    bool mDirty = false;
    std::vector<Protected> mProtected;
    std::shared_ptr<Sequence> mTimed;
    size_t mTimedOperations = 0; ///< that mTimed has timestamps for
    uint64_t mBenchmarks = 0;
};

} // namespace kp::tune

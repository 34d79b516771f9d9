// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include <kompute/Kompute.hpp>

#include "cuda/Cuda.hpp"
#include "vulkan/queue/Queue.hpp"

namespace kp::benchmark {

struct Options {
    bool check = false;
    bool quick = false;
    std::string json;
    kp::WaitPolicy wait = kp::WaitPolicy::eAuto;
};

/// The percentiles of the calls of one side, in the row's unit.
struct Spread {
    double p10 = 0;
    double p50 = 0;
    double p90 = 0;
    size_t samples = 0;
};

enum class Unit { eMicroseconds, eGigabytesPerSecond };

/// A row of the table: the same work on several sides, which take turns in blocks of calls. Targets
/// apply to the side "kompute". "raw" is raw Vulkan, and "cuda" is CUDA.
class Row {
public:
    struct Side {
        std::string name;
        std::function<void()> call;
        std::function<void()> after;      ///< untimed, after each call; may be empty
        double items = 1;                 ///< number of items that one call processes
        uint64_t calls = 0;               ///< including untimed ones
        std::vector<double> seconds;      ///< per item, of each timed call
        std::vector<double> blockMedians; ///< seconds per item, of each block

        double run(); ///< returns the seconds of one call
    };
    /// The ratio of kompute to `of` must be at most `limit`, or for rates at least. If `of` is
    /// empty, the limit applies to kompute itself, in the row's unit.
    struct Target {
        std::string of;
        double limit = 0;
        double reached = 0;
        bool met = false;
    };

    Row(std::string id, std::string name) : mId(std::move(id)), mName(std::move(name)) {}

    /// Adds a side. @p call does the whole work once and returns when it is done.
    /// @param items  number of items that one call processes; times are per item
    /// @param after  called after each call, untimed
    void side(const std::string& name, std::function<void()> call, double items = 1,
              std::function<void()> after = {});
    /// Makes the row a rate, for calls that transfer this many bytes.
    void bytes(double transferred);
    /// @param onGpu, onSoftware  limits; 0: no target. A software driver is only judged if pinned.
    void target(const std::string& of, double onGpu, double onSoftware = 0);
    /// Adds a target against the slowest of several sides.
    void targetSlowest(const std::vector<std::string>& of, double onGpu);
    /// Sets a note about the comparison, for the report.
    void note(const std::string& text) { mNote = text; }
    /// Sets the number of rounds that run regardless of their time (default 9).
    void minRounds(int rounds) { mMinRounds = rounds; }

    const std::string& id() const { return mId; }
    const std::string& name() const { return mName; }
    bool has(const std::string& side) const;
    std::vector<std::string> sides() const;
    /// Returns the median seconds per item of kompute, or 0 if it was not measured.
    double median() const;
    /// Returns the number of calls of a side.
    uint64_t calls(const std::string& side) const;
    Spread spread(const std::string& side) const;
    /// Returns the median over the rounds of the ratio of kompute to the side, of times or rates.
    double ratio(const std::string& of) const;

private:
    friend class Suite;
    friend class Report;
    const Side& find(const std::string& side) const;
    void judge();
    /// Returns the factor by which the worst target is missed; at most 1 if all are met.
    double excess() const;

    std::string mId;
    std::string mName;
    std::string mNote;
    std::string mError;   ///< an exception's message, or a wrong result
    std::string mSkipped; ///< the reason why the row was not measured
    Unit mUnit = Unit::eMicroseconds;
    double mBytes = 0;
    int mMinRounds = 9;
    std::vector<Side> mSides;
    std::vector<Target> mTargets;
    struct TargetSpec {
        std::string of;
        double onGpu = 0;
        double onSoftware = 0;
        std::vector<std::string> slowestOf; ///< if not empty, `of` is the slowest of these
    };
    std::vector<TargetSpec> mTargetSpecs;
};

/// Thrown by a row that this device or build does not support.
struct Skip {
    std::string why;
};

/// The device, the options and the rows. Not thread-safe.
class Suite {
public:
    using Body = std::function<void(Suite&, Row&)>;
    struct Entry {
        std::string id;
        std::string name;
        Body body;
    };

    explicit Suite(Options options);
    ~Suite();

    /// @param id  unique, of the form group/name
    void add(const std::string& id, const std::string& name, Body body);
    const std::vector<Entry>& entries() const { return mEntries; }

    /// Runs a row. If it misses a target under --check, runs it eight more times and returns the
    /// median of the nine runs.
    Row run(const Entry& entry);

    /// Measures the sides. A row calls it after it added them.
    void measure(Row& row);
    /// Fails the row if @p correct is false.
    static void require(bool correct, const std::string& what);

    const Options& options() const { return mOptions; }
    kp::Manager& manager();
    enum class Families {
        eFirst, ///< all queues from the default family
        eTwo    ///< the first queue from that family, the others from the next with compute
    };
    bool hasSecondFamily() const;
    /// Returns a manager with this many queues, or as many as the device has.
    std::unique_ptr<kp::Manager> managerWithQueues(uint32_t queues, Families families) const;
    /// Returns the library's wait mode, which the raw side also uses.
    vulkan::WaitMode waitMode() const;
    vulkan::WaitMode waitMode(kp::WaitPolicy policy) const;
    /// Returns null if there is no CUDA side.
    Cuda* cuda();
    bool software() const { return mInfo.type == kp::DeviceType::eCpu; }
    /// Returns whether a software driver is pinned to one processor. Only then are its figures
    /// stable.
    bool pinned() const { return mPinned; }
    const kp::DeviceInfo& device() const { return mInfo; }
    std::string cudaVersion();
    /// Returns the reason why there is no CUDA side.
    const std::string& whyNoCuda() const { return mWhyNoCuda; }

    // Shaders, compiled on first use.
    const std::vector<uint32_t>& increment(); ///< binding 0: v[i] += 1, local size 64
    const std::vector<uint32_t>& add();       ///< the same with v[i] += push constant
    const std::vector<uint32_t>& saxpy();     ///< 0: x, 1: y (vec4), push: float a, uint vec4s
    const std::vector<uint32_t>& iterate();   ///< 0: v[i], push: uint rounds, uint count

private:
    class WarmUp;
    void warmUp(double seconds);
    double budget() const;
    Row runOnce(const Entry& entry);

    Options mOptions;
    kp::DeviceInfo mInfo;
    bool mPinned = false;
    std::vector<Entry> mEntries;
    std::unique_ptr<kp::Manager> mManager;
    std::unique_ptr<WarmUp> mWarmUp;
    std::unique_ptr<Cuda> mCuda;
    bool mCudaTried = false;
    std::string mWhyNoCuda;
    std::vector<uint32_t> mIncrement, mAdd, mSaxpy, mIterate;
};

/// Returns random words, which differ in every run. Faster than std::mt19937.
std::vector<uint32_t> randomWords(size_t count);
void randomBytes(void* data, size_t bytes);

// Each file of rows defines one of these.
void addSubmitting(Suite& suite);
void addLaunching(Suite& suite);
void addRecording(Suite& suite);
void addPipelines(Suite& suite);
void addMemory(Suite& suite);
void addTransfers(Suite& suite);
void addConcurrency(Suite& suite);
void addPrimitives(Suite& suite);
void addMatrices(Suite& suite);
void addFourier(Suite& suite);
// Rows for charts over sizes.
void addPrimitiveSweep(Suite& suite);
void addFourierSweep(Suite& suite);

} // namespace kp::benchmark

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include <kompute/Kompute.hpp>

#include "Cuda.hpp"
#include "vulkan/Queue.hpp"

namespace kp::benchmark {

struct Options {
    bool check = false;
    bool quick = false;
    std::string json;
    kp::WaitPolicy wait = kp::WaitPolicy::eAuto;
};

/// 10th, 50th and 90th percentile of the calls of one side, in the row's unit.
struct Spread {
    double p10 = 0;
    double p50 = 0;
    double p90 = 0;
    size_t samples = 0;
};

enum class Unit { eMicroseconds, eGigabytesPerSecond };

/// One line of the table: the same work done by several sides, which take turns in blocks of calls.
/// The side "kompute" is the one that is judged; "raw" is raw Vulkan, "cuda" is CUDA.
class Row {
public:
    struct Side {
        std::string name;
        std::function<void()> call;
        double things = 1;                ///< that one call does
        uint64_t calls = 0;               ///< all of them, untimed ones too
        std::vector<double> seconds;      ///< of each timed call, for one thing
        std::vector<double> blockMedians; ///< the same
    };
    /// kompute divided by `of` is at most `limit`; for rates at least. An empty `of`: kompute
    /// itself, in the row's unit.
    struct Target {
        std::string of;
        double limit = 0;
        double reached = 0;
        bool met = false;
    };

    Row(std::string id, std::string name) : mId(std::move(id)), mName(std::move(name)) {}

    /// Adds a side. @p call does the whole work once and returns when it is done.
    /// @param things  that one call does; times are given for one of them
    void side(const std::string& name, std::function<void()> call, double things = 1);
    /// Makes it a rate: bytes that one call moves.
    void bytes(double moved);
    /// @param onGpu, onSoftware  0: no target there. The latter holds for pinned runs.
    void target(const std::string& of, double onGpu, double onSoftware = 0);
    /// kompute against the slowest of several sides.
    void targetSlowest(const std::vector<std::string>& of, double onGpu);
    /// More about what was compared; goes into the report.
    void note(const std::string& text) { mNote = text; }
    /// At least this many rounds, whatever time they take (default 9).
    void minimumRounds(int rounds) { mMinimumRounds = rounds; }

    const std::string& id() const { return mId; }
    const std::string& name() const { return mName; }
    bool has(const std::string& side) const;
    std::vector<std::string> sides() const;
    /// Seconds that the library takes for one thing, the median; 0 where it was not measured.
    double median() const;
    /// Calls that a side has had.
    uint64_t calls(const std::string& side) const;
    Spread spread(const std::string& side) const;
    /// Median over the rounds of kompute divided by the side. For rates, of rate by rate.
    double ratio(const std::string& of) const;

private:
    friend class Suite;
    friend class Report;
    const Side& find(const std::string& side) const;
    void judge();
    /// By what factor it is beyond the target that it misses most; at most 1 where all are met.
    double excess() const;

    std::string mId;
    std::string mName;
    std::string mNote;
    std::string mError;   ///< what went wrong, wrong results too
    std::string mSkipped; ///< why it was not measured
    Unit mUnit = Unit::eMicroseconds;
    double mBytes = 0;
    int mMinimumRounds = 9;
    std::vector<Side> mSides;
    std::vector<Target> mTargets;
    struct Wanted {
        std::string of;
        double onGpu = 0;
        double onSoftware = 0;
        std::vector<std::string> slowestOf; ///< where it is not empty, `of` is found by measuring
    };
    std::vector<Wanted> mWanted;
};

/// Thrown by a row that this device or build cannot do.
struct Skip {
    std::string why;
};

/// Device, options and the rows. Used by one thread.
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

    /// @param id  group/what, unique
    void add(const std::string& id, const std::string& name, Body body);
    const std::vector<Entry>& entries() const { return mEntries; }

    /// Runs a row from start to end. Where it missed a target under --check, it is run eight more
    /// times, and the median of the nine counts.
    Row run(const Entry& entry);

    /// To be called by a row once its sides are there.
    void measure(Row& row);
    /// Ends the row with an error where @p right is false.
    static void require(bool right, const std::string& what);

    const Options& options() const { return mOptions; }
    kp::Manager& manager();
    enum class Families {
        eFirst, ///< all queues of the first family with compute
        eTwo    ///< the first queue of that one, the others of the next
    };
    bool hasSecondFamily() const;
    /// A manager with as many queues, or as the device has.
    std::unique_ptr<kp::Manager> managerWithQueues(uint32_t queues, Families families) const;
    /// How the library waits, for the raw side to do the same.
    vulkan::WaitMode waitMode() const;
    vulkan::WaitMode waitMode(kp::WaitPolicy policy) const;
    /// Null where there is none.
    Cuda* cuda();
    bool software() const { return mInfo.type == kp::DeviceType::eCpu; }
    /// A software driver kept to one processor, where figures are stable.
    bool pinned() const { return mPinned; }
    const kp::DeviceInfo& device() const { return mInfo; }
    std::string cudaVersion();
    /// Why there is no CUDA side.
    const std::string& whyNoCuda() const { return mWhyNoCuda; }

    /// Shaders, compiled once.
    const std::vector<uint32_t>& increment(); ///< binding 0: v[i] += 1, local size 64
    const std::vector<uint32_t>& add();       ///< same, v[i] += push constant
    const std::vector<uint32_t>& saxpy();     ///< 0: x, 1: y (vec4), push: float a, uint vec4s
    const std::vector<uint32_t>& iterate();   ///< 0: v[i], push: uint rounds, uint count

private:
    class Warmth;
    void warmUp(double seconds);
    double budget() const;
    Row runOnce(const Entry& entry);

    Options mOptions;
    kp::DeviceInfo mInfo;
    bool mPinned = false;
    std::vector<Entry> mEntries;
    std::unique_ptr<kp::Manager> mManager;
    std::unique_ptr<Warmth> mWarmth;
    std::unique_ptr<Cuda> mCuda;
    bool mCudaTried = false;
    std::string mWhyNoCuda;
    std::vector<uint32_t> mIncrement, mAdd, mSaxpy, mIterate;
};

/// 32-bit values that are different in every run. Fast.
std::vector<uint32_t> randomWords(size_t count);
void randomBytes(void* data, size_t bytes);

// Each file of rows has one.
void addSubmitting(Suite& suite);
void addRecording(Suite& suite);
void addPipelines(Suite& suite);
void addMemory(Suite& suite);
void addTransfers(Suite& suite);
void addConcurrency(Suite& suite);

} // namespace kp::benchmark

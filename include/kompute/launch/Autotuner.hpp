// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <kompute/Algorithm.hpp>
#include <kompute/Memory.hpp>
#include <kompute/launch/TunableKernel.hpp>

namespace kp {

class Manager;

/// How much is tried before a configuration is chosen. Each level keeps what the cache knows.
enum class TuningEffort {
    eEstimate,  ///< runs nothing: the cache's best, that of the nearest problem size, or a rule
    eMeasure,   ///< up to 32 configurations, drawn evenly from all
    ePatient,   ///< up to 256
    eExhaustive ///< all of them
};

/// Where times come from.
enum class TuningTime {
    eAuto,   ///< the device's timestamps, or host time on devices that have none
    eDevice, ///< the device's timestamps
    eHost    ///< from submission to completion, seen from the host
};

/// What tuning is doing; passed to the callback after every configuration of every round.
struct TuningProgress {
    std::string kernel;
    uint32_t round = 0; ///< from 1 on; in each, the slower configurations are knocked out
    uint32_t rounds = 0;
    size_t done = 0; ///< configurations of this round that are finished
    size_t total = 0;
    TuningConfiguration configuration; ///< the last one that was run
    double nanoseconds = 0;            ///< its time; 0 where it was refused
    TuningConfiguration best;
    double bestNanoseconds = 0;
    double elapsedSeconds = 0;
    double budgetSeconds = 0;
};
/// @return false to stop; the best one so far is then taken
using TuningCallback = std::function<bool(const TuningProgress&)>;

/// A callback that draws a progress bar: on a terminal one line that is written over, elsewhere a
/// line for each round. @param stream  not owned; null: standard error
KOMPUTE_API TuningCallback consoleProgress(std::FILE* stream = nullptr);

struct AutotunerOptions {
    TuningEffort effort = TuningEffort::eMeasure;
    /// Time for one call, in seconds, runs and compilation together; 0: no bound. A run that has
    /// begun is finished, and one configuration is always run.
    double budgetSeconds = 0;
    TuningTime time = TuningTime::eAuto;
    /// Folder of the cache; its subfolder `tuning` is used. Empty: Manager::cacheFolder(); "off":
    /// nothing is kept between runs.
    std::string cacheFolder;
    /// How long to wait for another process that writes the same file. After that the times are
    /// kept in memory, and written when the file is free.
    double lockSeconds = 2;
    /// Leave out work groups whose size is no multiple of the subgroup size, where others exist.
    bool subgroupMultiple = true;
    /// Measure even what the cache knows.
    bool remeasure = false;
    /// Runs of a configuration that gets to the last round.
    uint32_t runs = 15;
    uint32_t seed = 1; ///< of the draw, where not all configurations are tried
    TuningCallback progress;
};

/// The memory and numbers a kernel is tuned with. A plain description.
class KOMPUTE_API TuningArguments {
public:
    /// Looks at the memory that the kernel has written for one configuration.
    /// @return "" where it is right, else what is wrong
    using Verifier = std::function<std::string(const TuningConfiguration&)>;

    TuningArguments() = default;
    /// @param memObjects  for bindings 0, 1, ...
    /// @param threads     invocations in x, y and z; the size of the problem, too, unless
    ///                    problem() says otherwise
    explicit TuningArguments(std::vector<std::shared_ptr<Memory>> memObjects,
                             const std::array<uint64_t, 3>& threads = {0, 1, 1});

    /// Another number of invocations. The size of the problem follows where it is that number.
    TuningArguments& threads(const std::array<uint64_t, 3>& threads);
    template <typename T>
    TuningArguments& pushConstants(const std::vector<T>& values) {
        return pushConstants(values.data(), values.size() * sizeof(T));
    }
    TuningArguments& pushConstants(const void* data, size_t bytes);
    /// Size of the problem: what the cache tells problems apart by, and measures nearness with.
    TuningArguments& problem(std::vector<int64_t> size);
    /// Whatever else makes times differ ("sparse", "float16"); must be equal for the cache.
    TuningArguments& key(std::string key);
    /// Fill a memory object with zeros before every run, where it would be restored otherwise.
    TuningArguments& resetToZero(std::shared_ptr<Memory> memory);
    /// Leave a memory object as runs leave it; for results that nobody needs before the real run.
    TuningArguments& leave(std::shared_ptr<Memory> memory);
    /// Refuse configurations that do not write @p expected to @p memory. Integers must be equal,
    /// floating-point numbers within absolute + relative x |expected|.
    template <typename T>
    TuningArguments& expect(std::shared_ptr<Memory> memory, const std::vector<T>& expected,
                            double relative = 1e-4, double absolute = 1e-6) {
        return expect(std::move(memory), expected.data(), expected.size() * sizeof(T), relative,
                      absolute);
    }
    TuningArguments& expect(std::shared_ptr<Memory> memory, const void* expected, size_t bytes,
                            double relative, double absolute);
    /// Refuse configurations that @p verifier objects to. It may download() memory, not change it.
    TuningArguments& verify(Verifier verifier);

    struct Expected {
        std::shared_ptr<Memory> memory;
        std::vector<unsigned char> bytes;
        double relative = 0;
        double absolute = 0;
    };
    const std::vector<std::shared_ptr<Memory>>& memObjects() const { return mMemObjects; }
    const std::array<uint64_t, 3>& threads() const { return mThreads; }
    const std::vector<unsigned char>& pushConstantBytes() const { return mPushConstants; }
    const std::vector<int64_t>& problemSize() const { return mProblem; }
    const std::string& tuningKey() const { return mKey; }
    const std::vector<std::shared_ptr<Memory>>& zeroed() const { return mZeroed; }
    const std::vector<std::shared_ptr<Memory>>& left() const { return mLeft; }
    const std::vector<Expected>& expectations() const { return mExpected; }
    const Verifier& verifier() const { return mVerifier; }

private:
    std::vector<std::shared_ptr<Memory>> mMemObjects;
    std::array<uint64_t, 3> mThreads = {0, 1, 1};
    std::vector<unsigned char> mPushConstants;
    std::vector<int64_t> mProblem;
    std::string mKey;
    std::vector<std::shared_ptr<Memory>> mZeroed;
    std::vector<std::shared_ptr<Memory>> mLeft;
    std::vector<Expected> mExpected;
    Verifier mVerifier;
};

/// What is known of one configuration.
struct TuningRecord {
    enum class Status {
        eMeasured, ///< it has a time
        eWrong,    ///< its results were refused
        eFailed,   ///< it does not compile or does not fit the device
        eSkipped   ///< not run: the budget was spent, or the effort is low
    };
    TuningConfiguration configuration;
    Status status = Status::eSkipped;
    std::string reason;      ///< eWrong and eFailed
    double nanoseconds = 0;  ///< the shortest run
    double medianNs = 0;
    uint32_t runs = 0;
    bool fromCache = false;
};

struct TuningResult {
    enum class Source {
        eMeasured, ///< something was measured now
        eCache,    ///< everything needed was known
        eNearest,  ///< the best of the nearest problem size in the cache
        eEstimate  ///< by rule
    };
    TuningConfiguration configuration; ///< the fastest one
    double nanoseconds = 0;            ///< its time; 0 for eNearest and eEstimate
    Workgroup workgroup{};             ///< work groups of the dispatch
    std::vector<uint32_t> spirv;
    std::vector<SpecializationConstant> specialization;
    /// Ready to be recorded: with the memory, work groups and push constants of the arguments.
    std::shared_ptr<Algorithm> algorithm;
    Source source = Source::eEstimate;
    uint64_t benchmarks = 0;     ///< timed runs of kernels in this call
    uint64_t configurations = 0; ///< before constraints and limits
    uint64_t constrained = 0;    ///< left out by constraints
    uint64_t pruned = 0;         ///< left out by limits of the device
    bool stopped = false;        ///< by the budget or the callback
    double seconds = 0;
    std::vector<TuningRecord> records; ///< fastest first, then the others
};

/// Finds the fastest configuration of a kernel on this device, and remembers it.
///
/// Each configuration that the constraints and the device's limits allow is compiled, run once
/// (which warms up, and whose results are verified) and then timed, in rounds: the slower half is
/// knocked out, the others are run more often. What the kernel writes is put back before every run
/// and at the end, also when something is thrown. Times are kept on disk for each configuration, so
/// that a later call, of another process too, measures only what is new.
///
/// Thread-safe; calls of one tuner run one after the other. Other work on the device at the same
/// time makes times wrong, not results.
class KOMPUTE_API Autotuner {
public:
    /// @param manager  of the device to tune for; outlives the tuner
    /// @throws InvalidArgument for options that cannot work
    explicit Autotuner(Manager& manager, AutotunerOptions options = {});
    ~Autotuner();
    Autotuner(const Autotuner&) = delete;
    Autotuner& operator=(const Autotuner&) = delete;

    /// The fastest configuration for these arguments.
    /// @throws InvalidArgument where kernel and arguments do not fit each other or nothing is left
    ///         by constraints and limits; ShaderError where no configuration works, with the reason
    ///         of each (one that others do better than is left out and logged); DeviceLost,
    ///         OutOfMemory; what callbacks throw
    TuningResult tune(const TunableKernel& kernel, const TuningArguments& arguments);

    /// Writes all times of this device that the cache holds to one file.
    /// @return number of configurations written
    /// @throws InvalidArgument where the file cannot be written
    size_t exportRecords(const std::string& path) const;
    /// Adds the times of an exported file to the cache; where a configuration is in both, the one
    /// with more runs stays. Records of other devices are kept for these.
    /// @return number of configurations added or replaced
    /// @throws InvalidArgument where the file cannot be read or is not such an export
    size_t importRecords(const std::string& path);
    /// Folder of the cache; "" where nothing is kept.
    std::string cacheFolder() const;

    Manager& manager() const;
    const AutotunerOptions& options() const;

    struct Impl;

private:
    std::unique_ptr<Impl> mImpl;
};

} // namespace kp

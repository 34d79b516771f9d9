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
#include <kompute/detail/StoredConstants.hpp>
#include <kompute/launch/TunableKernel.hpp>

namespace kp {

class Manager;

/// How many configurations are tried. Each level uses the times in the cache.
enum class TuningEffort {
    eEstimate,  ///< none: the cache's best, the nearest problem size's best, or a rule
    eMeasure,   ///< up to 32, sampled evenly
    ePatient,   ///< up to 256, sampled evenly
    eExhaustive ///< all
};

/// Clock that measures the runs.
enum class TuningTime {
    eAuto,   ///< device timestamps if the device has them, else host time
    eDevice, ///< device timestamps
    eHost    ///< host time from submission to completion
};

/// Progress of a tuning run, after every configuration of every round.
struct TuningProgress {
    std::string kernel;
    uint32_t round = 0; ///< starts at 1; each round eliminates the slower configurations
    uint32_t rounds = 0;
    size_t done = 0; ///< finished configurations of this round
    size_t total = 0;
    TuningConfiguration configuration; ///< the latest one
    double nanoseconds = 0;            ///< its time; 0 if it was rejected
    TuningConfiguration best;
    double bestNanoseconds = 0;
    double elapsedSeconds = 0;
    double budgetSeconds = 0;
};
/// Returns false to stop tuning with the best configuration so far.
using TuningCallback = std::function<bool(const TuningProgress&)>;

/// Returns a callback that draws a progress bar: a single updated line on a terminal, one line per
/// round elsewhere. A null @p stream means standard error.
KOMPUTE_API TuningCallback consoleProgress(std::FILE* stream = nullptr);

/// Options of an Autotuner.
struct AutotunerOptions {
    TuningEffort effort = TuningEffort::eMeasure;
    /// Time limit of one call in seconds, including compilation; 0 for none. A run in progress is
    /// finished, and at least one configuration is run.
    double budgetSeconds = 0;
    TuningTime time = TuningTime::eAuto;
    /// Folder of the cache, which uses the subfolder `tuning`. Empty: Manager::cacheFolder().
    /// "off": nothing is kept between runs.
    std::string cacheFolder;
    /// How long to wait for another process that writes the same file. After that, the times are
    /// kept in memory and written once the file is free.
    double lockSeconds = 2;
    /// Excludes work group sizes that are not a multiple of the subgroup size, if there are others.
    bool subgroupMultiple = true;
    bool remeasure = false; ///< measures configurations that the cache knows again
    uint32_t runs = 15;     ///< timed runs of a configuration that reaches the last round
    uint32_t seed = 1;      ///< of the sample, if not all configurations are tried
    TuningCallback progress;
};

/// The memory and numbers to tune a kernel with. A plain description.
class KOMPUTE_API TuningArguments {
public:
    /// Checks the memory that the kernel wrote with one configuration.
    /// @return "" if it is correct, else a description of the error
    using Verifier = std::function<std::string(const TuningConfiguration&)>;

    TuningArguments() = default;
    /// @param memObjects  memory for bindings 0, 1, ...
    /// @param threads     see threads()
    /// @throws InvalidArgument if a memory object is null
    explicit TuningArguments(std::vector<std::shared_ptr<Memory>> memObjects,
                             const std::array<uint64_t, 3>& threads = {0, 1, 1});

    /// Sets the invocations in x, y and z; also the problem size unless problem() sets another.
    TuningArguments& threads(const std::array<uint64_t, 3>& threads);
    template <typename T>
    TuningArguments& pushConstants(const std::vector<T>& values) {
        using Stored = detail::StoredConstant<T>;
        const auto& stored = detail::storedConstants(values);
        return pushConstants(stored.data(), stored.size() * sizeof(Stored),
                             Memory::numberType<Stored>());
    }
    TuningArguments& pushConstants(const void* data, size_t bytes,
                                   Memory::DataTypes type = Memory::DataTypes::eCustom);
    /// Sets the problem size, by which the cache distinguishes problems and finds near ones.
    TuningArguments& problem(std::vector<int64_t> size);
    /// Sets a text for everything else that affects times ("sparse", "float16"). The cache only
    /// uses times with the same key.
    TuningArguments& key(std::string key);
    /// Fills a memory object with zeros before every run instead of restoring it.
    TuningArguments& resetToZero(std::shared_ptr<Memory> memory);
    /// Does not restore a memory object, whose contents are not needed before the real run.
    TuningArguments& leave(std::shared_ptr<Memory> memory);
    /// Rejects configurations that do not write @p expected to @p memory. Integers must be equal;
    /// floating-point numbers must be within absolute + relative * |expected|.
    /// @throws InvalidArgument if the memory is not one of the kernel's arguments, the sizes
    ///         differ, or a tolerance is negative
    template <typename T>
    TuningArguments& expect(std::shared_ptr<Memory> memory, const std::vector<T>& expected,
                            double relative = 1e-4, double absolute = 1e-6) {
        return expect(std::move(memory), expected.data(), expected.size() * sizeof(T), relative,
                      absolute);
    }
    TuningArguments& expect(std::shared_ptr<Memory> memory, const void* expected, size_t bytes,
                            double relative, double absolute);
    /// Rejects configurations for which @p verifier reports an error. The verifier may download()
    /// memory but must not change it.
    TuningArguments& verify(Verifier verifier);

    /// Arguments of one expect() call.
    struct Expected {
        std::shared_ptr<Memory> memory;
        std::vector<unsigned char> bytes;
        double relative = 0;
        double absolute = 0;
    };
    const std::vector<std::shared_ptr<Memory>>& memObjects() const { return mMemObjects; }
    const std::array<uint64_t, 3>& threads() const { return mThreads; }
    const std::vector<unsigned char>& pushConstantBytes() const { return mPushConstants; }
    Memory::DataTypes pushConstantType() const { return mPushType; }
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
    Memory::DataTypes mPushType = Memory::DataTypes::eCustom;
    std::vector<int64_t> mProblem;
    std::string mKey;
    std::vector<std::shared_ptr<Memory>> mZeroed;
    std::vector<std::shared_ptr<Memory>> mLeft;
    std::vector<Expected> mExpected;
    Verifier mVerifier;
};

/// Result of one configuration.
struct TuningRecord {
    enum class Outcome {
        eMeasured, ///< has a time
        eWrong,    ///< produced wrong results
        eFailed,   ///< does not compile or exceeds the device's limits
        eSkipped   ///< not run: out of budget, or not sampled
    };
    TuningConfiguration configuration;
    Outcome status = Outcome::eSkipped;
    std::string reason;     ///< for eWrong and eFailed
    double nanoseconds = 0; ///< time of the fastest run
    double medianNs = 0;
    uint32_t runs = 0;
    bool fromCache = false;
};

/// The result of a tuning run.
struct TuningResult {
    enum class Source {
        eMeasured, ///< measured in this call, at least in part
        eCache,    ///< entirely from the cache
        eNearest,  ///< best of the nearest problem size in the cache
        eEstimate  ///< by a rule
    };
    TuningConfiguration configuration; ///< the fastest one
    double nanoseconds = 0;            ///< its time; 0 for eNearest and eEstimate
    Workgroup workgroup{};             ///< work group counts of the dispatch
    std::vector<uint32_t> spirv;
    std::vector<SpecializationConstant> specialization;
    /// Ready to record: bound to the memory and push constants of the arguments.
    std::shared_ptr<Algorithm> algorithm;
    Source source = Source::eEstimate;
    uint64_t benchmarks = 0;     ///< timed kernel runs in this call
    uint64_t configurations = 0; ///< before constraints and limits
    uint64_t constrained = 0;    ///< excluded by constraints
    uint64_t pruned = 0;         ///< excluded by the device's limits
    bool stopped = false;        ///< stopped by the budget or the callback
    double seconds = 0;
    std::vector<TuningRecord> records; ///< fastest first, then the others
};

/// Finds the fastest configuration of a kernel on a device and remembers it:
///
///     kp::Autotuner tuner(manager);
///     kp::TuningArguments arguments({x, y}, {x->size(), 1, 1});
///     kp::TuningResult result = tuner.tune(kernel, arguments);
///     sequence->record<kp::OpAlgoDispatch>(result.algorithm)->eval();
///
/// Each configuration that the constraints and the device's limits allow is compiled, run once (to
/// warm up and to verify the results) and then timed in rounds. Each round eliminates the slower
/// half and runs the others more often. Memory that the kernel writes is restored before every run
/// and at the end, even if an exception is thrown. Times are stored on disk per configuration, so
/// later calls, in this or another process, measure only new configurations.
///
/// Thread-safe; calls of one tuner run one after the other. Other work on the device at the same
/// time distorts the times but not the results.
class KOMPUTE_API Autotuner {
public:
    /// @param manager  its device is tuned for; must outlive the tuner
    /// @throws InvalidArgument if an option is out of range
    explicit Autotuner(Manager& manager, AutotunerOptions options = {});
    ~Autotuner();
    Autotuner(const Autotuner&) = delete;
    Autotuner& operator=(const Autotuner&) = delete;

    /// Finds the fastest configuration for the given arguments. Waits for all runs.
    /// @throws InvalidArgument if kernel and arguments do not match, or constraints and limits
    ///         exclude everything; ShaderError if no configuration works, with the reason for each
    ///         (a failing configuration is skipped and logged if others work); Unsupported for
    ///         TuningTime::eDevice without timestamps; DeviceLost; OutOfMemory; exceptions of
    ///         callbacks
    TuningResult tune(const TunableKernel& kernel, const TuningArguments& arguments);

    /// Writes all cached times of this device to one file. Returns the number of configurations.
    /// @throws InvalidArgument if the file cannot be written
    size_t exportRecords(const std::string& path) const;
    /// Adds the times of an exported file to the cache. If both contain a configuration, the entry
    /// with more runs is kept. Times of other devices are kept for those devices. Returns the
    /// number of configurations added or replaced.
    /// @throws InvalidArgument if the file cannot be read or is not an export
    size_t importRecords(const std::string& path);
    std::string cacheFolder() const; ///< "" if nothing is stored
    Manager& manager() const;
    const AutotunerOptions& options() const;

    struct Impl;

private:
    std::unique_ptr<Impl> mImpl;
};

} // namespace kp

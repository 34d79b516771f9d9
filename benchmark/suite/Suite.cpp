// SPDX-License-Identifier: Apache-2.0
#include "Suite.hpp"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <random>
#include <stdexcept>
#if defined(__linux__)
#include <sched.h>
#endif

#include "../Measure.hpp"
#include "vulkan/device/Device.hpp"

namespace kp::benchmark {
namespace {

/// Pins this thread, and threads that it creates later, to one processor.
bool pinToOneProcessor() {
#if defined(__linux__)
    cpu_set_t allowed;
    if (sched_getaffinity(0, sizeof allowed, &allowed) != 0)
        return false;
    // Avoid processor 0, which handles most interrupts.
    int chosen = -1;
    for (int i = 0; i < CPU_SETSIZE; ++i)
        if (CPU_ISSET(i, &allowed) && (chosen < 1 || i < 2))
            chosen = i;
    if (CPU_ISSET(1, &allowed))
        chosen = 1;
    CPU_ZERO(&allowed);
    CPU_SET(chosen, &allowed);
    return chosen >= 0 && sched_setaffinity(0, sizeof allowed, &allowed) == 0;
#else
    return false;
#endif
}

kp::ManagerOptions managerOptions(const Options& options) {
    kp::ManagerOptions made;
    made.waitPolicy = options.wait;
    return made;
}

} // namespace

// --- Row ----------------------------------------------------------------------------------------

void Row::side(const std::string& name, std::function<void()> call, double items,
               std::function<void()> after) {
    mSides.push_back({name, std::move(call), std::move(after), items, 0, {}, {}});
}

double Row::Side::run() {
    const double seconds = secondsOf(call);
    ++calls;
    if (after)
        after();
    return seconds;
}

void Row::bytes(double transferred) {
    mBytes = transferred;
    mUnit = Unit::eGigabytesPerSecond;
}

void Row::target(const std::string& of, double onGpu, double onSoftware) {
    mTargetSpecs.push_back({of, onGpu, onSoftware, {}});
}

void Row::targetSlowest(const std::vector<std::string>& of, double onGpu) {
    mTargetSpecs.push_back({"", onGpu, 0, of});
}

double Row::excess() const {
    double worst = 0;
    for (const Target& target : mTargets) {
        const bool rate = mUnit == Unit::eGigabytesPerSecond;
        worst =
            std::max(worst, rate ? target.limit / target.reached : target.reached / target.limit);
    }
    return worst;
}

bool Row::has(const std::string& side) const {
    return std::any_of(mSides.begin(), mSides.end(),
                       [&](const Side& each) { return each.name == side; });
}

const Row::Side& Row::find(const std::string& side) const {
    for (const Side& each : mSides)
        if (each.name == side)
            return each;
    throw std::logic_error(mId + " has no side " + side);
}

std::vector<std::string> Row::sides() const {
    std::vector<std::string> names;
    for (const Side& each : mSides)
        names.push_back(each.name);
    return names;
}

double Row::median() const {
    return has("kompute") && !find("kompute").seconds.empty()
               ? benchmark::median(find("kompute").seconds)
               : 0;
}

uint64_t Row::calls(const std::string& side) const {
    return find(side).calls;
}

Spread Row::spread(const std::string& side) const {
    std::vector<double> values;
    for (const double taken : find(side).seconds)
        values.push_back(mUnit == Unit::eMicroseconds ? taken * 1e6 : mBytes / taken / 1e9);
    if (values.empty())
        return {};
    std::sort(values.begin(), values.end());
    return {quantileOfSorted(values, 0.1), quantileOfSorted(values, 0.5),
            quantileOfSorted(values, 0.9), values.size()};
}

double Row::ratio(const std::string& of) const {
    const std::vector<double>& kompute = find("kompute").blockMedians;
    const std::vector<double>& other = find(of).blockMedians;
    std::vector<double> ratios;
    for (size_t i = 0; i < std::min(kompute.size(), other.size()); ++i)
        ratios.push_back(mUnit == Unit::eMicroseconds ? kompute[i] / other[i]
                                                      : other[i] / kompute[i]);
    return ratios.empty() ? 0 : benchmark::median(std::move(ratios));
}

void Row::judge() {
    for (Target& target : mTargets) {
        target.reached = target.of.empty() ? spread("kompute").p50 : ratio(target.of);
        target.met = mUnit == Unit::eMicroseconds ? target.reached <= target.limit
                                                  : target.reached >= target.limit;
    }
}

// --- Suite --------------------------------------------------------------------------------------

/// Keeps a GPU at the clock rates that it has under load.
class Suite::WarmUp {
public:
    WarmUp(kp::Manager& manager, const std::vector<uint32_t>& saxpy)
        : mTensor{manager.tensorT<float>(kFloats, kp::Memory::MemoryTypes::eStorage),
                  manager.tensorT<float>(kFloats, kp::Memory::MemoryTypes::eStorage)} {
        std::vector<float> values(kFloats, 1.0f);
        for (const auto& tensor : mTensor)
            tensor->upload(values);
        struct Constants {
            float a;
            uint32_t count;
        };
        const auto algorithm = manager.algorithm<float, Constants>(
            {mTensor[0], mTensor[1]}, saxpy, {kFloats / 4 / 256, 1, 1}, {}, {{0.5f, kFloats / 4}});
        mSequence = manager.sequence();
        for (int i = 0; i < 20; ++i)
            mSequence->record<kp::OpAlgoDispatch>(algorithm);
    }

    void run(double duration) {
        repeatFor(duration, [&] { mSequence->eval(); });
    }

private:
    static constexpr uint32_t kFloats = 16 << 20;
    std::shared_ptr<kp::TensorT<float>> mTensor[2];
    std::shared_ptr<kp::Sequence> mSequence;
};

Suite::Suite(Options options) : mOptions(std::move(options)) {
#if defined(__linux__)
    // llvmpipe reads it when it starts; other drivers ignore it.
    setenv("LP_NUM_THREADS", "0", 0);
#endif
    mInfo = manager().deviceInfo();
    if (software()) {
        mManager.reset(); // its threads are not pinned yet
        const char* threads = std::getenv("LP_NUM_THREADS");
        mPinned = threads && std::strcmp(threads, "0") == 0 && pinToOneProcessor();
    }
}

Suite::~Suite() = default;

void Suite::add(const std::string& id, const std::string& name, Body body) {
    mEntries.push_back({id, name, std::move(body)});
}

kp::Manager& Suite::manager() {
    if (!mManager)
        mManager = std::make_unique<kp::Manager>(managerOptions(mOptions));
    return *mManager;
}

bool Suite::hasSecondFamily() const {
    return std::count_if(mInfo.computeQueues.begin(), mInfo.computeQueues.end(),
                         [](uint32_t queues) { return queues > 0; }) > 1;
}

std::unique_ptr<kp::Manager> Suite::managerWithQueues(uint32_t queues, Families families) const {
    kp::ManagerOptions options = managerOptions(mOptions);
    const uint32_t first = kp::Manager(options).queueFamily();
    std::vector<uint32_t>& list = options.queueFamilies;
    const auto add = [&](uint32_t family, uint32_t maxQueues) {
        maxQueues = std::min(maxQueues, mInfo.computeQueues[family]);
        for (uint32_t i = 0; i < maxQueues && list.size() < queues; ++i)
            list.push_back(family);
    };
    add(first, families == Families::eTwo ? 1 : queues);
    for (uint32_t family = 0; family < mInfo.computeQueues.size(); ++family)
        if (families == Families::eTwo && family != first)
            add(family, queues);
    return std::make_unique<kp::Manager>(options);
}

vulkan::WaitMode Suite::waitMode(kp::WaitPolicy policy) const {
    switch (policy) {
    case kp::WaitPolicy::eSpin:
        return vulkan::WaitMode::eSpin;
    case kp::WaitPolicy::eHybrid:
        return vulkan::WaitMode::eHybrid;
    case kp::WaitPolicy::eBlock:
        return vulkan::WaitMode::eBlock;
    default:
        return software() ? vulkan::WaitMode::eBlock : vulkan::WaitMode::eHybrid;
    }
}

vulkan::WaitMode Suite::waitMode() const {
    return waitMode(mOptions.wait);
}

Cuda* Suite::cuda() {
    if (!mCudaTried) {
        mCudaTried = true;
        if (software())
            mWhyNoCuda = "the device is a software driver";
        else
            mCuda = Cuda::create(mInfo.uuid, mWhyNoCuda);
    }
    return mCuda.get();
}

std::string Suite::cudaVersion() {
    return cuda() ? mCuda->version() : "";
}

double Suite::budget() const {
    if (software())
        return mOptions.quick ? 0.3 : 1.0;
    return mOptions.quick ? 0.4 : 1.0;
}

void Suite::warmUp(double duration) {
    if (software())
        return;
    if (!mWarmUp) {
        mWarmUp = std::make_unique<WarmUp>(manager(), saxpy());
        duration = std::max(duration, 0.6);
    }
    mWarmUp->run(duration);
}

Row Suite::runOnce(const Entry& entry) {
    Row row(entry.id, entry.name);
    try {
        entry.body(*this, row);
    } catch (const Skip& skip) {
        row.mSkipped = skip.why;
    } catch (const std::exception& error) {
        row.mError = error.what();
    }
    for (Row::Side& side : row.mSides)
        side.call = side.after = nullptr; // releases the memory that they captured
    return row;
}

// The placement of memory changes a ratio by a few per cent from run to run. So a single run cannot
// decide whether a row misses a target by as little.
Row Suite::run(const Entry& entry) {
    constexpr size_t kRuns = 9;
    std::vector<Row> runs;
    runs.push_back(runOnce(entry));
    if (!mOptions.check || runs[0].excess() <= 1)
        return std::move(runs[0]);
    while (runs.size() < kRuns)
        runs.push_back(runOnce(entry));
    std::sort(runs.begin(), runs.end(),
              [](const Row& a, const Row& b) { return a.excess() < b.excess(); });
    const auto failed =
        std::find_if(runs.begin(), runs.end(), [](const Row& row) { return !row.mError.empty(); });
    return std::move(failed != runs.end() ? *failed : runs[kRuns / 2]);
}

void Suite::measure(Row& row) {
    warmUp(0.03);
    // The first call of each side pays for one-time costs. The second shows how long a call takes.
    std::vector<size_t> perBlock;
    std::vector<int> unmeasured;
    for (Row::Side& side : row.mSides) {
        double taken = 0;
        for (int i = 0; i < 2; ++i)
            taken = side.run();
        perBlock.push_back(static_cast<size_t>(std::clamp(4e-3 / taken, 1.0, 200.0)));
        // The first calls of a block pay for the change from the previous side.
        unmeasured.push_back(taken < 5e-3 ? 2 : taken < 5e-2 ? 1 : 0);
    }
    const auto start = Clock::now();
    const double limit = budget();
    const int rounds = mOptions.quick ? row.mMinRounds / 2 + 1 : row.mMinRounds;
    std::vector<double> block;
    for (int round = 0;; ++round) {
        const double spent = secondsSince(start);
        if ((round >= rounds && spent > limit) || (round >= 3 && spent > 6 * limit))
            break;
        for (size_t place = 0; place < row.mSides.size(); ++place) {
            const size_t which = (place + static_cast<size_t>(round)) % row.mSides.size();
            Row::Side& side = row.mSides[which];
            for (int i = 0; i < unmeasured[which]; ++i)
                side.run();
            block.clear();
            for (size_t i = 0; i < perBlock[which]; ++i)
                block.push_back(side.run() / side.items);
            side.seconds.insert(side.seconds.end(), block.begin(), block.end());
            side.blockMedians.push_back(median(block));
        }
    }
    for (Row::TargetSpec spec : row.mTargetSpecs) {
        for (const std::string& each : spec.slowestOf)
            if (spec.of.empty() || benchmark::median(row.find(each).blockMedians) >
                                       benchmark::median(row.find(spec.of).blockMedians))
                spec.of = each;
        // Quick runs check machines of unknown speed, on which only ratios mean something.
        if (spec.of.empty() && mOptions.quick)
            continue;
        double limitHere = software() ? (mPinned ? spec.onSoftware : 0) : spec.onGpu;
        // Quick runs are to find what is wrong on any machine, not to hold figures: beside other
        // programs, ratios near 1 vary by a tenth even in the median of nine runs.
        if (mOptions.quick)
            limitHere *= row.mUnit == Unit::eMicroseconds ? 1.2 : 1 / 1.2;
        if (limitHere > 0 && (spec.of.empty() || row.has(spec.of)))
            row.mTargets.push_back({spec.of, limitHere, 0, false});
    }
    row.judge();
}

void Suite::require(bool correct, const std::string& what) {
    if (!correct)
        throw std::runtime_error("wrong result: " + what);
}

// --- Shaders and data ---------------------------------------------------------------------------

const std::vector<uint32_t>& Suite::increment() {
    if (mIncrement.empty())
        mIncrement = kp::compile("#version 450\n"
                                 "layout(local_size_x = 64) in;\n"
                                 "layout(std430, set = 0, binding = 0) buffer B { uint v[]; };\n"
                                 "void main() { v[gl_GlobalInvocationID.x] += 1u; }\n");
    return mIncrement;
}

const std::vector<uint32_t>& Suite::add() {
    if (mAdd.empty())
        mAdd = kp::compile("#version 450\n"
                           "layout(local_size_x = 64) in;\n"
                           "layout(std430, set = 0, binding = 0) buffer B { uint v[]; };\n"
                           "layout(push_constant) uniform P { uint value; };\n"
                           "void main() { v[gl_GlobalInvocationID.x] += value; }\n");
    return mAdd;
}

const std::vector<uint32_t>& Suite::saxpy() {
    if (mSaxpy.empty())
        mSaxpy = kp::compile(
            "#version 450\n"
            "layout(local_size_x = 256) in;\n"
            "layout(std430, set = 0, binding = 0) readonly restrict buffer X { vec4 x[]; };\n"
            "layout(std430, set = 0, binding = 1) restrict buffer Y { vec4 y[]; };\n"
            "layout(push_constant) uniform P { float a; uint count; };\n"
            "void main() {\n"
            "    uint i = gl_GlobalInvocationID.x;\n"
            "    if (i < count)\n"
            "        y[i] += a * x[i];\n"
            "}\n");
    return mSaxpy;
}

const std::vector<uint32_t>& Suite::iterate() {
    if (mIterate.empty())
        mIterate = kp::compile("#version 450\n"
                               "layout(local_size_x = 256) in;\n"
                               "layout(std430, set = 0, binding = 0) buffer B { uint v[]; };\n"
                               "layout(push_constant) uniform P { uint rounds; uint count; };\n"
                               "void main() {\n"
                               "    uint i = gl_GlobalInvocationID.x;\n"
                               "    if (i >= count)\n"
                               "        return;\n"
                               "    uint value = v[i];\n"
                               "    for (uint r = 0u; r < rounds; ++r)\n"
                               "        value = value * 1664525u + 1013904223u;\n"
                               "    v[i] = value;\n"
                               "}\n");
    return mIterate;
}

void randomBytes(void* data, size_t bytes) {
    std::random_device device;
    uint64_t state = (static_cast<uint64_t>(device()) << 32) | device() | 1u;
    unsigned char* place = static_cast<unsigned char*>(data);
    for (size_t i = 0; i < bytes; i += sizeof state) {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        std::memcpy(place + i, &state, std::min(sizeof state, bytes - i));
    }
}

std::vector<uint32_t> randomWords(size_t count) {
    std::vector<uint32_t> words(count);
    randomBytes(words.data(), words.size() * sizeof(uint32_t));
    return words;
}

} // namespace kp::benchmark

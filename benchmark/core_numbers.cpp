// SPDX-License-Identifier: Apache-2.0
//
// What the core costs: tensors made, used and freed; evaluations and recordings beside the same
// work in raw Vulkan, in one process on one VkDevice, taking turns.
//
//   kompute_benchmark_core_numbers [--check] [--json FILE] [--wait auto|spin|hybrid|block]
//
// --check exits with 1 where a number is over its limit. Only figures that hold on a software
// driver have one. Build it optimized.
#include <algorithm>
#include <cstdio>
#include <cstring>
#include <functional>
#include <string>
#include <vector>

#include "RawCompute.hpp"

namespace kp::benchmark {
namespace {

using Clock = std::chrono::steady_clock;

struct Options {
    bool check = false;
    std::string json;
    kp::WaitPolicy wait = kp::WaitPolicy::eAuto;
};

struct Row {
    std::string name;
    double kompute = 0; ///< microseconds
    double raw = 0;     ///< microseconds; 0: nothing to compare with
    double limit = 0;   ///< microseconds; 0: none
};

double microseconds(Clock::time_point start, Clock::time_point end) {
    return std::chrono::duration<double, std::micro>(end - start).count();
}

double median(std::vector<double> values) {
    std::nth_element(values.begin(), values.begin() + values.size() / 2, values.end());
    return values[values.size() / 2];
}

/// Microseconds of one call, from blocks of calls of which the sides take turns.
std::pair<double, double> compare(int blocks, int calls, const std::function<void()>& kompute,
                                  const std::function<void()>& raw) {
    std::vector<double> times[2];
    for (int block = -blocks / 10 - 1; block < blocks; ++block)
        for (int side = 0; side < 2; ++side) {
            const auto& call = side == 0 ? kompute : raw;
            const auto start = Clock::now();
            for (int i = 0; i < calls; ++i)
                call();
            if (block >= 0)
                times[side].push_back(microseconds(start, Clock::now()) / calls);
        }
    return {median(times[0]), median(times[1])};
}

class CoreNumbers {
public:
    explicit CoreNumbers(const Options& options)
        : mManager(managerOptions(options)), mWaitMode(waitMode(options.wait)),
          mSpirv(kp::compile("#version 450\n"
                             "layout(local_size_x = 64) in;\n"
                             "layout(std430, set = 0, binding = 0) buffer B { uint v[]; };\n"
                             "void main() { v[gl_GlobalInvocationID.x] += 1u; }\n")) {
        const kp::DeviceInfo info = mManager.deviceInfo();
        mSoftware = info.type == kp::DeviceType::eCpu;
        mDevice = info.name;
    }

    std::vector<Row> run() {
        tensorsOneByOne();
        tensorsAliveAtOnce();
        evaluations();
        for (const size_t count : {100, 1000})
            for (const bool dependent : {false, true})
                dispatches(count, dependent);
        return mRows;
    }

    const std::string& device() const { return mDevice; }

private:
    static constexpr int kTensors = 20000;
    static constexpr int kRounds = 5;
    static constexpr size_t kElements = 256; ///< 1 KiB
    static constexpr double kTensorLimit = 5;

    static kp::ManagerOptions managerOptions(const Options& options) {
        kp::ManagerOptions made;
        made.waitPolicy = options.wait;
        return made;
    }

    vulkan::WaitMode waitMode(kp::WaitPolicy policy) const {
        switch (policy) {
        case kp::WaitPolicy::eSpin:
            return vulkan::WaitMode::eSpin;
        case kp::WaitPolicy::eHybrid:
            return vulkan::WaitMode::eHybrid;
        case kp::WaitPolicy::eBlock:
            return vulkan::WaitMode::eBlock;
        default:
            return vulkan::Device::find(mManager.nativeDevice())->defaultWaitMode();
        }
    }

    double tensorLimit() const { return mSoftware ? kTensorLimit : 0; }

    void tensorsOneByOne() {
        std::vector<double> times;
        for (int round = 0; round < kRounds; ++round) {
            const auto start = Clock::now();
            for (int i = 0; i < kTensors; ++i) {
                const auto tensor = mManager.tensorT<uint32_t>(kElements);
                std::memset(tensor->data(), i, kElements * sizeof(uint32_t));
            }
            times.push_back(microseconds(start, Clock::now()) / kTensors);
        }
        mRows.push_back(
            {"1 KiB tensor made, written, freed: one by one", median(times), 0, tensorLimit()});
    }

    void tensorsAliveAtOnce() {
        std::vector<std::shared_ptr<kp::TensorT<uint32_t>>> tensors(kTensors);
        std::vector<double> make, write, release, all;
        for (int round = 0; round < kRounds; ++round) {
            const auto start = Clock::now();
            for (auto& tensor : tensors)
                tensor = mManager.tensorT<uint32_t>(kElements);
            const auto made = Clock::now();
            for (auto& tensor : tensors)
                std::memset(tensor->data(), 1, kElements * sizeof(uint32_t));
            const auto written = Clock::now();
            for (auto& tensor : tensors)
                tensor.reset();
            const auto freed = Clock::now();
            make.push_back(microseconds(start, made) / kTensors);
            write.push_back(microseconds(made, written) / kTensors);
            release.push_back(microseconds(written, freed) / kTensors);
            all.push_back(microseconds(start, freed) / kTensors);
        }
        mRows.push_back({"20,000 alive at once: made", median(make)});
        mRows.push_back({"20,000 alive at once: written (makes the mirror)", median(write)});
        mRows.push_back({"20,000 alive at once: freed", median(release)});
        mRows.push_back({"20,000 alive at once: in all", median(all), 0, tensorLimit()});
    }

    std::vector<std::shared_ptr<kp::Algorithm>> algorithms(size_t count) {
        std::vector<std::shared_ptr<kp::Algorithm>> made;
        for (size_t i = 0; i < count; ++i)
            made.push_back(mManager.algorithm(
                {mManager.tensorT<uint32_t>(kElements, kp::Memory::MemoryTypes::eStorage)}, mSpirv,
                {1, 1, 1}));
        return made;
    }

    void evaluations() {
        const auto algorithm = algorithms(1)[0];
        const auto sequence = mManager.sequence();
        sequence->record<kp::OpAlgoDispatch>(algorithm)->eval();
        RawCompute raw(mManager, mWaitMode, mSpirv, 1, kElements * sizeof(uint32_t));
        raw.record(1, false);
        const auto evaluate = [&] { raw.evaluate(); };

        const auto again = compare(
            101, 50, [&] { sequence->eval(); }, evaluate);
        mRows.push_back({"recorded dispatch evaluated again", again.first, again.second});
        const auto throwAway = compare(
            101, 50, [&] { mManager.sequence()->eval<kp::OpAlgoDispatch>(algorithm); }, evaluate);
        mRows.push_back(
            {"throw-away sequence (raw: recorded once)", throwAway.first, throwAway.second});
        const auto known = compare(
            21, 50, [&] { algorithms(1); }, [] {});
        mRows.push_back({"algorithm and tensor of a known shader", known.first});
    }

    void dispatches(size_t count, bool dependent) {
        const auto bound = algorithms(dependent ? 1 : count);
        const auto sequence = mManager.sequence();
        const auto record = [&] {
            sequence->begin();
            for (size_t i = 0; i < count; ++i)
                sequence->record<kp::OpAlgoDispatch>(bound[dependent ? 0 : i]);
            sequence->end();
        };
        record();
        RawCompute raw(mManager, mWaitMode, mSpirv, bound.size(), kElements * sizeof(uint32_t));
        raw.record(count, dependent);

        const std::string name = std::to_string(count) +
                                 (dependent ? " dependent dispatches" : " independent dispatches");
        const int blocks = count > 100 ? 11 : 31;
        const auto evaluated = compare(
            blocks, 5, [&] { sequence->eval(); }, [&] { raw.evaluate(); });
        mRows.push_back({name + ": evaluated", evaluated.first, evaluated.second});
        const auto recorded = compare(blocks, 2, record, [&] { raw.record(count, dependent); });
        const auto operations = static_cast<double>(count);
        mRows.push_back(
            {name + ": recorded, each", recorded.first / operations, recorded.second / operations});
    }

    kp::Manager mManager;
    vulkan::WaitMode mWaitMode;
    std::vector<uint32_t> mSpirv;
    bool mSoftware = false;
    std::string mDevice;
    std::vector<Row> mRows;
};

void print(const std::string& device, const std::vector<Row>& rows) {
    std::printf("%s; microseconds, medians\n\n%-48s %10s %10s %7s %7s\n", device.c_str(), "",
                "kompute", "raw", "ratio", "limit");
    for (const Row& row : rows) {
        std::printf("%-48s %10.3f", row.name.c_str(), row.kompute);
        if (row.raw > 0)
            std::printf(" %10.3f %7.2f", row.raw, row.kompute / row.raw);
        else if (row.limit > 0)
            std::printf(" %10s %7s", "", "");
        if (row.limit > 0)
            std::printf(" %7.2f%s", row.limit, row.kompute > row.limit ? "  over" : "");
        std::printf("\n");
    }
}

void writeJson(const std::string& path, const std::string& device, const std::vector<Row>& rows) {
    std::FILE* file = std::fopen(path.c_str(), "w");
    if (!file)
        throw std::runtime_error("cannot write " + path);
    std::fprintf(file, "{\"device\": \"%s\", \"unit\": \"us\", \"rows\": [", device.c_str());
    for (size_t i = 0; i < rows.size(); ++i)
        std::fprintf(
            file, "%s\n  {\"name\": \"%s\", \"kompute\": %.4f, \"raw\": %.4f, \"limit\": %.2f}",
            i == 0 ? "" : ",", rows[i].name.c_str(), rows[i].kompute, rows[i].raw, rows[i].limit);
    std::fprintf(file, "\n]}\n");
    std::fclose(file);
}

Options parse(int argc, char** argv) {
    Options options;
    for (int i = 1; i < argc; ++i) {
        const std::string word = argv[i];
        const std::string next = i + 1 < argc ? argv[i + 1] : "";
        if (word == "--check") {
            options.check = true;
        } else if (word == "--json" && !next.empty()) {
            options.json = next;
            ++i;
        } else if (word == "--wait" &&
                   (next == "auto" || next == "spin" || next == "hybrid" || next == "block")) {
            options.wait = next == "spin"     ? kp::WaitPolicy::eSpin
                           : next == "hybrid" ? kp::WaitPolicy::eHybrid
                           : next == "block"  ? kp::WaitPolicy::eBlock
                                              : kp::WaitPolicy::eAuto;
            ++i;
        } else {
            throw std::runtime_error("usage: " + std::string(argv[0]) +
                                     " [--check] [--json FILE] [--wait auto|spin|hybrid|block]");
        }
    }
    return options;
}

} // namespace
} // namespace kp::benchmark

int main(int argc, char** argv) {
    using namespace kp::benchmark;
    try {
        const Options options = parse(argc, argv);
        CoreNumbers numbers(options);
        const std::vector<Row> rows = numbers.run();
        print(numbers.device(), rows);
        if (!options.json.empty())
            writeJson(options.json, numbers.device(), rows);
        const bool over = std::any_of(rows.begin(), rows.end(), [](const Row& row) {
            return row.limit > 0 && row.kompute > row.limit;
        });
        return options.check && over ? 1 : 0;
    } catch (const std::exception& error) {
        std::fprintf(stderr, "%s\n", error.what());
        return 2;
    }
}

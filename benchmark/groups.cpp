// SPDX-License-Identifier: Apache-2.0
//
// Groups of devices: how a kernel scales over them, how fast data go from one to another beside
// what the links to the host carry, all-reduce, and reading and writing.
//
//   kompute_benchmark_groups [--check] [--devices N]
//
// --check      fewer and smaller measurements, and exits with 1 where a target is missed that holds
//              on the kind of device there is (on a software driver none of the speeds is judged)
// --devices N  that many devices; where there are fewer GPUs, the first one several times over, or
//              the software driver. Default: every GPU, at least two
//
// The exit status is 1 where data are wrong. Figures are medians; GB/s are of payload.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <kompute/Group.hpp>

namespace {

using Clock = std::chrono::steady_clock;
using Floats = std::vector<float>;

const char* const kWork = R"(#version 450
layout(local_size_x = 256) in;
layout(binding = 0) buffer V { float v[]; };
layout(push_constant) uniform P { uint rounds; uint kp_shard_shape; };
void main() {
    uint i = gl_GlobalInvocationID.x;
    if (i >= kp_shard_shape) return;
    float x = v[i];
    for (uint k = 0; k < rounds; ++k) x = x * 0.999f + 0.001f;
    v[i] = x;
})";

double secondsOf(const std::function<void()>& work, int repeat) {
    work();
    std::vector<double> times;
    for (int i = 0; i < repeat; ++i) {
        const auto start = Clock::now();
        work();
        times.push_back(std::chrono::duration<double>(Clock::now() - start).count());
    }
    std::nth_element(times.begin(), times.begin() + repeat / 2, times.end());
    return times[static_cast<size_t>(repeat / 2)];
}

std::vector<uint32_t> devicesToUse(size_t wanted) {
    std::vector<uint32_t> gpus;
    for (const kp::DeviceInfo& device : kp::listDevices())
        if (device.type != kp::DeviceType::eCpu)
            gpus.push_back(device.index);
    if (gpus.empty())
        gpus.push_back(0);
    if (wanted == 0)
        wanted = std::max<size_t>(2, gpus.size());
    std::vector<uint32_t> ids;
    for (size_t i = 0; i < wanted; ++i)
        ids.push_back(gpus[i < gpus.size() ? i : 0]);
    return ids;
}

const char* nameOf(std::optional<kp::ExchangePath> path) {
    if (!path)
        return "within the device";
    switch (*path) {
    case kp::ExchangePath::eSharedMemory:
        return "shared memory";
    case kp::ExchangePath::ePeerMemory:
        return "GPU to GPU";
    case kp::ExchangePath::eHostMemory:
        return "host memory";
    case kp::ExchangePath::eStaging:
        return "staging";
    case kp::ExchangePath::eAuto:
        break;
    }
    return "?";
}

class Benchmark {
public:
    Benchmark(const std::vector<uint32_t>& ids, bool check)
        : mIds(ids), mCheck(check), mGroup(ids),
          mGpu(mGroup[0].deviceInfo().type != kp::DeviceType::eCpu), mDistinct(distinct()),
          mRepeat(check ? 3 : 7),
          mBytes(mGpu ? uint64_t{check ? 64u : 256u} << 20 : uint64_t{4} << 20) {}

    bool run() {
        for (size_t i = 0; i < mGroup.size(); ++i)
            std::printf("device %zu: %u, %s\n", i, mIds[i], mGroup[i].deviceInfo().name.c_str());
        memory();
        scaling();
        small();
        links();
        pairs();
        allReduce();
        return mGood;
    }

private:
    bool distinct() const {
        std::vector<uint32_t> sorted = mIds;
        std::sort(sorted.begin(), sorted.end());
        return std::adjacent_find(sorted.begin(), sorted.end()) == sorted.end();
    }

    void demand(bool judged, bool holds, const char* what) {
        if (!mCheck || !judged || holds)
            return;
        std::printf("MISSED: %s\n", what);
        mGood = false;
    }
    void right(bool holds, const char* what) {
        if (holds)
            return;
        std::printf("WRONG DATA: %s\n", what);
        mGood = false;
    }

    /// What a buffer takes on each device.
    void memory() {
        kp::DeviceGroupOptions options;
        options.deviceIds = {mIds[0]};
        options.queueCounts = {2};
        options.manager.shareDevice = false;
        const kp::DeviceGroup own(options);
        const uint64_t before = own[0].allocatedBytes();
        constexpr uint64_t kElements = 16u << 20;
        kp::Buffer buffer(own, {kElements});
        buffer.write(Floats(kElements, 1));
        const double taken = static_cast<double>(own[0].allocatedBytes() - before);
        std::printf("a buffer of 64 MiB on a device with two queues takes, staging included, "
                    "%.0f MiB\n",
                    taken / (1 << 20));
        demand(true, taken <= (64.0 + 256.0 + 16.0) * (1 << 20), "64 MiB and bounded staging");
    }

    /// The same work on one device and shared out over all.
    void scaling() {
        const uint64_t elements = mGpu ? uint64_t{64} << 20 : uint64_t{1} << 16;
        const uint32_t rounds = mGpu ? 20000 : 200;
        kp::DeviceGroup one(std::vector<uint32_t>{mIds[0]});
        const auto seconds = [&](kp::DeviceGroup& group) {
            kp::BufferOptions placement;
            placement.placement = kp::BufferPlacement::eSharded;
            auto values = std::make_shared<kp::Buffer>(group, std::vector<uint64_t>{elements},
                                                       kp::ElementType{}, placement);
            values->write(Floats(elements, 2));
            kp::GroupKernelOptions options;
            options.roundUp = true;
            kp::GroupKernel work(group, "work", kWork, {values, rounds}, options);
            const double time = secondsOf([&] { kp::Event::waitAll(work()); }, mRepeat);
            const Floats result = values->read<float>();
            right(std::all_of(result.begin(), result.end(),
                              [&](float value) { return value == result[0] && value < 2; }),
                  "the kernel's result");
            return time;
        };
        const double alone = seconds(one);
        const double together = seconds(mGroup);
        const double scale = alone / together;
        std::printf("one kernel: %.2f ms on one device, %.2f ms on %zu: %.2f times as fast\n",
                    1e3 * alone, 1e3 * together, mGroup.size(), scale);
        demand(mGpu && mDistinct, scale >= 0.95 * static_cast<double>(mGroup.size()),
               "0.95 of the number of devices");
    }

    void small() {
        kp::Buffer buffer(mGroup, {1024});
        const Floats data(1024, 3);
        Floats back(1024);
        const int many = 2000;
        const double write = secondsOf([&] { buffer.write(data, 0); }, many);
        const double read = secondsOf([&] { buffer.read(back.data(), 4096, 0); }, many);
        right(back == data, "4 KiB");
        std::printf("4 KiB: write %.2f us, read %.2f us\n", 1e6 * write, 1e6 * read);
    }

    double rate(uint64_t bytes, const std::function<void()>& work) {
        return 1e-9 * static_cast<double>(bytes) / secondsOf(work, mRepeat);
    }

    /// What the links between each device and the host carry, from memory that the device reaches.
    void links() {
        const uint64_t count = mBytes / sizeof(float);
        std::printf("%.0f MiB between host and device, GB/s%12s %8s\n",
                    static_cast<double>(mBytes) / (1 << 20), "up", "down");
        for (uint32_t i = 0; i < mGroup.size(); ++i) {
            auto pinned = mGroup[i].pinnedArray<float>(count);
            std::fill(pinned->begin(), pinned->end(), static_cast<float>(i));
            kp::Buffer buffer(mGroup, {count});
            const double up = rate(mBytes, [&] { buffer.write(pinned->data(), mBytes, i); });
            const double down = rate(mBytes, [&] { buffer.read(pinned->data(), mBytes, i); });
            mSlowest = std::min({mSlowest, up, down});
            std::printf("%34s %-6u %8.1f %8.1f\n", "device", i, up, down);
        }
    }

    /// Calls @p measure with a group for each way that data can travel.
    template <typename Measure>
    void forEachPath(Measure measure) {
        for (const kp::ExchangePath path :
             {kp::ExchangePath::eSharedMemory, kp::ExchangePath::ePeerMemory,
              kp::ExchangePath::eHostMemory, kp::ExchangePath::eStaging}) {
            kp::DeviceGroupOptions options;
            options.deviceIds = mIds;
            options.exchange = path;
            kp::DeviceGroup group(options);
            try {
                for (size_t i = 1; i < group.size(); ++i)
                    group.exchangePath(0, i);
            } catch (const kp::Unsupported&) {
                continue;
            }
            const bool chosen = mGroup.exchangePath(0, 1) == path;
            const std::string figures = measure(group, chosen);
            std::printf("%34s %s%s\n", nameOf(path), figures.c_str(),
                        chosen ? "  (the library's choice)" : "");
        }
    }

    void pairs() {
        const uint64_t count = mBytes / sizeof(float);
        std::printf("%.0f MiB from device to device, GB/s\n",
                    static_cast<double>(mBytes) / (1 << 20));
        forEachPath([&](kp::DeviceGroup& group, bool chosen) {
            kp::Buffer buffer(group, {count});
            Floats data(count);
            for (size_t k = 0; k < data.size(); ++k)
                data[k] = static_cast<float>(k % 65536);
            buffer.write(data, 0);
            const double copied = rate(mBytes, [&] { buffer.copy(0, 1).wait(); });
            right(buffer.read<float>(1) == data, "copy");
            demand(mGpu && mDistinct && chosen, copied >= 0.85 * mSlowest,
                   "0.85 of the slower link");
            return fmt::format("{:8.1f}", copied);
        });
    }

    void allReduce() {
        const uint64_t count = mBytes / sizeof(float);
        const auto devices = static_cast<double>(mGroup.size());
        // Each device sends what is not its part, and its part once it is joined: everything once.
        // It receives what the others have of its part, and their parts: (n - 1) / n, twice.
        const double traffic = 1 + 2 * (devices - 1) / devices;
        const double limit = traffic * 1e-9 * static_cast<double>(mBytes) / mSlowest;
        std::printf("all-reduce of %.0f MiB over %zu devices, ms; one direction at a time at the "
                    "rate of the slowest link to the host: %.2f\n",
                    static_cast<double>(mBytes) / (1 << 20), mGroup.size(), 1e3 * limit);
        forEachPath([&](kp::DeviceGroup& group, bool) {
            kp::Buffer buffer(group, {count});
            buffer.write(Floats(count, 0));
            const double seconds =
                secondsOf([&] { kp::Event::waitAll(buffer.allReduce()); }, mRepeat);
            for (uint32_t i = 0; i < group.size(); ++i)
                buffer.write(Floats(count, static_cast<float>(i + 1)), i);
            kp::Event::waitAll(buffer.allReduce());
            const Floats result = buffer.read<float>(1);
            right(std::all_of(result.begin(), result.end(),
                              [&](float value) {
                                  return value == static_cast<float>(devices * (devices + 1) / 2);
                              }),
                  "all-reduce");
            return fmt::format("{:8.2f}", 1e3 * seconds);
        });
    }

    const std::vector<uint32_t> mIds;
    const bool mCheck;
    kp::DeviceGroup mGroup;
    const bool mGpu;
    const bool mDistinct;
    const int mRepeat;
    const uint64_t mBytes;
    double mSlowest = 1e9; ///< GB/s
    bool mGood = true;
};

} // namespace

int main(int count, char** arguments) {
    bool check = false;
    size_t devices = 0;
    for (int i = 1; i < count; ++i) {
        if (std::strcmp(arguments[i], "--check") == 0)
            check = true;
        else if (std::strcmp(arguments[i], "--devices") == 0 && i + 1 < count)
            devices = std::strtoul(arguments[++i], nullptr, 10);
    }
    try {
        return Benchmark(devicesToUse(devices), check).run() ? 0 : 1;
    } catch (const std::exception& error) {
        std::fprintf(stderr, "%s\n", error.what());
        return 1;
    }
}

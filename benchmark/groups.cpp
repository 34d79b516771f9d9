// SPDX-License-Identifier: Apache-2.0
//
// Measures groups of devices: how a kernel scales, transfers between devices compared with the
// links to the host, all-reduce, reads and writes.
//
//   kompute_benchmark_groups [--check] [--devices N]
//
// --check      fewer and smaller measurements; exit with 1 if a target is missed (on a software
//              driver no speed has a target)
// --devices N  number of devices. If there are fewer GPUs, the first one is used repeatedly; if
//              there is none, the software driver. Default: every GPU, but at least two
//
// The exit status is 1 if data are wrong. Figures are medians. GB/s count the payload.
#include <algorithm>
#include <cstdio>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <kompute/Group.hpp>

#include "Measure.hpp"
#include "Program.hpp"
#include "base/Text.hpp"

namespace {

using kp::benchmark::medianSeconds;
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

std::vector<uint32_t> devicesToUse(size_t count) {
    std::vector<uint32_t> gpus;
    for (const kp::DeviceInfo& device : kp::listDevices())
        if (device.type != kp::DeviceType::eCpu)
            gpus.push_back(device.index);
    if (gpus.empty())
        gpus.push_back(0);
    if (count == 0)
        count = std::max<size_t>(2, gpus.size());
    std::vector<uint32_t> ids;
    for (size_t i = 0; i < count; ++i)
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

    void requireTarget(bool applies, bool holds, const char* what) {
        if (!mCheck || !applies || holds)
            return;
        std::printf("MISSED: %s\n", what);
        mGood = false;
    }
    void requireData(bool holds, const char* what) {
        if (holds)
            return;
        std::printf("WRONG DATA: %s\n", what);
        mGood = false;
    }

    /// The memory that a buffer takes on each device.
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
        std::printf("a buffer of 64 MiB on a device with two queues takes %.0f MiB, including "
                    "staging\n",
                    taken / (1 << 20));
        requireTarget(true, taken <= (64.0 + 256.0 + 16.0) * (1 << 20),
                      "at most 64 MiB and bounded staging");
    }

    /// The same work on one device and divided among all.
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
            const double time = medianSeconds(mRepeat, [&] { kp::Event::waitAll(work()); });
            const Floats result = values->read<float>();
            requireData(std::all_of(result.begin(), result.end(),
                                    [&](float value) { return value == result[0] && value < 2; }),
                        "the kernel's result");
            return time;
        };
        const double alone = seconds(one);
        const double together = seconds(mGroup);
        const double scale = alone / together;
        std::printf("one kernel: %.2f ms on one device, %.2f ms on %zu: %.2f times as fast\n",
                    1e3 * alone, 1e3 * together, mGroup.size(), scale);
        requireTarget(mGpu && mDistinct, scale >= 0.95 * static_cast<double>(mGroup.size()),
                      "at least 0.95 times the number of devices");
    }

    void small() {
        kp::Buffer buffer(mGroup, {1024});
        const Floats data(1024, 3);
        Floats back(1024);
        constexpr int kRepeat = 2000;
        const double write = medianSeconds(kRepeat, [&] { buffer.write(data, 0); });
        const double read = medianSeconds(kRepeat, [&] { buffer.read(back.data(), 4096, 0); });
        requireData(back == data, "4 KiB");
        std::printf("4 KiB: write %.2f us, read %.2f us\n", 1e6 * write, 1e6 * read);
    }

    double rate(uint64_t bytes, const std::function<void()>& work) {
        return 1e-9 * static_cast<double>(bytes) / medianSeconds(mRepeat, work);
    }

    /// The rates of the links between the host and each device, with pinned memory.
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

    /// Calls @p measure with a group for each exchange path that the devices support.
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
        std::printf("%.0f MiB from device to device, GB/s; us for 4 KiB, 1 MiB and 16 MiB\n",
                    static_cast<double>(mBytes) / (1 << 20));
        double fastest = 0;
        double ofChosen = 0;
        forEachPath([&](kp::DeviceGroup& group, bool chosen) {
            kp::Buffer buffer(group, {count});
            Floats data(count);
            for (size_t k = 0; k < data.size(); ++k)
                data[k] = static_cast<float>(k % 65536);
            buffer.write(data, 0);
            const double copied = rate(mBytes, [&] { buffer.copy(0, 1).wait(); });
            requireData(buffer.read<float>(1) == data, "copy");
            requireTarget(mGpu && mDistinct && chosen, copied >= 0.85 * mSlowest,
                          "at least 0.85 of the slowest link to the host");
            fastest = std::max(fastest, copied);
            if (chosen)
                ofChosen = copied;
            std::string figures = kp::formatted("{:8.1f}", copied);
            for (const uint64_t bytes : {uint64_t{4} << 10, uint64_t{1} << 20, uint64_t{16} << 20})
                if (bytes <= mBytes)
                    figures += kp::formatted(
                        " {:9.1f}", 1e6 * medianSeconds(mRepeat, [&] {
                                        buffer.copy(0, 1, 0, 0, bytes / sizeof(float)).wait();
                                    }));
            return figures;
        });
        requireTarget(mGpu, ofChosen >= 0.9 * fastest, "the library's path is the fastest");
    }

    void allReduce() {
        const uint64_t count = mBytes / sizeof(float);
        const auto devices = static_cast<double>(mGroup.size());
        // Each device sends the parts of the others and the sum of its own part: everything once.
        // It receives (n - 1) / n twice: its part from the others, and the sums of their parts.
        const double traffic = 1 + 2 * (devices - 1) / devices;
        const double limit = traffic * 1e-9 * static_cast<double>(mBytes) / mSlowest;
        std::printf("all-reduce of %.0f MiB over %zu devices, ms (one direction at a time over the "
                    "slowest link to the host: %.2f)\n",
                    static_cast<double>(mBytes) / (1 << 20), mGroup.size(), 1e3 * limit);
        forEachPath([&](kp::DeviceGroup& group, bool) {
            kp::Buffer buffer(group, {count});
            buffer.write(Floats(count, 0));
            const double seconds =
                medianSeconds(mRepeat, [&] { kp::Event::waitAll(buffer.allReduce()); });
            for (uint32_t i = 0; i < group.size(); ++i)
                buffer.write(Floats(count, static_cast<float>(i + 1)), i);
            kp::Event::waitAll(buffer.allReduce());
            const Floats result = buffer.read<float>(1);
            requireData(std::all_of(result.begin(), result.end(),
                                    [&](float value) {
                                        return value ==
                                               static_cast<float>(devices * (devices + 1) / 2);
                                    }),
                        "all-reduce");
            return kp::formatted("{:8.2f}", 1e3 * seconds);
        });
    }

    const std::vector<uint32_t> mIds;
    const bool mCheck;
    kp::DeviceGroup mGroup;
    const bool mGpu;
    const bool mDistinct;
    const int mRepeat;
    const uint64_t mBytes;
    double mSlowest = 1e9; ///< GB/s of the slowest link to the host
    bool mGood = true;
};

} // namespace

int main(int argc, char** argv) {
    using namespace kp::benchmark;
    return runProgram(argc, argv, "[--check] [--devices N]", [](Arguments& arguments) {
        const bool check = arguments.flag("--check");
        const size_t devices = std::stoul(arguments.value("--devices", "0"));
        arguments.finish();
        return Benchmark(devicesToUse(devices), check).run() ? 0 : 1;
    });
}

// SPDX-License-Identifier: Apache-2.0
//
// Measures transfers between host memory and the device, with the default rules of the transfer
// engine (src/vulkan/transfer/TransferRules.cpp) and with others.
//
//   kompute_benchmark_transfers [--check] [--sweep] [--rules TEXT] [--largest MIB] [--repeat N]
//
// --check    accepted for uniformity: the data are always checked
// --sweep    measure many rules, to choose the defaults
// --rules    change the rules, with the syntax of KOMPUTE_TRANSFER
// --largest  largest transfer (default: 1024 MiB, or 64 on a software driver)
// --repeat   repetitions of each measurement (default: by size)
//
// Data are random and verified after each measurement. The exit status is 1 if they are wrong.
// Figures are medians in GB/s (10^9 bytes). The time of an upload ends when the device has the
// data.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#if defined(__linux__)
#include <sys/mman.h>
#endif

#include <kompute/Kompute.hpp>

#include "Measure.hpp"
#include "Program.hpp"
#include "core/memory/MemoryImpl.hpp"
#include "vulkan/device/Device.hpp"
#include "vulkan/device/DeviceRegistry.hpp"
#include "vulkan/transfer/Transfer.hpp"

namespace kp::benchmark {
namespace {

constexpr uint64_t kKibi = 1u << 10;
constexpr uint64_t kMebi = 1u << 20;

struct Options {
    bool sweep = false;
    std::string rules;
    uint64_t largest = 0; ///< bytes; 0: 1 GiB, on a software driver 64 MiB
    int repeat = 0;       ///< 0: depends on the size
};

enum class Host { eOrdinary, ePinned, eImported, eImportedHugePages };
constexpr Host kHosts[] = {Host::eOrdinary, Host::ePinned, Host::eImported,
                           Host::eImportedHugePages};

const char* nameOf(Host host) {
    switch (host) {
    case Host::eOrdinary:
        return "ordinary";
    case Host::ePinned:
        return "pinned";
    case Host::eImported:
        return "imported";
    case Host::eImportedHugePages:
        return "imported, huge pages";
    }
    return "";
}

void fillRandom(unsigned char* data, uint64_t bytes, uint64_t seed) {
    uint64_t state = seed * 0x9E3779B97F4A7C15u + 1;
    for (uint64_t i = 0; i + 8 <= bytes; i += 8) {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        std::memcpy(data + i, &state, 8);
    }
}

/// Host memory of one kind.
class HostMemory {
public:
    HostMemory(kp::Manager& manager, Host kind, uint64_t bytes) {
        if (kind == Host::ePinned) {
            mPinned = manager.pinnedArray<unsigned char>(bytes);
            mData = mPinned->data();
            return;
        }
        constexpr uint64_t kHugePage = 2 * kMebi;
        const uint64_t alignment = kind == Host::eImportedHugePages ? kHugePage : 64;
        const uint64_t size = (bytes + alignment - 1) / alignment * alignment;
        mOwned.reset(static_cast<unsigned char*>(std::aligned_alloc(alignment, size)));
        if (!mOwned)
            throw std::runtime_error("no host memory");
        mData = mOwned.get();
#if defined(__linux__)
        if (kind == Host::eImportedHugePages)
            madvise(mData, size, MADV_HUGEPAGE);
#endif
        std::memset(mData, 1, size); // page faults would count as transfer time
        if (kind != Host::eOrdinary) {
            mImport = manager.importHost(mData, bytes);
            if (!mImport->imported())
                throw kp::Unsupported(mImport->reason());
        }
    }

    unsigned char* data() const {
        return mData;
    }

private:
    struct Free {
        void operator()(unsigned char* memory) const { std::free(memory); }
    };
    unsigned char* mData = nullptr;
    std::unique_ptr<unsigned char, Free> mOwned;
    std::shared_ptr<kp::PinnedArray<unsigned char>> mPinned;
    std::shared_ptr<kp::HostImport> mImport; ///< must be released before the memory
};

struct Figures {
    double up = 0;   ///< GB/s
    double down = 0; ///< GB/s
    double both = 0; ///< GB/s, sum of both directions at once
    bool right = true;
};

class Transfers {
public:
    explicit Transfers(const Options& options)
        : mOptions(options), mDevice(vulkan::findDevice(mManager.nativeDevice())),
          mSoftware(mManager.deviceInfo().type == kp::DeviceType::eCpu) {
        if (mOptions.largest == 0)
            mOptions.largest = mSoftware ? 64 * kMebi : 1024 * kMebi;
        if (!mOptions.rules.empty())
            mDevice->transfer().changeRules(mOptions.rules);
    }

    bool run() {
        std::printf("%s, %u host threads\nrules: %s\n", mManager.deviceInfo().name.c_str(),
                    std::thread::hardware_concurrency(),
                    vulkan::toString(mDevice->transfer().rules()).c_str());
        std::printf("one host thread copies %.1f GB/s\n", hostCopy());
        sizes();
        if (mOptions.sweep)
            sweep();
        if (!mRight)
            std::printf("\nWRONG DATA\n");
        return mRight;
    }

private:
    int repeats(uint64_t bytes) const {
        if (mOptions.repeat > 0)
            return mOptions.repeat;
        return static_cast<int>(std::clamp<uint64_t>((2048 * kMebi) / bytes, 9, 401));
    }

    double hostCopy() const {
        const uint64_t bytes = std::min<uint64_t>(mOptions.largest, 256 * kMebi);
        std::vector<unsigned char> from(bytes, 1);
        std::vector<unsigned char> to(bytes, 2);
        const double seconds =
            medianSeconds(9, [&] { std::memcpy(to.data(), from.data(), from.size()); });
        return static_cast<double>(bytes) / seconds * 1e-9;
    }

    std::shared_ptr<kp::Tensor> tensor(uint64_t bytes) {
        return mManager.tensor(bytes, 1, kp::Memory::DataTypes::eUnsignedChar,
                               kp::Memory::MemoryTypes::eStorage);
    }

    static void upload(kp::Tensor& tensor, const void* data, uint64_t bytes) {
        tensor.upload(data, bytes);
        implOf(tensor).buffer->waitUntilFree(false);
    }

    Figures measure(Host kind, uint64_t bytes, bool both) {
        const HostMemory source(mManager, kind, bytes);
        const HostMemory target(mManager, kind, bytes);
        fillRandom(source.data(), bytes, bytes + static_cast<uint64_t>(kind));
        const auto up = tensor(bytes);
        Figures figures;
        const int repeat = repeats(bytes);
        const double gigabytes = static_cast<double>(bytes) * 1e-9;
        figures.up = gigabytes / medianSeconds(repeat, [&] { upload(*up, source.data(), bytes); });
        figures.down =
            gigabytes / medianSeconds(repeat, [&] { up->download(target.data(), bytes); });
        figures.right = std::memcmp(source.data(), target.data(), bytes) == 0;
        if (both) {
            const auto down = tensor(bytes);
            upload(*down, source.data(), bytes);
            std::memset(target.data(), 0, bytes);
            constexpr int kRounds = 4; // starting a thread takes about 30 us
            const double seconds = medianSeconds(std::max(3, repeat / kRounds), [&] {
                std::thread other([&] {
                    for (int i = 0; i < kRounds; ++i)
                        upload(*up, source.data(), bytes);
                });
                for (int i = 0; i < kRounds; ++i)
                    down->download(target.data(), bytes);
                other.join();
            });
            figures.both = 2 * kRounds * gigabytes / seconds;
            figures.right = figures.right && std::memcmp(source.data(), target.data(), bytes) == 0;
        }
        mRight = mRight && figures.right;
        return figures;
    }

    void sizes() {
        std::printf("\n%-22s %9s %8s %8s %8s %10s %10s\n", "GB/s", "KiB", "up", "down", "both",
                    "us up", "us down");
        for (const Host kind : kHosts)
            for (const uint64_t bytes : {4 * kKibi, 64 * kKibi, kMebi, 4 * kMebi, 16 * kMebi,
                                         64 * kMebi, 256 * kMebi, 1024 * kMebi}) {
                if (bytes > mOptions.largest)
                    continue;
                try {
                    const Figures f = measure(kind, bytes, true);
                    const double us = static_cast<double>(bytes) * 1e-3;
                    std::printf("%-22s %9llu %8.2f %8.2f %8.2f %10.1f %10.1f%s\n", nameOf(kind),
                                static_cast<unsigned long long>(bytes / kKibi), f.up, f.down,
                                f.both, us / f.up, us / f.down, f.right ? "" : "  WRONG");
                } catch (const kp::Unsupported& error) {
                    std::printf("%-22s unsupported: %s\n", nameOf(kind), error.what());
                    break;
                } catch (const kp::OutOfMemory&) {
                    std::printf("%-22s %9llu out of memory\n", nameOf(kind),
                                static_cast<unsigned long long>(bytes / kKibi));
                    break;
                }
                std::fflush(stdout);
            }
    }

    void printLine(const std::string& rules, Host kind, uint64_t bytes, bool both) {
        const std::string text = mOptions.rules.empty() ? rules : mOptions.rules + "," + rules;
        mDevice->transfer().changeRules(text);
        mDevice->waitIdle();
        mDevice->transfer().trim();
        try {
            const Figures f = measure(kind, bytes, both);
            const double us = static_cast<double>(bytes) * 1e-3;
            std::printf("%-10s %8llu KiB %7.2f up %7.2f down", nameOf(kind),
                        static_cast<unsigned long long>(bytes / kKibi), f.up, f.down);
            if (both)
                std::printf(" %7.2f both", f.both);
            std::printf(" %9.1f us up %9.1f us down   %s%s\n", us / f.up, us / f.down,
                        rules.c_str(), f.right ? "" : "  WRONG");
        } catch (const kp::Error& error) {
            std::printf("%-10s %s: %s\n", nameOf(kind), rules.c_str(), error.what());
        }
        std::fflush(stdout);
    }

    void sweep() {
        const uint64_t large = std::min<uint64_t>(mOptions.largest, 256 * kMebi);
        const auto number = [](uint64_t value) { return std::to_string(value); };
        std::printf("\nchunk size, threads and chunks in flight, through staging\n");
        for (const uint64_t threads : {1, 2, 4, 6, 8, 12, 16})
            for (const uint64_t chunk : {512 * kKibi, kMebi, 2 * kMebi, 4 * kMebi, 8 * kMebi})
                printLine("threads=" + number(threads) + ",chunk=" + number(chunk / kKibi) +
                              "K,inflight=" + number(std::max<uint64_t>(4, 2 * threads)) +
                              ",mapped=0",
                          Host::eOrdinary, large, false);
        for (const uint64_t inFlight : {8, 12, 16, 24, 32})
            printLine("threads=8,chunk=2M,inflight=" + number(inFlight) + ",mapped=0",
                      Host::eOrdinary, large, true);
        std::printf("\nstreaming stores\n");
        for (const char* stream : {"0", "1"})
            for (const char* threads : {"4", "8", "12"})
                printLine(std::string("stream=") + stream +
                              ",mapped=0,inflight=24,threads=" + threads,
                          Host::eOrdinary, large, true);
        std::printf("\nlarge data through mapped memory\n");
        for (const char* threads : {"1", "2", "4", "8"})
            for (const char* stream : {"0", "1"})
                printLine(std::string("mapped=16G,threads=") + threads + ",stream=" + stream,
                          Host::eOrdinary, large, false);
        std::printf("\nsmall data: mapped memory, compute queue, copy queue\n");
        for (const uint64_t bytes :
             {kKibi, 4 * kKibi, 16 * kKibi, 64 * kKibi, 256 * kKibi, kMebi, 4 * kMebi})
            for (const char* rules :
                 {"mapped=16G", "mapped=0,copyqueue=1000G", "mapped=0,copyqueue=0"})
                printLine(rules, Host::eOrdinary, bytes, false);
        std::printf("\nthe size from which threads pay off\n");
        for (const uint64_t bytes : {256 * kKibi + 1, 512 * kKibi, kMebi, 2 * kMebi, 4 * kMebi})
            for (const char* rules : {"mapped=0,threads=1", "mapped=0,threaded=1"})
                printLine(rules, Host::eOrdinary, bytes, false);
        std::printf("\nhost memory that the device accesses: queues and pieces\n");
        for (const Host kind : {Host::ePinned, Host::eImportedHugePages})
            for (const char* rules :
                 {"copyqueue=1000G", "copyqueue=0", "copyqueue=0,piece=2M", "copyqueue=0,piece=16M",
                  "copyqueue=0,piece=2M,queues=2", "copyqueue=0,piece=8M,queues=2",
                  "copyqueue=0,piece=32M,queues=2", "copyqueue=0,piece=128M,queues=2"})
                printLine(std::string("mapped=0,") + rules, kind, large, true);
        mDevice->transfer().changeRules(mOptions.rules);
    }

    Options mOptions;
    kp::Manager mManager;
    std::shared_ptr<vulkan::Device> mDevice;
    bool mSoftware = false;
    bool mRight = true;
};

Options parse(Arguments& arguments) {
    Options options;
    arguments.flag("--check");
    options.sweep = arguments.flag("--sweep");
    options.rules = arguments.value("--rules");
    options.largest = std::stoull(arguments.value("--largest", "0")) * kMebi;
    options.repeat = std::stoi(arguments.value("--repeat", "0"));
    arguments.finish();
    return options;
}

} // namespace
} // namespace kp::benchmark

int main(int argc, char** argv) {
    using namespace kp::benchmark;
    return runProgram(
        argc, argv, "[--check] [--sweep] [--rules TEXT] [--largest MIB] [--repeat N]",
        [](Arguments& arguments) { return Transfers(parse(arguments)).run() ? 0 : 1; });
}

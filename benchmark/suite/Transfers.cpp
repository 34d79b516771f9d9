// SPDX-License-Identifier: Apache-2.0
//
// Rows about bandwidth: between host and device, within the device, and of a kernel.
#include <cstring>
#include <optional>
#include <string>

#include "RawVulkan.hpp"
#include "Suite.hpp"
#include "Workers.hpp"

namespace kp::benchmark {
namespace {

using Types = kp::Memory::MemoryTypes;
constexpr uint64_t kMiB = 1 << 20;
constexpr const char* kDirectNote =
    "raw: one vkCmdCopyBuffer between mapped host memory and device "
    "memory; CUDA: cudaMemcpy of pinned memory";

std::string sizeName(uint64_t bytes) {
    return bytes % (1024 * kMiB) == 0 ? std::to_string(bytes / kMiB / 1024) + " GiB"
                                      : std::to_string(bytes / kMiB) + " MiB";
}

void requireSame(const void* a, const void* b, uint64_t bytes, const std::string& side) {
    Suite::require(std::memcmp(a, b, bytes) == 0, side + ", the bytes differ");
}

/// One copy in each direction between mapped host memory and device memory, recorded once. Both
/// memories start with the words.
class RawHostCopies {
public:
    RawHostCopies(RawQueue& queue, const std::vector<uint32_t>& words)
        : mQueue(queue), mBytes(words.size() * sizeof(uint32_t)),
          mDevice(queue, 1, mBytes, RawMemory::eDevice), mHost(queue, 1, mBytes, RawMemory::eHost),
          mUp(queue), mDown(queue) {
        std::memcpy(mHost.mapped(0), words.data(), mBytes);
        mUp.begin();
        mUp.copy(mHost[0], mDevice[0], mBytes);
        mUp.end();
        mDown.begin();
        mDown.copy(mDevice[0], mHost[0], mBytes);
        mDown.end(true);
        upload();
    }
    void upload() { mQueue.run(mUp.handle()); }
    void download() { mQueue.run(mDown.handle()); }
    /// Downloads once more, and requires that the result is @p words.
    void requireDownload(const std::vector<uint32_t>& words) {
        std::memset(mHost.mapped(0), 0, mBytes);
        download();
        requireSame(words.data(), mHost.mapped(0), mBytes, "raw");
    }

private:
    RawQueue& mQueue;
    uint64_t mBytes;
    RawBuffers mDevice;
    RawBuffers mHost;
    RawCommands mUp;
    RawCommands mDown;
};

/// The same with CUDA, with memory from cudaMallocHost.
class CudaHostCopies {
public:
    CudaHostCopies(Cuda& cuda, const std::vector<uint32_t>& words)
        : mBytes(words.size() * sizeof(uint32_t)), mDevice(cuda.buffer(mBytes)),
          mHost(cuda.pinned(mBytes)) {
        std::memcpy(mHost.get(), words.data(), mBytes);
        upload();
    }
    void upload() { mDevice->upload(mHost.get()); }
    void download() { mDevice->download(mHost.get()); }
    /// Downloads once more, and requires that the result is @p words.
    void requireDownload(const std::vector<uint32_t>& words) {
        std::memset(mHost.get(), 0, mBytes);
        download();
        requireSame(words.data(), mHost.get(), mBytes, "cuda");
    }

private:
    uint64_t mBytes;
    std::unique_ptr<Cuda::Buffer> mDevice;
    std::shared_ptr<void> mHost;
};

/// Ordinary memory, as in a std::vector.
void ordinary(Suite& suite, Row& row, uint64_t bytes, bool up) {
    kp::Manager& manager = suite.manager();
    const std::vector<uint32_t> source = randomWords(bytes / sizeof(uint32_t));
    std::vector<uint32_t> back(source.size());
    const auto tensor = manager.tensorT<uint32_t>(source.size(), Types::eStorage);
    RawQueue queue(manager, suite.waitMode());
    RawBuffers buffer(queue, 1, bytes, RawMemory::eDevice);
    RawStaging staging(queue);
    std::unique_ptr<Cuda::Buffer> cuda;
    if (suite.cuda())
        cuda = suite.cuda()->buffer(bytes);
    if (up) {
        row.side("kompute", [&] { tensor->upload(source.data(), bytes); });
        row.side("raw", [&] { staging.upload(buffer[0], source.data(), bytes); });
        if (cuda)
            row.side("cuda", [&] { cuda->upload(source.data()); });
    } else {
        tensor->upload(source.data(), bytes);
        staging.upload(buffer[0], source.data(), bytes);
        if (cuda)
            cuda->upload(source.data());
        row.side("kompute", [&] { tensor->download(back.data(), bytes); });
        row.side("raw", [&] { staging.download(buffer[0], back.data(), bytes); });
        if (cuda)
            row.side("cuda", [&] { cuda->download(back.data()); });
    }
    row.bytes(static_cast<double>(bytes));
    row.target("cuda", 2.5);
    row.note("raw: one thread and two staging buffers; CUDA: cudaMemcpy of pageable memory");
    suite.measure(row);
    const auto check = [&](const char* side, const std::function<void()>& download) {
        std::memset(back.data(), 0, bytes);
        download();
        requireSame(source.data(), back.data(), bytes, side);
    };
    check("kompute", [&] { tensor->download(back.data(), bytes); });
    check("raw", [&] { staging.download(buffer[0], back.data(), bytes); });
    if (cuda)
        check("cuda", [&] { cuda->download(back.data()); });
}

/// Host memory that the device accesses: a pinned array, or an imported std::vector.
void direct(Suite& suite, Row& row, uint64_t bytes, bool up, bool import) {
    kp::Manager& manager = suite.manager();
    const std::vector<uint32_t> source = randomWords(bytes / sizeof(uint32_t));
    std::vector<uint32_t> ordinary;
    std::shared_ptr<kp::PinnedArray<uint32_t>> array;
    std::shared_ptr<kp::HostImport> imported;
    uint32_t* memory = nullptr;
    if (import) {
        ordinary = source;
        memory = ordinary.data();
        imported = manager.importHost(ordinary);
        if (!imported->imported())
            throw Skip{imported->reason()};
    } else {
        array = manager.pinnedArray<uint32_t>(source.size());
        memory = array->data();
        std::memcpy(memory, source.data(), bytes);
    }
    const auto tensor = manager.tensorT<uint32_t>(source.size(), Types::eStorage);
    tensor->upload(memory, bytes);
    RawQueue queue(manager, suite.waitMode());
    RawHostCopies raw(queue, source);
    row.side("kompute",
             [&] { up ? tensor->upload(memory, bytes) : tensor->download(memory, bytes); });
    row.side("raw", [&] { up ? raw.upload() : raw.download(); });
    std::optional<CudaHostCopies> cuda;
    if (suite.cuda()) {
        cuda.emplace(*suite.cuda(), source);
        row.side("cuda", [&] { up ? cuda->upload() : cuda->download(); });
    }
    row.bytes(static_cast<double>(bytes));
    row.target("cuda", 0.95);
    row.note(kDirectNote);
    suite.measure(row);
    std::memset(memory, 0, bytes);
    tensor->download(memory, bytes);
    requireSame(source.data(), memory, bytes, "kompute");
    raw.requireDownload(source);
    if (cuda)
        cuda->requireDownload(source);
}

/// An upload and a download at once, in two threads.
void bothWays(Suite& suite, Row& row, uint64_t bytes) {
    kp::Manager& manager = suite.manager();
    const size_t words = bytes / sizeof(uint32_t);
    const auto up = manager.pinnedArray<uint32_t>(words);
    const auto down = manager.pinnedArray<uint32_t>(words);
    randomBytes(up->data(), bytes);
    const auto first = manager.tensorT<uint32_t>(words, Types::eStorage);
    const auto second = manager.tensorT<uint32_t>(words, Types::eStorage);
    second->upload(up->data(), bytes);
    Workers workers({[&] { first->upload(up->data(), bytes); },
                     [&] { second->download(down->data(), bytes); }});
    row.side("kompute", [&] { workers.run(); });
    row.side("one after the other", [&] {
        first->upload(up->data(), bytes);
        second->download(down->data(), bytes);
    });
    std::unique_ptr<Cuda::Pipeline> cuda;
    std::shared_ptr<void> cudaUp, cudaDown;
    if (suite.cuda()) {
        cudaUp = suite.cuda()->pinned(bytes);
        cudaDown = suite.cuda()->pinned(bytes);
        std::memcpy(cudaUp.get(), up->data(), bytes);
        cuda = suite.cuda()->pipeline(cudaUp.get(), cudaDown.get(), 1, bytes, 1, 0);
        row.side("cuda", [&] { cuda->run(true, false, true); });
    }
    row.bytes(2.0 * static_cast<double>(bytes));
    row.note("pinned arrays; bytes of both directions; CUDA: cudaMemcpyAsync on two streams");
    suite.measure(row);
    requireSame(up->data(), down->data(), bytes, "kompute, down");
    std::memset(down->data(), 0, bytes);
    first->download(down->data(), bytes);
    requireSame(up->data(), down->data(), bytes, "kompute, up");
}

/// The host mirror of an eDevice tensor, which is host memory that the device accesses.
void mirror(Suite& suite, Row& row, uint64_t bytes, bool up) {
    kp::Manager& manager = suite.manager();
    const std::vector<uint32_t> source = randomWords(bytes / sizeof(uint32_t));
    const auto tensor = manager.tensorT<uint32_t>(source.size(), Types::eDevice);
    std::memcpy(tensor->data(), source.data(), bytes);
    const auto upload = manager.sequence();
    upload->record<kp::OpSyncDevice>({tensor})->eval();
    const auto download = manager.sequence();
    download->record<kp::OpSyncLocal>({tensor})->eval();
    RawQueue queue(manager, suite.waitMode());
    RawHostCopies raw(queue, source);
    row.side("kompute", [&] { (up ? upload : download)->eval(); });
    row.side("raw", [&] { up ? raw.upload() : raw.download(); });
    std::optional<CudaHostCopies> cuda;
    if (suite.cuda()) {
        cuda.emplace(*suite.cuda(), source);
        row.side("cuda", [&] { up ? cuda->upload() : cuda->download(); });
    }
    row.bytes(static_cast<double>(bytes));
    row.note(kDirectNote);
    suite.measure(row);
    std::memset(tensor->data(), 0, bytes);
    download->eval();
    requireSame(source.data(), tensor->data(), bytes, "kompute");
    raw.requireDownload(source);
    if (cuda)
        cuda->requireDownload(source);
}

void withinDevice(Suite& suite, Row& row, uint64_t bytes) {
    kp::Manager& manager = suite.manager();
    const std::vector<uint32_t> source = randomWords(bytes / sizeof(uint32_t));
    std::vector<uint32_t> back(source.size());
    const auto from = manager.tensorT<uint32_t>(source.size(), Types::eStorage);
    const auto to = manager.tensorT<uint32_t>(source.size(), Types::eStorage);
    from->upload(source.data(), bytes);
    const auto sequence = manager.sequence();
    sequence->record<kp::OpCopy>({from, to});
    RawQueue queue(manager, suite.waitMode());
    RawBuffers buffers(queue, 2, bytes, RawMemory::eDevice);
    RawStaging staging(queue);
    staging.upload(buffers[0], source.data(), bytes);
    RawCommands commands(queue);
    commands.begin();
    commands.copy(buffers[0], buffers[1], bytes);
    commands.end();
    row.side("kompute", [&] { sequence->eval(); });
    row.side("raw", [&] { queue.run(commands.handle()); });
    std::unique_ptr<Cuda::Buffer> cuda[2];
    if (suite.cuda()) {
        for (auto& buffer : cuda)
            buffer = suite.cuda()->buffer(bytes);
        cuda[0]->upload(source.data());
        row.side("cuda", [&] { cuda[1]->copyFrom(*cuda[0]); });
    }
    row.bytes(2.0 * static_cast<double>(bytes));
    if (bytes >= 256 * kMiB)
        row.target("cuda", 0.95);
    row.note("bytes read and written; raw: vkCmdCopyBuffer");
    suite.measure(row);
    to->download(back.data(), bytes);
    requireSame(source.data(), back.data(), bytes, "kompute");
    staging.download(buffers[1], back.data(), bytes);
    requireSame(source.data(), back.data(), bytes, "raw");
    if (cuda[1]) {
        cuda[1]->download(back.data());
        requireSame(source.data(), back.data(), bytes, "cuda");
    }
}

void fill(Suite& suite, Row& row, uint64_t bytes) {
    kp::Manager& manager = suite.manager();
    std::vector<uint32_t> back(bytes / sizeof(uint32_t));
    const auto tensor = manager.tensorT<uint32_t>(back.size(), Types::eStorage);
    const auto sequence = manager.sequence();
    constexpr uint32_t kPattern = 0x5a5a5a5a;
    sequence->record<kp::OpFill>({tensor}, kPattern);
    RawQueue queue(manager, suite.waitMode());
    RawBuffers buffer(queue, 1, bytes, RawMemory::eDevice);
    RawCommands commands(queue);
    commands.begin();
    commands.fill(buffer[0], bytes, kPattern);
    commands.end();
    row.side("kompute", [&] { sequence->eval(); });
    row.side("raw", [&] { queue.run(commands.handle()); });
    std::unique_ptr<Cuda::Buffer> cuda;
    if (suite.cuda()) {
        cuda = suite.cuda()->buffer(bytes);
        row.side("cuda", [&] { cuda->fill(0x5a); });
    }
    row.bytes(static_cast<double>(bytes));
    row.note("raw: vkCmdFillBuffer; CUDA: cudaMemsetAsync, synchronized");
    suite.measure(row);
    const auto check = [&](const char* side) {
        bool right = true;
        for (const uint32_t value : back)
            right = right && value == kPattern;
        Suite::require(right, side);
    };
    tensor->download(back.data(), bytes);
    check("kompute");
    RawStaging(queue).download(buffer[0], back.data(), bytes);
    check("raw");
    if (cuda) {
        cuda->download(back.data());
        check("cuda");
    }
}

/// y = a * x + y, several times in one submission.
void saxpy(Suite& suite, Row& row, uint64_t bytes, int times) {
    kp::Manager& manager = suite.manager();
    const size_t floats = bytes / sizeof(float);
    constexpr float kFactor = 0.25f;
    // Small integers, so that the result is exact in any order of rounding.
    std::vector<float> x(floats), y(floats), back(floats);
    const std::vector<uint32_t> random = randomWords(floats);
    for (size_t i = 0; i < floats; ++i) {
        x[i] = static_cast<float>((random[i] & 0xf) * 4);
        y[i] = static_cast<float>((random[i] >> 4) & 0xff);
    }
    const uint32_t vectors = static_cast<uint32_t>(floats / 4);
    struct Constants {
        float a;
        uint32_t count;
    };
    const Constants constants{kFactor, vectors};
    const uint32_t groups = (vectors + 255) / 256;
    if (groups > suite.device().maxWorkgroupCount[0])
        throw Skip{"the device does not allow as many workgroups"};

    const auto tensorX = manager.tensorT<float>(floats, Types::eStorage);
    const auto tensorY = manager.tensorT<float>(floats, Types::eStorage);
    const auto algorithm = manager.algorithm<float, Constants>({tensorX, tensorY}, suite.saxpy(),
                                                               {groups, 1, 1}, {}, {constants});
    const auto sequence = manager.sequence();
    sequence->begin();
    for (int i = 0; i < times; ++i)
        sequence->record<kp::OpAlgoDispatch>(algorithm);
    sequence->end();

    RawQueue queue(manager, suite.waitMode());
    RawBuffers buffers(queue, 2, bytes, RawMemory::eDevice);
    RawStaging staging(queue);
    RawKernel kernel(queue, suite.saxpy(), 2, sizeof constants, 1);
    const VkDescriptorSet set = kernel.bind({buffers[0], buffers[1]});
    RawCommands commands(queue);
    commands.begin();
    commands.bind(kernel);
    commands.bindSet(kernel, set);
    commands.push(kernel, &constants, sizeof constants);
    for (int i = 0; i < times; ++i) {
        if (i > 0)
            commands.computeBarrier();
        commands.dispatch(groups);
    }
    commands.end();
    std::unique_ptr<Cuda::Buffer> cuda[2];

    tensorX->upload(x);
    staging.upload(buffers[0], x.data(), bytes);
    tensorY->upload(y);
    staging.upload(buffers[1], y.data(), bytes);
    row.side("kompute", [&] { sequence->eval(); });
    row.side("raw", [&] { queue.run(commands.handle()); });
    if (suite.cuda()) {
        for (auto& buffer : cuda)
            buffer = suite.cuda()->buffer(bytes);
        cuda[0]->upload(x.data());
        cuda[1]->upload(y.data());
        row.side("cuda", [&] { suite.cuda()->saxpy(*cuda[0], *cuda[1], floats, kFactor, times); });
    }
    row.bytes(3.0 * static_cast<double>(bytes) * times);
    if (times > 1)
        row.target("cuda", 0.97);
    row.note("bytes read and written; the same 16-byte accesses on each side");
    suite.measure(row);

    // Sums of integers are exact up to 2^24.
    const auto check = [&](const std::string& side, auto download) {
        std::memset(back.data(), 0, bytes);
        download();
        const uint64_t rounds = row.calls(side) * static_cast<uint64_t>(times);
        bool right = true;
        for (size_t i = 0; i < floats; ++i) {
            const double wanted = y[i] + static_cast<double>(rounds) * kFactor * x[i];
            right = right && (wanted > 16777216 || back[i] == static_cast<float>(wanted));
        }
        Suite::require(right, side);
    };
    check("kompute", [&] { tensorY->download(back.data(), bytes); });
    check("raw", [&] { staging.download(buffers[1], back.data(), bytes); });
    if (cuda[1])
        check("cuda", [&] { cuda[1]->download(back.data()); });
}

} // namespace

void addTransfers(Suite& suite) {
    std::vector<uint64_t> sizes{256 * kMiB};
    if (suite.software())
        sizes = {16 * kMiB};
    else if (!suite.options().quick)
        sizes.push_back(1024 * kMiB);
    for (const uint64_t bytes : sizes) {
        const std::string size = sizeName(bytes);
        const std::string suffix = "_" + std::to_string(bytes / kMiB);
        for (const bool up : {true, false}) {
            const std::string direction = up ? "upload" : "download";
            suite.add("transfer/" + direction + suffix,
                      direction + " " + size + ", ordinary memory",
                      [=](Suite& s, Row& row) { ordinary(s, row, bytes, up); });
            suite.add("transfer/pinned_" + direction + suffix,
                      direction + " " + size + ", pinned array",
                      [=](Suite& s, Row& row) { direct(s, row, bytes, up, false); });
            suite.add("transfer/imported_" + direction + suffix,
                      direction + " " + size + ", imported memory",
                      [=](Suite& s, Row& row) { direct(s, row, bytes, up, true); });
            if (bytes == sizes[0])
                suite.add("transfer/mirror_" + direction + suffix,
                          (up ? "OpSyncDevice " : "OpSyncLocal ") + size,
                          [=](Suite& s, Row& row) { mirror(s, row, bytes, up); });
        }
        suite.add("transfer/copy" + suffix, "OpCopy within the device, " + size,
                  [=](Suite& s, Row& row) { withinDevice(s, row, bytes); });
    }
    const uint64_t bytes = sizes[0];
    const std::string suffix = "_" + std::to_string(bytes / kMiB);
    suite.add("transfer/both_ways" + suffix, "up and down at once, " + sizeName(bytes) + " each",
              [=](Suite& s, Row& row) { bothWays(s, row, bytes); });
    suite.add("transfer/fill" + suffix, "OpFill, " + sizeName(bytes),
              [=](Suite& s, Row& row) { fill(s, row, bytes); });
    suite.add("transfer/saxpy" + suffix, "saxpy of " + sizeName(bytes) + " vectors, ten in a row",
              [=](Suite& s, Row& row) { saxpy(s, row, bytes, 10); });
    suite.add("transfer/saxpy_one" + suffix, "saxpy of " + sizeName(bytes) + " vectors, one",
              [=](Suite& s, Row& row) { saxpy(s, row, bytes, 1); });
}

} // namespace kp::benchmark

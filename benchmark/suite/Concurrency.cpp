// SPDX-License-Identifier: Apache-2.0
//
// Rows about concurrency: transfers beside kernels, and several threads.
#include <algorithm>
#include <atomic>
#include <cstring>
#include <string>
#include <thread>

#include "../Measure.hpp"
#include "Increments.hpp"
#include "Workers.hpp"

namespace kp::benchmark {
namespace {

uint32_t iterated(uint32_t value, uint32_t rounds) {
    for (uint32_t i = 0; i < rounds; ++i)
        value = value * 1664525u + 1013904223u;
    return value;
}

/// Uploads, computes and downloads chunks, each on its own tensor. Each stage has its own queue if
/// there are three. The library orders sequences that share a tensor.
class SequencePipeline {
public:
    SequencePipeline(kp::Manager& manager, const std::vector<uint32_t>& spirv, size_t chunks,
                     size_t words, uint32_t rounds)
        : mWords(words), mRounds(rounds), mSource(randomWords(chunks * words)) {
        const uint32_t queues = manager.queueCount();
        for (size_t i = 0; i < chunks; ++i) {
            const auto tensor = manager.tensorT<uint32_t>(words);
            refill(*tensor, i);
            const auto algorithm = manager.algorithm<float, uint32_t>(
                {tensor}, spirv, {static_cast<uint32_t>((words + 255) / 256), 1, 1}, {},
                std::vector<uint32_t>{rounds, static_cast<uint32_t>(words)});
            Chunk chunk{tensor, manager.sequence(1 % queues), manager.sequence(0),
                        manager.sequence(2 % queues)};
            chunk.upload->record<kp::OpSyncDevice>({tensor});
            chunk.compute->record<kp::OpAlgoDispatch>(algorithm);
            chunk.download->record<kp::OpSyncLocal>({tensor});
            mChunks.push_back(std::move(chunk));
        }
    }

    void run(bool upload, bool compute, bool download) {
        for (const Chunk& chunk : mChunks) {
            if (upload)
                chunk.upload->evalAsync();
            if (compute)
                chunk.compute->evalAsync();
            if (download)
                chunk.download->evalAsync();
        }
        for (const Chunk& chunk : mChunks) {
            if (upload)
                chunk.upload->evalAwait();
            if (compute)
                chunk.compute->evalAwait();
            if (download)
                chunk.download->evalAwait();
        }
    }

    /// Runs once more from fresh data, and compares samples with results of the host.
    void verify() {
        for (size_t i = 0; i < mChunks.size(); ++i)
            refill(*mChunks[i].tensor, i);
        run(true, true, true);
        for (size_t i = 0; i < mChunks.size(); ++i)
            for (size_t word = 0; word < mWords; word += 4099)
                Suite::require(mChunks[i].tensor->data()[word] ==
                                   iterated(mSource[i * mWords + word], mRounds),
                               "kompute, chunk " + std::to_string(i));
    }

private:
    struct Chunk {
        std::shared_ptr<kp::TensorT<uint32_t>> tensor;
        std::shared_ptr<kp::Sequence> upload, compute, download;
    };
    void refill(kp::TensorT<uint32_t>& tensor, size_t i) {
        std::memcpy(tensor.data(), mSource.data() + i * mWords, mWords * sizeof(uint32_t));
    }

    size_t mWords;
    uint32_t mRounds;
    std::vector<uint32_t> mSource;
    std::vector<Chunk> mChunks;
};

/// The same with three threads, and upload() and download() of pinned arrays.
class ThreadPipeline {
public:
    ThreadPipeline(kp::Manager& manager, const std::vector<uint32_t>& spirv, size_t chunks,
                   size_t words, uint32_t rounds)
        : mWords(words), mRounds(rounds), mUp(manager.pinnedArray<uint32_t>(chunks * words)),
          mDown(manager.pinnedArray<uint32_t>(chunks * words)) {
        randomBytes(mUp->data(), mUp->bytes());
        std::memset(mDown->data(), 0, mDown->bytes());
        for (size_t i = 0; i < chunks; ++i) {
            const auto tensor = manager.tensorT<uint32_t>(words, kp::Memory::MemoryTypes::eStorage);
            const auto algorithm = manager.algorithm<float, uint32_t>(
                {tensor}, spirv, {static_cast<uint32_t>((words + 255) / 256), 1, 1}, {},
                std::vector<uint32_t>{rounds, static_cast<uint32_t>(words)});
            const auto sequence = manager.sequence();
            sequence->record<kp::OpAlgoDispatch>(algorithm);
            mChunks.push_back({tensor, sequence});
        }
        run(true, true, true);
    }

    void run(bool upload, bool compute, bool download) {
        std::atomic<size_t> uploaded{upload ? 0 : mChunks.size()};
        std::atomic<size_t> computed{compute ? 0 : mChunks.size()};
        const auto advance = [](std::atomic<size_t>& done) {
            done.fetch_add(1);
            done.notify_one();
        };
        const auto waitFor = [](std::atomic<size_t>& done, size_t i) {
            for (size_t count = done; count <= i; count = done)
                done.wait(count);
        };
        std::thread up, down;
        if (upload)
            up = std::thread([&] {
                for (size_t i = 0; i < mChunks.size(); ++i, advance(uploaded))
                    mChunks[i].tensor->upload(mUp->data() + i * mWords, mWords * sizeof(uint32_t));
            });
        if (download)
            down = std::thread([&] {
                for (size_t i = 0; i < mChunks.size(); ++i) {
                    waitFor(computed, i);
                    mChunks[i].tensor->download(mDown->data() + i * mWords,
                                                mWords * sizeof(uint32_t));
                }
            });
        if (compute) {
            for (size_t i = 0; i < mChunks.size(); ++i, advance(computed)) {
                waitFor(uploaded, i);
                mChunks[i].sequence->evalAsync();
            }
            for (const Chunk& chunk : mChunks)
                chunk.sequence->evalAwait();
        }
        if (upload)
            up.join();
        if (download)
            down.join();
    }

    void verify() {
        std::memset(mDown->data(), 0, mDown->bytes());
        run(true, true, true);
        for (size_t i = 0; i < mChunks.size() * mWords; i += 4099)
            Suite::require((*mDown)[i] == iterated((*mUp)[i], mRounds),
                           "kompute, chunk " + std::to_string(i / mWords));
    }

private:
    struct Chunk {
        std::shared_ptr<kp::TensorT<uint32_t>> tensor;
        std::shared_ptr<kp::Sequence> sequence;
    };
    size_t mWords;
    uint32_t mRounds;
    std::shared_ptr<kp::PinnedArray<uint32_t>> mUp, mDown;
    std::vector<Chunk> mChunks;
};

/// Returns the iterations with which the kernel takes as long as the upload of the same memory.
uint32_t balancedRounds(kp::Manager& manager, const std::vector<uint32_t>& spirv, size_t words) {
    uint32_t rounds = 64;
    for (int i = 0; i < 6; ++i) {
        SequencePipeline pipeline(manager, spirv, 4, words, rounds);
        pipeline.run(true, true, true);
        double upload = 1e9, compute = 1e9;
        for (int j = 0; j < 3; ++j) {
            upload = std::min(upload, secondsOf([&] { pipeline.run(true, false, false); }));
            compute = std::min(compute, secondsOf([&] { pipeline.run(false, true, false); }));
        }
        const double wanted = rounds * upload / compute;
        const uint32_t next = static_cast<uint32_t>(std::clamp(wanted, 1.0, 16.0 * rounds));
        if (next == rounds || (compute > 0.9 * upload && compute < 1.1 * upload))
            break;
        rounds = std::min(next, 60000u);
    }
    return rounds;
}

/// @param limit  times the slowest stage alone; 0: no target
template <typename Work>
void pipelined(Suite& suite, Row& row, kp::Manager& manager, const std::string& how, double limit) {
    const bool small = suite.software();
    const size_t chunks = small ? 4 : 16;
    const size_t words = (small ? 1 : 32) * (1 << 20) / sizeof(uint32_t);
    const uint32_t rounds = balancedRounds(manager, suite.iterate(), words);
    Work kompute(manager, suite.iterate(), chunks, words, rounds);
    row.side("kompute", [&] { kompute.run(true, true, true); });
    row.side("upload alone", [&] { kompute.run(true, false, false); });
    row.side("compute alone", [&] { kompute.run(false, true, false); });
    row.side("download alone", [&] { kompute.run(false, false, true); });
    std::unique_ptr<Cuda::Pipeline> cuda;
    std::shared_ptr<void> up, down;
    if (suite.cuda()) {
        const size_t bytes = words * sizeof(uint32_t);
        up = suite.cuda()->pinned(chunks * bytes);
        down = suite.cuda()->pinned(chunks * bytes);
        randomBytes(up.get(), chunks * bytes);
        cuda = suite.cuda()->pipeline(up.get(), down.get(), chunks, bytes, chunks, rounds);
        row.side("cuda", [&] { cuda->run(true, true, true); });
    }
    row.targetSlowest({"upload alone", "compute alone", "download alone"}, limit);
    row.note(std::to_string(chunks) + " chunks of " +
             std::to_string(words * sizeof(uint32_t) >> 20) + " MiB; " + how +
             "; CUDA: three streams");
    suite.measure(row);
    kompute.verify();
    if (cuda) {
        cuda->run(true, true, true);
        for (size_t i = 0; i < chunks * words; i += 4099)
            Suite::require(static_cast<uint32_t*>(down.get())[i] ==
                               iterated(static_cast<uint32_t*>(up.get())[i], rounds),
                           "cuda");
    }
}

void sequencesPipelined(Suite& suite, Row& row, Suite::Families families) {
    const auto manager = suite.managerWithQueues(3, families);
    std::string how = "sequences on queues of the families";
    for (uint32_t i = 0; i < manager->queueCount(); ++i)
        how += " " + std::to_string(manager->queueFamily(i));
    pipelined<SequencePipeline>(suite, row, *manager, how, 0);
}

void threadsPipelined(Suite& suite, Row& row) {
    pipelined<ThreadPipeline>(suite, row, suite.manager(),
                              "upload() and download() of pinned arrays by two threads", 1.15);
}

/// Each thread evaluates its own recorded sequence. All share one queue, or each has its own.
void threads(Suite& suite, Row& row, uint32_t count, bool ownQueues) {
    if (suite.software())
        throw Skip{"a software driver uses the same processors"};
    if (count > std::thread::hardware_concurrency())
        throw Skip{"there are fewer processors than threads"};
    constexpr int kEvaluations = 300;
    const std::unique_ptr<kp::Manager> manager =
        suite.managerWithQueues(ownQueues ? count : 1, Suite::Families::eFirst);
    const uint32_t queues = manager->queueCount();
    if (ownQueues && queues < count)
        throw Skip{"there are fewer queues than threads"};
    const auto initial = randomWords(kElements);
    std::vector<std::unique_ptr<KomputeIncrements>> kompute;
    std::vector<std::unique_ptr<RawIncrements>> raw;
    std::vector<std::function<void()>> komputeWork, rawWork;
    for (uint32_t i = 0; i < count; ++i) {
        kompute.push_back(std::make_unique<KomputeIncrements>(*manager, suite.increment(), 1,
                                                              initial, i % queues));
        kompute.back()->record(1, true);
        komputeWork.push_back([sequence = kompute.back()->sequence] {
            for (int j = 0; j < kEvaluations; ++j)
                sequence->eval();
        });
        if (queues < count)
            continue; // the raw side does not lock its queue
        raw.push_back(std::make_unique<RawIncrements>(*manager, suite.waitMode(), suite.increment(),
                                                      1, initial, i));
        raw.back()->record(1, true);
        rawWork.push_back([each = raw.back().get()] {
            for (int j = 0; j < kEvaluations; ++j)
                each->run();
        });
    }
    KomputeIncrements alone(*manager, suite.increment(), 1, initial);
    alone.record(1, true);
    Workers workers(std::move(komputeWork));
    row.side(
        "kompute", [&] { workers.run(); }, kEvaluations * count);
    row.side(
        "one thread",
        [&] {
            for (int i = 0; i < kEvaluations; ++i)
                alone.sequence->eval();
        },
        kEvaluations);
    std::unique_ptr<Workers> rawWorkers;
    if (!rawWork.empty()) {
        rawWorkers = std::make_unique<Workers>(std::move(rawWork));
        row.side(
            "raw", [&] { rawWorkers->run(); }, kEvaluations * count);
    }
    row.note("time of all threads, over the evaluations of all; " + std::to_string(queues) +
             " queues");
    suite.measure(row);
    for (const auto& each : kompute)
        each->verify(row.calls("kompute") * kEvaluations);
    for (const auto& each : raw)
        each->verify(row.calls("raw") * kEvaluations);
}

} // namespace

void addConcurrency(Suite& suite) {
    suite.add("concurrency/pipelined_sequences", "upload, compute, download: three queues",
              [](Suite& s, Row& row) { sequencesPipelined(s, row, Suite::Families::eFirst); });
    if (suite.hasSecondFamily())
        suite.add("concurrency/pipelined_families", "upload, compute, download: two families",
                  [](Suite& s, Row& row) { sequencesPipelined(s, row, Suite::Families::eTwo); });
    suite.add("concurrency/pipelined_threads", "upload, compute, download: three threads",
              threadsPipelined);
    for (const uint32_t count : {1, 2, 4, 8})
        suite.add("concurrency/threads_" + std::to_string(count),
                  std::to_string(count) + (count == 1 ? " thread" : " threads") +
                      " evaluating, each evaluation",
                  [=](Suite& s, Row& row) { threads(s, row, count, false); });
    for (const uint32_t count : {2, 4})
        suite.add("concurrency/threads_" + std::to_string(count) + "_queues",
                  std::to_string(count) + " threads, a queue each, each evaluation",
                  [=](Suite& s, Row& row) { threads(s, row, count, true); });
}

} // namespace kp::benchmark

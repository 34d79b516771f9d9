// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <thread>

#include "cuda/Gpu.hpp"

namespace kp::cuda {

/// A stand-in for a GPU with CUDA, for tests on machines without one (KOMPUTE_CUDA=host): its
/// memory is the host's, and each stream is a thread. Every number names a stream except
/// kForeignStream, which belongs to "another device".
class HostGpu final : public Gpu {
public:
    static constexpr uintptr_t kForeignStream = 0xBAD;

    static const std::shared_ptr<HostGpu>& instance(); ///< of KOMPUTE_CUDA=host
    HostGpu() = default;
    ~HostGpu() override;

    /// Lets the next call of this function ("allocate", "import", "signal", "wait", "copy") throw
    /// Unsupported, or OutOfMemory ("allocate").
    void failNext(std::string function);
    /// Adds a function to a stream, as a kernel.
    void run(Stream stream, std::function<void()> function);
    void synchronize(Stream stream); ///< waits for the work of a stream

    int ordinal() const override { return 0; }
    bool importsExported() const override { return false; }
    int deviceOf(uint64_t address) const override;
    uint64_t streamId(Stream stream) override;
    std::unique_ptr<Region> allocate(uint64_t bytes) override;
    std::unique_ptr<Semaphore> import(const vulkan::SharedSemaphore& semaphore) override;
    Stream makeStream() override;
    bool idle(Stream stream) override;
    void signal(Semaphore& semaphore, uint64_t value, Stream stream) override;
    void wait(Semaphore& semaphore, uint64_t value, Stream stream) override;
    void copy(uint64_t to, uint64_t from, uint64_t bytes, Stream stream) override;
    std::unique_ptr<Mark> mark() override;

private:
    /// A thread that runs functions one after the other.
    class Worker {
    public:
        ~Worker();
        void add(std::function<void()> function);
        uint64_t added();
        bool done(uint64_t count);
        void waitFor(uint64_t count);

    private:
        void work();
        std::mutex mMutex;
        std::condition_variable mChanged;
        std::deque<std::function<void()>> mFunctions;
        uint64_t mAdded = 0;
        uint64_t mDone = 0;
        bool mEnds = false;
        std::thread mThread;
    };
    class HostMark;

    Worker& worker(Stream stream);
    template <typename Error>
    void failIfAsked(const char* function);

    std::mutex mMutex; ///< guards the members below
    std::map<Stream, Worker> mWorkers;
    std::string mFailing;
    uintptr_t mStreams = 1000;
};

} // namespace kp::cuda

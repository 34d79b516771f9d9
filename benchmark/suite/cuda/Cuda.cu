// SPDX-License-Identifier: Apache-2.0
#include "Cuda.hpp"

#include <cuda_runtime.h>

#include <cstdio>
#include <stdexcept>

namespace kp::benchmark {
namespace {

void require(cudaError_t error, const char* what) {
    if (error != cudaSuccess)
        throw std::runtime_error(std::string("CUDA: ") + what + ": " + cudaGetErrorString(error));
}

__global__ void increment(uint32_t* values) {
    values[blockIdx.x * blockDim.x + threadIdx.x] += 1u;
}

__global__ void saxpy4(const float4* x, float4* y, float a, uint32_t count) {
    const uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= count)
        return;
    const float4 p = x[i];
    float4 q = y[i];
    q.x += a * p.x;
    q.y += a * p.y;
    q.z += a * p.z;
    q.w += a * p.w;
    y[i] = q;
}

__global__ void iterate(uint32_t* values, uint32_t rounds, uint32_t count) {
    const uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= count)
        return;
    uint32_t v = values[i];
    for (uint32_t r = 0; r < rounds; ++r)
        v = v * 1664525u + 1013904223u;
    values[i] = v;
}

class Memory {
public:
    explicit Memory(size_t bytes) { require(cudaMalloc(&mAddress, bytes), "cudaMalloc"); }
    ~Memory() { cudaFree(mAddress); }
    Memory(const Memory&) = delete;
    Memory& operator=(const Memory&) = delete;
    void* address() const { return mAddress; }

private:
    void* mAddress = nullptr;
};

class StreamIncrements final : public Cuda::Increments {
public:
    StreamIncrements(cudaStream_t stream, size_t buffers, const std::vector<uint32_t>& initial)
        : mStream(stream), mBytes(initial.size() * sizeof(uint32_t)) {
        for (size_t i = 0; i < buffers; ++i) {
            mBuffers.push_back(std::make_unique<Memory>(mBytes));
            require(cudaMemcpy(mBuffers.back()->address(), initial.data(), mBytes,
                               cudaMemcpyHostToDevice),
                    "cudaMemcpy");
        }
    }
    ~StreamIncrements() override { destroyGraph(); }

    void launchOnly(size_t times, bool dependent) override {
        for (size_t i = 0; i < times; ++i)
            increment<<<1, 64, 0, mStream>>>(values(dependent ? 0 : i));
        require(cudaGetLastError(), "launch");
    }
    void synchronize() override {
        require(cudaStreamSynchronize(mStream), "cudaStreamSynchronize");
    }

    void makeGraph(size_t nodes, bool dependent) override {
        destroyGraph();
        require(cudaGraphCreate(&mGraph, 0), "cudaGraphCreate");
        cudaGraphNode_t last{};
        for (size_t i = 0; i < nodes; ++i) {
            uint32_t* address = values(dependent ? 0 : i);
            void* arguments[] = {&address};
            cudaKernelNodeParams parameters{};
            parameters.func = reinterpret_cast<void*>(&increment);
            parameters.gridDim = dim3(1);
            parameters.blockDim = dim3(64);
            parameters.kernelParams = arguments;
            const bool after = dependent && i > 0;
            cudaGraphNode_t node{};
            require(cudaGraphAddKernelNode(&node, mGraph, after ? &last : nullptr, after ? 1 : 0,
                                           &parameters),
                    "cudaGraphAddKernelNode");
            last = node;
        }
        require(cudaGraphInstantiate(&mExecutable, mGraph, 0), "cudaGraphInstantiate");
        require(cudaGraphUpload(mExecutable, mStream), "cudaGraphUpload");
        require(cudaStreamSynchronize(mStream), "cudaStreamSynchronize");
    }

    void launchGraph() override {
        require(cudaGraphLaunch(mExecutable, mStream), "cudaGraphLaunch");
        require(cudaStreamSynchronize(mStream), "cudaStreamSynchronize");
    }

    std::vector<uint32_t> read(size_t buffer) override {
        std::vector<uint32_t> data(mBytes / sizeof(uint32_t));
        require(cudaMemcpy(data.data(), values(buffer), mBytes, cudaMemcpyDeviceToHost),
                "cudaMemcpy");
        return data;
    }

private:
    uint32_t* values(size_t i) const { return static_cast<uint32_t*>(mBuffers[i]->address()); }
    void destroyGraph() {
        if (mExecutable)
            cudaGraphExecDestroy(mExecutable);
        if (mGraph)
            cudaGraphDestroy(mGraph);
        mExecutable = nullptr;
        mGraph = nullptr;
    }

    cudaStream_t mStream;
    size_t mBytes;
    std::vector<std::unique_ptr<Memory>> mBuffers;
    cudaGraph_t mGraph = nullptr;
    cudaGraphExec_t mExecutable = nullptr;
};

class StreamBuffer final : public Cuda::Buffer {
public:
    StreamBuffer(cudaStream_t stream, size_t bytes)
        : mStream(stream), mBytes(bytes), mMemory(bytes) {}
    void upload(const void* data) override {
        require(cudaMemcpy(address(), data, mBytes, cudaMemcpyHostToDevice), "cudaMemcpy");
        require(cudaDeviceSynchronize(), "cudaDeviceSynchronize");
    }
    void download(void* data) override {
        require(cudaMemcpy(data, address(), mBytes, cudaMemcpyDeviceToHost), "cudaMemcpy");
    }
    void copyFrom(const Cuda::Buffer& other) override {
        require(
            cudaMemcpyAsync(address(), other.address(), mBytes, cudaMemcpyDeviceToDevice, mStream),
            "cudaMemcpyAsync");
        require(cudaStreamSynchronize(mStream), "cudaStreamSynchronize");
    }
    void fill(int byte) override {
        require(cudaMemsetAsync(address(), byte, mBytes, mStream), "cudaMemsetAsync");
        require(cudaStreamSynchronize(mStream), "cudaStreamSynchronize");
    }
    void* address() const override { return mMemory.address(); }

private:
    cudaStream_t mStream;
    size_t mBytes;
    Memory mMemory;
};

class StreamPipeline final : public Cuda::Pipeline {
public:
    StreamPipeline(const void* up, void* down, size_t chunks, size_t bytesEach, size_t slots,
                   uint32_t rounds)
        : mUp(static_cast<const char*>(up)), mDown(static_cast<char*>(down)), mChunks(chunks),
          mBytes(bytesEach), mRounds(rounds) {
        for (cudaStream_t& stream : mStreams)
            require(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), "cudaStreamCreate");
        for (size_t i = 0; i < slots; ++i)
            mSlots.push_back(std::make_unique<Memory>(bytesEach));
        mEvents.resize(slots * 3);
        for (cudaEvent_t& event : mEvents)
            require(cudaEventCreateWithFlags(&event, cudaEventDisableTiming), "cudaEventCreate");
    }
    ~StreamPipeline() override {
        for (const cudaEvent_t event : mEvents)
            cudaEventDestroy(event);
        for (const cudaStream_t stream : mStreams)
            cudaStreamDestroy(stream);
    }

    void run(bool upload, bool compute, bool download) override {
        const bool all = upload && compute && download;
        for (size_t i = 0; i < mChunks; ++i) {
            const size_t slot = i % mSlots.size();
            void* memory = mSlots[slot]->address();
            if (upload) {
                if (all && i >= mSlots.size())
                    waitForStage(0, slot, 2);
                require(cudaMemcpyAsync(memory, mUp + i * mBytes, mBytes, cudaMemcpyHostToDevice,
                                        mStreams[0]),
                        "cudaMemcpyAsync");
                recordEvent(0, slot);
            }
            if (compute) {
                if (all)
                    waitForStage(1, slot, 0);
                const uint32_t count = static_cast<uint32_t>(mBytes / sizeof(uint32_t));
                iterate<<<(count + 255) / 256, 256, 0, mStreams[1]>>>(
                    static_cast<uint32_t*>(memory), mRounds, count);
                recordEvent(1, slot);
            }
            if (download) {
                if (all)
                    waitForStage(2, slot, 1);
                require(cudaMemcpyAsync(mDown + i * mBytes, memory, mBytes, cudaMemcpyDeviceToHost,
                                        mStreams[2]),
                        "cudaMemcpyAsync");
                recordEvent(2, slot);
            }
        }
        for (const cudaStream_t stream : mStreams)
            require(cudaStreamSynchronize(stream), "cudaStreamSynchronize");
    }

private:
    void recordEvent(int stage, size_t slot) {
        require(cudaEventRecord(mEvents[slot * 3 + stage], mStreams[stage]), "cudaEventRecord");
    }
    void waitForStage(int stage, size_t slot, int earlier) {
        require(cudaStreamWaitEvent(mStreams[stage], mEvents[slot * 3 + earlier], 0),
                "cudaStreamWaitEvent");
    }

    const char* mUp;
    char* mDown;
    size_t mChunks;
    size_t mBytes;
    uint32_t mRounds;
    cudaStream_t mStreams[3]{};
    std::vector<std::unique_ptr<Memory>> mSlots;
    std::vector<cudaEvent_t> mEvents;
};

class RuntimeCuda final : public Cuda {
public:
    explicit RuntimeCuda(int device) {
        require(cudaSetDevice(device), "cudaSetDevice");
        require(cudaStreamCreateWithFlags(&mStream, cudaStreamNonBlocking), "cudaStreamCreate");
    }
    ~RuntimeCuda() override { cudaStreamDestroy(mStream); }

    std::string version() const override {
        int runtime = 0;
        int driver = 0;
        cudaRuntimeGetVersion(&runtime);
        cudaDriverGetVersion(&driver);
        const auto text = [](int value) {
            return std::to_string(value / 1000) + "." + std::to_string(value % 1000 / 10);
        };
        return "CUDA " + text(runtime) + ", driver for CUDA " + text(driver);
    }

    std::unique_ptr<Increments> increments(size_t buffers,
                                           const std::vector<uint32_t>& initial) override {
        return std::make_unique<StreamIncrements>(mStream, buffers, initial);
    }
    std::unique_ptr<Buffer> buffer(size_t bytes) override {
        return std::make_unique<StreamBuffer>(mStream, bytes);
    }
    void saxpy(const Buffer& x, Buffer& y, size_t floats, float a, int times) override {
        const uint32_t count = static_cast<uint32_t>(floats / 4);
        for (int i = 0; i < times; ++i)
            saxpy4<<<(count + 255) / 256, 256, 0, mStream>>>(
                static_cast<const float4*>(x.address()), static_cast<float4*>(y.address()), a,
                count);
        require(cudaGetLastError(), "launch");
        require(cudaStreamSynchronize(mStream), "cudaStreamSynchronize");
    }
    std::shared_ptr<void> pinned(size_t bytes) override {
        void* address = nullptr;
        require(cudaMallocHost(&address, bytes), "cudaMallocHost");
        return {address, [](void* memory) { cudaFreeHost(memory); }};
    }
    void allocateAndFree(size_t count, size_t bytes) override {
        std::vector<void*> made(count);
        for (void*& address : made)
            require(cudaMalloc(&address, bytes), "cudaMalloc");
        for (void* address : made)
            require(cudaFree(address), "cudaFree");
    }
    std::unique_ptr<Pipeline> pipeline(const void* up, void* down, size_t chunks, size_t bytesEach,
                                       size_t slots, uint32_t rounds) override {
        return std::make_unique<StreamPipeline>(up, down, chunks, bytesEach, slots, rounds);
    }

private:
    cudaStream_t mStream = nullptr;
};

std::string uuidOf(const cudaDeviceProp& properties) {
    std::string text;
    for (int i = 0; i < 16; ++i) {
        char two[3];
        std::snprintf(two, sizeof two, "%02x",
                      static_cast<unsigned char>(properties.uuid.bytes[i]));
        text += two;
    }
    return text;
}

} // namespace

std::unique_ptr<Cuda> Cuda::create(const std::string& uuid, std::string& why) {
    std::string wanted;
    for (const char c : uuid)
        if (c != '-')
            wanted += c;
    int count = 0;
    const cudaError_t error = cudaGetDeviceCount(&count);
    if (error != cudaSuccess || count == 0) {
        why = error == cudaSuccess ? "no CUDA device" : cudaGetErrorString(error);
        return nullptr;
    }
    try {
        for (int i = 0; i < count; ++i) {
            cudaDeviceProp properties{};
            require(cudaGetDeviceProperties(&properties, i), "cudaGetDeviceProperties");
            if (uuidOf(properties) == wanted)
                return std::make_unique<RuntimeCuda>(i);
        }
    } catch (const std::exception& failure) {
        why = failure.what();
        return nullptr;
    }
    why = "CUDA does not list the Vulkan device";
    return nullptr;
}

} // namespace kp::benchmark

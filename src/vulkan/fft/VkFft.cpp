// SPDX-License-Identifier: Apache-2.0
#include "vulkan/fft/VkFft.hpp"

#include <kompute/Error.hpp>

#include "base/Text.hpp"

#ifdef KOMPUTE_HAS_VKFFT

// What VkFFT includes, so that it can be included in a namespace.
#include <cinttypes>
#include <clocale>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory.h>

#include <algorithm>
#include <memory>

#define VK_NO_PROTOTYPES
#include "vulkan/fft/VkFftTrace.hpp"

namespace kp::vulkan {
namespace {

#define vkAllocateCommandBuffers trace::allocateCommandBuffers
#define vkAllocateDescriptorSets trace::allocateDescriptorSets
#define vkAllocateMemory trace::allocateMemory
#define vkBeginCommandBuffer(...) VK_SUCCESS
#define vkBindBufferMemory trace::bindBufferMemory
#define vkCmdBindDescriptorSets trace::cmdBindDescriptorSets
#define vkCmdBindPipeline trace::cmdBindPipeline
#define vkCmdCopyBuffer trace::cmdCopyBuffer
#define vkCmdDispatch trace::cmdDispatch
#define vkCmdPipelineBarrier trace::cmdPipelineBarrier
#define vkCmdPushConstants trace::cmdPushConstants
#define vkCreateBuffer trace::createBuffer
#define vkCreateComputePipelines trace::createComputePipelines
#define vkCreateDescriptorPool trace::create
#define vkCreateDescriptorSetLayout trace::create
#define vkCreatePipelineLayout trace::create
#define vkCreateShaderModule trace::createShaderModule
#define vkDestroyBuffer trace::destroy
#define vkDestroyDescriptorPool trace::destroy
#define vkDestroyDescriptorSetLayout trace::destroy
#define vkDestroyPipeline trace::destroy
#define vkDestroyPipelineLayout trace::destroy
#define vkDestroyShaderModule trace::destroy
#define vkEndCommandBuffer(...) VK_SUCCESS
#define vkFreeCommandBuffers(...) void()
#define vkFreeMemory trace::freeMemory
#define vkGetBufferMemoryRequirements trace::getBufferMemoryRequirements
#define vkGetPhysicalDeviceMemoryProperties trace::getPhysicalDeviceMemoryProperties
#define vkGetPhysicalDeviceProperties trace::getPhysicalDeviceProperties
#define vkMapMemory trace::mapMemory
#define vkQueueSubmit trace::queueSubmit
#define vkResetFences(...) VK_SUCCESS
#define vkUnmapMemory(...) void()
#define vkUpdateDescriptorSets trace::updateDescriptorSets
#define vkWaitForFences(...) VK_SUCCESS

#if !__has_include(<vkFFT/vkFFT_Structs/vkFFT_Structs.h>)
// VkFFT before 1.3 names no members of these, whose number differs between versions of glslang.
#define glslang_input_t trace::Input
#define glslang_resource_t trace::Resources
#endif
#define glslang_shader_t trace::Shader
#define glslang_program_t trace::Program
#define glslang_initialize_process() 1
#define glslang_finalize_process() void()
#define glslang_shader_create trace::shaderCreate
#define glslang_shader_preprocess(...) 1
#define glslang_shader_parse(...) 1
#define glslang_shader_get_info_log(...) ""
#define glslang_shader_get_info_debug_log(...) ""
#define glslang_shader_delete(shader) delete (shader)
#define glslang_program_create() new trace::Program
#define glslang_program_add_shader trace::programAddShader
#define glslang_program_link(...) 1
#define glslang_program_get_info_log(...) ""
#define glslang_program_get_info_debug_log(...) ""
#define glslang_program_SPIRV_generate(...) void()
#define glslang_program_SPIRV_get_messages(...) static_cast<const char*>(nullptr)
#define glslang_program_SPIRV_get_ptr trace::programGetPointer
#define glslang_program_SPIRV_get_size(program) (program)->words.size()
#define glslang_program_delete(program) delete (program)

#define setlocale(...) static_cast<char*>(nullptr) // of the process; see PlainNumbers
#define VKFFT_BACKEND 0
#include <vkFFT.h>
#undef setlocale

/// Lets VkFFT print numbers with a point in any locale.
class PlainNumbers {
public:
#ifdef _WIN32
    PlainNumbers() : mOfThread(_configthreadlocale(_ENABLE_PER_THREAD_LOCALE)) {
        mBefore = setlocale(LC_NUMERIC, nullptr);
        setlocale(LC_NUMERIC, "C");
    }
    ~PlainNumbers() {
        setlocale(LC_NUMERIC, mBefore.c_str());
        _configthreadlocale(mOfThread);
    }
#else
    PlainNumbers() : mPlain(newlocale(LC_ALL_MASK, "C", nullptr)) {
        if (!mPlain)
            throw OutOfMemory("there is no memory for a locale");
        mBefore = uselocale(mPlain);
    }
    ~PlainNumbers() {
        uselocale(mBefore);
        freelocale(mPlain);
    }
#endif
    PlainNumbers(const PlainNumbers&) = delete;
    PlainNumbers& operator=(const PlainNumbers&) = delete;

private:
#ifdef _WIN32
    int mOfThread;
    std::string mBefore;
#else
    locale_t mPlain;
    locale_t mBefore;
#endif
};

uint64_t bytesOfReal(FftRequest::Precision precision) {
    switch (precision) {
    case FftRequest::Precision::eHalf:
        return 2;
    case FftRequest::Precision::eSingle:
        return 4;
    default:
        return 8;
    }
}

/// Sets the elements from row to row, array to array and batch to batch.
template <size_t N>
void setStrides(uint64_t (&strides)[N], uint64_t row, const std::vector<uint64_t>& extents) {
    strides[0] = row;
    for (size_t i = 1; i < N; ++i)
        strides[i] = strides[i - 1] * (i < extents.size() ? extents[extents.size() - 1 - i] : 1);
}

/// The handles and sizes that a VkFFTConfiguration points to.
struct Handles {
    VkPhysicalDevice physicalDevice;
    VkDevice device;
    VkQueue queue;
    VkCommandPool pool = trace::handleOf<VkCommandPool>(1);
    VkFence fence = trace::handleOf<VkFence>(1);
    VkBuffer input = trace::handleOf<VkBuffer>(FftProgram::kInput + 1);
    VkBuffer output = trace::handleOf<VkBuffer>(FftProgram::kOutput + 1);
    VkBuffer work = output; ///< holds values between the axes
    uint64_t inputBytes = 0;
    uint64_t outputBytes = 0;
    uint64_t workBytes = 0;

    explicit Handles(trace::Plan& plan)
        : physicalDevice(reinterpret_cast<VkPhysicalDevice>(&plan)),
          device(reinterpret_cast<VkDevice>(&plan)), queue(reinterpret_cast<VkQueue>(&plan)) {}
};

/// Holds values between the axes if neither input nor output can.
constexpr uint32_t kWork = 2;

VkFFTConfiguration configurationOf(const FftRequest& request, Handles& handles, trace::Plan& plan) {
    const std::vector<uint64_t>& extents = request.extents;
    VkFFTConfiguration configuration = {};
    configuration.FFTdim = extents.size();
    uint64_t rows = request.batches;
    for (size_t i = 0; i < extents.size(); ++i) {
        configuration.size[i] = extents[extents.size() - 1 - i];
        if (i > 0)
            rows *= configuration.size[i];
    }
    configuration.numberBatches = request.batches;
    configuration.physicalDevice = &handles.physicalDevice;
    configuration.device = &handles.device;
    configuration.queue = &handles.queue;
    configuration.commandPool = &handles.pool;
    configuration.fence = &handles.fence;
    configuration.isCompilerInitialized = 1;
    configuration.doublePrecision = request.precision == FftRequest::Precision::eDouble;
    configuration.halfPrecision = request.precision == FftRequest::Precision::eHalf;
    configuration.performR2C = request.real;
    // Two rows at once would share NaN and infinity, and the rounding errors of the larger one.
    configuration.disableMergeSequencesR2C = request.real;
    configuration.normalize = request.normalized;
    configuration.makeForwardPlanOnly = !request.inverse;
    configuration.makeInversePlanOnly = request.inverse;
    // Tables of sines and cosines: a GPU's own functions have fewer correct bits.
    configuration.useLUT = 1;
#if __has_include(<vkFFT/vkFFT_Structs/vkFFT_Structs.h>)
    // Rader's algorithm by convolution reads tables back from the device while it plans. Without
    // it, Bluestein's takes such primes.
    configuration.fixMinRaderPrimeFFT = 17;
    configuration.fixMaxRaderPrimeFFT = 17;
#endif

    const uint64_t bytes = bytesOfReal(request.precision);
    const uint64_t length = extents.back();
    const uint64_t spectrum = request.real ? length / 2 + 1 : length; // complex numbers of a row
    const uint64_t spectrumBytes = rows * spectrum * 2 * bytes;
    const uint64_t realBytes = rows * length * bytes;
    setStrides(configuration.bufferStride, spectrum, extents);
    handles.workBytes = spectrumBytes;
    handles.inputBytes = spectrumBytes;
    handles.outputBytes = spectrumBytes;
    if (!request.inPlace) {
        const bool fromReal = request.real && !request.inverse;
        configuration.isInputFormatted = 1;
        setStrides(configuration.inputBufferStride, fromReal ? length : spectrum, extents);
        if (fromReal)
            handles.inputBytes = realBytes;
        if (request.real && request.inverse) {
            // The output is too small for half spectra.
            configuration.isOutputFormatted = 1;
            setStrides(configuration.outputBufferStride, length, extents);
            handles.outputBytes = realBytes;
            plan.program.memoryBytes.resize(kWork + 1);
            handles.work = trace::handleOf<VkBuffer>(kWork + 1);
            plan.program.memoryBytes[kWork] = spectrumBytes;
        }
    }
    plan.program.memoryBytes[FftProgram::kInput] = handles.inputBytes;
    plan.program.memoryBytes[FftProgram::kOutput] = handles.outputBytes;
    configuration.bufferSize = &handles.workBytes;
    if (configuration.isInputFormatted)
        configuration.inputBufferSize = &handles.inputBytes;
    if (configuration.isOutputFormatted)
        configuration.outputBufferSize = &handles.outputBytes;
    return configuration;
}

/// Where an inverse transform of real numbers takes several passes for a row, VkFFT 1.2 reads the
/// work buffer first and never the input. Both have the same layout.
void readInputFirst(FftProgram& program) {
    bool written = false;
    for (FftProgram::Dispatch& step : program.steps) {
        for (FftProgram::Binding& binding : step.bindings)
            if (binding.memory == kWork && !binding.writes && !written)
                binding.memory = FftProgram::kInput;
        for (const FftProgram::Binding& binding : step.bindings)
            written = written || (binding.memory == kWork && binding.writes);
    }
}

/// @return false if VkFFT has no method for the extents
bool requireSuccess(VkFFTResult result) {
    switch (result) {
    case VKFFT_SUCCESS:
        return true;
    case VKFFT_ERROR_MALLOC_FAILED:
        throw OutOfMemory("there is no memory to plan a Fourier transform");
    case VKFFT_ERROR_UNSUPPORTED_RADIX:
    case VKFFT_ERROR_UNSUPPORTED_FFT_LENGTH:
    case VKFFT_ERROR_UNSUPPORTED_FFT_LENGTH_R2C:
        return false;
    default:
        fail<Unsupported>("VkFFT cannot plan this Fourier transform; its error is {}",
                          static_cast<int>(result));
    }
}

} // namespace

bool hasVkFft() {
    return true;
}

FftProgram planVkFft(const FftRequest& request, const FftLimits& limits) {
    const PlainNumbers plain;
    trace::Plan plan;
    plan.limits = limits;
    plan.program.memoryBytes.resize(2);
    Handles handles(plan);
    const VkFFTConfiguration configuration = configurationOf(request, handles, plan);
    const auto application = std::make_unique<VkFFTApplication>();
    if (!requireSuccess(initializeVkFFT(application.get(), configuration)))
        return {};

    trace::Commands& commands = plan.commands.emplace_back();
    commands.plan = &plan;
    auto buffer = reinterpret_cast<VkCommandBuffer>(&commands);
    VkFFTLaunchParams launch = {};
    launch.commandBuffer = &buffer;
    // Not with the configuration: VkFFT would then bind its tables before it has created them.
    launch.buffer = &handles.work;
    if (configuration.isInputFormatted)
        launch.inputBuffer = &handles.input;
    if (configuration.isOutputFormatted)
        launch.outputBuffer = &handles.output;
    const VkFFTResult result = VkFFTAppend(application.get(), request.inverse ? 1 : -1, &launch);
    deleteVkFFT(application.get());
    if (!requireSuccess(result))
        return {};
    if (plan.readsBack)
        fail<Unsupported>("this version of VkFFT ({}) reads from the device while it plans arrays "
                          "of {}; choose other extents",
                          VkFFTGetVersion(), join(request.extents));
    for (auto& step : commands.steps)
        plan.program.steps.push_back(std::move(std::get<FftProgram::Dispatch>(step)));
    if (handles.work != handles.output)
        readInputFirst(plan.program);
    return std::move(plan.program);
}

} // namespace kp::vulkan

#else

namespace kp::vulkan {

bool hasVkFft() {
    return false;
}

FftProgram planVkFft(const FftRequest&, const FftLimits&) {
    fail<Unsupported>("this build of Kompute has no Fourier transforms: it was configured with "
                      "KOMPUTE_OPT_FFT=OFF, or without VkFFT");
}

} // namespace kp::vulkan

#endif

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <string>
#include <variant>
#include <vector>

namespace kp::vulkan {

/// What of a device decides how a transform is cut into shaders.
struct FftLimits {
    uint32_t vendor = 0; ///< VkPhysicalDeviceProperties::vendorID
    bool isCpu = false;
    bool int64 = false; ///< shaders may have 64-bit integers
    uint32_t maxGroupInvocations = 0;
    std::array<uint32_t, 3> maxGroupSize{};
    std::array<uint32_t, 3> maxGroupCount{};
    uint32_t sharedBytes = 0;         ///< per work group
    uint32_t maxBuffers = UINT32_MAX; ///< that a shader may bind

    auto operator<=>(const FftLimits&) const = default;
};

/// A Fourier transform of dense arrays.
struct FftRequest {
    enum class Precision { eHalf, eSingle, eDouble };

    /// One to three, with neighbouring elements along the last. The last is at least 2.
    std::vector<uint64_t> extents;
    uint64_t batches = 1; ///< arrays, one after the other
    Precision precision = Precision::eSingle;
    /// Between real numbers and half spectra, rows of last extent / 2 + 1 complex numbers.
    /// Otherwise between complex numbers.
    bool real = false;
    bool inverse = false;
    bool normalized = false; ///< an inverse transform divides by the product of the extents
    /// The output is the input. Rows of real numbers then have room for their half spectra.
    bool inPlace = false;

    auto operator<=>(const FftRequest&) const = default;
};

/// A transform as data: compute shaders, and how they are dispatched over memories.
struct FftProgram {
    static constexpr uint32_t kInput = 0;
    static constexpr uint32_t kOutput = 1; ///< also of a transform in place

    struct Binding {
        uint32_t memory = 0;
        uint64_t offset = 0; ///< bytes
        uint64_t bytes = 0;
        bool writes = false; ///< only writes; otherwise only reads
    };
    struct Dispatch {
        uint32_t kernel = 0;
        std::vector<Binding> bindings; ///< of 0, 1, ...: storage buffers in set 0
        std::vector<uint32_t> push;
        std::array<uint32_t, 3> groups{};
    };
    struct Upload {
        uint32_t memory = 0;
        std::vector<std::byte> bytes;
        uint64_t offset = 0; ///< bytes, from the memory's start
    };

    std::vector<std::string> kernels;  ///< GLSL, with literal work group sizes
    std::vector<uint64_t> memoryBytes; ///< of each memory; others than input and output are scratch
    /// Makes the contents of memories that the steps only read: once, in this order.
    std::vector<std::variant<Upload, Dispatch>> setup;
    std::vector<Dispatch> steps; ///< in order, each after the writes of the ones before

    /// Returns true if the setup writes the memory, so that its contents are constant.
    bool isConstant(uint32_t memory) const;
};

} // namespace kp::vulkan

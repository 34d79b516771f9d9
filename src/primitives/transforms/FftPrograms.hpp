// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "primitives/plan/BoundPlan.hpp"
#include "primitives/plan/DeviceTraits.hpp"
#include "primitives/plan/Plan.hpp"
#include "vulkan/fft/FftProgram.hpp"

namespace kp::primitives {

/// Device properties that plans of Fourier transforms depend on. Pure data, so that tests can
/// invent devices.
struct FftTraits {
    DeviceTraits device;
    vulkan::FftLimits limits;
    uint64_t maxRange = 0;  ///< bytes of a storage buffer that VkFFT's shaders access
    uint64_t alignment = 1; ///< bytes, of their views

    static FftTraits of(const vulkan::Device& device);
};

/// Returns FftTraits::alignment of a device.
uint64_t fftAlignment(const vulkan::Device& device);

/// The programs, of VkFFT or the library's own, that a plan consists of. A program's constants
/// (tables of sines and cosines, spectra of chirps) are arguments of the plan, after the
/// primitive's own.
class FftPrograms {
public:
    /// Part of a memory of a plan, from an aligned address on.
    struct Place {
        uint32_t memory = 0;
        uint64_t offset = 0; ///< bytes
    };

    explicit FftPrograms(const FftTraits& traits) : mTraits(traits) {}

    /// Plans a transform, or reuses the plan of an equal one.
    /// @return the program's number; kNone if VkFFT has no method for it
    /// @throws as vulkan::planVkFft()
    size_t add(const vulkan::FftRequest& request);
    static constexpr size_t kNone = SIZE_MAX;

    /// Returns the bytes of the largest memory that the steps of a program bind.
    uint64_t largestMemory(size_t program) const;
    /// Returns the number of arguments for constants of all programs.
    uint32_t constantCount() const;

    /// Appends the steps of a program.
    /// @param firstConstant  the argument of the first program's first constant
    void append(Plan& plan, size_t program, const Place& in, const Place& out,
                uint32_t firstConstant);

    /// Returns the constants on a device, in the order of the arguments. The first transform of
    /// its kind makes them, and waits for the device.
    PreparedPlan::Buffers constants(const std::shared_ptr<vulkan::Device>& device) const;

private:
    struct Entry {
        vulkan::FftRequest request;
        std::shared_ptr<const vulkan::FftProgram> program;
        std::vector<uint32_t> constants; ///< memories that steps bind
        uint32_t firstConstant = 0;      ///< among all
        // Of the plan, once it is appended.
        std::vector<uint32_t> kernels;
        std::vector<uint32_t> scratch; ///< by memory; 0: none
    };

    vulkan::FftLimits limitsFor(const vulkan::FftRequest& request) const;

    const FftTraits mTraits;
    std::vector<Entry> mEntries;
};

} // namespace kp::primitives

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include <kompute/Kompute.hpp>

namespace kp::proof {

/// How an evaluation uses a memory object first.
enum class Use { eInPart, eReplaces };

/// A tensor or an image of 32-bit unsigned integers, and what its device memory and its host mirror
/// must contain.
struct MemoryModel {
    std::shared_ptr<kp::Memory> memory;
    bool image = false;
    bool mirrored = false;
    bool copied = false;      ///< a copy or fill wrote the device memory
    bool written = false;     ///< anything wrote it
    bool changed = false;     ///< setData() changed the mirror
    bool viewGiven = false;   ///< a pointer to it was handed out
    bool syncsDevice = false; ///< a program recorded the operation
    bool syncsLocal = false;
    std::vector<uint32_t> device;
    std::vector<uint32_t> mirror;

    void agree() { copied = written = changed = viewGiven = false; }
    void fetch() {
        mirror = device;
        agree();
    }
    /// Models an access to the host view.
    void look() {
        if (copied || (written && !changed))
            fetch();
    }
    /// Models the first step of a submission that uses the memory.
    void bringToDevice() {
        const bool viewCounts = viewGiven && !written && !syncsDevice && !syncsLocal;
        if (mirrored && (changed ? !syncsDevice : viewCounts)) {
            device = mirror;
            agree();
        }
    }
    void prepareFor(Use use) {
        if (use != Use::eReplaces)
            bringToDevice();
        else
            changed = viewGiven = false;
    }
};

} // namespace kp::proof

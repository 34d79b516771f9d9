// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <random>
#include <vector>

#include <kompute/Kompute.hpp>

namespace kp::proof {

/// Random numbers of a program, the same on every platform for the same seed.
class Random {
public:
    Random(uint64_t seed, uint64_t number) {
        std::seed_seq seeds{static_cast<uint32_t>(seed), static_cast<uint32_t>(seed >> 32),
                            static_cast<uint32_t>(number), static_cast<uint32_t>(number >> 32)};
        mEngine.seed(seeds);
    }

    uint32_t word() { return static_cast<uint32_t>(mEngine()); }
    /// Returns a number from 0 to @p limit - 1.
    uint32_t below(size_t limit) { return word() % static_cast<uint32_t>(limit); }
    bool chance(uint32_t in) { return below(in) == 0; }
    std::vector<uint32_t> words(size_t count) {
        std::vector<uint32_t> values(count);
        for (uint32_t& value : values)
            value = word();
        return values;
    }

private:
    std::mt19937 mEngine;
};

/// How an evaluation uses a memory object first.
enum class Use { eReads, eWrites, eReplaces };

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
    /// What an access to the host view does.
    void look() {
        if (copied || (written && !changed))
            fetch();
    }
    /// What a submission that uses the memory does first.
    void bringToDevice(bool reads) {
        const bool viewCounts = viewGiven && reads && !written && !syncsDevice && !syncsLocal;
        if (mirrored && (changed ? !syncsDevice : viewCounts)) {
            device = mirror;
            agree();
        }
    }
    void prepareFor(Use use) {
        if (use != Use::eReplaces)
            bringToDevice(use == Use::eReads);
        else
            changed = viewGiven = false;
    }
};

} // namespace kp::proof

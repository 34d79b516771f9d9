// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include <kompute/Error.hpp>

namespace kp {

/// A mistake of a shader that checked mode found. Plain data.
struct CheckFault {
    /// "read", "write", "atomic" or "index" for an index out of bounds; "division" (also of
    /// remainders), "shift", "overflow", "nan" for NaN or infinity made of numbers, "steps" for a
    /// loop that does not end, "race", "uninitialised" for a read of memory that was
    /// never written, or "assert".
    std::string kind;
    std::string file;  ///< of the source; "" if the shader has no line information
    uint32_t line = 0; ///< starts at 1; 0 means unknown
    std::string text;  ///< of the source line; "" if unknown
    /// Of assertions, races, non-finite results, unwritten memory and buffer addresses; else "".
    std::string message;
    /// The shader's name of the indexed object, such as "particles.items"; "" if unknown.
    std::string target;
    std::string memory;  ///< the binding and its object, or the kind of memory
    int64_t index = 0;   ///< or the divisor, the shift, the exact result or the address
    uint64_t extent = 0; ///< elements, or the width of a shift in bits
    std::string value;   ///< that should have been written; "" if unknown
    std::array<uint32_t, 3> globalInvocation{};
    std::array<uint32_t, 3> localInvocation{};
    std::string algorithm; ///< Algorithm::setName(), or the launcher's name; "" without one
    /// All indices of an element of an array with axes, and the array's shape; empty for others.
    /// `index` is the first that is not below its extent.
    std::vector<int64_t> indices;
    std::vector<uint64_t> shape;
};

/// Thrown by waits for work whose shaders made mistakes, in checked mode (AlgorithmOptions::check).
/// The accesses were skipped, so other memory is intact.
class KOMPUTE_API CheckFailed : public Error {
public:
    /// @param faults  at least one
    /// @param count   of all faults; the others were not kept
    CheckFailed(std::vector<CheckFault> faults, uint64_t count);
    ~CheckFailed() override;

    /// The first faults, one from each place in the shader before repeats.
    const std::vector<CheckFault>& faults() const noexcept { return mFaults; }
    uint64_t count() const noexcept { return mCount; } ///< of all faults

private:
    std::vector<CheckFault> mFaults;
    uint64_t mCount;
};

/// Turns checked mode on or off for everything that this thread compiles and builds while the scope
/// exists, unless AlgorithmOptions::check or ManagerOptions::check decides.
class KOMPUTE_API CheckScope {
public:
    /// @param checks  as AlgorithmOptions::check
    /// @throws InvalidArgument for an unknown word
    explicit CheckScope(const std::string& checks = "1");
    ~CheckScope();
    CheckScope(const CheckScope&) = delete;
    CheckScope& operator=(const CheckScope&) = delete;

private:
    struct State;
    std::unique_ptr<State> mState;
};

/// Returns the checks that are on in this thread without other options, as
/// AlgorithmOptions::check; "" if there are none.
KOMPUTE_API std::string currentChecks();

} // namespace kp

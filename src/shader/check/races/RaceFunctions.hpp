// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "shader/check/CheckContext.hpp"

namespace kp::shader {

/// How an access touches memory.
enum class AccessKind : uint32_t { eRead, eWrite, eAtomic };

/// Functions that note an access of a number in the shadow buffer, and report it if another
/// invocation's access to the number is not ordered with it.
///
/// The shadow of a number has who wrote it last, who has read it, and a hash of the value written.
/// Who is an invocation's index in its group, with the number of barriers that it has passed, and
/// the group. Two accesses of one group are ordered by a barrier between them; accesses of two
/// groups never are. Writes of the same value by several invocations are allowed. Invocations run
/// the same instruction at once, so writers exchange the words: each sees the one before it.
class RaceFunctions {
public:
    /// @param context      must outlive this
    /// @param bySubgroups  invocations of a subgroup are ordered, and count as one
    RaceFunctions(CheckContext& context, bool bySubgroups)
        : mContext(context), mBySubgroups(bySubgroups) {}
    bool bySubgroups() const { return mBySubgroups; }

    /// Returns the function for shared memory. Its parameters are words: site, number, index to
    /// report, and the value written.
    /// @param initialised  the memory has contents when the group begins
    uint32_t ofShared(AccessKind kind, bool initialised);
    /// Returns the function for buffers. It has the parameters of ofShared(), and a place in
    /// CheckedModule::shadowed.
    uint32_t ofBuffers(AccessKind kind);
    /// Returns the variable that counts barriers.
    uint32_t barriers();

private:
    /// Who accessed a number.
    struct Party {
        uint32_t who = 0;
        uint32_t group = 0;
    };

    /// Returns the function of both. Its parameters are site, first number in the shadow buffer,
    /// count of numbers there, number, index to report, and value.
    /// @param initialised  the memory has contents before the first write
    uint32_t common(AccessKind kind, bool initialised);
    void note(FunctionWriter& code, AccessKind kind, bool initialised, uint32_t passed);
    void reportUnwritten(FunctionWriter& code, const Party& writer);
    void noteRead(FunctionWriter& code, const Party& me);
    uint32_t group(FunctionWriter& code);
    uint32_t place(FunctionWriter& code, uint32_t word);
    uint32_t load(FunctionWriter& code, uint32_t word);
    uint32_t exchange(FunctionWriter& code, uint32_t word, uint32_t value);
    /// Returns a hash of the value of a write, with the number of barriers passed; never 0.
    uint32_t hash(FunctionWriter& code, uint32_t passed);
    void reportOther(FunctionWriter& code, const Party& other, uint32_t kind);
    uint32_t constant(uint32_t value) { return mContext.editor.uintConstant(value); }

    CheckContext& mContext;
    const bool mBySubgroups;
    uint32_t mBarriers = 0;
    uint32_t mShadow = 0; ///< the buffer
    uint32_t mBegin = 0;  ///< of the number's shadow, in the function that is being written
};

} // namespace kp::shader

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

#include <kompute/shader/Reflection.hpp>

namespace kp::shader {

/// Copies the numbers of a member, which follow each other without gaps, to their places in it.
/// @param axes  of the layout; see Member::axes
/// @param type     of one number
/// @param numbers  as many as the axes have
/// @param member   the bytes of the member in its block
/// @throws ShaderError if the axes reach beyond the member
void placeNumbers(std::span<const MemberAxis> axes, ScalarType type, const unsigned char* numbers,
                  std::span<unsigned char> member);

/// Returns the bytes of an element of a buffer that hold numbers: all but the padding of vectors,
/// matrices and structs. 0 if they are not known.
uint64_t usedBytes(const Binding& binding);

} // namespace kp::shader

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <initializer_list>
#include <memory>
#include <type_traits>
#include <utility>
#include <vector>

#include <kompute/Memory.hpp>

namespace kp {

/// Memory objects as an argument: a braced list, or any range of shared pointers to
/// Memory or to a class derived from it.
///
///     manager.algorithm({a, b}, spirv);
///     std::vector<std::shared_ptr<kp::Tensor>> tensors{a, b};
///     manager.algorithm(tensors, spirv);
///
/// Algorithms compare element types and sizes of tensors with the shader's declarations;
/// kp::reinterpreted() switches this check off.
class MemoryObjects {
    template <typename Range>
    using EnableForRange =
        std::enable_if_t<std::is_convertible<decltype(*std::begin(std::declval<const Range&>())),
                                             std::shared_ptr<Memory>>::value &&
                         !std::is_same<Range, MemoryObjects>::value>;

public:
    MemoryObjects() = default;
    MemoryObjects(std::initializer_list<std::shared_ptr<Memory>> objects) : mObjects(objects) {}
    MemoryObjects(std::vector<std::shared_ptr<Memory>> objects) : mObjects(std::move(objects)) {}
    template <typename Range, typename = EnableForRange<Range>>
    MemoryObjects(const Range& objects) : mObjects(std::begin(objects), std::end(objects)) {}

    const std::vector<std::shared_ptr<Memory>>& get() const& { return mObjects; }
    std::vector<std::shared_ptr<Memory>> get() && { return std::move(mObjects); }
    /// Returns true if a shader may reinterpret the elements as another type.
    bool areReinterpreted() const { return mReinterpreted; }

private:
    friend MemoryObjects reinterpreted(MemoryObjects objects);

    std::vector<std::shared_ptr<Memory>> mObjects;
    bool mReinterpreted = false;
};

/// Lets a shader reinterpret the elements of tensors as another type, for instance bytes as parts
/// of a uint, or floats as bits:
///
///     manager.algorithm(kp::reinterpreted({bytes, words}), spirv);
///
/// Element sizes may then differ from the shader's, too, such as floats with the padding of a
/// vec3 among them. Kinds (buffer or image) and fixed sizes are still checked.
inline MemoryObjects reinterpreted(MemoryObjects objects) {
    objects.mReinterpreted = true;
    return objects;
}

} // namespace kp

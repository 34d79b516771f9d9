// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <initializer_list>
#include <memory>
#include <type_traits>
#include <utility>
#include <vector>

#include <kompute/Memory.hpp>

namespace kp {

/// The memory objects that a function takes: a braced list, or any range of shared pointers to
/// Memory or to a class derived from it.
///
///     manager.algorithm({a, b}, spirv);
///     std::vector<std::shared_ptr<kp::Tensor>> tensors{a, b};
///     manager.algorithm(tensors, spirv);
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

private:
    std::vector<std::shared_ptr<Memory>> mObjects;
};

} // namespace kp

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

namespace kp {

/// The library's way to what is behind its public classes, which befriend it.
struct Internals {
    template <typename T>
    static const auto& pointer(const T& object) {
        return object.mImpl;
    }
};

/// Returns the implementation of a public object. Of a Manager, see ManagerImpl.hpp.
template <typename T>
auto& implOf(const T& object) {
    return *Internals::pointer(object);
}

/// Same, for objects that share their implementation with others.
template <typename T>
const auto& sharedImplOf(const T& object) {
    return Internals::pointer(object);
}

} // namespace kp

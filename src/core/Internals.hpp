// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <utility>

namespace kp {

/// The library's access to the implementations of its public classes, which befriend it.
struct Internals {
    template <typename T>
    static const auto& pointer(const T& object) {
        return object.mImpl;
    }
    template <typename T, typename... Args>
    static std::shared_ptr<T> make(Args&&... args) {
        return std::shared_ptr<T>(new T(std::forward<Args>(args)...));
    }

    /// Makes a public object, which is a handle, from its state.
    template <typename T, typename State>
    static T handle(std::shared_ptr<State> state) {
        return T(std::move(state));
    }

    // Of an Event.
    template <typename E, typename... Args>
    static E event(Args&&... args) {
        return E(std::forward<Args>(args)...);
    }
    template <typename E>
    static const auto& state(const E& event) {
        return event.mState;
    }
    template <typename E>
    static const auto& device(const E& event) {
        return event.mDevice;
    }
    template <typename E>
    static auto queue(const E& event) {
        return event.mQueue;
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

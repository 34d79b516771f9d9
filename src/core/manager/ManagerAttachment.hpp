// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace kp {

/// An object that a layer above core keeps with a manager.
class ManagerAttachment {
public:
    virtual ~ManagerAttachment() = default;
    /// Frees objects that are kept only for reuse.
    virtual void clear() noexcept = 0;
    /// Called once, before the manager's objects are destroyed.
    virtual void detach() noexcept = 0;
};

} // namespace kp

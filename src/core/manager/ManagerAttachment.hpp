// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace kp {

/// What a room above core keeps with a manager.
class ManagerAttachment {
public:
    virtual ~ManagerAttachment() = default;
    /// Drops what is kept only to be used again.
    virtual void clear() noexcept = 0;
    /// Called once, before the manager's objects are destroyed.
    virtual void detach() noexcept = 0;
};

} // namespace kp

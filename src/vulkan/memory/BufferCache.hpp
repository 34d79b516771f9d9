// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <list>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace kp::vulkan {

class Buffer;

/// Buffers with constant contents that operations share, by a name. Keeps those that were used
/// last, up to kMaxBytes. Thread-safe. Owned by its Device.
class BufferCache {
public:
    using Buffers = std::vector<std::shared_ptr<Buffer>>;

    static constexpr uint64_t kMaxBytes = uint64_t{64} << 20;

    /// Returns the buffers of a name; none if there are none.
    Buffers find(const std::string& name);
    /// Keeps buffers, whose contents are complete, unless they are larger than kMaxBytes.
    void keep(const std::string& name, Buffers buffers);
    /// Forgets all buffers. @return false if there were none
    bool clear();

    uint64_t bytes() const;

private:
    struct Entry {
        std::string name;
        Buffers buffers;
        uint64_t bytes = 0;
    };

    mutable std::mutex mMutex;
    std::list<Entry> mEntries; ///< the last used first
    uint64_t mBytes = 0;
};

} // namespace kp::vulkan

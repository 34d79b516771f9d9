// SPDX-License-Identifier: Apache-2.0
#include "operations/MemoryList.hpp"

#include <algorithm>

#include "base/Text.hpp"

namespace kp {

std::vector<std::shared_ptr<Memory>>
distinctObjects(const std::vector<std::shared_ptr<Memory>>& memObjects, const char* operation) {
    if (memObjects.empty())
        fail<InvalidArgument>("{} was given no memory objects", operation);
    std::vector<std::shared_ptr<Memory>> distinct;
    distinct.reserve(memObjects.size());
    for (const std::shared_ptr<Memory>& memory : memObjects) {
        if (!memory)
            fail<InvalidArgument>("{} was given a memory object that is null", operation);
        if (std::find(distinct.begin(), distinct.end(), memory) == distinct.end())
            distinct.push_back(memory);
    }
    return distinct;
}

} // namespace kp

// SPDX-License-Identifier: Apache-2.0
#include "arrays/memory/HostWord.hpp"

#include "arrays/memory/Home.hpp"
#include "core/queue/QueueImpl.hpp"

namespace kp::arrays {

HostWord::HostWord(const std::shared_ptr<Home>& home) : mView(make(home, DType::eUint32)) {}

View HostWord::make(const std::shared_ptr<Home>& home, DType dtype) {
    return {std::make_shared<Storage>(home, dtype, 1, Memory::MemoryTypes::eHost), 0, {}, {}};
}

uint32_t HostWord::read() const {
    uint32_t word = 0;
    implOf(*mView.storage->home()->queue()).waitUntilSubmitted();
    mView.storage->tensor()->download(&word, sizeof(word));
    return word;
}

} // namespace kp::arrays

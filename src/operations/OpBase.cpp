// SPDX-License-Identifier: Apache-2.0
#include <kompute/operations/OpBase.hpp>

#include <kompute/Error.hpp>

namespace kp {

Accesses Accesses::anything() {
    Accesses accesses;
    accesses.mAnything = true;
    return accesses;
}

Accesses& Accesses::read(std::shared_ptr<Memory> memory, By by, Part part) {
    if (!memory)
        throw InvalidArgument("an operation names a memory object that is null");
    mEntries.push_back({std::move(memory), true, false, by, part});
    return *this;
}

Accesses& Accesses::write(std::shared_ptr<Memory> memory, By by, Part part) {
    read(std::move(memory), by, part);
    mEntries.back().reads = false;
    mEntries.back().writes = true;
    return *this;
}

Accesses& Accesses::readWrite(std::shared_ptr<Memory> memory, By by, Part part) {
    read(std::move(memory), by, part);
    mEntries.back().writes = true;
    return *this;
}

OpBase::~OpBase() = default;

void OpBase::init() {}

Accesses OpBase::accesses() {
    return Accesses::anything();
}

} // namespace kp

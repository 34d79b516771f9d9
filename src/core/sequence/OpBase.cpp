// SPDX-License-Identifier: Apache-2.0
#include <kompute/operations/OpBase.hpp>

#include <kompute/Error.hpp>

namespace kp {

Accesses Accesses::anything() {
    Accesses accesses;
    accesses.mAnything = true;
    return accesses;
}

void Accesses::add(Entry entry) {
    if (!entry.memory)
        throw InvalidArgument("an operation names a memory object that is null");
    if (mMany.empty() && mCount < mFew.size()) {
        mFew[mCount++] = std::move(entry);
        return;
    }
    if (mMany.empty())
        mMany.assign(mFew.begin(), mFew.end());
    mMany.push_back(std::move(entry));
}

Accesses& Accesses::read(std::shared_ptr<Memory> memory, By by, Part part) {
    add({std::move(memory), true, false, by, part});
    return *this;
}

Accesses& Accesses::write(std::shared_ptr<Memory> memory, By by, Part part) {
    add({std::move(memory), false, true, by, part});
    return *this;
}

Accesses& Accesses::readWrite(std::shared_ptr<Memory> memory, By by, Part part) {
    add({std::move(memory), true, true, by, part});
    return *this;
}

Accesses& Accesses::copied(bool replaces) {
    Entry& last = mMany.empty() ? mFew.at(mCount - 1) : mMany.back();
    last.copied = true;
    last.replaces = replaces;
    return *this;
}

OpBase::~OpBase() = default;

void OpBase::init() {}

Accesses OpBase::accesses() {
    return Accesses::anything();
}

} // namespace kp

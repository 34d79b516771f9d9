// SPDX-License-Identifier: Apache-2.0
#include "arrays/engine/Signature.hpp"

#include <algorithm>

namespace kp::arrays {
namespace {

/// Returns the index of an item in a list, to which it is added if it is not there.
template <typename List, typename Item>
uint64_t indexOf(List& list, const Item& item) {
    const auto found = std::ranges::find(list, item);
    const auto index = static_cast<uint64_t>(found - list.begin());
    if (found == list.end())
        list.push_back(item);
    return index;
}

} // namespace

void Signature::addView(const std::shared_ptr<Storage>& storage, int64_t offset, const Shape& shape,
                        const Shape& strides) {
    add(indexOf(mStorages, storage) << 8 | static_cast<uint64_t>(storage->dtype()));
    add(static_cast<uint64_t>(offset));
    add(shape);
    add(strides);
    // Kernels access whole vectors of memory whose size is a multiple of theirs.
    add(static_cast<uint64_t>(storage->count() % 4 == 0));
}

void Signature::add(const std::vector<Step>& steps) {
    for (const Step& step : steps) {
        add(static_cast<uint64_t>(step.extent));
        add(static_cast<uint64_t>(step.stride));
    }
}

void Signature::add(const Node& node) {
    add(static_cast<uint64_t>(node.args.size()) << 16 | static_cast<uint64_t>(node.dtype) << 8 |
        static_cast<uint64_t>(node.op));
    switch (node.op) {
    case Op::eLeaf:
        addView(node.storage, node.offset, node.shape, node.strides);
        return;
    case Op::eConstant:
        add(indexOf(mConstants, &node));
        return;
    case Op::eAddress:
        add(static_cast<uint64_t>(node.offset));
        add(node.shape);
        add(node.strides);
        return;
    case Op::eCall:
        add(node.function);
        break;
    case Op::eText:
        add(node.text);
        break;
    case Op::eTake:
        add(node.steps);
        break;
    case Op::eCast:
        break;
    }
    for (const NodePtr& arg : node.args)
        add(*arg);
}

uint64_t Signature::hash() const {
    uint64_t hash = mWords.size();
    for (const uint64_t word : mWords) {
        hash = (hash ^ word) * 0x9e3779b97f4a7c15u;
        hash ^= hash >> 29;
    }
    return hash;
}

} // namespace kp::arrays

// SPDX-License-Identifier: Apache-2.0
#include "arrays/engine/Evaluate.hpp"

#include <algorithm>
#include <mutex>

#include "arrays/engine/Copies.hpp"
#include "arrays/engine/ElementKernel.hpp"
#include "arrays/engine/KernelName.hpp"
#include "arrays/large/Blocks.hpp"
#include "arrays/memory/Home.hpp"

namespace kp::arrays {
namespace {

constexpr uint64_t kElements = 'e';

Signature signatureOf(const Shape& shape, const std::vector<Write>& writes) {
    Signature signature(kElements);
    signature.add(shape);
    for (const Write& write : writes) {
        signature.add(*write.value);
        signature.add(write.view);
        signature.add(write.indices.size() << 1 | (write.mask ? 1u : 0u));
        for (const NodePtr& index : write.indices)
            signature.add(*index);
        signature.add(write.steps);
        if (write.mask)
            signature.add(*write.mask);
    }
    return signature;
}

Plan& planned(Home& home, const Signature& signature, const Shape& shape,
              const std::vector<Write>& writes) {
    KernelCode program(shape);
    for (const Write& write : writes)
        program.write(write);
    const Layout layout = program.layout();
    const int64_t count = shape.product();
    const uint64_t wide = wideBindings(program, layout, home.rules(), count, Part::eKept);
    const auto each = static_cast<uint64_t>(elementsOfGroup(program, home.rules()));
    return home.plans().add(signature, kernelName(program), program, layout,
                            {static_cast<uint32_t>(count)},
                            elementSource(program, layout, home.rules(), wide),
                            (static_cast<uint64_t>(count) + each - 1) / each);
}

/// Launches the kernel of writes to views of one shape, which are not empty.
void launchKernel(const std::shared_ptr<Home>& home, const Shape& shape,
                  const std::vector<Write>& writes) {
    if (needsBlocks(writes)) {
        runBlocks(home, shape, writes);
        return;
    }
    const Signature signature = signatureOf(shape, writes);
    Plan* plan = home->plans().find(signature);
    if (!plan)
        plan = &planned(*home, signature, shape, writes);
    home->plans().launch(*plan, signature);
}

} // namespace

void run(const std::shared_ptr<Home>& home, const Shape& shape, const std::vector<Write>& writes) {
    if (std::ranges::find(shape, 0) != shape.end())
        return;
    const std::lock_guard lock(engineLock());
    if (!home->rules().copies) {
        launchKernel(home, shape, writes);
        return;
    }
    const std::vector<Write> others = withoutCopies(*home, writes);
    if (!others.empty())
        launchKernel(home, shape, others);
}

void fitBuffers(Write& write) {
    std::vector<NodePtr> read{write.value};
    if (write.mask)
        read.push_back(write.mask);
    const size_t others = read.size();
    read.insert(read.end(), write.indices.begin(), write.indices.end());
    if (fit(read, 1))
        return;
    reduceSize(read, 1);
    if (fit(read, 1))
        return;
    combine(write.view, write.indices, write.steps);
    read.resize(others);
    read.push_back(write.indices[0]);
    reduceSize(read, 1);
}

void store(const View& view, const NodePtr& value) {
    run(view.storage->home(), view.shape, {{view, cast(value, view.dtype()), {}, {}, nullptr}});
}

void storeAll(const std::vector<std::pair<View, NodePtr>>& stores) {
    const std::lock_guard lock(engineLock());
    std::vector<Write> writes;
    for (const auto& [view, value] : stores)
        if (std::ranges::find(view.shape, 0) == view.shape.end())
            writes.push_back({view, cast(value, view.dtype()), {}, {}, nullptr});
    if (writes.empty())
        return;
    const std::shared_ptr<Home> home = writes[0].view.storage->home();
    if (home->rules().copies)
        writes = withoutCopies(*home, writes);
    for (auto next = writes.begin(); next != writes.end();) {
        const Shape& shape = next->view.shape;
        std::vector<Write> together;
        std::vector<NodePtr> values;
        for (; next != writes.end() && next->view.shape == shape; ++next) {
            values.push_back(next->value);
            if (!together.empty() && !fit(values, values.size()))
                break;
            together.push_back(*next);
        }
        launchKernel(home, shape, together);
    }
}

View materialize(const NodePtr& node) {
    const std::lock_guard lock(engineLock());
    if (node->op == Op::eLeaf)
        return node->view();
    std::vector<NodePtr> nodes{node};
    for (const std::weak_ptr<Node>& each : node->together) {
        const NodePtr other = each.lock();
        if (!other || other->op == Op::eLeaf)
            continue;
        nodes.push_back(other);
        if (!fit(nodes, nodes.size()))
            nodes.pop_back();
    }
    std::vector<Write> writes;
    for (const NodePtr& each : nodes)
        writes.push_back(
            {View::blank(each->home, each->shape, each->dtype), each, {}, {}, nullptr});
    run(node->home, node->shape, writes);
    for (size_t i = 0; i < nodes.size(); ++i)
        nodes[i]->become(writes[i].view);
    return writes[0].view;
}

View copied(const View& view) {
    View copy = View::blank(view.storage->home(), view.shape, view.dtype());
    store(copy, leaf(view));
    return copy;
}

View contiguous(const View& view) {
    return view.isContiguous() ? view : copied(view);
}

View whole(const View& view) {
    return view.isWhole() ? view : copied(view);
}

std::shared_ptr<Storage> copyOf(const std::shared_ptr<Storage>& storage) {
    return copied({storage, 0, {storage->count()}, {1}}).storage;
}

std::string sourceOf(const NodePtr& node) {
    const std::lock_guard lock(engineLock());
    Home& home = *node->home;
    KernelCode program(node->shape);
    program.write({View::blank(node->home, node->shape, node->dtype), node, {}, {}, nullptr});
    const Layout layout = program.layout();
    return elementSource(
        program, layout, home.rules(),
        wideBindings(program, layout, home.rules(), node->shape.product(), Part::eKept));
}

} // namespace kp::arrays

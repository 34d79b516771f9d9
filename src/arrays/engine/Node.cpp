// SPDX-License-Identifier: Apache-2.0
#include "arrays/engine/Node.hpp"

#include <algorithm>
#include <map>
#include <unordered_set>
#include <utility>

#include <kompute/Error.hpp>

#include "arrays/capture/CapturedLaunches.hpp"
#include "arrays/engine/Evaluate.hpp"
#include "arrays/memory/Home.hpp"
#include "base/Text.hpp"

namespace kp::arrays {
namespace {

bool isPlain(const Node& node) {
    return node.op == Op::eLeaf || node.op == Op::eConstant || node.op == Op::eAddress;
}

void collect(const Node& node, std::vector<std::shared_ptr<Storage>>& found) {
    if (node.storage && std::ranges::find(found, node.storage) == found.end())
        found.push_back(node.storage);
    for (const NodePtr& arg : node.args)
        collect(*arg, found);
}

/// Returns how many views of large memory an expression has.
size_t largeViews(const Node& node) {
    size_t count = node.storage && node.storage->large() ? 1 : 0;
    for (const NodePtr& arg : node.args)
        count += largeViews(*arg);
    return count;
}

/// Returns the number of buffers from which a kernel of some values reads at most. Of large memory,
/// it reads a copy of what each view needs; see Blocks.hpp.
size_t buffersOf(const std::vector<NodePtr>& values) {
    size_t count = 0;
    for (const NodePtr& value : values)
        count += largeViews(*value);
    for (const std::shared_ptr<Storage>& each : storagesOf(values))
        count += each->large() ? 0 : 1;
    return count;
}

/// Sets what follows from the arguments.
void count(Node& node) {
    node.nodes = 1;
    node.loads = 0;
    node.shared = false;
    for (const NodePtr& arg : node.args) {
        node.nodes += arg->nodes;
        node.loads += arg->loads;
        node.shared |= arg->shared;
        if (!arg->home || arg->home == node.home)
            continue;
        if (node.home)
            throw InvalidArgument("the arrays belong to different managers; bring one to the "
                                  "other's device with to_device()");
        node.home = arg->home;
    }
}

/// A memory object that is read twice counts as two; fit() is exact.
bool isTooLarge(const Node& node) {
    return node.nodes > kMaxNodes || (node.home && node.loads >= node.home->maxBuffers());
}

NodePtr made(Op op, DType dtype, const Shape& shape, std::vector<NodePtr> args) {
    const std::lock_guard lock(engineLock());
    auto node = std::make_shared<Node>();
    node->op = op;
    node->dtype = dtype;
    node->shape = shape;
    node->args = std::move(args);
    count(*node);
    if (isTooLarge(*node)) {
        reduceSize(node->args, 1);
        count(*node);
    }
    return node;
}

/// Lets the leaves of one memory read copies of it, one for each type that it is read in.
void copyFor(const std::vector<NodePtr>& readers) {
    std::vector<std::pair<DType, std::shared_ptr<Storage>>> copies;
    for (const NodePtr& reader : readers) {
        const DType dtype = reader->storage->dtype();
        auto copy = std::ranges::find(copies, dtype, [](const auto& each) { return each.first; });
        if (copy == copies.end())
            copy = copies.insert(copies.end(), {dtype, copyOf(reader->storage)});
        reader->storage = copy->second;
        copy->second->addReader(*reader);
    }
}

} // namespace

Node::Node() : capture(CapturedLaunches::noteNode()) {}

Node::~Node() {
    if (capture != 0) [[unlikely]]
        CapturedLaunches::noteNodeEnd(capture);
    if (isReader)
        storage->removeReader(*this);
}

void Node::become(const View& view) {
    storage = view.storage;
    offset = view.offset;
    strides = view.strides;
    writable = view.writable;
    op = Op::eLeaf;
    args.clear();
    steps.clear();
    together.clear();
    nodes = 1;
    loads = 1;
    shared = storage->isShared();
    storage->addReader(*this);
}

std::recursive_mutex& engineLock() {
    static std::recursive_mutex mutex;
    return mutex;
}

const std::string* interned(std::string_view text) {
    static std::mutex mutex;
    static std::unordered_set<std::string> texts;
    const std::lock_guard lock(mutex);
    return &*texts.emplace(text).first;
}

NodePtr leaf(const View& view) {
    auto node = std::make_shared<Node>();
    node->dtype = view.dtype();
    node->shape = view.shape;
    node->home = view.storage->home();
    node->become(view);
    return node;
}

NodePtr constant(DType dtype, const std::array<uint32_t, 4>& words) {
    auto node = std::make_shared<Node>();
    node->op = Op::eConstant;
    node->dtype = dtype;
    node->words = words;
    return node;
}

NodePtr word(int64_t value) {
    return constant(DType::eUint32, {static_cast<uint32_t>(value)});
}

NodePtr address(const std::shared_ptr<Home>& home, const Shape& shape, int64_t offset,
                const Shape& strides, DType dtype) {
    requireCountable(shape);
    auto node = std::make_shared<Node>();
    node->op = Op::eAddress;
    node->dtype = dtype;
    node->shape = shape;
    node->home = home;
    node->offset = offset;
    node->strides = strides;
    return node;
}

NodePtr call(const Function& function, DType dtype, const Shape& shape, std::vector<NodePtr> args) {
    NodePtr node = made(Op::eCall, dtype, shape, std::move(args));
    node->function = &function;
    return node;
}

NodePtr text(const std::string* text, DType dtype, const Shape& shape, std::vector<NodePtr> args) {
    NodePtr node = made(Op::eText, dtype, shape, std::move(args));
    node->text = text;
    return node;
}

NodePtr cast(const NodePtr& node, DType dtype) {
    return node->dtype == dtype ? node : made(Op::eCast, dtype, node->shape, {node});
}

NodePtr take(const View& base, const Shape& shape, std::vector<NodePtr> indices,
             std::vector<Step> steps) {
    View view = base;
    std::vector<NodePtr> args{leaf(view)};
    args.insert(args.end(), indices.begin(), indices.end());
    NodePtr node = made(Op::eTake, base.dtype(), shape, args);
    if (isTooLarge(*node) && !fit(node->args, 1)) {
        combine(view, indices, steps);
        node = made(Op::eTake, base.dtype(), shape, {leaf(view), indices[0]});
    }
    node->steps = std::move(steps);
    return node;
}

void combine(View& view, std::vector<NodePtr>& indices, std::vector<Step>& steps) {
    static const std::string* const forwards =
        interned("(uint(int({0}) < 0 ? int({0}) + int({1}) : int({0})) * {2})");
    static const std::string* const backwards =
        interned("(uint(int({1}) - 1 - (int({0}) < 0 ? int({0}) + int({1}) : int({0}))) * {2})");
    static const std::string* const sum = interned("({0} + {1})");
    Step all{1, 1};
    NodePtr combined;
    for (size_t i = 0; i < indices.size(); ++i) {
        const auto& [extent, stride, axis] = steps[i];
        const int64_t length = (extent - 1) * std::abs(stride);
        all.extent += length;
        view.offset -= stride < 0 ? length : 0;
        NodePtr each = text(stride < 0 ? backwards : forwards, DType::eUint32, indices[i]->shape,
                            {indices[i], word(extent), word(std::abs(stride))});
        combined = combined ? text(sum, DType::eUint32, broadcast(combined->shape, each->shape),
                                   {combined, each})
                            : each;
    }
    indices = {combined};
    steps = {all};
}

bool fit(const std::vector<NodePtr>& values, size_t results) {
    int nodes = 0;
    size_t most = SIZE_MAX;
    for (const NodePtr& value : values) {
        nodes += value->nodes;
        if (value->home)
            most = static_cast<size_t>(value->home->maxBuffers());
    }
    return nodes <= kMaxNodes && buffersOf(values) + results <= most;
}

void reduceSize(const std::vector<NodePtr>& values, size_t results) {
    std::vector<NodePtr> sorted = values;
    std::ranges::stable_sort(sorted, [](const NodePtr& a, const NodePtr& b) {
        return a->loads != b->loads ? a->loads > b->loads : a->nodes > b->nodes;
    });
    for (const NodePtr& value : sorted) {
        if (fit(values, results))
            return;
        if (!isPlain(*value))
            materialize(value);
    }
}

void together(const std::vector<NodePtr>& nodes) {
    const std::lock_guard lock(engineLock());
    for (const NodePtr& node : nodes)
        for (const NodePtr& other : nodes)
            if (other != node && node->op != Op::eLeaf && other->shape == node->shape)
                node->together.push_back(other);
}

std::vector<std::shared_ptr<Storage>> storagesOf(const std::vector<NodePtr>& nodes) {
    std::vector<std::shared_ptr<Storage>> found;
    for (const NodePtr& node : nodes)
        collect(*node, found);
    return found;
}

void beforeWrite(const std::shared_ptr<Storage>& storage) {
    const std::lock_guard lock(engineLock());
    if (!storage->hasReaders())
        return;
    const std::vector<NodePtr> readers = storage->takeReaders();
    if (readers.empty())
        return;
    // Expressions from before a capture get their copy now, and not when the capture is launched.
    std::map<LaunchCapture*, std::vector<NodePtr>> captured;
    for (const NodePtr& reader : readers)
        captured[LaunchCapture::find(reader->capture)].push_back(reader);
    for (const auto& [capture, expressions] : captured) {
        const LaunchCapture::Pause pause(capture);
        copyFor(expressions);
    }
}

} // namespace kp::arrays

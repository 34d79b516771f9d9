// SPDX-License-Identifier: Apache-2.0
#include "arrays/large/Blocks.hpp"

#include <algorithm>
#include <functional>
#include <unordered_map>
#include <unordered_set>

#include <kompute/Error.hpp>
#include <kompute/primitives/move/OpConcatenate.hpp>
#include <kompute/queue/Queue.hpp>

#include "arrays/engine/Evaluate.hpp"
#include "arrays/memory/Home.hpp"
#include "base/Text.hpp"

namespace kp::arrays {
namespace {

/// A view of large memory, and how indices go beyond it.
struct Reach {
    View view;
    std::vector<Step> steps;
};

struct Span {
    int64_t first;
    int64_t end; ///< the element after the last
};

/// Returns the elements that a view reaches.
Span spanOf(const View& view, const std::vector<Step>& steps = {}) {
    int64_t first = view.offset;
    int64_t last = view.offset;
    const auto add = [&](int64_t extent, int64_t stride) {
        first += std::min<int64_t>(0, (extent - 1) * stride);
        last += std::max<int64_t>(0, (extent - 1) * stride);
    };
    for (size_t axis = 0; axis < view.shape.size(); ++axis)
        add(view.shape[axis], view.strides[axis]);
    for (const Step& step : steps)
        add(step.extent, step.stride);
    return {first, last + 1};
}

/// Elements of a storage, and a copy of them.
class Window {
public:
    Window(std::shared_ptr<Storage> storage, Span span)
        : mStorage(std::move(storage)), mSpan(span) {}

    const std::shared_ptr<Storage>& storage() const { return mStorage; }
    Span span() const { return mSpan; }
    int64_t count() const { return mSpan.end - mSpan.first; }
    bool fits() const {
        return static_cast<uint64_t>(count()) * itemSize(mStorage->dtype()) <=
               mStorage->home()->range();
    }
    void extendTo(int64_t end) { mSpan.end = std::max(mSpan.end, end); }

    void read() { move({range()}, whole()); }
    void writeBack() { move({whole()}, range()); }
    View of(const View& view) {
        return {copied(), view.offset - mSpan.first, view.shape, view.strides, view.writable};
    }

private:
    const std::shared_ptr<Storage>& copied() {
        if (!mCopied)
            mCopied = View::blank(mStorage->home(), {count()}, mStorage->dtype()).storage;
        return mCopied;
    }
    TensorRange range() const {
        return {mStorage->tensor(), static_cast<uint64_t>(mSpan.first),
                static_cast<uint64_t>(count())};
    }
    TensorRange whole() { return {copied()->tensor(), 0, static_cast<uint64_t>(count())}; }
    void move(const std::vector<TensorRange>& sources, const TensorRange& target) {
        mStorage->home()->launch(std::make_shared<OpConcatenate>(sources, target));
    }

    std::shared_ptr<Storage> mStorage;
    Span mSpan;
    std::shared_ptr<Storage> mCopied;
};

std::vector<NodePtr> nodesOf(const std::vector<Write>& writes) {
    std::vector<NodePtr> found;
    for (const Write& write : writes) {
        found.push_back(write.value);
        found.insert(found.end(), write.indices.begin(), write.indices.end());
        if (write.mask)
            found.push_back(write.mask);
    }
    return found;
}

void collect(const Node& node, std::vector<Reach>& found, std::unordered_set<const Node*>& seen) {
    if (!seen.insert(&node).second)
        return;
    size_t first = 0;
    if (node.op == Op::eTake) {
        if (node.args[0]->storage->large())
            found.push_back({node.args[0]->view(), node.steps});
        first = 1;
    } else if (node.storage && node.storage->large()) {
        found.push_back({node.view(), {}});
    }
    for (size_t i = first; i < node.args.size(); ++i)
        collect(*node.args[i], found, seen);
}

std::vector<Reach> reachOf(const std::vector<NodePtr>& nodes,
                           const std::vector<Write>& writes = {}) {
    std::vector<Reach> found;
    std::unordered_set<const Node*> seen;
    for (const NodePtr& node : nodes)
        collect(*node, found, seen);
    for (const Write& write : writes)
        if (write.view.storage->large())
            found.push_back({write.view, write.steps});
    return found;
}

/// Returns the windows of memory that views reach. Windows of one storage do not overlap.
std::vector<Window> windowsOf(const std::vector<Reach>& reaches) {
    struct Entry {
        Storage* storage;
        Span span;
        const Reach* reach;
    };
    std::vector<Entry> entries;
    for (const Reach& reach : reaches)
        entries.push_back({reach.view.storage.get(), spanOf(reach.view, reach.steps), &reach});
    std::ranges::sort(entries, [](const Entry& a, const Entry& b) {
        return a.storage != b.storage ? a.storage < b.storage : a.span.first < b.span.first;
    });
    std::vector<Window> windows;
    for (const Entry& entry : entries) {
        if (!windows.empty() && windows.back().storage().get() == entry.storage &&
            entry.span.first < windows.back().span().end)
            windows.back().extendTo(entry.span.end);
        else
            windows.emplace_back(entry.reach->view.storage, entry.span);
    }
    return windows;
}

bool allFit(const std::vector<Window>& windows) {
    return std::ranges::all_of(windows, &Window::fits);
}

/// Returns the axis along which a block has to be split: the one with the longest way in memory.
size_t axisToSplit(const Shape& shape, const std::vector<Reach>& reaches) {
    Shape ways = Shape::filled(shape.size(), 0);
    for (const Reach& reach : reaches) {
        const Shape strides = broadcastStrides(reach.view.shape, reach.view.strides, shape);
        for (size_t axis = 0; axis < shape.size(); ++axis)
            ways[axis] =
                std::max(ways[axis], (shape[axis] - 1) * std::abs(strides[axis]) *
                                         static_cast<int64_t>(itemSize(reach.view.dtype())));
    }
    const auto longest = std::max_element(ways.begin(), ways.end());
    if (longest == ways.end() || *longest == 0)
        failTooLarge(*reaches.front().view.storage);
    return static_cast<size_t>(longest - ways.begin());
}

/// Returns the part of a view, which broadcasts to a shape, along an axis of that.
View sliced(const View& view, const Shape& full, size_t axis, int64_t start, int64_t count) {
    const size_t missing = full.size() - view.shape.size();
    if (axis < missing || view.shape[axis - missing] != full[axis])
        return view;
    View part = view;
    part.shape[axis - missing] = count;
    part.offset += start * view.strides[axis - missing];
    return part;
}

/// Returns a leaf or an address in place of another; null for a node that stays as it is.
using Change = std::function<NodePtr(const Node&)>;

/// Returns a node whose leaves and addresses are changed: kernels read the shapes of these alone.
NodePtr rebuilt(const NodePtr& node, const Change& change,
                std::unordered_map<const Node*, NodePtr>& known) {
    NodePtr& found = known[node.get()];
    if (found)
        return found;
    if (node->args.empty()) {
        NodePtr changed = change(*node);
        return found = changed ? changed : node;
    }
    std::vector<NodePtr> args;
    for (const NodePtr& arg : node->args)
        args.push_back(rebuilt(arg, change, known));
    auto made = std::make_shared<Node>();
    made->op = node->op;
    made->dtype = node->dtype;
    made->shape = node->shape;
    made->home = node->home;
    made->function = node->function;
    made->text = node->text;
    made->steps = node->steps;
    made->args = std::move(args);
    return known[node.get()] = made;
}

NodePtr rebuilt(const NodePtr& node, const Change& change) {
    std::unordered_map<const Node*, NodePtr> known;
    return node ? rebuilt(node, change, known) : nullptr;
}

Write changed(const Write& write, const Change& change, View view) {
    Write made{std::move(view),
               rebuilt(write.value, change),
               {},
               write.steps,
               rebuilt(write.mask, change)};
    for (const NodePtr& index : write.indices)
        made.indices.push_back(rebuilt(index, change));
    return made;
}

/// Returns a function that turns leaves and addresses into a part's.
Change slicer(const Shape& full, size_t axis, int64_t start, int64_t count) {
    return [=](const Node& node) -> NodePtr {
        if (node.op == Op::eLeaf)
            return leaf(sliced(node.view(), full, axis, start, count));
        const size_t missing = full.size() - node.shape.size();
        if (node.op != Op::eAddress || axis < missing || node.shape[axis - missing] != full[axis])
            return nullptr;
        Shape shape = node.shape;
        shape[axis - missing] = count;
        return address(node.home, shape, node.offset + start * node.strides[axis - missing],
                       node.strides, node.dtype);
    };
}

Window* windowOf(const View& view, std::vector<Window>& windows) {
    if (!view.storage->large())
        return nullptr;
    const int64_t first = spanOf(view).first;
    for (Window& each : windows)
        if (each.storage() == view.storage && each.span().first <= first && first < each.span().end)
            return &each;
    return nullptr;
}

/// Returns what makes leaves read the copies of windows.
Change mover(std::vector<Window>& windows) {
    return [&windows](const Node& node) -> NodePtr {
        if (node.op != Op::eLeaf)
            return nullptr;
        Window* const window = windowOf(node.view(), windows);
        return window ? leaf(window->of(node.view())) : nullptr;
    };
}

/// Returns true if a write sets all elements of its window, and nothing reads them.
bool fills(const Write& write, const Window& window, const std::vector<Reach>& read) {
    if (!write.indices.empty() || write.mask ||
        std::ranges::find(write.view.strides, 0) != write.view.strides.end())
        return false;
    const bool unread = std::ranges::none_of(
        read, [&](const Reach& reach) { return reach.view.storage == window.storage(); });
    return unread && write.view.shape.product() == window.count();
}

std::vector<std::pair<int64_t, int64_t>> halves(int64_t extent) {
    const int64_t middle = (extent + 1) / 2;
    return {{0, middle}, {middle, extent - middle}};
}

} // namespace

void failTooLarge(const Storage& storage) {
    const Home& home = *storage.home();
    fail<Unsupported>("an array in {} bytes of memory is over {}'s maxStorageBufferRange of {} "
                      "bytes, and this function needs all of it at once; apply it to parts, "
                      "x[:n].copy() and so on",
                      storage.bytes(), home.deviceName(), home.range());
}

bool anyLarge(const std::vector<NodePtr>& nodes) {
    return std::ranges::any_of(storagesOf(nodes), &Storage::large);
}

bool needsBlocks(const std::vector<Write>& writes) {
    for (const Write& write : writes)
        if (write.view.storage->large())
            return true;
    return anyLarge(nodesOf(writes));
}

void runBlocks(const std::shared_ptr<Home>& home, const Shape& shape,
               const std::vector<Write>& writes) {
    const std::vector<Reach> read = reachOf(nodesOf(writes));
    const std::vector<Reach> reaches = reachOf(nodesOf(writes), writes);
    std::vector<Window> windows = windowsOf(reaches);
    if (!allFit(windows)) {
        const size_t axis = axisToSplit(shape, reaches);
        for (const auto& [start, count] : halves(shape[axis])) {
            const Change change = slicer(shape, axis, start, count);
            Shape part = shape;
            part[axis] = count;
            std::vector<Write> block;
            for (const Write& write : writes)
                block.push_back(
                    changed(write, change, sliced(write.view, shape, axis, start, count)));
            runBlocks(home, part, block);
        }
        return;
    }
    const Change move = mover(windows);
    std::vector<Write> block;
    std::vector<Window*> written;
    std::vector<Window*> filled;
    for (const Write& write : writes) {
        Window* const window = windowOf(write.view, windows);
        if (window) {
            written.push_back(window);
            if (fills(write, *window, read))
                filled.push_back(window);
        }
        block.push_back(changed(write, move, window ? window->of(write.view) : write.view));
    }
    for (Window& window : windows)
        if (std::ranges::find(filled, &window) == filled.end())
            window.read();
    run(home, shape, block);
    for (Window* const window : written)
        window->writeBack();
}

NodePtr withCopies(const NodePtr& node) {
    std::vector<Window> windows = windowsOf(reachOf({node}));
    if (!allFit(windows))
        return nullptr;
    for (Window& window : windows)
        window.read();
    return rebuilt(node, mover(windows));
}

size_t longestAxis(const NodePtr& node) {
    return axisToSplit(node->shape, reachOf({node}));
}

std::vector<NodePart> halvesOf(const NodePtr& node, size_t axis) {
    std::vector<NodePart> parts;
    for (const auto& [start, count] : halves(node->shape[axis])) {
        NodePtr part = rebuilt(node, slicer(node->shape, axis, start, count));
        if (part->op != Op::eLeaf && part->op != Op::eAddress)
            part->shape[axis] = count;
        parts.push_back({start, count, std::move(part)});
    }
    return parts;
}

View partOf(const View& view, size_t axis, int64_t start, int64_t count) {
    return sliced(view, view.shape, axis, start, count);
}

} // namespace kp::arrays

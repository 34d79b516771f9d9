// SPDX-License-Identifier: Apache-2.0
#include "arrays/large/LargeIndexing.hpp"

#include <algorithm>
#include <cstdlib>
#include <utility>

#include "arrays/engine/Evaluate.hpp"
#include "arrays/memory/Home.hpp"

namespace kp::arrays {
namespace {

/// Returns the place in memory of each element that indices select.
NodePtr placesOf(View view, const Shape& shape, std::vector<NodePtr> indices,
                 std::vector<Step> steps) {
    static const std::string* const sum = interned("(uint({0}) + {1})");
    combine(view, indices, steps);
    NodePtr places =
        text(sum, DType::eUint32, shape,
             {address(view.storage->home(), shape, view.offset,
                      broadcastStrides(view.shape, view.strides, shape), DType::eInt32),
              indices[0]});
    materialize(places);
    return places;
}

/// A part of memory.
struct Piece {
    View view;      ///< of the memory
    NodePtr inside; ///< whether a place is in the part
    NodePtr local;  ///< the place in the part; some place in it for others
    Step step;
};

/// Returns the parts of a storage, each as large as a kernel may bind.
std::vector<Piece> partsOf(const std::shared_ptr<Storage>& storage, const NodePtr& places) {
    static const std::string* const isInside = interned("({0} - {1} < {2})"); // they wrap
    static const std::string* const nearest = interned("min({0} - {1}, {2} - 1u)");
    const auto most = static_cast<int64_t>(storage->home()->range() / itemSize(storage->dtype()));
    std::vector<Piece> parts;
    for (int64_t start = 0; start < storage->count(); start += most) {
        const int64_t count = std::min(most, storage->count() - start);
        const std::vector<NodePtr> operands{places, word(start), word(count)};
        parts.push_back({{storage, start, {count}, {1}},
                         text(isInside, DType::eBool, places->shape, operands),
                         text(nearest, DType::eUint32, places->shape, operands),
                         {count, 1}});
    }
    return parts;
}

/// Returns the first element of a view for all elements of a shape.
View still(const View& view, const Shape& shape) {
    return {view.storage, view.offset, shape, Shape::filled(shape.size(), 0)};
}

} // namespace

bool reachBeyondBinding(const View& view, const std::vector<Step>& steps) {
    if (!view.storage->large())
        return false;
    int64_t elements = 1;
    for (const Step& step : steps)
        elements += (step.extent - 1) * std::abs(step.stride);
    return static_cast<uint64_t>(elements) * itemSize(view.dtype()) > view.storage->home()->range();
}

View takeByParts(const View& base, const Shape& shape, std::vector<NodePtr> indices,
                 std::vector<Step> steps) {
    const std::shared_ptr<Home>& home = base.storage->home();
    const View taken = View::blank(home, shape, base.dtype());
    if (shape.product() == 0)
        return taken;
    const NodePtr places = placesOf(base, shape, std::move(indices), std::move(steps));
    for (const Piece& part : partsOf(base.storage, places)) {
        const NodePtr value =
            take(still(copied(part.view), shape), shape, {part.local}, {part.step});
        run(home, shape, {{taken, value, {}, {}, part.inside}});
    }
    return taken;
}

void writeByParts(Write write) {
    static const std::string* const both = interned("({0} && {1})");
    const Shape& shape = write.view.shape;
    if (shape.product() == 0)
        return;
    const NodePtr places =
        placesOf(write.view, shape, std::move(write.indices), std::move(write.steps));
    for (const NodePtr& node : {write.value, write.mask}) // once, not for each part
        if (node && node->home)
            materialize(node);
    for (const Piece& part : partsOf(write.view.storage, places)) {
        const View copy = copied(part.view);
        const NodePtr mask =
            write.mask ? text(both, DType::eBool, shape, {write.mask, part.inside}) : part.inside;
        run(write.view.storage->home(), shape,
            {{still(copy, shape), write.value, {part.local}, {part.step}, mask}});
        store(part.view, leaf(copy));
    }
}

} // namespace kp::arrays

// SPDX-License-Identifier: Apache-2.0
#include "arrays/engine/Reduce.hpp"

#include <algorithm>
#include <mutex>

#include "arrays/engine/Evaluate.hpp"
#include "arrays/engine/KernelName.hpp"
#include "arrays/engine/ReduceKernel.hpp"
#include "arrays/large/Blocks.hpp"
#include "arrays/memory/Home.hpp"
#include "base/Text.hpp"

namespace kp::arrays {
namespace {

constexpr uint64_t kReduction = 'r';

/// Elements that a work group reduces at least, if there are work groups for all of the device.
constexpr int64_t kChunk = 8192;

int64_t divided(int64_t count, int64_t by) {
    return (count + by - 1) / by;
}

/// Returns the extents of axes, or of all others.
Shape extentsOf(const Shape& shape, const std::vector<size_t>& axes, bool chosen) {
    Shape extents;
    for (size_t axis = 0; axis < shape.size(); ++axis)
        if ((std::ranges::find(axes, axis) != axes.end()) == chosen)
            extents.push_back(shape[axis]);
    return extents;
}

Plan& planned(Home& home, const Signature& signature, const NodePtr& node,
              const std::vector<size_t>& axes, const View& out, const Reduction& reduction,
              int64_t parts, bool grouped) {
    const int64_t length = extentsOf(node->shape, axes, true).product();
    const int64_t count = extentsOf(node->shape, axes, false).product();
    KernelCode program(node->shape, axes);
    program.value(node);
    const int binding = program.bindingOf(out.storage);
    const Layout layout = program.layout();
    const uint64_t wide = wideBindings(program, layout, home.rules(), length, Part::eReduced) &
                          ~(uint64_t{1} << binding);
    int64_t each = divided(length, parts);
    if (wide)
        each = divided(each, kWide) * kWide;
    const std::vector<uint32_t> header{static_cast<uint32_t>(count), static_cast<uint32_t>(length),
                                       static_cast<uint32_t>(parts), static_cast<uint32_t>(each)};
    const int64_t groups = grouped ? count * parts : divided(count * parts, kLocalSize);
    return home.plans().add(signature, reductionName(reduction.name, program), program, layout,
                            header,
                            reduceSource(program, layout, node->dtype, out.dtype(), binding,
                                         reduction, home.rules(), grouped, wide),
                            static_cast<uint64_t>(groups));
}

/// Launches one reduction, of which a work group (or an invocation) computes a part of a result.
void launch(const NodePtr& node, const std::vector<size_t>& axes, const View& out,
            const Reduction& reduction, int64_t parts, bool grouped) {
    Home& home = *out.storage->home();
    Signature signature(kReduction);
    signature.add(node->shape);
    signature.add(*node);
    signature.add(axes.size());
    for (const size_t axis : axes)
        signature.add(axis);
    signature.add(out);
    signature.add(reduction.combine);
    signature.add(reduction.identity);
    signature.add(reduction.finish);
    signature.add(static_cast<const void*>(reduction.name.data()));
    signature.add(static_cast<uint64_t>(parts) << 1 | (grouped ? 1u : 0u));
    Plan* plan = home.plans().find(signature);
    if (!plan)
        plan = &planned(home, signature, node, axes, out, reduction, parts, grouped);
    home.plans().launch(*plan, signature);
}

/// Returns the reduction of what reductions of parts give, of so many elements in all.
Reduction lastOf(const Reduction& reduction, int64_t length) {
    // n_ would be the number of parts.
    std::string finish = *reduction.finish;
    for (size_t at = finish.find("n_"); at != std::string::npos; at = finish.find("n_", at))
        finish.replace(at, 2, formatted("{}u", length));
    return {*reduction.combine, *reduction.identity, finish, reduction.name};
}

/// Reduces in two parts, if the memory or the results are too large for a kernel.
void reduceHalves(const NodePtr& node, const std::vector<size_t>& axes, const View& out,
                  const Reduction& reduction) {
    std::vector<size_t> kept;
    for (size_t axis = 0; axis < node->shape.size(); ++axis)
        if (std::ranges::find(axes, axis) == axes.end())
            kept.push_back(axis);
    const auto ofBoth = 2 * static_cast<uint64_t>(out.shape.product()) * itemSize(node->dtype);
    const bool byKept = out.storage->large() || ofBoth > out.storage->home()->range();
    const size_t axis =
        byKept && out.shape.product() > 1
            ? *std::ranges::max_element(kept, {}, [&](size_t each) { return node->shape[each]; })
            : longestAxis(node);
    const std::vector<NodePart> parts = halvesOf(node, axis);
    const auto place = std::ranges::find(kept, axis);
    if (place != kept.end()) {
        for (const auto& [start, count, part] : parts)
            store(partOf(out, static_cast<size_t>(place - kept.begin()), start, count),
                  leaf(reduce(part, axes, out.dtype(), reduction)));
        return;
    }
    Shape both = out.shape;
    both.insert(0, 2);
    const View partial = View::blank(node->home, both, node->dtype);
    const Reduction first(*reduction.combine, *reduction.identity, "{0}", reduction.name);
    for (int64_t index = 0; index < 2; ++index)
        store(partOf(partial, 0, index, 1),
              leaf(reduce(parts[static_cast<size_t>(index)].node, axes, node->dtype, first)));
    launch(leaf(partial), {0}, out, lastOf(reduction, extentsOf(node->shape, axes, true).product()),
           1, false);
}

} // namespace

View reduce(const NodePtr& given, const std::vector<size_t>& axes, DType dtype,
            const Reduction& reduction) {
    const std::lock_guard lock(engineLock());
    NodePtr node = given;
    const Shape kept = extentsOf(node->shape, axes, false);
    const int64_t length = extentsOf(node->shape, axes, true).product();
    const int64_t count = kept.product();
    View out = View::blank(node->home, kept, dtype);
    if (count == 0)
        return out;
    if (out.storage->large() || anyLarge({node})) {
        const NodePtr small = out.storage->large() ? nullptr : withCopies(node);
        if (!small) {
            reduceHalves(node, axes, out, reduction);
            return out;
        }
        node = small;
    }
    const Rules& rules = node->home->rules();
    if (length <= rules.serial || (count >= rules.invocations && length <= 8 * rules.serial)) {
        launch(node, axes, out, reduction, 1, false);
        return out;
    }
    // Neighbouring invocations should read neighbouring elements: of the last axis, kept or not.
    const size_t last = node->shape.size() - 1;
    const bool along =
        std::ranges::find(axes, last) != axes.end() || node->shape.back() < rules.serial;
    const bool grouped = rules.trees && along;
    int64_t parts = 1;
    if (grouped) {
        const int64_t groups = rules.invocations / kLocalSize;
        parts = std::clamp<int64_t>(divided(length, kChunk), 1,
                                    std::max<int64_t>(1, divided(groups, count)));
    } else {
        parts = std::clamp<int64_t>(divided(length, rules.serial), 1,
                                    std::max<int64_t>(1, divided(rules.invocations, count)));
        parts = std::max(parts, length / rules.longest);
    }
    const auto fitting = static_cast<int64_t>(
        node->home->range() / (static_cast<uint64_t>(count) * itemSize(node->dtype)));
    parts = std::max<int64_t>(1, std::min(parts, fitting));
    if (parts == 1) {
        launch(node, axes, out, reduction, 1, grouped);
        return out;
    }
    Shape shape = kept;
    shape.insert(grouped ? kept.size() : 0, parts);
    const View partial = View::blank(node->home, shape, node->dtype);
    launch(node, axes, partial,
           Reduction(*reduction.combine, *reduction.identity, "{0}", reduction.name), parts,
           grouped);
    launch(leaf(partial), {grouped ? kept.size() : 0}, out, lastOf(reduction, length), 1,
           grouped && parts > rules.serial);
    return out;
}

} // namespace kp::arrays

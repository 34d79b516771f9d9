// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <utility>

#include <kompute/Array.hpp>

#include "arrays/engine/Node.hpp"
#include "arrays/memory/Home.hpp"
#include "core/Internals.hpp"

namespace kp {

/// The elements of an array: a view of memory, or an expression. `pending` and `view` change under
/// engineLock().
struct Array::State {
    State(arrays::NodePtr node, std::shared_ptr<arrays::Home> where)
        : home(std::move(where)), owner(home->owner()), dtype(node->dtype), shape(node->shape),
          pending(std::move(node)) {}
    explicit State(arrays::View elements)
        : home(elements.storage->home()), owner(home->owner()), dtype(elements.dtype()),
          shape(elements.shape) {
        setView(std::move(elements));
    }
    ~State() { setView({}); }
    State(const State&) = delete;
    State& operator=(const State&) = delete;

    const std::shared_ptr<arrays::Home> home;
    const std::shared_ptr<void> owner; ///< of the manager, if it has one
    const DType dtype;
    const Shape shape;
    arrays::NodePtr pending; ///< null once it is computed
    arrays::View view;       ///< without memory until then; see setView()

    /// Sets the view. Its storage counts the arrays that have one of it.
    void setView(arrays::View elements) {
        if (view.storage)
            view.storage->removeArray();
        view = std::move(elements);
        if (view.storage)
            view.storage->addArray();
    }
    /// Returns the elements in memory.
    arrays::View& evaluated();
    /// Returns the elements as a part of an expression.
    arrays::NodePtr node();
    /// Replaces the elements by others of the same shape and type; no other array has them.
    void become(const arrays::NodePtr& node);
};

namespace arrays {

/// @throws InvalidArgument for no array
Array::State& stateOf(const Array& array);

/// Returns an expression as an array. It is computed at once if it reads memory that may change
/// unseen.
Array arrayOf(NodePtr node);
Array arrayOf(View view);

/// Returns the home of the first array among operands, or the default manager's.
std::shared_ptr<Home> homeOf(const Operand* operands, size_t count);

/// Returns an operand as a part of an expression, in a type.
/// @throws InvalidArgument if the type cannot hold a number
NodePtr nodeOf(const Operand& operand, DType dtype);

} // namespace arrays
} // namespace kp

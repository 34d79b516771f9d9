// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include <kompute/arrays/DType.hpp>
#include <kompute/arrays/Engine.hpp>
#include <kompute/arrays/Functions.hpp>
#include <kompute/arrays/Shape.hpp>

#include "arrays/memory/Storage.hpp"

namespace kp::arrays {

struct Node;
using NodePtr = std::shared_ptr<Node>;

/// Functions that one kernel computes at most.
inline constexpr int kMaxNodes = 48;

enum class Op : uint8_t {
    eLeaf,     ///< an element of a view
    eConstant, ///< a number
    eAddress,  ///< the place of an element in a view without memory
    eCall,     ///< a function of the table
    eText,     ///< GLSL over {0}, {1}, ...
    eCast,     ///< the argument in another type
    eTake, ///< an element of the first argument, a leaf, further by the others, which are indices
};

/// A part of an expression: a value per element. A node that is computed becomes a leaf, and
/// drops its arguments; changing or reading nodes requires engineLock().
struct Node : std::enable_shared_from_this<Node> {
    Node();
    ~Node();
    Node(const Node&) = delete;
    Node& operator=(const Node&) = delete;

    Op op = Op::eLeaf;
    DType dtype = DType::eFloat32;
    bool shared = false;    ///< reads memory that may change unseen
    bool writable = true;   ///< of a leaf
    bool isReader = false;  ///< is in the list of its storage
    const uint64_t capture; ///< CapturedLaunches::id() of the capture that made it; 0: none
    int nodes = 1;          ///< in the expression, each as often as it is used
    int loads = 0;
    Shape shape;
    std::shared_ptr<Home> home; ///< null for constants
    std::vector<NodePtr> args;
    const Function* function = nullptr;        ///< of eCall
    const std::string* text = nullptr;         ///< of eText; see interned()
    std::array<uint32_t, 4> words{};           ///< of eConstant
    std::vector<Step> steps;                   ///< of eTake
    std::shared_ptr<Storage> storage;          ///< of eLeaf
    int64_t offset = 0;                        ///< of eLeaf and eAddress
    Shape strides;                             ///< of eLeaf and eAddress
    std::vector<std::weak_ptr<Node>> together; ///< nodes of the same kernel; see together()
    Node* nextReader = nullptr;
    Node* previousReader = nullptr;

    View view() const { return {storage, offset, shape, strides, writable}; }
    /// Turns into a leaf. Other expressions with this node read the view from now on.
    void become(const View& view);
};

/// Building, computing and storing expressions requires this lock.
std::recursive_mutex& engineLock();

/// Returns the one copy of a text, whose address stands for it.
const std::string* interned(std::string_view text);

NodePtr leaf(const View& view);
/// @param words  from which NumberType::constant makes it; see constantWords()
NodePtr constant(DType dtype, const std::array<uint32_t, 4>& words);
/// Returns a number as uint32. @param value  that fits
NodePtr word(int64_t value);
/// Returns, for each element of a shape, an offset plus its indices times strides.
NodePtr address(const std::shared_ptr<Home>& home, const Shape& shape, int64_t offset,
                const Shape& strides, DType dtype);
/// Each of these computes arguments first that would make the expression too large.
/// @throws InvalidArgument if the arguments belong to different managers
NodePtr call(const Function& function, DType dtype, const Shape& shape, std::vector<NodePtr> args);
NodePtr text(const std::string* text, DType dtype, const Shape& shape, std::vector<NodePtr> args);
NodePtr cast(const NodePtr& node, DType dtype);
NodePtr take(const View& base, const Shape& shape, std::vector<NodePtr> indices,
             std::vector<Step> steps);

/// Returns true if one kernel may compute some values, and store so many results.
bool fit(const std::vector<NodePtr>& values, size_t results);

/// Computes values, largest first, until one kernel may compute the rest and store so many results,
/// or all are computed.
void reduceSize(const std::vector<NodePtr>& values, size_t results);

/// Adds up indices, so that a kernel reads one memory object for all. The view then has the
/// elements of the smallest indices, and there is one step.
void combine(View& view, std::vector<NodePtr>& indices, std::vector<Step>& steps);

/// Lets one kernel compute the nodes of each shape, those that are still wanted, once the first of
/// them is needed.
void together(const std::vector<NodePtr>& nodes);

/// Returns all storages that expressions read, each once.
std::vector<std::shared_ptr<Storage>> storagesOf(const std::vector<NodePtr>& nodes);

/// Prepares for writing to a storage: expressions that read it get a copy, as it is now. That
/// includes the expression that is going to be written, which may read other elements than it sets.
void beforeWrite(const std::shared_ptr<Storage>& storage);

} // namespace kp::arrays

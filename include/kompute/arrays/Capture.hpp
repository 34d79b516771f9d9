// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include <kompute/Array.hpp>

namespace kp {

/// A function of arrays.
using ArrayFunction = std::function<std::vector<Array>(const std::vector<Array>&)>;

namespace arrays {

/// What a function launches for arguments that are alike, recorded once and launched again with
/// other arguments. Made by one thread; replay() may be called by any.
class KOMPUTE_API Trace {
public:
    /// Begins to trace. Until finish() or the destructor, array functions of this thread launch
    /// nothing: their launches are kept, and reads by the host throw InvalidArgument.
    /// @throws InvalidArgument unless canTrace()
    explicit Trace(const std::vector<Array>& arguments);
    ~Trace();
    Trace(const Trace&) = delete;
    Trace& operator=(const Trace&) = delete;

    /// Returns false for arguments that no trace can stand for: none, arrays of several managers,
    /// and views of the same memory in several types.
    static bool canTrace(const std::vector<Array>& arguments);

    /// Returns what the function gets instead of the arguments.
    const std::vector<Array>& parameters() const;
    /// Ends tracing. The caller has dropped all arrays but the results, of which it keeps no copy.
    /// @return false if other arrays exist that the function made: then it computes more than its
    ///         results, and cannot be replayed
    /// @throws InvalidArgument if an array function threw because it needs the host, and the
    ///         function has caught that
    bool finish(std::vector<Array> results);

    /// Returns true if the trace stands for arguments: they have the same types, shapes, strides
    /// and manager, and the same ones share memory.
    bool fits(const std::vector<Array>& arguments) const;
    /// Launches the trace with other arguments, and returns at once.
    /// @param arguments  that fit
    /// @return false if the function writes arguments that it also reads by another name; nothing
    ///         is launched then
    /// @throws OutOfMemory, DeviceLost
    bool replay(const std::vector<Array>& arguments, std::vector<Array>& results);

private:
    struct Impl;
    std::shared_ptr<Impl> mImpl;
};

} // namespace arrays

/// A function of arrays that is traced once for arguments that are alike, and then replayed: its
/// launches are recorded into a command buffer, which calls submit with other memory.
///
///     auto step = kp::capture([](const std::vector<kp::Array>& in) {
///         return std::vector<kp::Array>{kp::sin(in[0]) * 2 + in[1]};
///     });
///     kp::Array y = step({u, v})[0];
///
/// A call computes what the function computes, in the arguments' memory if the function changes
/// them in place. While it is traced, the function sees no numbers: item(), read() and shapes that
/// depend on data throw InvalidArgument. Other arrays that it uses keep their memory: calls see
/// later changes in place. It must launch the same for arguments that are alike, and its arrays
/// may outlive it only as results.
///
/// Thread-safe, if the function is.
class KOMPUTE_API CapturedFunction {
public:
    explicit CapturedFunction(ArrayFunction function);

    /// @throws what the function throws when it is traced; InvalidArgument if it keeps an array
    /// that
    ///         it made
    std::vector<Array> operator()(const std::vector<Array>& arguments) const;
    /// Same. @param trace  set to the number of the trace, in the order they were made; SIZE_MAX if
    ///                     the function was called instead
    std::vector<Array> operator()(const std::vector<Array>& arguments, size_t& trace) const;
    /// Returns the number of traces that were made. The last 64 are kept.
    size_t traces() const;

private:
    struct Impl;
    std::shared_ptr<Impl> mImpl;
};

/// Returns true while this thread traces a function.
KOMPUTE_API bool isCapturing();

/// Returns a function that is traced and replayed.
KOMPUTE_API CapturedFunction capture(ArrayFunction function);

/// A function that returns an array of one element.
using LoopCondition = std::function<Array(const std::vector<Array>&)>;

/// Repeats a function of arrays on the device, as long as a condition holds, which may be never:
///
///     kp::Array x = kp::whileLoop([](const auto& s) { return kp::max(s[0]) < 100; },
///                                 [](const auto& s) { return std::vector{s[0] * 2}; }, {x0},
///                                 50)[0];
///
/// Both are called once or twice, and their launches are traced, as in a captured function: they
/// see no numbers, and keep no array that they make. Steps are recorded once, and the device ends
/// the loop. In a captured function or a program, all of them are recorded, so memory and time grow
/// with their number. Otherwise, 16 of them are a submission, and the host looks at the condition
/// some submissions later.
///
/// Arrays of the state that the body changes in place and returns are not copied in each step.
///
/// Thread-safe, if both functions are.
/// @param condition  of the state, which is 0 or false to stop. It launches no changes.
/// @param body       returns the next state, of the same shapes and types
/// @param start      arrays of one manager, which stay as they are
/// @param most       steps that run at most, 1 or more. To see whether these were enough, make
///                   the condition's value or a count of steps a part of the state.
/// @return the state for which the condition does not hold, or the one after the last step
/// @throws InvalidArgument for other results of the body and of the condition; within another
///         loop, because loops cannot be nested; as CapturedFunction
KOMPUTE_API std::vector<Array> whileLoop(const LoopCondition& condition, const ArrayFunction& body,
                                         const std::vector<Array>& start, uint32_t most);

} // namespace kp

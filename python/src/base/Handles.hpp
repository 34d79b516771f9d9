// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mutex>

#include <kompute/Launch.hpp>

#include "base/Gil.hpp"
#include "base/Process.hpp"
#include "base/Values.hpp"

/// The contents of the Python objects. The rule that keeps them safe from several threads:
/// everything that changes the library's objects happens with the GIL held. Only waits, transfers,
/// compilation and the creation of objects release it, and each of those protects the objects it
/// uses by a Use.
namespace kp::python {

/// A kp.Manager. The objects that it creates hold a reference to it.
struct ManagerHandle {
    std::shared_ptr<Manager> manager;
    int users = 0;        ///< calls that use it without the GIL
    bool closing = false; ///< destroy() waits for those; there will be no more
    static constexpr const char* kNoun = "manager";
};

/// The calls of this thread that use a manager or a group without the GIL, or that may run Python
/// code.
inline thread_local int tUses = 0;

/// @throws InvalidArgument if another thread destroys the manager or the group
template <typename Handle>
void requireOpen(const Handle& handle) {
    if (handle.closing)
        throw InvalidArgument(formatted("another thread is destroying this {}", Handle::kNoun));
}

/// A kp.Tensor or kp.Image.
struct MemoryHandle {
    std::shared_ptr<ManagerHandle> manager;
    std::shared_ptr<Memory> memory; ///< null: kp.Tensor(data) that no manager has created yet
    py::dtype dtype;                ///< of an element
    std::vector<py::ssize_t> shape; ///< as the caller gave it
    int users = 0;                  ///< calls that use it without the GIL
    std::mutex transfers;           ///< one transfer at a time; locked without the GIL
    /// No elements, which devices do not support: the memory has a hidden one.
    bool empty = false;

    uint64_t size() const { return empty ? 0 : memory->size(); }
    virtual ~MemoryHandle() = default;
    Image* image() const { return dynamic_cast<Image*>(memory.get()); }
    /// Null for an image.
    std::shared_ptr<Tensor> tensor() const { return std::dynamic_pointer_cast<Tensor>(memory); }
};
struct TensorHandle final : MemoryHandle {
    std::vector<std::shared_ptr<Memory>> replaced; ///< destroyed memory that views may show
    bool shared = false;                           ///< CUDA can use the memory
    py::object owner; ///< the array whose memory this is, which it keeps; null for others
};
struct ImageHandle final : MemoryHandle {};

/// A kp.Sampler.
struct SamplerHandle {
    std::shared_ptr<Sampler> sampler;
};

/// A kp.Semaphore.
struct SemaphoreHandle {
    std::shared_ptr<Semaphore> semaphore;
};

/// The push constants that a shader declares.
struct DeclaredPush {
    uint32_t bytes = 0;
    uint64_t numbers = 0; ///< of all members
    bool known = false;   ///< there is a shader, and its push constants are not structs
    /// All are floats without gaps, as the numbers of a list are if no shader is known.
    bool floats = true;
    std::string names; ///< for messages
};

struct AlgorithmHandle {
    std::shared_ptr<ManagerHandle> manager;
    std::shared_ptr<Algorithm> algorithm;
    py::list memory;    ///< the Python objects behind getMemObjects()
    py::list addressed; ///< the Python objects behind AlgorithmOptions::addressed
    std::vector<uint32_t> spirv;
    bool reinterpret = false;         ///< the shader may take elements for others
    int users = 0;                    ///< calls that use it without the GIL
    std::optional<DeclaredPush> push; ///< unknown until first needed
};

/// A kp.OpBase or one of its children. A class derived in Python has one as well; a PythonOperation
/// is recorded for it.
struct OpHandle {
    std::shared_ptr<OpBase> op;

    virtual ~OpHandle() = default;
};

struct SequenceHandle {
    std::shared_ptr<ManagerHandle> manager;
    std::shared_ptr<Sequence> sequence;
    bool busy = false; ///< in a call that may run Python code, which must not change the sequence
    /// The operations whose classes are derived in Python, for the garbage collector. Some may have
    /// left the sequence.
    std::vector<std::shared_ptr<OpBase>> derived;
    uint64_t interruptions = 0; ///< as the function of that name says, at the last change

    /// Waits for a running sequence. Ctrl-C ends the wait, and if it was noticed since the
    /// evaluation, there is none: the library then keeps the sequence until its work is done.
    ~SequenceHandle();
};

struct QueueHandle {
    std::shared_ptr<ManagerHandle> manager;
    std::shared_ptr<Queue> queue;
};

/// Marks an object as used without the GIL for the length of a scope, so that another thread's
/// destroy() does not destroy it: a manager's or group's waits, others throw. Created and destroyed
/// with the GIL held.
template <typename Handle>
class Use {
public:
    /// @throws InvalidArgument if another thread destroys the manager or the group
    explicit Use(Handle& handle) : mHandle(handle) {
        if constexpr (kCloses) {
            requireOpen(handle);
            ++tUses;
        }
        ++mHandle.users;
    }
    ~Use() {
        --mHandle.users;
        if constexpr (kCloses)
            --tUses;
    }
    Use(const Use&) = delete;
    Use& operator=(const Use&) = delete;

private:
    static constexpr bool kCloses = requires { &Handle::closing; };

    Handle& mHandle;
};

/// Runs @p body, which uses the object, without the GIL.
template <typename Handle, typename Body>
auto withoutGil(Handle& handle, Body&& body) {
    const Use use(handle);
    const ReleaseGil release;
    return body();
}

/// A Use of each of several objects.
template <typename Handle>
class Uses {
public:
    explicit Uses(const std::vector<Handle*>& handles) {
        for (Handle* const handle : handles)
            mUses.push_back(std::make_unique<Use<Handle>>(*handle));
    }

private:
    std::vector<std::unique_ptr<Use<Handle>>> mUses;
};

/// @throws InvalidArgument if another thread is in a call that uses @p handle
template <typename Handle>
void requireUnused(const Handle& handle, const char* noun) {
    if (handle.users > 0)
        throw InvalidArgument(
            formatted("this {} is in use by another thread; wait for that call to return", noun));
}

/// The Python type of a handle.
template <typename Handle>
inline PyTypeObject* gType = nullptr;

/// Sets gType<Handle>.
template <typename Handle>
void setType(py::handle type) {
    gType<Handle> = reinterpret_cast<PyTypeObject*>(type.ptr());
}

/// Returns true if an object is of a class, or of a class derived from it.
template <typename Handle>
bool isA(py::handle object) {
    return PyObject_TypeCheck(object.ptr(), gType<Handle>);
}

/// Returns the C++ object behind a Python object of our own classes, or of a class derived from
/// them; null for an instance made by __new__ alone. @p object must be of the right type.
template <typename Handle>
Handle* pointerOf(PyObject* object) {
    auto* instance = reinterpret_cast<py::detail::instance*>(object);
    return static_cast<Handle*>(instance->simple_layout
                                    ? instance->simple_value_holder[0]
                                    : instance->get_value_and_holder().value_ptr());
}

/// @throws InvalidArgument for a tensor that no manager has created yet
template <typename Handle>
void requireCreated(const Handle& handle) {
    if constexpr (std::is_base_of_v<MemoryHandle, Handle>)
        if (!handle.memory)
            throw InvalidArgument("a kp.Tensor(data) is on no device until Manager.rebuild() or "
                                  "eval_tensor_create_def() creates it; call one of them first, or "
                                  "create tensors by Manager.tensor()");
}

/// Same for any Python object. @throws TypeError naming @p argument
template <typename Handle>
Handle& handleOf(py::handle object, const char* argument = "self") {
    requireThisProcess();
    auto* const handle = isA<Handle>(object) ? pointerOf<Handle>(object.ptr()) : nullptr;
    if (!handle)
        throwWrongType(object, argument, gType<Handle>);
    requireCreated(*handle);
    return *handle;
}

/// Same for classes held by a std::shared_ptr. @throws TypeError naming @p argument
template <typename Handle>
std::shared_ptr<Handle> sharedOf(py::handle object, const char* argument = "self") {
    handleOf<Handle>(object, argument);
    return py::cast<std::shared_ptr<Handle>>(object);
}

} // namespace kp::python

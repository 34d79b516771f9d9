// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>

#include <kompute/Launch.hpp>

#include "Process.hpp"

/// What the Python objects hold. The rule that keeps them safe from several threads: everything
/// that changes the library's objects happens with the GIL held; only waits, transfers, compiles
/// and the creation of objects let go of it, and each of those says what it uses by a Use.
namespace kp::python {

namespace py = pybind11;

/// A kp.Manager. The objects that it makes hold on to it.
struct ManagerHandle {
    std::shared_ptr<Manager> manager;
    int users = 0; ///< calls that use it without the GIL
};

/// A kp.Tensor or kp.Image.
struct MemoryHandle {
    std::shared_ptr<ManagerHandle> manager;
    std::shared_ptr<Memory> memory;
    py::dtype dtype;                ///< of an element
    std::vector<py::ssize_t> shape; ///< as the caller gave it
    int users = 0;                  ///< calls that use it without the GIL
    std::mutex transfers;           ///< one transfer at a time; locked without the GIL

    virtual ~MemoryHandle() = default;
    Image* image() const { return dynamic_cast<Image*>(memory.get()); }
};
struct TensorHandle final : MemoryHandle {};
struct ImageHandle final : MemoryHandle {};

/// A kp.Algorithm.
struct AlgorithmHandle {
    std::shared_ptr<ManagerHandle> manager;
    std::shared_ptr<Algorithm> algorithm;
    py::list memory; ///< the Python objects behind getMemObjects()
    std::vector<uint32_t> spirv;
    int users = 0; ///< calls that use it without the GIL
};

/// A kp.OpBase or one of its children. A class derived in Python has one as well; what is recorded
/// for it is a PythonOperation.
struct OpHandle {
    std::shared_ptr<OpBase> op;

    virtual ~OpHandle() = default;
};

/// A kp.Sequence.
struct SequenceHandle {
    std::shared_ptr<ManagerHandle> manager;
    std::shared_ptr<Sequence> sequence;
    bool busy = false; ///< in a call that may run Python code, which must not change the sequence

    ~SequenceHandle();
};

/// Says for the length of a scope that an object is used without the GIL, so that destroy() of
/// another thread is refused instead of pulling it away. Made and ended with the GIL held.
template <typename Handle>
class Use {
public:
    explicit Use(Handle& handle) : mHandle(handle) { ++mHandle.users; }
    ~Use() { --mHandle.users; }
    Use(const Use&) = delete;
    Use& operator=(const Use&) = delete;

private:
    Handle& mHandle;
};

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

/// @throws InvalidArgument where another thread is in a call that uses @p handle
template <typename Handle>
void requireUnused(const Handle& handle, const char* noun) {
    if (handle.users > 0)
        throw InvalidArgument(std::string("this ") + noun +
                              " is in use by another thread; wait for that call to return");
}

/// The Python type of a handle; set when the classes are made.
template <typename Handle>
inline PyTypeObject* gType = nullptr;

/// The C++ object behind a Python object of our own classes, or of a class derived from them; null
/// for an instance made by __new__ alone. @p object must be of the right type.
template <typename Handle>
Handle* pointerOf(PyObject* object) {
    auto* instance = reinterpret_cast<py::detail::instance*>(object);
    return static_cast<Handle*>(instance->simple_layout
                                    ? instance->simple_value_holder[0]
                                    : instance->get_value_and_holder().value_ptr());
}

/// Same for any Python object. @throws TypeError naming @p argument
template <typename Handle>
Handle& handleOf(py::handle object, const char* argument = "self") {
    requireThisProcess();
    if (!PyObject_TypeCheck(object.ptr(), gType<Handle>))
        throw py::type_error(std::string(argument) + " is a " + gType<Handle>->tp_name +
                             ", not a " + Py_TYPE(object.ptr())->tp_name);
    auto* const handle = pointerOf<Handle>(object.ptr());
    if (!handle)
        throw py::type_error(std::string(argument) + " is a " + Py_TYPE(object.ptr())->tp_name +
                             " that was never initialised; call __init__ of its base class");
    return *handle;
}

} // namespace kp::python

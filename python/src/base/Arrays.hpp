// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <kompute/Memory.hpp>
#include <kompute/shader/Reflection.hpp>

#include "base/Pybind.hpp"

namespace kp::python {

/// Returns the element type of a dtype; eCustom for structs and everything else of fixed size.
/// @throws TypeError naming @p argument for objects, text and dtypes of no size
Memory::DataTypes dataTypeOf(const py::dtype& dtype, const char* argument);

/// Returns the type of a dtype's numbers in shaders; eUnknown for everything else.
shader::ScalarType scalarTypeOf(const py::dtype& dtype);
/// Returns the dtype of a shader's numbers (a bool is 4 bytes in memory: uint32); None for structs
/// and unknown types.
py::object dtypeOf(shader::ScalarType type);

/// Returns any array-like as a C-contiguous array in native byte order: NumPy arrays, DLPack and
/// buffer objects of host memory, nested sequences, numbers. Copies only if it must.
/// @param dtype  None: the data's
/// @param cast   converts all numbers as NumPy's astype(). Otherwise integers must hold them: a
///               fraction is a TypeError, a number out of range an OverflowError
/// @throws TypeError, ValueError, OverflowError naming @p argument
py::array toArray(py::handle data, const py::object& dtype, const char* argument,
                  bool cast = false);

/// Returns a dtype argument; float32 for None. @throws TypeError if NumPy does not know it
py::dtype toDtype(const py::object& dtype);

/// Returns a dtype as NumPy spells it, for messages.
std::string nameOf(const py::handle& dtype);

/// Returns a shape argument: a number or a sequence of numbers, none negative.
std::vector<py::ssize_t> toShape(py::handle shape);
/// @throws ValueError if the number of elements does not fit into an index
py::ssize_t countOf(const std::vector<py::ssize_t>& shape);

/// Returns a writable array over memory that @p base keeps alive.
py::object makeView(void* data, const py::dtype& dtype, const std::vector<py::ssize_t>& shape,
                    py::handle base);

/// The elements of new memory.
struct Elements {
    Elements() = default;
    /// @throws TypeError, ValueError
    Elements(py::handle shape, const py::object& dtype);

    uint64_t count() const { return static_cast<uint64_t>(countOf(shape)); }
    uint64_t itemBytes() const { return static_cast<uint64_t>(dtype.itemsize()); }

    py::dtype dtype;
    std::vector<py::ssize_t> shape;
    Memory::DataTypes type{};
};

/// The contents that a tensor or an image is created with.
struct Contents : Elements {
    /// @param keepsDtype  without a dtype, the elements have the type of @p data, not float32
    /// @param cast        see toArray()
    /// @throws TypeError, ValueError, OverflowError
    Contents(const py::object& data, const py::object& shape, const py::object& dtype,
             bool keepsDtype, bool cast);

    void* data() const { return array ? const_cast<void*>(array.data()) : nullptr; }

    py::array array; ///< null: none
};

} // namespace kp::python

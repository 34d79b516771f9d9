// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "Handles.hpp"

namespace kp::python {

/// The element type of a dtype; eCustom for structs and everything else of fixed size.
/// @throws TypeError naming @p argument for objects, text and dtypes of no size
Memory::DataTypes dataTypeOf(const py::dtype& dtype, const char* argument);

/// Any array-like as a C-contiguous array in native byte order: NumPy arrays, DLPack and buffer
/// objects of host memory, nested sequences, numbers. Copies only where it must.
/// @param dtype  null: that of the data
/// @throws TypeError, ValueError naming @p argument
py::array toArray(py::handle data, const py::object& dtype, const char* argument);

/// A dtype argument. @throws TypeError where NumPy knows none like it
py::dtype toDtype(const py::object& dtype);

/// A dtype as NumPy spells it, for messages.
std::string nameOf(const py::handle& dtype);

/// A whole number, by __index__. @throws TypeError, OverflowError
py::ssize_t toIndex(py::handle number);

py::tuple toTuple(const Workgroup& workgroup);

/// A shape argument: a number or a sequence of numbers, none negative.
std::vector<py::ssize_t> toShape(py::handle shape);
py::ssize_t countOf(const std::vector<py::ssize_t>& shape);

/// A writable array over memory that @p base keeps alive.
py::object makeView(void* data, const py::dtype& dtype, const std::vector<py::ssize_t>& shape,
                    py::handle base);

} // namespace kp::python

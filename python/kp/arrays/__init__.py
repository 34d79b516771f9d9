# SPDX-License-Identifier: Apache-2.0
"""Arrays over tensors, with NumPy's semantics and the names of the array API standard.

The engine is the library's, in C++ (src/arrays). `array` completes its class, `elementwise` applies the
functions that `functions` names, and the other modules and the folders are the functions of the
namespace.
"""

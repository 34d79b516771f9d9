# SPDX-License-Identifier: Apache-2.0
"""Multiplies matrices by <kompute/program.h> through ctypes.

program.py LIBRARY
"""

from __future__ import annotations

import ctypes
import sys
from ctypes import POINTER, byref, c_char_p, c_int, c_size_t, c_uint32, c_uint64, c_void_p

FLOAT32 = 3


class NamedTensor(ctypes.Structure):
    _fields_ = [("name", c_char_p), ("tensor", c_void_p)]


def check(status: int) -> None:
    if status:
        raise SystemExit(f"failed: {library.kp_last_error().decode()}")


library = ctypes.CDLL(sys.argv[1])
library.kp_last_error.restype = c_char_p
library.kp_manager_create.argtypes = [c_uint32, POINTER(c_void_p)]
library.kp_program_matmul.argtypes = [
    c_void_p, c_int, c_uint64, c_uint64, c_uint64, POINTER(c_void_p)
]  # fmt: skip
library.kp_tensor_create.argtypes = [
    c_void_p, c_int, c_uint64, c_uint32, c_void_p, POINTER(c_void_p)
]  # fmt: skip
library.kp_program_run.argtypes = [c_void_p, POINTER(NamedTensor), c_size_t]
library.kp_tensor_read.argtypes = [c_void_p, c_void_p, c_size_t]
library.kp_tensor_destroy.argtypes = [c_void_p]
library.kp_program_destroy.argtypes = [c_void_p]
library.kp_manager_destroy.argtypes = [c_void_p]

manager, program = c_void_p(), c_void_p()
check(library.kp_manager_create(0, byref(manager)))
check(library.kp_program_matmul(manager, FLOAT32, 2, 3, 2, byref(program)))
tensors = (NamedTensor * 3)()
for place, (name, values) in enumerate(
    {b"a": [1, 2, 3, 4, 5, 6], b"b": [1, 0, 0, 1, 1, 1], b"c": [0, 0, 0, 0]}.items()
):
    data = (ctypes.c_float * len(values))(*values)
    tensor = c_void_p()
    check(library.kp_tensor_create(manager, FLOAT32, len(values), 0, data, byref(tensor)))
    tensors[place] = NamedTensor(name, tensor)
check(library.kp_program_run(program, tensors, 3))
product = (ctypes.c_float * 4)()
check(library.kp_tensor_read(tensors[2].tensor, product, ctypes.sizeof(product)))
for each in tensors:
    library.kp_tensor_destroy(each.tensor)
library.kp_program_destroy(program)
library.kp_manager_destroy(manager)
if list(product) != [4, 5, 10, 11]:
    raise SystemExit(f"the product is {list(product)}")
print("multiplied")

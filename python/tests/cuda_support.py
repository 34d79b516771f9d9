# SPDX-License-Identifier: Apache-2.0
"""Common code of the tests of shared tensors."""

from __future__ import annotations

import ctypes
from typing import Any

import numpy as np

import kp

CAPSULE_NAMES = (b"dltensor", b"dltensor_versioned")


class _Device(ctypes.Structure):
    _fields_ = [("kind", ctypes.c_int32), ("number", ctypes.c_int32)]


class _Tensor(ctypes.Structure):
    _fields_ = [
        ("data", ctypes.c_void_p),
        ("device", _Device),
        ("ndim", ctypes.c_int32),
        ("code", ctypes.c_uint8),
        ("bits", ctypes.c_uint8),
        ("lanes", ctypes.c_uint16),
        ("shape", ctypes.POINTER(ctypes.c_int64)),
        ("strides", ctypes.POINTER(ctypes.c_int64)),
        ("offset", ctypes.c_uint64),
    ]


_Deleter = ctypes.CFUNCTYPE(None, ctypes.c_void_p)


class _Managed(ctypes.Structure):
    _fields_ = [("tensor", _Tensor), ("context", ctypes.c_void_p), ("deleter", _Deleter)]


class _Versioned(ctypes.Structure):
    _fields_ = [
        ("major", ctypes.c_uint32),
        ("minor", ctypes.c_uint32),
        ("context", ctypes.c_void_p),
        ("deleter", _Deleter),
        ("flags", ctypes.c_uint64),
        ("tensor", _Tensor),
    ]


_new = ctypes.pythonapi.PyCapsule_New
_new.restype = ctypes.py_object
_new.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]


class DeviceArray:
    """An array of another library "on CUDA device 0": host memory, in fact."""

    def __init__(self, values: np.ndarray[Any, Any], code: int = 2, device: int = 0) -> None:
        self.values = values
        self.code = code
        self.device = device
        self.lanes = 1
        self.flags = 0
        self.major = 1
        self.streams: list[Any] = []
        self._kept: list[Any] = []

    def __dlpack_device__(self) -> tuple[int, int]:
        return (2, self.device)

    def __dlpack__(self, *, stream: Any = None, max_version: Any = None, **_: Any) -> Any:
        self.streams.append(stream)
        n = self.values.ndim
        shape = (ctypes.c_int64 * max(n, 1))(*self.values.shape)
        item = self.values.itemsize
        strides = (ctypes.c_int64 * max(n, 1))(*(each // item for each in self.values.strides))
        tensor = _Tensor(
            self.values.ctypes.data,
            _Device(2, self.device),
            n,
            self.code,
            8 * item,
            self.lanes,
            shape,
            strides,
            0,
        )
        managed = _Versioned(self.major, 0, None, _Deleter(0), self.flags, tensor)
        self._kept.append((managed, shape, strides))
        return _new(ctypes.addressof(managed), b"dltensor_versioned", None)


class InterfaceArray:
    """An array that has only the CUDA array interface."""

    def __init__(self, values: np.ndarray[Any, Any], stream: int | None = 1) -> None:
        self.values = values
        given = values.__array_interface__
        self.__cuda_array_interface__ = {
            "shape": given["shape"],
            "typestr": given["typestr"],
            "data": given["data"],
            "strides": given["strides"],
            "version": 3,
            "stream": stream,
        }


def read_capsule(capsule: Any) -> Any:
    """Return (address, device, code, bits, shape, strides, read-only)."""
    return kp._kp._read_dlpack(capsule)


def host_view(address: int, count: int) -> np.ndarray[Any, Any]:
    """Return the floats at an address of the stand-in for CUDA."""
    return np.ctypeslib.as_array((ctypes.c_float * count).from_address(address))

# SPDX-License-Identifier: Apache-2.0
"""Arrays beside NumPy and others: who shares memory with whom, DLPack, and the host as a device."""

from __future__ import annotations

import os
import warnings

import numpy as np
import pytest
from cuda_support import CAPSULE_NAMES
from group_support import make_group

import kp


def test_whether_arrays_share_memory_is_what_numpy_says() -> None:
    a = np.arange(24, dtype=np.float32).reshape(4, 6)
    x = kp.array(a)
    keys = [..., slice(2), slice(2, None), (slice(None), slice(None, None, 2))]
    keys += [
        (slice(None), slice(1, None, 2)),
        (slice(None, None, -1), 3),
        (slice(1), 0),
        slice(0, 0),
    ]
    for first in keys:
        for second in keys:
            for function in (np.may_share_memory, np.shares_memory):
                expected = function(a[first], a[second])
                assert function(x[first], x[second]) is expected, (first, second)
    assert np.may_share_memory(x, x.T) and kp.shares_memory(x.reshape(-1), x)
    assert not np.may_share_memory(x, x.copy())
    assert not np.may_share_memory(x, a) and not np.may_share_memory(a, x)
    assert not np.shares_memory(x, x + 1)
    pending = x + 1
    assert np.shares_memory(pending, pending) and np.shares_memory(pending.T, pending)
    tensor = x.manager.tensor(np.zeros(4, np.float32))
    assert kp.shares_memory(kp.asarray(tensor), tensor)


def test_arrays_of_groups_share_memory_by_their_parts() -> None:
    with make_group(2) as group:
        x = kp.arange(8, dtype=np.float32, group=group)
        assert np.shares_memory(x, x[2:6]) and not np.shares_memory(x[:2], x[6:])
        assert not np.may_share_memory(x, x.copy())
        assert x.to_device("cpu").tolist() == list(range(8))


def test_from_dlpack_copies_host_memory_unless_told_otherwise() -> None:
    manager = kp.default_manager()
    for count in (8, 1 << 20):
        values = np.zeros(count, np.float32)
        copied, tensor = kp.from_dlpack(values), manager.from_dlpack(values)
        values[3] = 42
        assert copied[3].item() == 0 and tensor.read()[3] == 0
        assert not np.may_share_memory(copied, values)
        if count == 8 and os.environ.get("KOMPUTE_VALIDATION"):
            continue  # best practices warn of small imports
        try:
            shared = kp.from_dlpack(values, copy=False)
        except BufferError as error:
            pytest.skip(str(error))
        values[3] = 43
        assert shared[3].item() == 43
        assert np.shares_memory(shared[3:], values[:4])
        assert not np.shares_memory(shared[::2], values[1::2])
    values.flags.writeable = False
    assert kp.from_dlpack(values)[3].item() == 43
    with pytest.raises(BufferError, match="in place"):
        kp.from_dlpack(values, copy=False)


@pytest.mark.skipif(
    tuple(map(int, np.__version__.split(".")[:2])) < (2, 1), reason="capsules of NumPy 2.1"
)
def test_capsules_have_the_version_asked_for() -> None:
    x = kp.arange(4, dtype=np.float32)
    tensor = x.manager.tensor(np.zeros(4, np.float32))
    plain, versioned = (name.decode() for name in CAPSULE_NAMES)
    for given in (x, tensor):
        assert f'"{plain}"' in repr(given.__dlpack__())
        assert f'"{versioned}"' in repr(given.__dlpack__(max_version=(1, 0)))
        # DLManagedTensorVersioned: version, manager_ctx, deleter, flags. 2 is "copied".
        flags = _flags(given.__dlpack__(max_version=(1, 0), copy=True))
        assert flags & 2
    assert np.from_dlpack(x, copy=True).tolist() == [0, 1, 2, 3]


def _flags(capsule: object) -> int:
    import ctypes

    pointer = ctypes.pythonapi.PyCapsule_GetPointer
    pointer.restype, pointer.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
    address = pointer(capsule, CAPSULE_NAMES[1])
    return int(ctypes.c_uint64.from_address(address + 24).value)


def test_the_host_is_a_device_by_its_name() -> None:
    x = kp.arange(4, dtype=np.float32)
    host = x.to_device("cpu")
    assert type(host) is np.ndarray and host.tolist() == [0, 1, 2, 3]
    for wrong in ("cuda", 0, None):
        with pytest.raises(TypeError, match="kp.Manager"):
            x.to_device(wrong)  # type: ignore[call-overload]
    with pytest.raises(TypeError, match="kp.Manager"):
        kp.astype(x, np.int32, device="cpu")


def test_discarded_imaginary_parts_are_warned_of() -> None:
    category = getattr(np, "exceptions", np).ComplexWarning
    z = kp.array([1 + 2j])
    for make in (
        lambda: z.astype(np.float64),
        lambda: kp.astype(z, np.int32),
        lambda: kp.asarray(z, dtype=np.float32),
    ):
        with pytest.warns(category) as noted:
            assert make().tolist() == [1]
        assert noted[0].filename == __file__
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert z.astype(bool).tolist() == [True]
        assert z.astype(np.complex64).tolist() == [1 + 2j]
        assert z.real.tolist() == [1]

# SPDX-License-Identifier: Apache-2.0
"""What works on every device, however little it has: shaders, and arrays of 32-bit numbers.

The step devices of scripts/test.sh runs these tests with device profiles and on SwiftShader.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from conftest import INCREMENT, MULTIPLY, run_python

import kp

FLOATS = np.linspace(-3, 3, 1003, dtype=np.float32)
INTEGERS = (np.arange(1003) * 389 % 1009 - 500).astype(np.int32)

#: Functions of a float32 array, with what NumPy makes of its doubles.
OF_FLOATS: dict[str, tuple[Callable[[Any], Any], Callable[[Any], Any]]] = {
    "arithmetic": (lambda x: (x * x + 1) / 3 - x, lambda x: (x * x + 1) / 3 - x),
    "exp": (kp.exp, np.exp),
    "sin": (kp.sin, np.sin),
    "tanh": (kp.tanh, np.tanh),
    "abs": (kp.abs, np.abs),
    "sum": (kp.sum, np.sum),
    "mean": (kp.mean, np.mean),
    "std": (kp.std, np.std),
    "max": (kp.max, np.max),
    "cumulative sum": (kp.cumulative_sum, np.cumsum),
    "sort": (lambda x: kp.sort(kp.sin(x * 5)), lambda x: np.sort(np.sin(x * 5))),
    "slices": (lambda x: x[5:900:3] + x[::-1][5:900:3], lambda x: x[5:900:3] + x[::-1][5:900:3]),
    "broadcasting": (lambda x: x[:17, None] * x[:19], lambda x: x[:17, None] * x[:19]),
    "transposed": (
        lambda x: x[:1000].reshape(20, 50).T + 1,
        lambda x: x[:1000].reshape(20, 50).T + 1,
    ),
    "concat": (lambda x: kp.concat([x, x]), lambda x: np.concatenate([x, x])),
    "spectrum": (lambda x: kp.abs(kp.fft.rfft(x[:256])), lambda x: np.abs(np.fft.rfft(x[:256]))),
}

OF_INTEGERS: dict[str, tuple[Callable[[Any], Any], Callable[[Any], Any]]] = {
    "arithmetic": (lambda x: x * 3 - 7, lambda x: x * 3 - 7),
    "division": (lambda x: x // 7, lambda x: x // 7),
    "remainder": (lambda x: x % 7, lambda x: x % 7),
    "bits": (lambda x: (x & 12) | 3, lambda x: (x & 12) | 3),
    "minimum": (lambda x: kp.minimum(x, 4), lambda x: np.minimum(x, 4)),
    "max": (kp.max, np.max),
    "sort": (kp.sort, np.sort),
}


@pytest.mark.parametrize("name", OF_FLOATS)
def test_arrays_of_float32(name: str) -> None:
    function, expected = OF_FLOATS[name]
    found = function(kp.array(FLOATS))
    assert found.dtype == np.float32
    np.testing.assert_allclose(found.numpy(), expected(FLOATS.astype(float)), rtol=1e-5, atol=2e-4)


@pytest.mark.parametrize("name", OF_INTEGERS)
def test_arrays_of_int32(name: str) -> None:
    function, expected = OF_INTEGERS[name]
    np.testing.assert_array_equal(function(kp.array(INTEGERS)).numpy(), expected(INTEGERS))


def test_arrays_of_uint32_and_complex64() -> None:
    words = INTEGERS.astype(np.uint32)
    np.testing.assert_array_equal((kp.array(words) * np.uint32(7)).numpy(), words * np.uint32(7))
    values = (FLOATS + 1j * FLOATS[::-1]).astype(np.complex64)
    np.testing.assert_allclose((kp.array(values) * 2j).numpy(), values * 2j, rtol=1e-6)


def test_products_of_matrices() -> None:
    a, b = FLOATS[:1000].reshape(25, 40), FLOATS[:1000].reshape(40, 25)
    np.testing.assert_allclose((kp.array(a) @ kp.array(b)).numpy(), a @ b, rtol=1e-4, atol=1e-4)


def test_a_shader_changes_a_tensor(mgr: kp.Manager) -> None:
    tensor = mgr.tensor(FLOATS)
    algorithm = mgr.algorithm([tensor], mgr.compile(INCREMENT), ((FLOATS.size + 63) // 64, 1, 1))
    sequence = mgr.sequence().record(kp.OpSyncDevice([tensor]))
    sequence.record(kp.OpAlgoDispatch(algorithm)).record(kp.OpSyncLocal([tensor])).eval()
    np.testing.assert_array_equal(tensor.data(), FLOATS + 1)


def test_operations_keep_their_order(mgr: kp.Manager) -> None:
    a, b, c = mgr.tensor([1, 2, 3]), mgr.tensor([4, 5, 6]), mgr.tensor([0, 0, 0])
    multiply = mgr.algorithm([a, b, c], mgr.compile(MULTIPLY))
    sequence = mgr.sequence().record(kp.OpSyncDevice([a, b, c]))
    for _ in range(3):
        sequence.record(kp.OpAlgoDispatch(multiply)).record(kp.OpCopy([c, a]))
    sequence.record(kp.OpSyncLocal([a])).eval()
    assert a.data().tolist() == [64, 250, 648]


def test_kernels_from_python_functions() -> None:
    @kp.jit
    def scaled(values: Any, factor: Any) -> None:
        i = kp.global_id()
        values[i] = values[i] * factor

    x = kp.array(FLOATS)
    scaled(x, 3)
    np.testing.assert_allclose(x.numpy(), FLOATS * 3, rtol=1e-6)


def test_random_numbers_are_those_of_other_devices() -> None:
    found = kp.random.default_rng(7).random(1000, dtype="float32").numpy()
    assert 0 <= found.min() < 0.02 and 0.98 < found.max() < 1
    again = kp.random.default_rng(7).random(1000, dtype="float32").numpy()
    np.testing.assert_array_equal(found, again)


def test_arrays_beyond_what_a_shader_binds(mgr: kp.Manager) -> None:
    kp._kp._pretend_range(mgr, 4096)
    x = kp.array(np.arange(5000, dtype=np.float32), device=mgr)
    y = x * 2 + x[::-1]
    np.testing.assert_array_equal(y.numpy(), np.arange(5000) + 4999)
    assert y.max().item() == 9998


def test_a_shader_that_asks_for_too_much_names_the_limit(mgr: kp.Manager) -> None:
    most = mgr.get_device_properties()["max_work_group_invocations"]
    text = f"#version 450\nlayout(local_size_x = {2 * most}) in;\nvoid main() {{}}"
    with pytest.raises(kp.ShaderError, match="maxComputeWorkGroup"):
        mgr.algorithm([], mgr.compile(text))


def test_memory_that_is_freed_is_there_again(mgr: kp.Manager) -> None:
    size = 1 << 24
    before = mgr.allocated_bytes  # of the device, with what other tests left
    for _ in range(20):  # 1.25 GiB in all
        memory = mgr.tensor_t(None, kp.MemoryTypes.storage, shape=(size,), dtype=np.float32)
        memory.destroy()
    assert mgr.allocated_bytes < before + (1 << 29)


def test_a_profile_that_does_not_exist_names_the_nearest() -> None:
    program = """
import kp
try:
    kp.Manager()
except kp.InvalidArgument as error:
    print(error)
"""
    found = run_python(program, KOMPUTE_PROFILE="aple-m")
    assert "KOMPUTE_PROFILE: there is no device profile 'aple-m'; did you mean 'apple-m'?" in found


def test_a_profile_is_listed_with_the_device() -> None:
    program = (
        "import kp; d = kp.list_devices()[0]; print(d['driver'], d['max_work_group_invocations'])"
    )
    driver, most = run_python(program, KOMPUTE_PROFILE="vulkan-1.1-least").rsplit(" ", 1)
    assert driver.endswith(", as vulkan-1.1-least")
    assert int(most) <= 128

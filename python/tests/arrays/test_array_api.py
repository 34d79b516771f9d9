# SPDX-License-Identifier: Apache-2.0
"""The surface of arrays: the array API standard, NumPy's protocols, and Python's."""

from __future__ import annotations

import copy
import inspect
import pickle
from typing import Any

import numpy as np
import pytest
from conftest import run_python

import kp

strict = pytest.importorskip("array_api_strict")

#: In extensions, or dtypes and names that are not functions.
NOT_HERE = {"Device", "ArrayAPIStrictFlagsException", "get_array_api_strict_flags"}


def standard_functions(module: Any) -> list[str]:
    return sorted(
        name
        for name in module.__all__
        if inspect.isfunction(getattr(module, name)) and "array_api_strict_flags" not in name
    )


@pytest.mark.parametrize("name", [n for n in standard_functions(strict) if n != "__getattr__"])
def test_functions_of_the_standard_exist_with_their_parameters(name: str) -> None:
    ours = inspect.signature(getattr(kp, name)).parameters
    theirs = inspect.signature(getattr(strict, name)).parameters
    by_name = {p.name for p in ours.values()}
    accepts_any = {p.kind for p in ours.values()}
    positional = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
    count = sum(p.kind in positional for p in ours.values())
    needed = 0
    for parameter in theirs.values():
        if parameter.kind is inspect.Parameter.VAR_POSITIONAL:
            assert inspect.Parameter.VAR_POSITIONAL in accepts_any, name
        elif parameter.kind is inspect.Parameter.POSITIONAL_ONLY:
            needed += 1
        else:
            assert parameter.name in by_name, f"{name} has no {parameter.name}"
    assert count >= needed


def test_several_results_are_in_tuples_as_in_the_standard() -> None:
    for xp in (kp, strict):
        x, y = xp.zeros(2), xp.zeros((3, 1))
        for results in (xp.meshgrid(x, y), xp.meshgrid(), xp.broadcast_arrays(x, y)):
            assert type(results) is tuple
        assert type(xp.__array_namespace_info__().devices()) is tuple
        assert xp.broadcast_shapes((3, 1), (2,)) == (3, 2) and xp.broadcast_shapes() == ()
    assert kp.__array_api_version__ == strict.__array_api_version__ == "2025.12"
    assert kp.zeros(1).__array_namespace__(api_version="2025.12") is kp


def test_constants_dtypes_and_attributes_of_the_standard_exist() -> None:
    for name in ("e", "inf", "nan", "newaxis", "pi", "__array_api_version__"):
        assert hasattr(kp, name), name
    for name in ("int8", "uint8", "int64", "uint64", "float32", "float64", "complex64"):
        assert getattr(kp, name) == np.dtype(name)
    x = kp.zeros(3, dtype=kp.bool)
    assert x.dtype == kp.bool
    assert kp.isdtype(x.dtype, kp.bool)
    assert (kp.bool or kp.int8) == np.dtype(
        bool
    )  # a dtype is not a number, even if the enumerator is
    assert kp.isdtype(kp.float32, ("integral", "real floating"))
    methods = [n for n in dir(strict._array_object.Array) if n.startswith("__")]
    for name in {*methods, "T", "mT", "device", "dtype", "ndim", "shape", "size", "to_device"}:
        if name not in (
            "__annotations__",
            "__firstlineno__",
            "__static_attributes__",
            "__buffer__",
        ):
            assert hasattr(kp.Array, name) or name in ("__dict__", "__weakref__"), name
    assert x.__array_namespace__() is kp
    info = kp.__array_namespace_info__()
    assert info.default_device() is kp.default_manager()
    assert info.default_dtypes()["real floating"] == kp.float64
    assert "int32" in info.dtypes(kind="integral")
    assert "float32" not in info.dtypes(kind="bool")
    single = kp.finfo(kp.float32)
    assert single.bits == 32
    for name in ("eps", "max", "min", "smallest_normal"):
        assert type(getattr(single, name)) is float
        assert getattr(single, name) == getattr(np.finfo(np.float32), name)
    assert single.resolution == np.finfo(np.float32).resolution
    assert kp.finfo(kp.complex64).dtype == np.float32
    assert copy.copy(single).eps == single.eps
    assert kp.can_cast(kp.bool, kp.bool) and kp.result_type(kp.bool, kp.bool) == np.bool_
    assert kp.iinfo(x.astype(np.int8)).max == 127
    assert kp.can_cast(kp.int32, kp.float64)
    assert not kp.can_cast(kp.float32, kp.int8)
    assert kp.result_type(kp.int8, kp.ones(1), 2) == kp.float64


def test_creation_functions_have_the_dtypes_of_the_standard() -> None:
    assert kp.zeros(2).dtype == kp.full(2, 1.5).dtype == kp.linspace(0, 1, 3).dtype == kp.float64
    assert kp.arange(3).dtype == kp.full((), 3).dtype == kp.int64
    assert kp.arange(0, 1, 0.25).tolist() == [0, 0.25, 0.5, 0.75]
    assert kp.arange(5, 0, -2).tolist() == [5, 3, 1]
    assert kp.arange(3, 1).shape == (0,)
    assert kp.arange(300, dtype=np.uint8)[-1].item() == 299 % 256
    assert kp.eye(2, 3, k=1).tolist() == [[0, 1, 0], [0, 0, 1]]
    assert kp.full((2, 2), True).tolist() == [[True] * 2] * 2
    assert kp.full_like(kp.ones(2), 7, dtype=np.int8).tolist() == [7, 7]
    assert kp.empty_like(kp.ones((2, 3))).shape == (2, 3)
    assert kp.asarray([kp.ones(2), kp.zeros(2)]).tolist() == [[1, 1], [0, 0]]
    x = kp.arange(3)
    assert kp.asarray(x) is x
    assert kp.asarray(x, copy=True) is not x
    with pytest.raises(ValueError, match="copy=False"):
        kp.asarray([1], copy=False)
    with pytest.raises(OverflowError):
        kp.array([300], dtype=np.uint8)
    with pytest.raises(TypeError, match="not text"):
        kp.array(["a"])
    with pytest.raises(TypeError, match="complex numbers do not fit"):
        kp.array([1j], dtype=np.float32)
    with pytest.raises(TypeError, match="created by kp.array"):
        kp.Array()


def test_numpy_calls_functions_of_arrays() -> None:
    a = np.arange(6, dtype=np.float32).reshape(2, 3)
    x = kp.array(a)
    for result in (np.sqrt(x), np.add(x, a), a + x, a[0] * x, np.float32(2) - x, a < x):
        assert isinstance(result, kp.Array)
    np.testing.assert_array_equal((a[0] - x).numpy(), a[0] - a)
    for name in ("sum", "mean", "argmax", "any"):
        function = getattr(np, name)
        found = function(x, axis=1)
        assert isinstance(found, kp.Array), name
        np.testing.assert_allclose(found.numpy(), function(a, axis=1), rtol=1e-6)
    assert isinstance(np.concatenate([x, x]), kp.Array)
    np.testing.assert_array_equal(np.where(x > 2, x, 0).numpy(), np.where(a > 2, a, 0))
    np.testing.assert_array_equal(np.matmul(x, a.T).numpy(), a @ a.T)
    np.testing.assert_array_equal((a @ x.T).numpy(), a @ a.T)
    np.testing.assert_array_equal(np.add.reduce(x).numpy(), np.add.reduce(a))
    out = kp.zeros((2, 3))
    assert np.multiply(x, 2, out=out) is out
    np.testing.assert_array_equal(np.asarray(out), 2 * a)
    assert np.shape(x) == (2, 3)
    assert np.array2string(x) == np.array2string(a)
    assert np.array_repr(x) == np.array_repr(a)
    with pytest.raises(TypeError):
        np.poly(x)


def test_dlpack_goes_through_the_host() -> None:
    x = kp.arange(4, dtype=np.int16)
    np.testing.assert_array_equal(np.from_dlpack(x), [0, 1, 2, 3])
    assert kp.from_dlpack(np.arange(3.0)).tolist() == [0, 1, 2]
    assert x.__dlpack_device__() == (1, 0)
    with pytest.raises(BufferError):
        x.__dlpack__(copy=False)


def test_arrays_are_python_objects() -> None:
    x = kp.array([[1.5, 2], [3, 4]], dtype=np.float32)
    assert repr(x) == repr(x.numpy())
    assert str(x) == str(x.numpy())
    assert "<td>1.5</td>" in x._repr_html_()
    assert f"{kp.array(2.5):.2f}" == "2.50"
    assert len(x) == 2
    assert [row.tolist() for row in x] == x.tolist()
    assert 3 in x
    assert [1, 2, 3][kp.array(1)] == 2
    assert (int(kp.array(3)), float(kp.array(3)), complex(kp.array(3))) == (3, 3.0, 3 + 0j)
    assert x.item(1) == 2
    assert x.tobytes() == x.numpy().tobytes()
    for same in (pickle.loads(pickle.dumps(x)), copy.copy(x), copy.deepcopy(x)):
        assert same is not x
        assert same.tolist() == x.tolist()
        assert same.dtype == x.dtype
    for call in (lambda: bool(x), lambda: int(x), lambda: float(x), lambda: hash(x)):
        with pytest.raises((ValueError, TypeError)):
            call()
    with pytest.raises(TypeError, match="integer arrays"):
        [1][kp.array(0.5)]
    assert (x == None).all() == False if isinstance(x == None, kp.Array) else True  # noqa: E711


def test_a_tensor_of_an_empty_array_is_empty(mgr: kp.Manager) -> None:
    for empty in (kp.zeros((3, 0), device=mgr), kp.ones(4, device=mgr)[2:2]):
        tensor = empty.tensor()
        assert (tensor.shape, tensor.dtype) == ((0,), empty.dtype)
        assert kp.sum(tensor).item() == 0


def test_tensors_and_arrays_share_memory(mgr: kp.Manager) -> None:
    tensor = mgr.tensor([[1, 2], [3, 4]])
    x = kp.asarray(tensor)
    assert x.manager is mgr
    assert x.T.tolist() == [[1, 3], [2, 4]]
    x[0, 0] = 9
    assert tensor.read()[0].tolist() in ([9, 2], 9)
    total = kp.sum(x)
    assert isinstance(total, kp.Array)
    assert isinstance(kp.sum(tensor), kp.Tensor)
    assert total.item() == 18
    y = (x * 2).tensor()
    assert isinstance(y, kp.Tensor)
    mgr.sequence().eval(kp.OpFill([y], 1.5))
    assert y.read().tolist() == [1.5] * 4
    assert kp.sqrt(tensor).shape == (2, 2)


def test_dtypes_that_a_device_lacks_are_refused_at_creation(mgr: kp.Manager) -> None:
    kp._kp._pretend_lack(mgr, np.dtype(np.float64), "It has no shaderFloat64.")
    kp._kp._exchange_singles_noted(False)
    with pytest.warns(RuntimeWarning, match="float32 is the default float type there"):
        x = kp.ones(3, device=mgr)
    assert x.dtype == kp.array([1.5], device=mgr).dtype == np.float32
    assert kp.linspace(0, 1, 3, device=mgr).dtype == np.float32
    assert kp.arange(3, device=mgr).mean().dtype == np.float32
    assert (kp.arange(3, device=mgr) / 2).tolist() == [0, 0.5, 1]
    for make in (
        lambda: kp.array(np.array([1.5]), device=mgr),
        lambda: kp.zeros(2, dtype=np.float64, device=mgr),
        lambda: x.astype(np.float64),
    ):
        with pytest.raises(kp.Unsupported, match="no arrays of float64; convert to float32 first"):
            make()
    assert "float64" not in kp.__array_namespace_info__().dtypes(device=mgr)


def test_star_import_hides_no_built_in_function() -> None:
    names: dict[str, Any] = {}
    exec("from kp import *", names)
    import builtins

    assert not set(dir(builtins)) & (set(names) - {"__builtins__"}) - {"__name__", "compile"}


def test_first_result_comes_soon() -> None:
    code = "import time; t = time.perf_counter(); import kp; print(kp.array([1, 2, 3]).sum())\n"
    assert run_python(code) == "6\n"

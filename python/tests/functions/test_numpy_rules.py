# SPDX-License-Identifier: Apache-2.0
"""What people who know NumPy expect of tensors, images and buffers: nothing goes wrong in silence."""

from __future__ import annotations

import copy
import pickle
from typing import Any

import numpy as np
import pytest
from conftest import INCREMENT

import kp
import kp.launcher as kl


@pytest.fixture(scope="module")
def mgr() -> kp.Manager:
    return kp.Manager()


PLACES = ["device", "host", "storage", "deviceAndHost"]

# --- Shapes ---------------------------------------------------------------------------------------


def test_write_needs_all_elements_or_an_offset(mgr: kp.Manager) -> None:
    tensor = mgr.tensor([1, 2, 3])
    for data in ([7], 7, [1, 2, 3, 4]):
        with pytest.raises(
            ValueError, match="but the tensor has 3; give an offset to write a part"
        ):
            tensor.write(data)
    tensor.write([7], 0)
    tensor.write(9, offset=2)
    assert tensor.read()[[0, 2]].tolist() == [7, 9]
    image = mgr.image(np.zeros((2, 3, 1)))
    with pytest.raises(ValueError, match="data has 1 element, but the image has 6"):
        image.write([7])


def test_write_refuses_another_shape_unless_one_is_flat(mgr: kp.Manager) -> None:
    data = np.arange(6, dtype=np.float32)
    tensor = mgr.tensor(shape=(2, 3))
    with pytest.raises(ValueError, match=r"data has shape \(3, 2\), but the tensor has \(2, 3\)"):
        tensor.write(data.reshape(3, 2))
    for shape in [(6,), (2, 3), (1, 2, 3)]:
        tensor.write(data.reshape(shape) + len(shape))
        assert np.array_equal(tensor.read(), data.reshape(2, 3) + len(shape))
    flat = mgr.tensor(shape=6)
    flat.write(data.reshape(3, 2))
    assert np.array_equal(flat.read(), data)
    image = mgr.image(np.zeros((2, 3, 1)))
    image.write(data.reshape(2, 3))
    assert np.array_equal(image.read().ravel(), data)


def test_index_is_that_of_the_shape(mgr: kp.Manager) -> None:
    array = np.arange(6, dtype=np.float32).reshape(2, 3)
    tensor = mgr.tensor(array)
    assert tensor[1].tolist() == [3, 4, 5]
    assert tensor[1, 2] == 5
    assert tensor[:, 1].tolist() == [1, 4]
    assert [row.tolist() for row in tensor] == array.tolist()
    tensor[0, 1] = 10
    tensor[1] = [7, 8, 9]
    assert tensor.data().tolist() == [0, 10, 2, 7, 8, 9]
    assert tensor[-1, -1] == 9


def test_arrays_without_dimensions_keep_their_shape(mgr: kp.Manager) -> None:
    for tensor in (mgr.tensor(3), mgr.tensor_t(np.float64(3)), mgr.tensor(np.array(3))):
        assert tensor.shape == ()
        assert tensor.size() == 1
        assert tensor.item() == tensor[()] == float(tensor.numpy()) == 3
        assert tensor.read(0).shape == ()
    tensor.write(5)
    assert tensor.read() == 5


@pytest.mark.parametrize("place", PLACES)
def test_empty_arrays_are_tensors(mgr: kp.Manager, place: str) -> None:
    for shape in [(0,), (3, 0), (0, 2)]:
        tensor = mgr.tensor_t(np.zeros(shape, np.int16), place)
        assert (tensor.shape, tensor.dtype, tensor.size()) == (shape, np.int16, 0)
        assert len(tensor) == tensor.nbytes == 0
        assert tensor.read().shape == shape
        tensor.write(np.zeros(shape))
        with pytest.raises(ValueError, match="data has 1 element, but the tensor has 0"):
            tensor.write([1])
        with pytest.raises(ValueError, match="one element, and this has 0"):
            tensor.item()
        if place != "storage":
            assert tensor.numpy().shape == shape
            assert tensor.data().shape == (0,)
            assert list(tensor.data()) == []
        copied = copy.copy(tensor)
        assert (copied.shape, copied.dtype) == (shape, np.int16)
    assert mgr.tensor([]).dtype == np.float32
    assert mgr.tensor(shape=0, dtype="int8").size() == 0
    mgr.sequence().record(kp.OpSyncDevice([tensor])).record(kp.OpFill([tensor], 3)).eval()


def test_empty_tensors_are_refused_where_elements_are_needed(mgr: kp.Manager) -> None:
    nothing, one = mgr.tensor([]), mgr.tensor([1])
    refused = pytest.raises(kp.InvalidArgument, match="without elements")
    with refused:
        mgr.algorithm([nothing], INCREMENT)
    with refused:
        mgr.algorithm([one], INCREMENT).set_mem_objects([nothing])
    with refused:
        kp.OpCopy([one, nothing])
    with refused:
        kp.OpMult([one, nothing, one], mgr.algorithm())
    with refused:
        kl.KernelLauncher("k", INCREMENT, (nothing,), manager=mgr)
    with refused:
        kl.CopyLauncher("c", one, nothing)
    with refused:
        kp.Buffer.from_tensors((1,), "float32", [nothing], kp.DeviceGroup([0]))


def test_products_need_tensors_of_one_size(mgr: kp.Manager) -> None:
    tensors = [mgr.tensor([2]), mgr.tensor([1, 2, 3]), mgr.tensor([0, 0, 0])]
    with pytest.raises(kp.InvalidArgument, match="elements"):
        mgr.sequence().eval(kp.OpMult(tensors, mgr.algorithm()))


# --- Types ----------------------------------------------------------------------------------------

MISFITS = [
    ([300], "uint8", OverflowError, "300, which 'uint8'"),
    ([-1], "uint32", OverflowError, "-1, which 'uint32'"),
    (np.array([1 << 31]), "int32", OverflowError, "2147483648, which 'int32'"),
    (np.array([1.7]), "int32", TypeError, "dtype 'float64' and the number 1.7, which 'int32'"),
    ([1.7], "int64", TypeError, "number 1.7, which 'int64'"),
    ([np.nan], "int8", TypeError, "number nan, which 'int8'"),
    ([np.inf], "int8", OverflowError, "number inf, which 'int8'"),
    (np.array([1e10], np.float32), "uint16", OverflowError, "which 'uint16'"),
]


@pytest.mark.parametrize(("data", "dtype", "error", "message"), MISFITS)
def test_integers_take_only_numbers_that_they_hold(
    mgr: kp.Manager, data: Any, dtype: str, error: type[Exception], message: str
) -> None:
    shape = (1, 1, 1)
    tensor = mgr.tensor_t(shape=1, dtype=dtype)
    tries = [
        lambda: mgr.tensor(data, dtype=dtype),
        lambda: mgr.tensor_t(data, dtype=dtype),
        lambda: tensor.write(data),
        lambda: kp.OpFill([tensor], data),
    ]
    if dtype != "int64":
        tries.append(lambda: mgr.image_t(np.reshape(data, shape), dtype=dtype))
    for attempt in tries:
        with pytest.raises(error, match=message):
            attempt()


def test_cast_permits_the_conversions_of_numpy(mgr: kp.Manager) -> None:
    assert mgr.tensor([300], dtype="uint8", cast=True).data().tolist() == [44]
    assert mgr.tensor_t([1.7, -1.7], dtype="int32", cast=True).data().tolist() == [1, -1]
    tensor = mgr.tensor_t(shape=2, dtype="uint32")
    tensor.write([-1, 1 << 32], cast=True)
    assert tensor.read().tolist() == [(1 << 32) - 1, 0]
    image = mgr.image_t(np.full((1, 1), 2.5), dtype="uint8", cast=True)
    assert image.data().tolist() == [2]


@pytest.mark.parametrize(
    "numbers",
    [[1 << 24, -(1 << 24)], np.array([(1 << 24) + 2, 5 << 60], np.uint64), np.array([-(1 << 63)])],
)
def test_tensors_take_the_integers_that_float32_holds(mgr: kp.Manager, numbers: Any) -> None:
    assert mgr.tensor(numbers).data().tolist() == [float(each) for each in numbers]


@pytest.mark.parametrize(
    "numbers",
    [[0, (1 << 24) + 1], np.array([[7, (1 << 63) + 1]], np.uint64), np.array([-(1 << 40) - 1])],
)
def test_tensors_refuse_the_integers_that_float32_rounds(mgr: kp.Manager, numbers: Any) -> None:
    flat = np.ravel(numbers)
    with pytest.raises(OverflowError, match=rf"number {flat[-1]}, which float32.* tensor_t\(\)"):
        mgr.tensor(numbers)
    assert mgr.tensor(numbers, cast=True).data()[..., -1] == np.float32(flat[-1])
    assert mgr.tensor(numbers, dtype="float32").data()[..., -1] == np.float32(flat[-1])
    assert mgr.tensor_t(numbers).data().ravel().tolist() == flat.tolist()


def test_whole_numbers_convert_to_any_type_that_holds_them(mgr: kp.Manager) -> None:
    assert mgr.tensor(np.zeros(3), dtype="int32").data().tolist() == [0, 0, 0]
    assert mgr.tensor_t([255.0, 0], dtype="uint8").data().tolist() == [255, 0]
    assert mgr.tensor_t(np.arange(3), dtype="int8").data().tolist() == [0, 1, 2]
    limits = np.array([-(1 << 31), (1 << 31) - 1])
    assert np.array_equal(mgr.tensor_t(limits, dtype="int32").numpy(), limits)


def test_one_fill_has_one_type(mgr: kp.Manager) -> None:
    tensors = [mgr.tensor([1]), mgr.tensor_t(np.ones(1, np.int32))]
    with pytest.raises(TypeError, match="tensors has 'float32' and 'int32'"):
        kp.OpFill(tensors, 1)


def test_tensor_t_has_the_types_of_numpy(mgr: kp.Manager) -> None:
    for data in ([1, 2], [1.5], [True], np.uint8(3), [[1, 2.0]]):
        assert mgr.tensor_t(data).dtype == np.asarray(data).dtype
    assert mgr.tensor(np.arange(3)).dtype == np.float32
    assert "float32 regardless of `data`, as in Kompute" in " ".join(
        str(kp.Manager.tensor.__doc__).split()
    )


def test_memory_types_have_names(mgr: kp.Manager) -> None:
    for name in PLACES:
        assert mgr.tensor([1], name).memory_type() == kp.MemoryTypes[name]
        assert mgr.tensor_t([1], tensor_type=name).memory_type().name == name
    assert mgr.image(np.zeros((1, 1)), memory_type="storage").memory_type() == kp.storage
    assert mgr.tensor([1], "staging").memory_type() == kp.MemoryTypes.host
    with pytest.raises(kp.InvalidArgument, match='memory_type is one of "device", .*not "gpu"'):
        mgr.tensor([1], "gpu")
    with pytest.raises(TypeError, match="memory_type is a kp.MemoryTypes or its name, not a float"):
        mgr.tensor([1], 1.5)  # type: ignore[arg-type]


# --- Comparison, copies ---------------------------------------------------------------------------


def test_comparison_is_that_of_elements_and_the_hash_that_of_the_object(mgr: kp.Manager) -> None:
    a, b = mgr.tensor([1, 2, 3]), mgr.tensor([1, 5, 3])
    assert (a == b).tolist() == [True, False, True]
    assert (a != b).tolist() == [False, True, False]
    assert (a == 2).tolist() == [False, True, False]
    assert (a == np.array([1, 2, 0])).tolist() == [True, True, False]
    assert (mgr.tensor([1, 2, 3], "storage") == a).all()
    assert (a == None) is False  # noqa: E711
    assert (a != "text") is True
    assert {a: 1, b: 2}[b] == 2
    assert a in [a, b] and [a, b].index(a) == 0
    assert len({a, b, a}) == 2
    early = kp.Tensor([1, 2])
    assert early == early and early != kp.Tensor([1, 2])


@pytest.mark.parametrize("place", PLACES)
def test_copies_and_pickles_have_the_elements_of_the_device(mgr: kp.Manager, place: str) -> None:
    array = np.arange(6, dtype=np.int32).reshape(2, 3)
    tensor = mgr.tensor_t(array, place)
    tensor.write(array + 1)
    kp.set_default_manager(mgr)
    made = [copy.copy(tensor), copy.deepcopy(tensor), pickle.loads(pickle.dumps(tensor))]
    tensor.write(array)
    for each in made:
        assert isinstance(each, kp.Tensor) and each is not tensor
        assert (each.shape, each.dtype) == (tensor.shape, tensor.dtype)
        assert each.memory_type() == kp.MemoryTypes[place]
        assert each.manager is mgr
        assert np.array_equal(each.read(), array + 1)
        if place != "storage":
            assert np.array_equal(each.numpy(), array + 1)


def test_copies_take_what_was_never_on_the_device_and_images(mgr: kp.Manager) -> None:
    assert copy.copy(mgr.tensor([1, 2, 3])).read().tolist() == [1, 2, 3]
    particle = np.zeros(3, [("x", np.float32, 3), ("id", np.int32)])
    particle["id"] = [1, 2, 3]
    assert np.array_equal(copy.deepcopy(mgr.tensor_t(particle)).numpy(), particle)
    image = mgr.image_t(np.arange(24, dtype=np.uint8).reshape(2, 3, 4))
    image.write(image.numpy())
    other = pickle.loads(pickle.dumps(image))
    assert isinstance(other, kp.Image)
    assert np.array_equal(other.read(), image.read())
    tensors = [mgr.tensor([1])] * 2
    first, second = copy.deepcopy(tensors)
    assert first is second
    early = copy.copy(kp.Tensor([1, 2]))
    assert early.data() == [1, 2]
    destroyed = mgr.tensor([1])
    destroyed.destroy()
    with pytest.raises(kp.InvalidArgument, match="destroyed"):
        pickle.dumps(destroyed)


# --- Other libraries ------------------------------------------------------------------------------


def test_buffers_are_arrays_to_numpy() -> None:
    values = np.arange(8, dtype=np.float32).reshape(4, 2)
    with kp.DeviceGroup([0, 0]) as group:
        sharded = kp.asbuffer(values, group, "sharded")
        assert np.array_equal(np.asarray(sharded), values)
        assert np.asarray(sharded, np.int32).dtype == np.int32
        assert np.sum(sharded) == values.sum()
        replicated = kp.asbuffer(values, group)
        assert np.array_equal(np.asarray(replicated), np.stack([values, values]))
        with pytest.raises(ValueError, match="copy=False"):
            (
                np.asarray(sharded, copy=False)
                if np.__version__ >= "2"
                else sharded.__array__(copy=False)
            )


def test_pillow_takes_images(mgr: kp.Manager) -> None:
    pillow = pytest.importorskip("PIL.Image")
    for shape, mode in [((4, 6, 3), "RGB"), ((4, 6, 4), "RGBA"), ((4, 6, 1), "L")]:
        pixels = np.random.default_rng(1).integers(0, 256, shape).astype(np.uint8)
        if shape[2] == 3:  # no device has images of three channels
            picture = pillow.fromarray(mgr.tensor_t(pixels))
        else:
            picture = pillow.fromarray(mgr.image_t(pixels))
        assert picture.mode == mode
        assert np.array_equal(np.asarray(picture), pixels.reshape(np.asarray(picture).shape))

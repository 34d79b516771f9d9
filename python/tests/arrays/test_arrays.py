# SPDX-License-Identifier: Apache-2.0
"""Tensors and images as arrays: dtypes, shapes, NumPy, DLPack, the buffer protocol, transfers."""

from __future__ import annotations

import array
import gc
import weakref

import numpy as np
import pytest
from conftest import INCREMENT

import kp

DTYPES = {
    "bool": kp.DataTypes.bool,
    "int8": kp.DataTypes.char,
    "uint8": kp.DataTypes.uchar,
    "int16": kp.DataTypes.short,
    "uint16": kp.DataTypes.ushort,
    "int32": kp.DataTypes.int,
    "uint32": kp.DataTypes.uint,
    "int64": kp.DataTypes.long,
    "uint64": kp.DataTypes.ulong,
    "float16": kp.DataTypes.half,
    "float32": kp.DataTypes.float,
    "float64": kp.DataTypes.double,
    "complex64": kp.DataTypes.custom,
}
PARTICLE = np.dtype([("position", np.float32, 3), ("id", np.int32)])


def through_the_device(mgr: kp.Manager, tensor: kp.Tensor) -> np.ndarray:
    """Copy a tensor to the device, within the device, and back. Return the result."""
    copy = mgr.tensor_t(shape=tensor.shape, dtype=tensor.dtype)
    mgr.sequence().record(kp.OpSyncDevice([tensor])).record(kp.OpCopy([tensor, copy])).record(
        kp.OpSyncLocal([copy])
    ).eval()
    return copy.numpy()


@pytest.mark.parametrize("name", DTYPES)
def test_round_trips_every_dtype(mgr: kp.Manager, name: str) -> None:
    values = np.random.default_rng(1).integers(0, 2, 100).astype(name)
    tensor = mgr.tensor_t(values)
    assert tensor.dtype == values.dtype
    assert tensor.data_type() == DTYPES[name]
    assert tensor.nbytes == values.nbytes
    assert np.array_equal(through_the_device(mgr, tensor), values)


def test_round_trips_structs(mgr: kp.Manager) -> None:
    values = np.zeros(10, PARTICLE)
    values["position"] = np.random.default_rng(2).random((10, 3))
    values["id"] = np.arange(10)
    tensor = mgr.tensor_t(values)
    assert tensor.data_type() == kp.DataTypes.custom
    assert tensor.data().dtype == PARTICLE
    assert np.array_equal(through_the_device(mgr, tensor), values)


@pytest.mark.parametrize("values", [np.array(["a"]), np.array([None]), np.array([b"a"])])
def test_rejects_dtypes_that_no_device_holds(mgr: kp.Manager, values: np.ndarray) -> None:
    with pytest.raises(TypeError, match="data has dtype"):
        mgr.tensor_t(values)


def test_converts_byte_order_and_memory_order(mgr: kp.Manager) -> None:
    values = np.arange(12, dtype=">i4").reshape(3, 4)
    assert np.array_equal(mgr.tensor_t(values).numpy(), values)
    assert np.array_equal(mgr.tensor_t(values.T).numpy(), values.T)
    assert np.array_equal(mgr.tensor_t(values[:, ::2]).numpy(), values[:, ::2])
    assert np.array_equal(mgr.tensor(values).numpy(), values)


def test_shape_is_kept_and_checked(mgr: kp.Manager) -> None:
    tensor = mgr.tensor_t(shape=(2, 3, 4), dtype=np.int16)
    assert tensor.shape == (2, 3, 4)
    assert tensor.size() == len(tensor) == 24
    assert tensor.numpy().shape == (2, 3, 4)
    tensor.numpy()[1, 2, 3] = 9
    assert tensor.data()[-1] == 9
    assert tensor.data().reshape(6, 4)[5, 3] == 9
    assert mgr.tensor(shape=5).shape == (5,)
    assert mgr.tensor(range(6), shape=(2, 3)).shape == (2, 3)
    with pytest.raises(ValueError, match="shape has 4 elements, but data has 6"):
        mgr.tensor(range(6), shape=(2, 2))
    with pytest.raises(ValueError, match="negative"):
        mgr.tensor(shape=-1)
    with pytest.raises(TypeError, match="data or shape"):
        mgr.tensor()
    with pytest.raises(TypeError, match="shape"):
        mgr.tensor(shape="3")


def test_dtype_argument_sets_the_dtype(mgr: kp.Manager) -> None:
    assert mgr.tensor([1, 2]).dtype == np.float32
    assert mgr.tensor([1, 2], dtype="int8").dtype == np.int8
    assert mgr.tensor_t([1.5, 2.5], dtype=np.float16).data().tolist() == [1.5, 2.5]
    assert mgr.tensor_t([1, 2]).dtype == np.array([1, 2]).dtype
    with pytest.raises(TypeError, match="dtype"):
        mgr.tensor(shape=2, dtype="nonsense")


def test_scalar_becomes_a_tensor_of_one_element(mgr: kp.Manager) -> None:
    assert mgr.tensor(3).data().tolist() == [3]
    assert mgr.tensor_t(np.uint8(3)).dtype == np.uint8


def test_numpy_shares_the_memory_of_a_tensor(mgr: kp.Manager) -> None:
    tensor = mgr.tensor([[1, 2], [3, 4]])
    array_of = np.asarray(tensor)
    assert np.shares_memory(array_of, tensor.data())
    assert array_of.shape == (2, 2)
    assert not np.shares_memory(np.array(tensor), tensor.data())
    assert np.asarray(tensor, dtype=np.int64).dtype == np.int64
    assert np.sum(tensor) == 10
    assert np.array_equal(
        tensor + np.ones((2, 2)) if hasattr(tensor, "__add__") else array_of + 1, [[2, 3], [4, 5]]
    )


def test_memoryview_shares_the_host_view(mgr: kp.Manager) -> None:
    tensor = mgr.tensor_t(np.arange(6, dtype=np.int32).reshape(2, 3))
    view = memoryview(tensor)
    assert view.shape == (2, 3)
    assert view.format == "i"
    assert not view.readonly
    view[1, 2] = 50
    assert tensor.data()[5] == 50
    assert bytes(view) == tensor.data().tobytes()
    view.release()
    storage = mgr.tensor([1.0], kp.MemoryTypes.storage)
    with pytest.raises(BufferError, match="no host view"):
        memoryview(storage)


def test_memoryview_keeps_the_tensor_alive(mgr: kp.Manager) -> None:
    view = memoryview(mgr.tensor([1.0, 2.0]))
    gc.collect()
    assert view.tolist() == [1.0, 2.0]


def test_dlpack_export_shares_memory(mgr: kp.Manager) -> None:
    tensor = mgr.tensor([[1, 2], [3, 4]])
    imported = np.from_dlpack(tensor)
    assert np.shares_memory(imported, tensor.data())
    assert imported.shape == (2, 2)
    assert tensor.__dlpack_device__() == (1, 0)


def test_tensors_take_dlpack_and_buffers(mgr: kp.Manager) -> None:
    class Foreign:
        """An array that supports only DLPack."""

        def __init__(self, values: np.ndarray) -> None:
            self.values = values

        def __dlpack__(self, **options: object) -> object:
            return self.values.__dlpack__(**options)  # type: ignore[arg-type]

        def __dlpack_device__(self) -> tuple[int, int]:
            return (1, 0)

    values = np.arange(6, dtype=np.int16).reshape(2, 3)
    tensor = mgr.tensor_t(Foreign(values))
    assert np.array_equal(tensor.numpy(), values)
    assert mgr.tensor_t(array.array("d", [1.5, 2.5])).dtype == np.float64
    assert mgr.tensor_t(bytearray(b"ab")).data().tolist() == [97, 98]
    assert mgr.tensor_t(memoryview(b"ab")).dtype == np.uint8
    assert np.array_equal(mgr.tensor_t(tensor).numpy(), values)
    tensor.write(Foreign(values + 1))
    assert np.array_equal(tensor.read(), values + 1)


@pytest.mark.parametrize("memory_type", list(kp.MemoryTypes))
def test_reads_and_writes_parts_of_every_memory_type(
    mgr: kp.Manager, memory_type: kp.MemoryTypes
) -> None:
    values = np.random.default_rng(3).random(1001).astype(np.float32)
    tensor = mgr.tensor(values, memory_type)
    tensor.write(values)
    assert np.array_equal(tensor.read(), values)
    tensor.write([7, 8, 9], offset=500)
    values[500:503] = [7, 8, 9]
    assert np.array_equal(tensor.read(), values)
    assert np.array_equal(tensor.read(499, 5), values[499:504])
    assert np.array_equal(tensor.read(offset=999), values[999:])
    assert tensor.read(1001).size == 0
    out = np.zeros(10, np.float32)
    assert tensor.read(3, 10, out) is out
    assert np.array_equal(out, values[3:13])


def test_whole_read_has_the_shape_of_the_tensor(mgr: kp.Manager) -> None:
    tensor = mgr.tensor(shape=(3, 4))
    tensor.write(np.arange(12).reshape(3, 4).astype(np.float32))
    assert tensor.read().shape == (3, 4)
    assert tensor.read(0, 12).shape == (3, 4)
    assert tensor.read(0, 4).shape == (4,)


def test_write_is_seen_by_shaders_and_the_host(mgr: kp.Manager) -> None:
    tensor = mgr.tensor(np.zeros(100))
    tensor.write(np.arange(100, dtype=np.float32))
    assert tensor.data()[99] == 99
    mgr.sequence().eval(kp.OpAlgoDispatch(mgr.algorithm([tensor], INCREMENT)))
    assert tensor.read()[99] == 100


def test_rejects_invalid_reads_and_writes(mgr: kp.Manager) -> None:
    tensor = mgr.tensor_t(np.arange(10, dtype=np.int32))
    with pytest.raises(ValueError, match="only 3 fit at offset 7"):
        tensor.write(np.arange(4, dtype=np.int32), 7)
    with pytest.raises(ValueError, match="offset 11"):
        tensor.write([1], 11)
    with pytest.raises(ValueError, match="offset -1"):
        tensor.read(-1)
    with pytest.raises(ValueError, match="count 11"):
        tensor.read(0, 11)
    with pytest.raises(TypeError, match="data has dtype 'float64'"):
        tensor.write(np.array([1.5]))
    with pytest.raises(TypeError, match="data"):
        tensor.write(object())
    with pytest.raises(TypeError):
        tensor.read("a")
    with pytest.raises(ValueError, match="C-contiguous"):
        tensor.read(0, 5, np.zeros(10, np.int32)[::2])
    read_only = np.zeros(10, np.int32)
    read_only.flags.writeable = False
    with pytest.raises(ValueError, match="writable"):
        tensor.read(out=read_only)
    with pytest.raises(ValueError, match="dtype 'float32'"):
        tensor.read(out=np.zeros(10, np.float32))
    with pytest.raises(ValueError, match="out has 9 elements, but 10 are read"):
        tensor.read(out=np.zeros(9, np.int32))
    with pytest.raises(TypeError, match="out"):
        tensor.read(out=[0] * 10)  # type: ignore[arg-type]
    assert tensor.data().tolist() == list(range(10))


def test_non_contiguous_arrays_are_copied(mgr: kp.Manager) -> None:
    tensor = mgr.tensor(np.zeros(5))
    tensor.write(np.arange(10, dtype=np.float32)[::2])
    assert tensor.read().tolist() == [0, 2, 4, 6, 8]


def test_round_trips_images(mgr: kp.Manager) -> None:
    values = np.random.default_rng(4).random((5, 7, 4)).astype(np.float32)
    image = mgr.image(values)
    assert (image.width, image.height, image.num_channels) == (7, 5, 4)
    assert image.shape == (5, 7, 4)
    assert image.size() == len(image) == 140
    assert image.data().shape == (140,)
    assert image.numpy().shape == (5, 7, 4)
    assert np.array_equal(image.numpy(), values)
    other = mgr.image(np.zeros_like(values).ravel(), 7, 5, 4)
    mgr.sequence().record(kp.OpSyncDevice([image])).record(kp.OpCopy([image, other])).record(
        kp.OpSyncLocal([other])
    ).eval()
    assert np.array_equal(other.numpy(), values)
    assert np.array_equal(other.read(), values)
    other.write(values[::-1])
    assert np.array_equal(other.read(), values[::-1])


@pytest.mark.parametrize(
    "dtype", ["int8", "uint8", "int16", "uint16", "int32", "uint32", "float32"]
)
def test_images_keep_their_dtype(mgr: kp.Manager, dtype: str) -> None:
    image = mgr.image_t(np.arange(6).astype(dtype), 3, 2, 1)
    assert image.dtype == dtype
    assert image.data().tolist() == list(range(6))


def test_images_can_be_created_from_a_size(mgr: kp.Manager) -> None:
    image = mgr.image(None, 8, 4, 1, kp.MemoryTypes.storage)
    assert image.shape == (4, 8, 1)
    assert mgr.image(width=8, height=4, num_channels=2, tiling="linear").num_channels == 2
    with pytest.raises(ValueError, match="tiling"):
        mgr.image(width=8, height=4, num_channels=2, tiling="diagonal")
    with pytest.raises(ValueError, match="give its extents"):
        mgr.image([1, 2, 3])
    with pytest.raises(ValueError, match="zero-sized"):
        mgr.image(width=0, height=4, num_channels=1)
    with pytest.raises(kp.InvalidArgument):
        mgr.image([1, 2, 3], 2, 2, 1)
    assert mgr.image_t(np.zeros((4, 6), np.uint8)).shape == (4, 6, 1)


def test_tensors_can_be_weakly_referenced(mgr: kp.Manager) -> None:
    tensor = mgr.tensor([1.0])
    reference = weakref.ref(tensor)
    del tensor
    assert reference() is None


def test_pinned_arrays_transfer_and_outlive_the_manager(mgr: kp.Manager) -> None:
    values = mgr.pinned_array((3, 1000), np.int32)
    assert values.shape == (3, 1000)
    assert values.dtype == np.int32
    assert values.flags.c_contiguous
    assert values.flags.writeable
    values[:] = np.arange(3000).reshape(3, 1000)
    tensor = mgr.tensor_t(shape=(3, 1000), dtype=np.int32)
    tensor.write(values)
    back = mgr.pinned_array(3000, "int32")
    assert tensor.read(out=back) is back
    assert np.array_equal(back, values.ravel())
    tensor.write(values[1, 10:20], offset=5)
    assert np.array_equal(tensor.read(5, 10), values[1, 10:20])
    mgr.destroy()
    assert values[2, 999] == 2999
    with pytest.raises(kp.InvalidArgument, match="destroyed"):
        mgr.pinned_array(1)


def test_rejects_invalid_pinned_arrays(mgr: kp.Manager) -> None:
    assert mgr.pinned_array(4).dtype == np.float32
    for shape in (0, (3, 0)):
        with pytest.raises(ValueError, match="zero-sized"):
            mgr.pinned_array(shape)
    with pytest.raises(ValueError, match="negative"):
        mgr.pinned_array(-1)
    with pytest.raises(TypeError, match="dtype"):
        mgr.pinned_array(1, object)
    with pytest.raises(kp.Error):
        mgr.pinned_array(1 << 60)


def test_transfers_with_imported_arrays(mgr: kp.Manager) -> None:
    values = np.random.default_rng(6).random(300_000).astype(np.float32)
    tensor = mgr.tensor(shape=values.shape)
    with mgr.import_host(values) as imported:
        assert imported.imported == (imported.reason == "")
        tensor.write(values)
        assert np.array_equal(tensor.read(), values)
        back = np.empty_like(values)
        with mgr.import_host(back):
            tensor.read(out=back)
        assert np.array_equal(back, values)
    imported.close()
    assert not imported.imported
    tensor.write(values[::-1].copy())
    assert np.array_equal(tensor.read(), values[::-1])
    with pytest.raises(TypeError, match="array is a contiguous"):
        mgr.import_host(values[::2])
    with pytest.raises(TypeError, match="array is a contiguous"):
        mgr.import_host([1.0])  # type: ignore[arg-type]


def test_rejects_numbers_that_the_dtype_cannot_hold(mgr: kp.Manager) -> None:
    integers = mgr.tensor_t(np.zeros(2, np.int32))
    with pytest.raises(TypeError, match="data has dtype 'float64'"):
        integers.write([1.5, 2])
    integers.write([1, 2])
    with pytest.raises(TypeError, match="complex"):
        mgr.tensor(np.array([1 + 2j]))

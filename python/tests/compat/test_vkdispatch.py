# SPDX-License-Identifier: Apache-2.0
"""Programs written for vkdispatch: names, argument orders and rules of its pages."""

from __future__ import annotations

from types import SimpleNamespace as Namespace
from typing import Any

import numpy as np
import pytest
from group_support import make_group

import kp


@pytest.fixture
def default(group: kp.DeviceGroup) -> Any:
    """The group of buffers that are created without one, as vkdispatch's context."""
    kp.set_default_group(group)
    yield group
    kp.set_default_group(None)


def ramp(*shape: int) -> Any:
    return np.arange(np.prod(shape), dtype=np.float32).reshape(shape)


# --- Buffer(shape, var_type, external_buffer=None) ------------------------------------------------


def test_buffer_takes_shape_var_type_and_external_buffer_by_position(
    default: kp.DeviceGroup,
) -> None:
    assert kp.Buffer((4,), kp.float32).var_type == kp.float32
    assert kp.Buffer(shape=(4,), var_type=kp.uvec2).var_type == kp.uvec2
    tensors = [manager.tensor(shape=6, memory_type=kp.storage) for manager in default]
    buffer = kp.Buffer((2, 3), kp.float32, tensors)
    buffer.write(ramp(2, 3))
    assert np.array_equal(tensors[1].read(), np.arange(6))
    assert (buffer.is_external, buffer.owns_memory, buffer.is_writable) == (True, False, True)
    own = kp.Buffer((2, 3), kp.float32)
    assert (own.is_external, own.owns_memory, own.is_writable) == (False, True, True)
    with pytest.raises(TypeError, match="var_type and dtype"):
        kp.Buffer(4, kp.float32, dtype=np.float32)
    with pytest.raises(TypeError, match="group=") as raised:
        kp.Buffer(4, kp.float32, default)  # type: ignore[arg-type]
    assert "external_buffer" in str(raised.value)


def test_external_buffer_may_be_one_tensor_and_read_only() -> None:
    with make_group(1) as group:
        tensor = group[0].tensor(ramp(6))
        group[0].sequence().eval(kp.OpSyncDevice([tensor]))
        buffer = kp.Buffer(6, kp.float32, tensor, group=group, writable=False)
        assert not buffer.is_writable
        assert np.array_equal(buffer.read(0), ramp(6))
        with pytest.raises(ValueError, match="read-only"):
            buffer.write(ramp(6))
        with pytest.raises(ValueError, match="writable"):
            kp.Buffer(6, kp.float32, group=group, writable=False)


def test_memory_of_cuda_is_unsupported(default: kp.DeviceGroup) -> None:
    array = {"shape": (4,), "typestr": "<f4", "data": (16, False)}
    external = {"writable": True, "iface": array, "keepalive": True, "cuda_ptr": 16}
    for memory in (Namespace(__cuda_array_interface__=array), Namespace(**external)):
        with pytest.raises(kp.Unsupported, match="CUDA"):
            kp.Buffer((4,), kp.float32, memory)  # type: ignore[arg-type]
    for wrong in (3, "text", ramp(4)):
        with pytest.raises(TypeError, match="external_buffer"):
            kp.Buffer((4,), kp.float32, wrong)  # type: ignore[arg-type]


@pytest.mark.parametrize("shape", [(), [], np.zeros(0, np.int64)], ids=repr)
def test_refuses_a_shape_without_axes(default: kp.DeviceGroup, shape: Any) -> None:
    with pytest.raises(ValueError, match="1, 2 or 3"):
        kp.Buffer(shape, kp.float32)
    with pytest.raises(ValueError, match="1, 2 or 3"):
        kp.asbuffer(np.float32(3))


def test_shapes_are_numpy_arrays_and_integers_too(default: kp.DeviceGroup) -> None:
    for shape in (np.array([2, 3]), [np.int64(2), np.uint8(3)], np.array([2, 3], np.uint16)):
        assert kp.Buffer(shape, kp.float32).shape == (2, 3)
    for count in (np.int64(4), np.array(4), np.array([4])):
        assert kp.Buffer(count, kp.float32).shape == (4,)
    for wrong in (np.array([2.0]), np.array([[2, 3]]), np.array([-1])):
        with pytest.raises(ValueError, match="whole number"):
            kp.Buffer(wrong, kp.float32)


def test_buffer_reports_the_sizes_of_its_shape(default: kp.DeviceGroup) -> None:
    buffer = kp.Buffer((4, 3), kp.vec3)
    assert (buffer.shape, buffer.size, buffer.mem_size) == ((4, 3), 12, 144)
    assert buffer.shader_shape == (4, 3, 1, 12)
    assert buffer.dtype == buffer.var_type == kp.vec3


def test_destroy_has_the_underlined_name_of_the_page(default: kp.DeviceGroup) -> None:
    buffer = kp.asbuffer(ramp(4))
    buffer._destroy()
    buffer.destroy()
    with pytest.raises(ValueError, match="destroyed"):
        buffer.read(0)


# --- write and read -------------------------------------------------------------------------------


def test_writing_to_index_minus_one_writes_every_copy(default: kp.DeviceGroup) -> None:
    buffer = kp.Buffer((4,), kp.float32)
    buffer.write(ramp(4), -1)
    assert np.array_equal(buffer.read(), [ramp(4)] * 2)
    buffer.write(ramp(4) + 1, index=np.int8(-1))
    kp.wait_all(buffer.write_async(ramp(2) + 5, -1, start=2))
    assert np.array_equal(buffer.read(), [[1, 2, 5, 6]] * 2)
    for wrong in (-2, 2, -(2**70)):
        with pytest.raises(ValueError, match="from 0 to 1"):
            buffer.write(ramp(4), wrong)
    with pytest.raises(ValueError, match="from 0 to 1"):
        buffer.read(-1)
    sharded = kp.Buffer((5,), kp.float32, placement="sharded")
    sharded.write(ramp(5), -1)
    assert np.array_equal(sharded.read(), ramp(5))


def test_shorter_data_is_written_as_a_prefix(default: kp.DeviceGroup) -> None:
    buffer = kp.asbuffer(ramp(2, 3))
    buffer.write(b"\x00\x00\x80\x3f")  # 1.0
    buffer.write(np.full(2, 9, np.float32), 1)
    assert buffer.read(0).ravel().tolist() == [1, 1, 2, 3, 4, 5]
    assert buffer.read(1).ravel().tolist() == [9, 9, 2, 3, 4, 5]
    sharded = kp.asbuffer(ramp(4), placement="sharded")
    sharded.write(np.full(3, 7, np.float32))
    assert sharded.read().tolist() == [7, 7, 7, 3]
    for longer in (ramp(7), b"x" * 25):
        with pytest.raises(ValueError, match="only 24 fit"):
            buffer.write(longer)


@pytest.mark.parametrize("placement", ["replicated", "replicated_by_queue"])
def test_reading_without_an_index_stacks_one_entry_for_each_queue(placement: str) -> None:
    with make_group(2, queue_counts=[2, 1]) as group:
        buffer = kp.Buffer((2, 3), kp.float32, group=group, placement=placement)
        for queue in range(3):
            buffer.write(ramp(2, 3) + queue, queue)
        stacked = buffer.read()
        assert stacked.shape == (3, 2, 3)
        for queue in range(3):
            assert np.array_equal(stacked[queue], buffer.read(queue))
        rows = np.empty((3, 1, 3), np.float32)
        array, events = buffer.read_async(start=1, stop=2, out=rows)
        kp.wait_all(events)
        assert array is rows
        assert np.array_equal(rows, stacked[:, 1:])


# --- dtypes ---------------------------------------------------------------------------------------

SCALARS = ("int16", "uint16", "int32", "uint32", "int64", "uint64", "float16", "float32", "float64")
VECTORS = {
    "hvec": np.float16,
    "vec": np.float32,
    "dvec": np.float64,
    "ihvec": np.int16,
    "ivec": np.int32,
    "uhvec": np.uint16,
    "uvec": np.uint32,
}


def test_dtypes_have_the_names_of_vkdispatch() -> None:
    for name in (*SCALARS, "complex64", "complex128"):
        assert getattr(kp, name) == np.dtype(name)
    for prefix, number in VECTORS.items():
        for count in (2, 3, 4):
            assert getattr(kp, f"{prefix}{count}") == np.dtype((number, count))
    for size in (2, 3, 4):
        assert getattr(kp, f"mat{size}") == np.dtype((np.float32, (size, size)))
    assert kp.complex32.itemsize == 4
    assert kp.dtype is np.dtype


def test_every_dtype_is_an_element_of_buffers(default: kp.DeviceGroup) -> None:
    names = [*SCALARS, "complex32", "complex64", "complex128", "mat2", "mat3", "mat4"]
    names += [f"{prefix}{count}" for prefix in VECTORS for count in (2, 3, 4)]
    for name in names:
        dtype = np.dtype(getattr(kp, name))
        buffer = kp.Buffer((3,), dtype)
        values = np.arange(3 * dtype.itemsize, dtype=np.uint8) % 60
        buffer.write(values.tobytes())
        assert buffer.read(1).shape == (3, *dtype.shape)
        assert buffer.read(1).tobytes() == values.tobytes()
    for name in ("hvec2", "ihvec3", "uhvec4"):
        assert kp.Buffer(3, name).var_type == getattr(kp, name)


def test_predicates_tell_the_kinds_of_dtypes_apart() -> None:
    kinds = {
        kp.is_scalar: (kp.float32, kp.uint16, np.int64),
        kp.is_complex: (kp.complex32, kp.complex64, kp.complex128),
        kp.is_vector: (kp.vec2, kp.ihvec3, kp.uvec4),
        kp.is_matrix: (kp.mat2, kp.mat3, kp.mat4),
    }
    for predicate, members in kinds.items():
        for other, candidates in kinds.items():
            for candidate in candidates:
                assert predicate(candidate) is (other is predicate)
        assert all(predicate(member) for member in members)
    assert kp.is_dtype(kp.vec3)
    assert not kp.is_dtype(3)
    assert kp.from_numpy_dtype(np.float32) == kp.float32
    assert kp.to_numpy_dtype(kp.float32) == np.float32
    assert kp.to_vector(kp.int32, 3) == kp.ivec3
    for wrong in (1, 5, True):
        with pytest.raises(ValueError, match="2, 3 or 4"):
            kp.to_vector(kp.int32, wrong)
    with pytest.raises(ValueError, match="single number"):
        kp.to_vector(kp.vec2, 2)


@pytest.mark.parametrize(
    ("helper", "dtype"),
    [
        *(
            (f"buffer_{letter}{bits}", f"{word}{bits}")
            for letter, word, sizes in (
                ("u", "uint", (16, 32)),
                ("i", "int", (16, 32)),
                ("f", "float", (16, 32, 64)),
                ("c", "complex", (64,)),
            )
            for bits in sizes
        ),
        *(
            (f"buffer_{prefix.removesuffix('vec')}v{count}", f"{prefix}{count}")
            for prefix in VECTORS
            for count in (2, 3, 4)
        ),
    ],
)
def test_helpers_make_buffers_of_their_dtype(
    default: kp.DeviceGroup, helper: str, dtype: str
) -> None:
    make = getattr(kp, helper)
    assert make((2, 3)).var_type == getattr(kp, dtype)
    assert make(4).shape == (4,)
    assert make.__name__ == helper


def test_buffers_name_their_dtype_in_annotations() -> None:
    annotated = kp.Buffer[kp.float32]  # type: ignore[misc, valid-type, type-arg]
    assert annotated.__origin__ is kp.Buffer  # type: ignore[attr-defined]
    assert annotated.__args__ == (kp.float32,)  # type: ignore[attr-defined]

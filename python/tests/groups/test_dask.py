# SPDX-License-Identifier: Apache-2.0
"""kp.dask in one process, under the synchronous and the threaded scheduler."""

from __future__ import annotations

import pickle
import threading
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from conftest import INCREMENT, MULTIPLY
from dask_support import PLACE, SCALE, STENCIL, numbers, stencil_in_numpy
from device_support import skip_without

import kp
from kp import launcher

dask = pytest.importorskip("dask")
import dask.array as da  # noqa: E402

import kp.dask  # noqa: E402

pytestmark = pytest.mark.usefixtures("scheduler")

# --- kernels --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("shape", "chunks"),
    [((), ()), ((1,), 1), ((1000,), 300), ((37, 53), (10, 17)), ((7, 11, 13), (3, 11, 5)),
     ((3, 4, 5, 6, 7), 3)],
)  # fmt: skip
def test_computes_any_shape_and_uneven_chunks(shape: tuple[int, ...], chunks: Any) -> None:
    a, b = numbers(*shape), numbers(*shape) + np.float32(1)
    result = kp.dask.map_blocks(
        MULTIPLY, da.from_array(a, chunks=chunks), da.from_array(b, chunks=chunks)
    )
    assert isinstance(result, da.Array)
    assert result.dtype == np.float32
    assert result.shape == shape
    np.testing.assert_array_equal(result.compute(), a * b)


def test_takes_constants_and_a_local_size() -> None:
    x = numbers(100)
    kernel = kp.dask.BlockKernel(SCALE, push={"factor": 3}, spec={"OFFSET": 0.5}, local_size=16)
    array = da.from_array(x, chunks=33)
    np.testing.assert_array_equal(kp.dask.map_blocks(kernel, array).compute(), 3 * x + 0.5)
    other = kp.dask.map_blocks(kernel, array, factor=np.float32(2))
    np.testing.assert_array_equal(other.compute(), 2 * x + 0.5)
    # Dask computes this value first.
    largest = kp.dask.map_blocks(kernel, array, factor=array.max())
    np.testing.assert_array_equal(largest.compute(), x.max() * x + 0.5)
    assert kp.dask.map_blocks(kernel, array).name == kp.dask.map_blocks(kernel, array).name
    assert kp.dask.map_blocks(kernel, array).name != other.name


def test_takes_spirv_and_paths(tmp_path: Path) -> None:
    x = da.from_array(numbers(50), chunks=20)
    (tmp_path / "multiply.comp").write_text(MULTIPLY)
    (tmp_path / "multiply.spv").write_bytes(kp.compile(MULTIPLY))
    spirv = kp.compile(MULTIPLY)
    for shader in (spirv, bytearray(spirv), tmp_path / "multiply.comp", tmp_path / "multiply.spv"):
        result = kp.dask.map_blocks(shader, x, x)
        np.testing.assert_array_equal(result.compute(), x.compute() ** 2)


def test_changes_blocks_in_place_and_uses_other_bindings() -> None:
    x = numbers(30)
    array = da.from_array(x, chunks=8)
    increment = kp.dask.BlockKernel(INCREMENT, inputs=[0], output=0)
    np.testing.assert_array_equal(kp.dask.map_blocks(increment, array).compute(), x + 1)
    assert x[0] == numbers(30)[0]
    divide = MULTIPLY.replace("c[i] = a[i] * b[i]", "a[i] = b[i] / c[i]").replace("readonly", "")
    divide = divide.replace("writeonly", "readonly")
    kernel = kp.dask.BlockKernel(divide, inputs=[1, 2], output=0)
    result = kp.dask.map_blocks(kernel, array, 2 + abs(array))
    np.testing.assert_allclose(result.compute(), x / (2 + abs(x)), rtol=1e-6)


def test_broadcasts_blocks_and_passes_whole_arrays() -> None:
    a, b = numbers(12, 10), numbers(10)
    result = kp.dask.map_blocks(
        MULTIPLY, da.from_array(a, chunks=(5, 4)), da.from_array(b, chunks=4)
    )
    np.testing.assert_array_equal(result.compute(), a * b)
    table = MULTIPLY.replace("b[i]", "b[i % b.length()]")
    weights = np.array([1, -1], np.float32)
    result = kp.dask.map_blocks(table, da.from_array(a, chunks=(5, 4)), weights)
    np.testing.assert_array_equal(result.compute(), a * np.tile(weights, 5))


@pytest.mark.parametrize(
    ("dtype", "glsl"),
    [("int8", "int8_t"), ("uint8", "uint8_t"), ("bool", "uint8_t"), ("int16", "int16_t"),
     ("uint16", "uint16_t"), ("int32", "int"), ("uint32", "uint"), ("int64", "int64_t"),
     ("uint64", "uint64_t"), ("float64", "double"), (">f4", "float"), ("complex64", "vec2"),
     ("m8[s]", None), ("O", None)],
)  # fmt: skip
def test_matches_dtypes_with_the_shader(dtype: str, glsl: str | None) -> None:
    copy = f"""#version 450
    #extension GL_EXT_shader_explicit_arithmetic_types : require
    layout(local_size_x = 1) in;
    layout(binding = 0) readonly buffer A {{ {glsl or "float"} a[]; }};
    layout(binding = 1) writeonly buffer B {{ {glsl or "float"} b[]; }};
    void main() {{ b[gl_GlobalInvocationID.x] = a[gl_GlobalInvocationID.x]; }}"""
    x = numbers(9).astype("int64").astype(dtype)
    array = da.from_array(x, chunks=4)
    if glsl is None:
        with pytest.raises(kp.InvalidArgument, match="has dtype"):
            kp.dask.map_blocks(copy, array)
        return
    skip_without(kp.default_manager(), dtype)
    result = kp.dask.map_blocks(copy, array, dtype=dtype)
    assert result.dtype == np.dtype(dtype).newbyteorder("=")
    np.testing.assert_array_equal(result.compute(), x)
    assert result.compute().dtype == result.dtype


def test_computes_empty_blocks() -> None:
    x = numbers(10)
    array = da.from_array(x, chunks=((0, 4, 0, 6),))
    np.testing.assert_array_equal(kp.dask.map_blocks(MULTIPLY, array, array).compute(), x * x)
    empty = da.zeros((0, 5), dtype="f4")
    assert kp.dask.map_blocks(MULTIPLY, empty, empty).compute().shape == (0, 5)
    kernel = kp.dask.BlockKernel(MULTIPLY)
    with pytest.raises(kp.InvalidArgument, match="no element"):
        kp.dask.map_blocks(kernel, array, np.zeros(0, np.float32)).compute()


def test_computes_chunks_of_unknown_size() -> None:
    x = numbers(100)
    array = da.from_array(x, chunks=30)
    positive = array[array > 0]
    result = kp.dask.map_blocks(MULTIPLY, positive, positive)
    np.testing.assert_array_equal(result.compute(), x[x > 0] ** 2)
    located = SCALE.replace("uint kp_block_size", "uint kp_block_size, kp_block_offset")
    with pytest.raises(kp.InvalidArgument, match="compute_chunk_sizes"):
        kp.dask.map_blocks(located, positive, factor=1).compute()


def test_computes_structs() -> None:
    swap = """#version 450
    struct Pair { float value; int number; };
    layout(local_size_x = 1) in;
    layout(binding = 0) readonly buffer A { Pair a[]; };
    layout(binding = 1) writeonly buffer B { Pair b[]; };
    void main() {
        Pair pair = a[gl_GlobalInvocationID.x];
        b[gl_GlobalInvocationID.x] = Pair(float(pair.number), int(pair.value));
    }"""
    x = np.zeros((3, 4), [("value", "f4"), ("number", "i4")])
    x["value"], x["number"] = numbers(3, 4), 5
    array = da.from_array(x, chunks=2)
    result = kp.dask.map_blocks(swap, array, dtype=x.dtype).compute()
    np.testing.assert_array_equal(result["number"], x["value"])
    np.testing.assert_array_equal(result["value"], x["number"])
    with pytest.raises(kp.InvalidArgument, match="give dtype"):
        kp.dask.map_blocks(swap, array)


def test_threads_can_be_a_function_of_the_shape() -> None:
    x = numbers(20, 30)
    rows = """#version 450
    layout(local_size_x = 4) in;
    layout(binding = 0) readonly buffer A { float a[]; };
    layout(binding = 1) writeonly buffer B { float b[]; };
    layout(push_constant) uniform Push { uvec2 kp_input_shape; uint kp_block_size; };
    void main() {
        uint row = gl_GlobalInvocationID.x;
        if (row >= kp_block_size) return;
        float sum = 0.0;
        for (uint k = 0; k < kp_input_shape.y; ++k) sum += a[row * kp_input_shape.y + k];
        b[row] = sum;
    }"""
    array = da.from_array(x, chunks=(7, 30))
    result = kp.dask.map_blocks(rows, array, drop_axis=1)
    np.testing.assert_array_equal(result.compute(), x.sum(axis=1))
    one = kp.dask.BlockKernel(rows, threads=lambda shape: (np.int64(shape[0]), 1))
    kept = kp.dask.map_blocks(one, array, chunks=(array.chunks[0], (1,)))
    np.testing.assert_array_equal(kept.compute(), x.sum(axis=1, keepdims=True))


@pytest.mark.parametrize("shape", [(17,), (5, 7), (3, 4, 5), (2, 3, 4, 3)])
def test_kernels_get_the_location_of_their_block(shape: tuple[int, ...]) -> None:
    result = kp.dask.map_blocks(PLACE, chunks=da.core.normalize_chunks(2, shape))
    assert result.dtype == np.int32
    index = np.arange(shape[0]).reshape(-1, *[1] * (len(shape) - 1)) // 2
    expected = np.arange(result.size).reshape(shape) + 1000000 * index
    np.testing.assert_array_equal(result.compute(), expected)


# --- overlap --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("boundary", "pad"),
    [("none", {"mode": "edge"}), ("nearest", {"mode": "edge"}), ("periodic", {"mode": "wrap"}),
     ("reflect", {"mode": "symmetric"}), (7, {"mode": "constant", "constant_values": 7})],
)  # fmt: skip
def test_overlapping_stencil_matches_numpy(boundary: Any, pad: dict[str, Any]) -> None:
    x = numbers(41, 29)
    kernel = kp.dask.BlockKernel(STENCIL, threads="axes")
    array = da.from_array(x, chunks=(12, 10))
    result = kp.dask.map_overlap(kernel, array, depth=1, boundary=boundary)
    assert result.chunks == array.chunks
    np.testing.assert_array_equal(result.compute(), stencil_in_numpy(x, **pad))
    twice = kp.dask.map_overlap(kernel, result, depth=1, boundary=boundary)
    expected = stencil_in_numpy(stencil_in_numpy(x, **pad), **pad)
    np.testing.assert_array_equal(twice.compute(), expected)


def test_blocks_of_one_size_can_differ_in_shape() -> None:
    kernel = kp.dask.BlockKernel(STENCIL, threads="axes")
    for shape in ((12, 20), (20, 12), (240, 1), (1, 240)):
        x = numbers(*shape)
        result = kp.dask.map_blocks(kernel, da.from_array(x, chunks=-1))
        np.testing.assert_array_equal(result.compute(), stencil_in_numpy(x, mode="edge"))


def test_kernel_can_omit_the_overlap_without_trim() -> None:
    x = numbers(100)
    sum3 = """#version 450
    layout(local_size_x = 8) in;
    layout(binding = 0) readonly buffer A { float a[]; };
    layout(binding = 1) writeonly buffer B { float b[]; };
    layout(push_constant) uniform Push { uint kp_block_size; };
    void main() {
        uint i = gl_GlobalInvocationID.x;
        if (i < kp_block_size) b[i] = a[i] + a[i + 1] + a[i + 2];
    }"""
    array = da.from_array(x, chunks=(40, 9, 51))
    result = kp.dask.map_overlap(sum3, array, depth=1, boundary="periodic", trim=False)
    np.testing.assert_array_equal(result.compute(), np.roll(x, 1) + x + np.roll(x, -1))


@pytest.mark.parametrize("boundary", ["none", "reflect", {0: "none", 1: "periodic"}])
def test_kernels_get_the_location_without_the_overlap(boundary: Any) -> None:
    """The overlap is cut off, and every element has its own position."""
    place = PLACE.replace("binding = 0", "binding = 1").replace("+ 1000000 * kp_block_index[0]", "")
    place = place.replace(
        "void main", "layout(binding = 0) readonly buffer A { int a[]; };\nvoid main"
    ).replace("result[i] =", "result[i] = 0 * a[i] +")
    array = da.zeros((23, 17), chunks=(6, 5), dtype="i4")
    result = kp.dask.map_overlap(place, array, depth=(2, 1), boundary=boundary)
    np.testing.assert_array_equal(result.compute(), np.arange(23 * 17).reshape(23, 17))


def test_overlap_can_be_in_front_only() -> None:
    place = PLACE.replace("binding = 0", "binding = 1")
    place = place.replace("void main", "layout(binding = 0) buffer A { int a[]; };\nvoid main")
    place = place.replace("result[i] = place +", "result[i] = 0 * a[i] + place + 0 *")
    array = da.zeros(23, chunks=6, dtype="i4")
    result = kp.dask.map_overlap(place, array, depth={0: (2, 0)}, boundary="none")
    np.testing.assert_array_equal(result.compute(), np.arange(23))


# --- functions ------------------------------------------------------------------------------------


def test_functions_get_the_manager() -> None:
    x, managers = numbers(100), []

    def scale(manager: kp.Manager, block: Any, factor: float) -> Any:
        managers.append(manager)
        tensor = manager.tensor(block)
        algorithm = manager.algorithm([tensor], INCREMENT)
        manager.sequence().record(kp.OpSyncDevice([tensor])).record(
            kp.OpAlgoDispatch(algorithm)
        ).record(kp.OpSyncLocal([tensor])).eval()
        tensor.data()[:] *= factor
        return tensor.numpy()  # a view of the tensor's memory, which kp.dask copies

    result = kp.dask.map_blocks(scale, da.from_array(x, chunks=10), factor=2.0)
    computed = result.compute()
    np.testing.assert_array_equal(computed, 2 * (x + 1))
    assert len(managers) == 10
    assert {id(manager) for manager in managers} == {id(kp.dask.manager())}
    base: Any = result.to_delayed()[0].compute()
    while isinstance(base, np.ndarray):
        base = base.base
    assert base is None  # the tensor can be freed


def test_prepared_function_is_used_by_one_thread_at_a_time(scheduler: str) -> None:
    x, made, threads = numbers(400), [], set()

    def prepare(manager: kp.Manager) -> Any:
        made.append(manager)
        queue, tensor = manager.queue(), manager.tensor(shape=10)
        grow = launcher.ParametrizedKernelLauncher(
            "grow",
            """#version 450
            layout(local_size_x = 1) in;
            layout(binding = 0) buffer Values { float values[]; };
            layout(push_constant) uniform Push { float factor; };
            void main() { values[gl_GlobalInvocationID.x] *= factor; }""",
            {"factor": "factor"},
            {0: tensor},
            default_global_work_size=10,
        )
        busy, buffer = threading.Lock(), np.empty(10, np.float32)

        def run(block: Any, factor: float, block_info: Any) -> Any:
            threads.add(threading.get_ident())
            assert busy.acquire(blocking=False), "two threads at once"
            tensor.write(block)
            grow(queue, factor=factor).wait()
            sign = 1 - 2 * (block_info[0]["chunk-location"][0] % 2)
            np.multiply(sign, tensor.read(), out=buffer)  # the next block overwrites it
            busy.release()
            return buffer

        return run

    function = kp.dask.Prepared(prepare, block_info=True)
    result = kp.dask.map_blocks(function, da.from_array(x, chunks=10), factor=np.float32(3))
    signs = np.repeat(np.tile([1, -1], 20), 10)
    for _ in range(2):
        np.testing.assert_array_equal(result.compute(), 3 * signs * x)
    assert len(made) <= len(threads) <= (1 if scheduler == "synchronous" else 6)
    assert kp.dask.statistics().prepared - len(made) >= 0


def test_rejects_results_of_another_dtype_or_shape() -> None:
    array = da.from_array(numbers(20), chunks=10)
    with pytest.raises(kp.InvalidArgument, match="returned dtype float64"):
        kp.dask.map_blocks(lambda manager, block: block.astype("f8"), array).compute()
    with pytest.raises(kp.InvalidArgument, match=r"shape \(5,\)"):
        kp.dask.map_blocks(lambda manager, block: block[:5], array).compute()
    half = kp.dask.map_blocks(lambda manager, block: block[:5], array, chunks=(5,))
    assert half.compute().shape == (10,)


# --- kept lanes and the memory limit --------------------------------------------------------------


def test_equal_kernels_reuse_lanes(scheduler: str) -> None:
    before = kp.dask.statistics()
    x = numbers(1000)
    array = da.from_array(x, chunks=10)
    for _ in range(3):  # equal shaders make equal kernels
        kernel = pickle.loads(pickle.dumps(kp.dask.BlockKernel(MULTIPLY)))
        result = kp.dask.map_blocks(kernel, array, array)
        np.testing.assert_array_equal(result.compute(), x * x)
    after = kp.dask.statistics()
    assert after.blocks - before.blocks == 300
    assert 1 <= after.prepared - before.prepared <= (1 if scheduler == "synchronous" else 3)
    assert after.managers == 1
    assert after.bytes > 0
    kp.dask.release()
    assert kp.dask.statistics().bytes == kp.dask.statistics().managers == 0


def test_kernels_stay_within_the_memory_limit() -> None:
    x = numbers(20, 1000)
    array = da.from_array(x, chunks=(1, 1000))
    # The result and its two operands take 12 kB, so two blocks fit at the same time.
    kp.dask.set_memory_limit(30000)
    np.testing.assert_array_equal(kp.dask.map_blocks(MULTIPLY, array, array).compute(), x * x)
    assert 12000 <= kp.dask.statistics().bytes <= kp.dask.statistics().peak_bytes <= 30000
    mixed = da.from_array(x.reshape(-1), chunks=((700, 2300, 100, 900) * 5,))
    result = kp.dask.map_blocks(MULTIPLY, mixed, mixed)
    np.testing.assert_array_equal(result.compute(), x.reshape(-1) ** 2)
    assert kp.dask.statistics().peak_bytes <= 30000
    with pytest.raises(kp.OutOfMemory, match="smaller chunks"):
        kp.dask.map_blocks(MULTIPLY, array.rechunk((5, 1000)), array.rechunk((5, 1000))).compute()
    with pytest.raises(ValueError, match="positive"):
        kp.dask.set_memory_limit(0)


def test_lowered_limit_fails_a_waiting_block() -> None:
    from kp.dask import _cache

    kp.dask.set_memory_limit(10)
    kernel, waiting = kp.dask.BlockKernel(MULTIPLY), threading.Event()
    caught: list[BaseException] = []

    def reserve() -> None:
        try:
            with _cache.lease(kernel, kp.dask.manager()) as lease:
                waiting.set()
                lease.reserve(8)
        except kp.OutOfMemory as error:
            caught.append(error)

    with _cache.lease(kernel, kp.dask.manager()) as first:
        first.reserve(6)
        thread = threading.Thread(target=reserve)
        thread.start()
        assert waiting.wait(60)
        kp.dask.set_memory_limit(7)
        thread.join(60)
    assert not thread.is_alive()
    assert "allows 7" in str(caught[0])
    with _cache.lease(kernel, kp.dask.manager()) as again:
        again.reserve(7)  # all of the limit is free again


# --- devices --------------------------------------------------------------------------------------


def test_creates_one_manager_per_device(monkeypatch: pytest.MonkeyPatch) -> None:
    first = kp.list_devices()[0]
    manager = kp.dask.manager(0)
    assert manager.get_device_properties()["index"] == 0
    for same in (0, first["uuid"], first["device_name"]):
        assert kp.dask.manager(same) is manager
    assert kp.dask.statistics().managers == 1
    x = da.from_array(numbers(9), chunks=3)
    used = kp.dask.map_blocks(lambda manager, b: b + (manager is kp.dask.manager(0)), x, device=0)
    np.testing.assert_array_equal(used.compute(), numbers(9) + 1)
    manager.destroy()
    assert kp.dask.manager(0).is_init()
    with pytest.raises(kp.InvalidArgument):
        kp.dask.manager("no such device")
    with pytest.raises(kp.InvalidArgument, match="a device must be"):
        kp.dask.manager(1.5)  # type: ignore[arg-type]
    monkeypatch.setenv("KOMPUTE_DEVICE", "no such device")
    with pytest.raises(kp.Error):
        kp.dask.manager()

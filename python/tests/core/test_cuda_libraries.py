# SPDX-License-Identifier: Apache-2.0
"""Shared tensors with torch, CuPy, JAX, Numba and Triton, on a GPU with CUDA."""

from __future__ import annotations

import gc
import resource
import threading
import time
import warnings
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from conftest import INCREMENT

import kp

torch: Any = pytest.importorskip("torch", reason="PyTorch is not installed")
if not torch.cuda.is_available():
    pytest.skip("there is no GPU with CUDA", allow_module_level=True)


@pytest.fixture(scope="module")
def mgr() -> Iterator[kp.Manager]:
    manager = kp.Manager(device_type="gpu")
    manager.shared_tensor(1)  # raises if it cannot
    yield manager
    manager.destroy()


def increment(mgr: kp.Manager, tensor: kp.Tensor) -> kp.Sequence:
    groups = -(-tensor.size() // 64)
    algorithm = mgr.algorithm([tensor], kp.compile(INCREMENT), workgroup=[groups, 1, 1])
    return mgr.sequence().record(kp.OpAlgoDispatch(algorithm))


def spin(milliseconds: float) -> None:
    """Occupy torch's current stream."""
    torch.cuda._sleep(int(milliseconds * 1.7e6))


def test_torch_sees_the_same_memory(mgr: kp.Manager) -> None:
    t = mgr.shared_tensor((16, 8))
    x = torch.from_dlpack(t)
    assert x.data_ptr() == t.cuda_address
    assert x.shape == (16, 8)
    x.fill_(1)
    increment(mgr, t).eval_async(cuda_stream=torch.cuda.current_stream()).eval_await()
    assert float(x.sum()) == 256
    assert torch.as_tensor(t, device="cuda").data_ptr() == t.cuda_address
    same = mgr.from_dlpack(x)
    assert same.cuda_address == x.data_ptr()
    np.testing.assert_array_equal(same.read(), np.full((16, 8), 2))


@pytest.mark.parametrize(
    "dtype", ["float32", "float64", "float16", "int8", "uint8", "int16", "int32", "int64", "bool",
              "complex64"]
)  # fmt: skip
def test_dtypes(mgr: kp.Manager, dtype: str) -> None:
    t = mgr.shared_tensor(12, np.dtype(dtype))
    x = torch.from_dlpack(t)
    assert x.dtype == getattr(torch, dtype)
    x.fill_(1)
    back = mgr.from_dlpack(x)
    assert back.dtype == np.dtype(dtype)
    assert back.read().tolist() == np.ones(12, dtype).tolist()


STEP = """#version 450
layout(local_size_x = 1) in;
layout(binding = 0) buffer Values { uint values[]; };
void main() { values[0] = values[0] * 5u + 7u; }
"""


def test_exchanges_keep_their_order(mgr: kp.Manager) -> None:
    t = mgr.shared_tensor(1, np.int32)
    x = torch.from_dlpack(t).fill_(1)
    algorithm = mgr.algorithm([t], kp.compile(STEP), workgroup=[1, 1, 1])
    sequence = mgr.sequence().record(kp.OpAlgoDispatch(algorithm))
    stream = torch.cuda.Stream()
    stream.wait_stream(torch.cuda.current_stream())
    expected = 1
    with torch.cuda.stream(stream):
        for i in range(3000):
            if i % 100 == 0:
                spin(0.5)
            x.mul_(3).add_(1)
            _again(sequence, stream)
            expected = ((expected * 3 + 1) * 5 + 7) % 2**32
    stream.synchronize()
    assert int(x) % 2**32 == expected


def _again(sequence: kp.Sequence, stream: Any) -> None:
    sequence.eval_async(cuda_stream=stream)
    sequence.eval_await(0)  # takes the next evaluation at once


def test_calls_behind_a_long_kernel_return_at_once(mgr: kp.Manager) -> None:
    t = mgr.shared_tensor(64)
    x = torch.from_dlpack(t).fill_(1)
    sequence = increment(mgr, t)
    stream = torch.cuda.current_stream()
    sequence.eval_async(cuda_stream=stream).eval_await()
    spin(100)
    start = time.perf_counter()
    sequence.eval_async(cuda_stream=stream)
    elapsed = time.perf_counter() - start
    assert not sequence.event().done
    sequence.eval_await()
    assert elapsed < 0.005
    assert float(x[0]) == 3


def test_dlpack_orders_without_other_calls(mgr: kp.Manager) -> None:
    t = mgr.shared_tensor(1 << 20)
    x = torch.from_dlpack(t)
    spin(20)
    x.fill_(5)
    y = mgr.from_dlpack(x)  # its work waits for torch's stream
    sequence = increment(mgr, y)
    sequence.eval_async()
    z = torch.from_dlpack(y)  # torch's stream waits for the sequence
    assert float(z.min()) == 6
    sequence.eval_await()


def test_other_memory_is_copied_on_the_device(mgr: kp.Manager) -> None:
    x = torch.arange(1000, device="cuda", dtype=torch.float32)
    with pytest.raises(BufferError, match="torch_pool"):
        mgr.from_dlpack(x, copy=False)
    t = mgr.from_dlpack(x)
    assert t.cuda_address != x.data_ptr()
    np.testing.assert_array_equal(t.read(), np.arange(1000))
    array = kp.from_dlpack(x.reshape(10, 100), device=mgr)
    assert float((array * 2).sum()) == 999000
    with pytest.raises(BufferError, match="contiguous"):
        mgr.from_dlpack(x.reshape(10, 100).T)


def test_torch_pool_gives_memory_for_kernels(mgr: kp.Manager) -> None:
    with kp.torch_pool(mgr):
        small = torch.zeros(1000, device="cuda")
        large = torch.full((64, 1 << 16), 2.0, device="cuda")
    outside = torch.zeros(1000, device="cuda")
    for x in (small, large):
        t = mgr.from_dlpack(x, copy=False)
        assert t.cuda_address == x.data_ptr()
        before = float(x.reshape(-1)[-1])
        increment(mgr, t).eval_async(cuda_stream=torch.cuda.current_stream()).eval_await()
        assert float(x.reshape(-1)[-1]) == before + 1
        del t
    with pytest.raises(BufferError, match="torch_pool"):
        mgr.from_dlpack(outside, copy=False)
    view = kp.from_dlpack(large[:, ::2], device=mgr, copy=False)
    assert float(view[3, 5].item()) == 3
    address = large.data_ptr()
    del large, view, x
    gc.collect()
    with kp.torch_pool(mgr):
        again = torch.zeros(64, 1 << 16, device="cuda")
    assert again.data_ptr() == address  # torch's own cache
    t = mgr.from_dlpack(again, copy=False)
    np.testing.assert_array_equal(t.read(), np.zeros((64, 1 << 16)))


def test_torch_pools_nest_and_are_used_by_several_threads(mgr: kp.Manager) -> None:
    made: list[Any] = []

    def work() -> None:
        with kp.torch_pool(mgr):
            made.append(torch.ones(100, device="cuda"))

    with kp.torch_pool(mgr) as outer:
        with kp.torch_pool(mgr) as inner:
            assert inner is outer
            made.append(torch.ones(100, device="cuda"))
        thread = threading.Thread(target=work)
        thread.start()
        thread.join()
        made.append(torch.ones(100, device="cuda"))
    for x in made:
        assert mgr.from_dlpack(x, copy=False).cuda_address == x.data_ptr()


def test_memory_stays_flat(mgr: kp.Manager) -> None:
    def run(count: int) -> None:
        for _ in range(count):
            t = mgr.shared_tensor(256)
            x = torch.from_dlpack(t)
            x.add_(1)
            mgr.from_dlpack(x)

    run(500)
    torch.cuda.synchronize()
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    free = torch.cuda.mem_get_info()[0]
    run(3000)
    torch.cuda.synchronize()
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 20_000  # KiB
    assert free - torch.cuda.mem_get_info()[0] < 64 << 20


def test_bad_input(mgr: kp.Manager) -> None:
    t = mgr.shared_tensor(4)
    t.destroy()
    with pytest.raises(kp.InvalidArgument, match="destroyed"):
        torch.from_dlpack(t)
    with pytest.raises((RuntimeError, BufferError), match="grad"):
        mgr.from_dlpack(torch.ones(3, device="cuda", requires_grad=True))
    graph = torch.cuda.CUDAGraph()
    stream = torch.cuda.Stream()
    with torch.cuda.stream(stream), warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the graph stays empty
        graph.capture_begin()
        try:
            with pytest.raises(kp.InvalidArgument, match="graph"):
                mgr.cuda_event(stream)
        finally:
            graph.capture_end()
    if torch.cuda.device_count() > 1:
        other = torch.ones(3, device="cuda:1")
        with pytest.raises(kp.InvalidArgument, match="CUDA device 1"):
            mgr.from_dlpack(other)
        with torch.cuda.device(1), pytest.raises(kp.InvalidArgument, match="another device"):
            mgr.cuda_event(torch.cuda.Stream())


@pytest.mark.skipif(torch.cuda.device_count() < 2, reason="there is one GPU with CUDA")
def test_each_gpu_shares_its_own_memory() -> None:
    managers = [kp.Manager(index) for index in range(torch.cuda.device_count())]
    tensors = [manager.shared_tensor((64, 4)) for manager in managers]
    arrays = [torch.from_dlpack(t) for t in tensors]
    assert len({x.device.index for x in arrays}) == len(managers)
    for t, x in zip(tensors, arrays, strict=True):
        assert x.data_ptr() == t.cuda_address
        assert t.__dlpack_device__() == (2, x.device.index)
    arrays[0].fill_(1)
    for step in range(20):
        i = step % len(managers)
        stream = torch.cuda.current_stream(arrays[i].device)
        increment(managers[i], tensors[i]).eval_async(cuda_stream=stream).eval_await()
        arrays[(i + 1) % len(managers)].copy_(arrays[i])
    assert float(arrays[20 % len(managers)].sum()) == 256 * 21
    with pytest.raises(kp.InvalidArgument, match="CUDA device"):
        managers[0].from_dlpack(arrays[1])
    for manager in managers:
        manager.destroy()


def test_bfloat16_names_the_cure(mgr: kp.Manager) -> None:
    x = torch.ones(4, device="cuda", dtype=torch.bfloat16)
    bits = mgr.from_dlpack(x.view(torch.uint16))
    assert bits.read()[0] == 0x3F80
    try:
        import ml_dtypes  # noqa: F401
    except ImportError:
        with pytest.raises(BufferError, match="ml_dtypes"):
            mgr.from_dlpack(x)
    else:
        assert float(mgr.from_dlpack(x).read()[0]) == 1


def test_cupy(mgr: kp.Manager) -> None:
    cupy: Any = pytest.importorskip("cupy", reason="CuPy is not installed")
    t = mgr.shared_tensor((8, 4))
    by_interface = cupy.asarray(t)
    by_capsule = cupy.from_dlpack(t)
    assert by_interface.data.ptr == by_capsule.data.ptr == t.cuda_address
    stream = cupy.cuda.Stream(non_blocking=True)
    with stream:
        by_capsule[...] = 3
    increment(mgr, t).eval_async(cuda_stream=stream).eval_await()
    assert float(by_interface.sum()) == 4 * 32
    np.testing.assert_array_equal(mgr.from_dlpack(cupy.arange(5.0)).read(), np.arange(5.0))


def test_jax(mgr: kp.Manager, monkeypatch: pytest.MonkeyPatch) -> None:
    # Otherwise JAX takes three quarters of the GPU's memory at once, also from other processes.
    monkeypatch.setenv("XLA_PYTHON_CLIENT_PREALLOCATE", "false")
    jax: Any = pytest.importorskip("jax", reason="JAX is not installed")
    try:
        device = jax.devices("cuda")[0]
    except RuntimeError as error:
        pytest.skip(f"JAX sees no GPU: {error}")
    t = mgr.shared_tensor((8, 4))
    t.write(np.ones((8, 4)))
    x = jax.dlpack.from_dlpack(t)
    assert x.unsafe_buffer_pointer() == t.cuda_address
    assert float(x.sum()) == 32
    y = jax.device_put(jax.numpy.arange(6.0), device) * 2
    np.testing.assert_array_equal(mgr.from_dlpack(y).read(), np.arange(6.0) * 2)


def test_numba(mgr: kp.Manager) -> None:
    cuda: Any = pytest.importorskip("numba.cuda", reason="Numba is not installed")

    @cuda.jit  # type: ignore[untyped-decorator, unused-ignore]
    def double(values: Any) -> None:
        i = cuda.grid(1)
        if i < values.shape[0]:
            values[i] *= 2

    t = mgr.shared_tensor(64)
    t.write(np.arange(64))
    view = cuda.as_cuda_array(t)
    assert view.device_ctypes_pointer.value == t.cuda_address
    stream = cuda.stream()
    t.cuda_wait(stream)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # it finds 64 threads few
        try:
            double[2, 32, stream](view)
        except AttributeError as error:
            pytest.skip(f"this Numba does not work with this NumPy: {error}")
    increment(mgr, t).eval_async(cuda_stream=stream).eval_await()
    np.testing.assert_array_equal(t.read(), np.arange(64) * 2 + 1)


def test_triton(mgr: kp.Manager) -> None:
    triton: Any = pytest.importorskip("triton", reason="Triton is not installed")
    from cuda_triton import add_one

    t = mgr.shared_tensor(256)
    t.write(np.arange(256))
    add_one[(1,)](torch.from_dlpack(t), 256)
    increment(mgr, t).eval_async(cuda_stream=torch.cuda.current_stream()).eval_await()
    np.testing.assert_array_equal(t.read(), np.arange(256) + 2)
    assert triton.__version__

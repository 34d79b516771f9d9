# SPDX-License-Identifier: Apache-2.0
"""Typical uses of the package. Type checkers check this file; it never runs."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from typing_extensions import assert_type

import kp
import kp.dask


def tensors(manager: kp.Manager) -> kp.Tensor:
    from_list = manager.tensor([1.0, 2.0, 3.0])
    manager.tensor(np.zeros((4, 4), np.float32), kp.MemoryTypes.deviceAndHost)
    manager.tensor(shape=(4, 4), dtype=np.uint8)
    manager.tensor_t(np.arange(4), memory_type=kp.MemoryTypes.host)
    assert_type(from_list, kp.Tensor)
    assert_type(from_list.size(), int)
    assert_type(len(from_list), int)
    assert_type(from_list.shape, tuple[int, ...])
    assert_type(from_list.nbytes, int)
    assert_type(from_list.is_init(), bool)
    view: np.ndarray[Any, Any] = from_list.data()
    view += 1
    from_list.write([4.0, 5.0], offset=1)
    copy: np.ndarray[Any, Any] = from_list.read(offset=1, count=2)
    from_list[0] = copy[0]
    return from_list


def images(manager: kp.Manager) -> kp.Memory:
    image = manager.image(np.zeros((8, 16, 4), np.float32))
    assert_type(image, kp.Image)
    assert_type(image.width, int)
    assert_type(image.num_channels, int)
    return image


def algorithms(manager: kp.Manager, tensor: kp.Tensor) -> kp.Algorithm:
    code = kp.compile(Path("double.comp"), defines={"FACTOR": "2"})
    assert_type(code, bytes)
    manager.algorithm([tensor], "#version 450 ...", thread_count=(100, 1, 1))
    manager.algorithm([tensor], code, (3, 1, 1), [1, 2], np.array([1.0]))
    manager.algorithm([tensor], code, np.array([3, 1, 1]), thread_count=np.int64(3))
    algorithm = manager.algorithm([tensor], code, push_consts={"factor": 2.0})
    algorithm.set_push_constants([1.0, 2.0])
    algorithm.set_thread_count(100)
    assert_type(algorithm.workgroup, tuple[int, int, int])
    assert_type(algorithm, kp.Algorithm)
    return algorithm


def old_spelling(manager: kp.Manager, shader: bytes) -> None:
    tensor = manager.build_tensor([1, 2, 3])
    assert_type(tensor, kp.Tensor)
    assert_type(kp.Tensor([1, 2, 3], kp.staging), kp.Tensor)
    manager.eval_tensor_create_def([tensor])
    sequence = manager.create_sequence("NAME")
    sequence.begin()
    sequence.record_algo_data([tensor], shader)
    sequence.record_tensor_sync_local([tensor])
    sequence.end()
    sequence.eval()
    manager.eval_async_algo_data_def([tensor], shader)
    manager.eval_await_def()


class Scale(kp.OpBase):
    def __init__(self, algorithm: kp.Algorithm, tensor: kp.Tensor) -> None:
        super().__init__()
        self.algorithm = algorithm
        self.tensor = tensor

    def record(self) -> Iterator[kp.OpBase]:
        yield kp.OpSyncDevice([self.tensor])
        yield kp.OpAlgoDispatch(self.algorithm, [2.0])

    def accesses(self) -> list[tuple[kp.Memory, str]]:
        return [(self.tensor, "r")]


def sequences(manager: kp.Manager, tensor: kp.Tensor, algorithm: kp.Algorithm) -> None:
    sequence = (
        manager.sequence(total_timestamps=8)
        .record(kp.OpTensorSyncDevice([tensor]))
        .record(kp.OpAlgoDispatch(algorithm, [3.0]))
        .record(Scale(algorithm, tensor))
        .record(kp.OpTensorSyncLocal([tensor]))
        .eval()
    )
    assert_type(sequence, kp.Sequence)
    sequence.eval_async().eval_await(1_000_000)
    assert_type(sequence.get_timestamps(), list[int])
    event = sequence.event()
    assert_type(event.wait(timeout=0.5), bool)
    assert_type(event.done, bool)
    with manager.sequence() as other:
        other.eval(kp.OpFill([tensor], 1))
        other.eval_async(kp.OpCopy([tensor, tensor]), wait_for=[event])


async def waiting(sequence: kp.Sequence) -> None:
    await sequence.eval_async()
    await sequence.event()


def errors() -> int:
    try:
        with kp.Manager(0, [], ["VK_KHR_shader_non_semantic_info"], validation="core") as manager:
            tensors(manager)
    except kp.ShaderError as error:
        assert_type(error.line, int)
        return error.line
    except kp.Error as error:
        assert_type(error.reasons, list[str])
    return 0


def tuning(manager: kp.Manager, tensor: kp.Tensor) -> kp.Algorithm | None:
    def source(configuration: dict[str, Any]) -> str:
        return f"#version 450 ... {configuration['tile']}"

    def progress(state: kp.TuningProgress) -> bool:
        return state.elapsed < 10

    kernel = kp.TunableKernel("scale").local_size([32, 64]).parameter("tile", (8, 16, "auto"))
    kernel.factory(source, "1").constraint("any", lambda c: c["tile"] == 8)
    arguments = kp.TuningArguments([tensor], (64, 64), np.uint32(3)).expect(tensor, np.ones(3))
    tuner = kp.Autotuner(manager, budget=10, cache_folder=Path("cache"), progress=progress)
    result = tuner.tune(kernel, arguments.verify(lambda c: True))
    assert_type(result.configuration, dict[str, Any])
    assert_type(result.records, list[kp.TuningRecord])
    assert_type(kp.TunedAlgorithm(tuner, kernel).algorithm(arguments), kp.Algorithm)
    return result.algorithm


def profiling(manager: kp.Manager) -> str:
    profiler = kp.Profiler("program", max_spans=100)
    assert_type(profiler.calibrate("gpu 0", manager), bool)
    with profiler.scope("outer"), profiler.scope("inner"):
        pass
    assert_type(profiler.entries(), list[kp.ProfileEntry])
    profiler.write_trace(Path("trace.json"))
    return profiler.table()


def blocks(array: Any) -> Any:
    kernel = kp.dask.BlockKernel("k.comp", inputs=[1], output=0, threads=lambda shape: shape[0])
    scaled = kp.dask.map_blocks(kernel, array, 2.0, dtype=np.float32, factor=2)
    smooth = kp.dask.map_overlap(kp.compile("s.comp"), scaled, depth=1, boundary="reflect")

    def prepare(manager: kp.Manager) -> Callable[[Any], Any]:
        def read(block: Any) -> Any:
            return manager.tensor(block).read()

        return read

    def same(manager: kp.Manager, block: Any) -> Any:
        return block

    prepared = kp.dask.Prepared(prepare)
    assert_type(kp.dask.manager("discrete"), kp.Manager)
    assert_type(kp.dask.statistics().blocks, int)
    return kp.dask.map_blocks(same, kp.dask.map_blocks(prepared, smooth))


def launchers(manager: kp.Manager, tensor: kp.Tensor) -> kp.Event:
    queue = manager.queue(in_order=False, profiling=True)
    gate = kp.UserEvent()
    step = kp.launcher.KernelListLauncher("step")
    step += kp.launcher.ParametrizedKernelLauncher(
        "k", "k.comp", {"dt": (1, np.float32)}, {0: tensor}, (64, 64), 8, default_queue=queue
    )
    step += None
    step += kp.launcher.OpenClKernelLauncher(
        "k", "k.comp", {0: tensor}, np.array([64, 64]), (8,), queue
    )
    kp.launcher.set_trace_options(kp.launcher.trace_options(), profile_kernels=True)
    step.push_copy_device_to_host("field", tensor, np.zeros(3, np.float32)).push_kernels(
        kp.launcher.HostLauncher("host", lambda: None)
    )
    event = step(queue=queue, wait_for=[gate, queue.barrier()], dt=0.1)
    assert_type(event, kp.Event)
    assert_type(event.profile, kp.EventProfile | None)
    assert_type(step.statistics, dict[str, kp.launcher.KernelStatistics])
    assert_type(kp.wait_any([event, gate], timeout=1), int | None)
    return event


def groups(manager: kp.Manager) -> list[kp.Event]:
    with kp.DeviceGroup([0, 0], queue_counts=[1, 2]) as group:
        assert_type(group[0], kp.Manager)
        assert_type(group.queues, tuple[kp.Queue, ...])
        assert_type(group.exchange_path(0, 1), str | None)
        assert_type(group.limits, kp.GroupLimits)
        kp.set_default_group(group)
    group = kp.default_group()
    buffer = kp.Buffer((4, 5), "vec3", group=group, placement="sharded", shard_rows=[3, 1])
    assert_type(buffer.shape, tuple[int, ...])
    assert_type(kp.Buffer(np.array([4]), kp.vec3, buffer.tensor()).is_external, bool)
    assert_type(kp.buffer_f32((4,)), kp.Buffer)
    assert_type(kp.is_vector(buffer.var_type), bool)
    assert_type(buffer.shard(0), kp.Shard)
    assert_type(buffer.tensor(np.int32(1)), kp.Tensor)
    assert_type(buffer.group, kp.DeviceGroup)
    buffer.write(b"prefix", 0)
    buffer.write([[1.0, 2.0]], start=2)
    array, events = buffer.read_async(wait_for=kp.UserEvent())
    assert_type(events, list[kp.Event])
    view: np.ndarray[Any, Any] = array
    copies = kp.asbuffer(view, group, dtype="vec3")
    assert_type(copies.copy(0, 1, rows=2), kp.Event)
    assert_type(kp.copy(buffer, copies), list[kp.Event])
    copies.all_reduce("max", wait_for=events)

    def size(shard: kp.Shard) -> tuple[int, ...]:
        return shard.shape[::-1]

    kernel = group.kernel("k.comp", {"V": copies, "f": 2.0}, size, parameters_map=["g"])
    assert_type(kernel(events, target="any", g=3), list[kp.Event])
    group.launch(kernel, target=1, g=3)
    group.launch([kp.launcher.KernelLauncher("k", "k.comp")], wait_for=events, dt=0.1)
    group.launch([kp.launcher.KernelListLauncher("l")])
    group.for_each(lambda manager, queue, wait_for: group.queue(queue).barrier(wait_for))
    with manager.exportable_tensor(4, np.int32).export_memory() as memory:
        assert_type(manager.import_memory(memory, (2, 2), np.int32), kp.Tensor)
    manager.tensor_over(np.zeros(4))
    return events


def arrays(manager: kp.Manager, tensor: kp.Tensor) -> kp.Array:
    x = kp.zeros((2, 3), dtype=np.float32, device=manager)
    assert_type(x, kp.Array)
    assert_type(kp.asarray(tensor), kp.Array)
    assert_type(kp.sum(x, axis=(0, 1)), kp.Array)
    assert_type(kp.sum([1, 2]), kp.Array)
    assert_type(kp.sum(np.ones(3)), kp.Array)
    assert_type(kp.sum(tensor, axis=0), kp.Tensor)
    assert_type(kp.matmul(x, x.T), kp.Array)
    assert_type(x.shape, tuple[int, ...])
    x[0] = 3
    scale = kp.elementwise("T x", "T y", "y = 2 * x")
    assert_type(kp.reduction("T x", "T y", "x", "a + b", "y = a", 0)(x), kp.Array)
    assert_type(kp.random.default_rng(1).normal(size=(2, 3)), kp.Array)
    y: kp.Array = scale(x)[0]
    kp.evaluate(x, [y])
    kp.set_default_manager(kp.default_manager())
    return kp.sqrt(y + x * 2.0)


def operators(x: kp.Array, tensor: kp.Tensor) -> float:
    assert_type(x * 2, kp.Array)
    assert_type(2.0**x, kp.Array)
    assert_type([1, 2] + x, kp.Array)
    assert_type(x - np.ones(3), kp.Array)
    assert_type(x @ x.T, kp.Array)
    assert_type(x + tensor, kp.Array)
    assert_type(-x, kp.Array)
    assert_type(x < 3, kp.Array)
    assert_type(x == None, kp.Array)  # noqa: E711
    assert_type(divmod(x, 2), tuple[kp.Array, kp.Array])
    assert_type(x[0], kp.Array)
    x += 1
    assert_type(x, kp.Array)
    for row in x:
        assert_type(row, kp.Array)
    assert_type(x.sum(axis=0, keepdims=True), kp.Array)
    assert_type(x.T.real, kp.Array)
    assert_type(x.reshape(2, -1), kp.Array)
    assert_type(x.nonzero(), tuple[kp.Array, ...])
    assert_type(x.sort(), None)
    assert_type(x.numpy(), NDArray[Any])
    assert_type(x.astype(np.int32), kp.Array)
    assert_type(x.item(), int | float)
    assert_type(int(x.argmax()), int)
    return x.sum().item()


def functions(x: kp.Array) -> None:
    assert_type(kp.where(x > 0, x, 0), kp.Array)
    assert_type(kp.where(x > 0), tuple[kp.Array, ...])
    assert_type(kp.einsum("ij,jk", x, x), kp.Array)
    assert_type(kp.pad(x, 1), kp.Array)
    assert_type(kp.median(x, axis=0), kp.Array)
    assert_type(kp.dot(x, x), kp.Array)
    assert_type(kp.concat([x, x], axis=1), kp.Array)
    assert_type(kp.vstack([x, np.ones(3)]), kp.Array)
    assert_type(kp.split(x, 2), list[kp.Array])
    assert_type(kp.meshgrid(x, x), tuple[kp.Array, ...])
    assert_type(kp.unique(x), kp.Array)
    assert_type(kp.unique(x, return_counts=True), tuple[kp.Array, ...])
    assert_type(kp.histogram(x), tuple[kp.Array, kp.Array])
    assert_type(kp.average(x, returned=True), tuple[kp.Array, kp.Array])
    assert_type(kp.linspace(0, 1), kp.Array)
    assert_type(kp.allclose(x, x), bool)
    assert_type(kp.unique_counts(x).counts, kp.Array)
    assert_type(kp.linalg.svd(x).S, kp.Array)
    assert_type(kp.linalg.svd(x, compute_uv=False), kp.Array)
    assert_type(kp.linalg.qr(x).R, kp.Array)
    assert_type(kp.linalg.norm(x), kp.Array)
    assert_type(kp.fft.rfft(x), kp.Array)
    assert_type(kp.fft.fftfreq(8), kp.Array)
    assert_type(kp.fromfunction(lambda: 1, ()), int)
    assert_type(kp.pi, float)


def group_arrays(x: kp.Array) -> kp.GroupArray:
    with kp.DeviceGroup() as group:
        shared = kp.array([1, 2], dtype=np.float32, group=group)
        assert_type(shared, kp.GroupArray)
        assert_type(kp.zeros((2, 3), group=group), kp.GroupArray)
        assert_type(kp.zeros((2, 3), device=group), kp.GroupArray)
        assert_type(kp.asarray(shared), kp.GroupArray)
        assert_type(kp.sum(shared), kp.GroupArray)
        assert_type(shared.sum(), kp.GroupArray)
        assert_type(2 * shared.T, kp.GroupArray)
        assert_type(kp.sqrt(shared), kp.GroupArray)
        assert_type(kp.add(1, shared), kp.GroupArray)
        assert_type(kp.where(shared > 1, shared, 0), kp.GroupArray)
        assert_type(kp.concat([shared, shared]), kp.GroupArray)
        assert_type(kp.vstack([shared, shared]), kp.GroupArray)
        assert_type(kp.fft.fft(shared), kp.GroupArray)
        assert_type(kp.allclose(shared, 1), bool)
        assert_type(shared[0], kp.GroupArray)
        assert_type(shared.parts[0], kp.Array)
        assert_type(x.to_device(group), kp.GroupArray)
    return shared


def jit(x: kp.Array) -> None:
    @kp.jit
    def total(x: Any, y: Any) -> None:
        tile = kp.shared_array(64, np.float32)
        tile[kp.local_id()] = x[kp.global_id()]
        kp.barrier()
        kp.atomic_add(y, 0, kp.subgroup_add(x[kp.global_id()]))

    assert_type(total, kp.JitFunction)
    assert_type(kp.global_id(), int)
    total(x, x)

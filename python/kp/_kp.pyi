# SPDX-License-Identifier: Apache-2.0
# Written by scripts/python_stubs.py. Do not edit it: change the docstrings and signatures in
# python/src, or the types in scripts/stubs/module_types.py.

import collections.abc
import enum
import os
from typing import Any, Protocol, SupportsFloat, SupportsIndex

import numpy as np
from numpy.typing import ArrayLike, DTypeLike, NDArray
from typing_extensions import Self, TypeAlias

from .arrays.array import Array as Array

_Path: TypeAlias = str | os.PathLike[str]
# What kp.kernel() and kp.jit() make.
class _HasShader(Protocol):
    def __kp_shader__(self) -> bytes: ...

# SPIR-V, or source text, or a path, or a kernel.
_Shader: TypeAlias = (
    bytes | bytearray | memoryview | NDArray[Any] | str | os.PathLike[str] | _HasShader
)
# Numbers, or numbers by name; specialization constants have ids, too.
_Constants: TypeAlias = ArrayLike | collections.abc.Mapping[str, Any]
_SpecConstants: TypeAlias = (
    _Constants | collections.abc.Mapping[int, Any] | collections.abc.Mapping[str | int, Any]
)
# Arrays, bytes, and numbers in lists.
_Data: TypeAlias = ArrayLike | bytes | bytearray | memoryview
# A tensor, or (tensor, first element, number of elements).
_Range: TypeAlias = Tensor | tuple[Tensor, int] | tuple[Tensor, int, int]
# A name, or a GLSL expression and its identity.
_Operator: TypeAlias = str | tuple[str, str]
_Extent: TypeAlias = (
    SupportsIndex | collections.abc.Sequence[SupportsIndex] | NDArray[np.integer[Any]]
)
_Pushed: TypeAlias = "Launcher | KernelListLauncher | None"
# Events, or CUDA streams of other libraries.
_Events: TypeAlias = "collections.abc.Iterable[Any] | Event | None"
# "all", "any" or the index of a queue.
_Target: TypeAlias = str | SupportsIndex

__version__: str

def _set_package(find: Any) -> None:
    """Hands over a function that returns functions and classes of the package by their names."""

def _python_spelling(message: str) -> str:
    """Returns a message of the library with Python's names, as errors and the log have them."""

class DataTypes(enum.IntEnum):
    """The type of an element. char, short, int and long have 8, 16, 32 and 64 bits, uchar to ulong
    the same without a sign; custom is a struct.
    """

    bool = 0
    int = 1
    uint = 2
    float = 3
    double = 4
    custom = 5
    short = 6
    ushort = 7
    char = 8
    uchar = 9
    long = 10
    ulong = 11
    half = 12
    bfloat16 = 13

    def __call__(self, *value: Any) -> Any:
        """Return a value as a NumPy scalar of this type, as NumPy's types do."""

class MemoryTypes(enum.IntEnum):
    """The place of memory.

    device: device memory, with a host view; OpSyncDevice and OpSyncLocal copy between the two.
    host: host memory that the device reads and writes. storage: device memory without a host
    view. deviceAndHost: memory that both reach at full speed; same as device if there is none.
    """

    device = 0
    host = 1
    storage = 2
    deviceAndHost = 3
    staging = 1

class AccessFlags(enum.IntFlag):
    """Vulkan's VkAccessFlagBits, for OpMemoryBarrier."""

    none = 0
    indirect_command_read = 1
    uniform_read = 8
    shader_read = 32
    shader_write = 64
    transfer_read = 2048
    transfer_write = 4096
    host_read = 8192
    host_write = 16384
    memory_read = 32768
    memory_write = 65536

class PipelineStageFlags(enum.IntFlag):
    """Vulkan's VkPipelineStageFlagBits, for OpMemoryBarrier."""

    top_of_pipe = 1
    draw_indirect = 2
    compute_shader = 2048
    transfer = 4096
    bottom_of_pipe = 8192
    host = 16384
    all_commands = 65536

class Manager:
    """Owns a device and creates the objects that live on it.

    Objects hold a reference to their manager. It is destroyed with the last of them, by
    destroy(), or at the end of a `with` block. Any thread may use it.
    """

    def __init__(
        self,
        device: SupportsIndex | None = None,
        family_queue_indices: collections.abc.Sequence[SupportsIndex] = [],
        desired_extensions: collections.abc.Sequence[str] = [],
        *,
        name: str = "",
        uuid: str = "",
        device_type: str = "",
        required_extensions: collections.abc.Sequence[str] = [],
        validation: str = "",
        wait: str = "auto",
        cache_folder: _Path = "",
        cache_path: _Path | collections.abc.Sequence[_Path] = "",
        trust_cache_path: bool = False,
        timeline_semaphores: bool = True,
        coalesce: bool = True,
        reorder: bool = True,
        check: bool | str | None = None,
        breadcrumbs: bool = False,
    ) -> None:
        """Without arguments: the best device, or the one that the environment variable
        KOMPUTE_DEVICE names.

        `device` is an index in list_devices(); `name` is a part of the name. `uuid` and
        `device_type` ("discrete", "integrated", "virtual", "cpu", or "gpu" for all but the last)
        are further conditions. `family_queue_indices` requests one queue per entry, of the
        family with that index. Without entries: one queue of the family that
        KOMPUTE_QUEUE_FAMILY names, or that suits the device. Managers of one GPU share its
        device, whichever queues they request. Missing `desired_extensions` are ignored, missing
        `required_extensions` are an error. `validation` is a list of checks ("core,sync"),
        `wait` one of "auto", "spin", "hybrid" and "block". `cache_folder` is where compiled
        pipelines and shaders are kept, as KOMPUTE_CACHE_DIR ("off": nowhere). `cache_path` is a
        folder or a list of folders of such files that an installer made, as KOMPUTE_CACHE_PATH:
        they are searched after `cache_folder` and never written. Files there that belong to
        another user, or that others may write to, are used only with `trust_cache_path=True`.
        Launches and evaluations that find their queue busy are submitted together; with
        `coalesce=False` each is submitted at once. Independent dispatches of a sequence may run
        in another order to share barriers; `reorder=False` keeps the order in which they were
        recorded. `check` turns checked mode on (True, or a list as for kp.checked) for the
        manager's algorithms and kernels, or off (False). With `breadcrumbs`, as with
        KOMPUTE_BREADCRUMBS=1, DeviceLost and under_way() name the operations that the device was
        or is working on, which costs time.
        """

    def compile(
        self,
        source_or_path: _Path,
        *,
        includes: collections.abc.Iterable[_Path] = (),
        defines: collections.abc.Mapping[str, Any] | None = None,
        entry_point: str = "main",
        language: str = "",
        file_name: str = "",
        debug_info: bool = False,
        include_policy: str = "folders",
        isolate: bool = False,
    ) -> bytes:
        """kp.compile for the Vulkan version of this manager's device."""

    def _cache_folder(self) -> str:
        """The folder for compiled shaders, or "off"."""

    def _check(self) -> str:
        """Its checks, as kp.checked takes them."""

    def list_devices(self) -> list[dict[str, Any]]:
        """The devices of this machine; see kp.list_devices."""

    def get_device_properties(self) -> dict[str, Any]:
        """The properties and limits of the device."""

    def _facts(self) -> dict[str, Any]:
        """Limits, features, extensions and memory, by Vulkan's names."""

    @property
    def queue_count(self) -> int:
        """Number of queues; sequence() takes the indices below it."""

    @property
    def allocated_bytes(self) -> int:
        """Bytes of device and host memory that the driver has allocated for this device, for
        all its managers together.
        """

    def memory(self) -> MemoryUsage:
        """The device memory in use; see MemoryUsage."""

    def memory_objects(self) -> list[MemoryObject]:
        """The tensors, images and arrays whose memory `memory().allocated` adds up, the largest
        first. OutOfMemory lists the first of them.
        """

    def memory_kinds(self) -> list[MemoryKind]:
        """What `memory().reserved` consists of, as a list of MemoryKind: tensors, images and
        arrays of this manager, its freed arrays, and of all managers of the device freed
        small tensors, intermediate results, constants, and other memory (objects of other
        managers, running operations, and unused parts of blocks).
        """

    def memory_heaps(self) -> list[MemoryHeap]:
        """The heaps of the device, as a list of MemoryHeap, with what is left in them. Asks the
        driver.
        """

    def reset_peak_memory(self) -> None:
        """Resets the peaks of memory() to the current values."""

    def clear(self) -> None:
        """Gives memory that is only kept for reuse back to the driver, and forgets deleted
        objects. Both also happen automatically as needed.
        """

    def wait_idle(self) -> None:
        """Waits until the device has finished everything that was submitted to it. Failures are
        reported by the events.
        """

    def under_way(self) -> list[str]:
        """Texts about the operations that the device has begun and not finished, with their
        sequences and shaders, if the manager has `breadcrumbs`. Call it if work does not
        end.
        """

    def start_capture(self) -> None:
        """Starts a capture for RenderDoc, with all work submitted until end_capture(). Raises
        Unsupported unless the program runs under RenderDoc.
        """

    def end_capture(self) -> None:
        """Waits for the submitted work, and lets RenderDoc write the capture."""

    def is_init(self) -> bool:
        """False after destroy()."""

    def destroy(
        self,
        objects: Memory | Sequence | str | collections.abc.Iterable[Memory | Sequence | str] | None = None,
    ) -> None:
        """Destroys all objects that this manager created, after the work that uses them. Waits
        for calls of other threads, whose next ones raise InvalidArgument. A second call
        does nothing. The old spelling destroy(objects) destroys tensors,
        sequences or sequences of that name; see kp.compat.early.
        """

    def __repr__(self) -> str: ...

    def __enter__(self) -> Self: ...

    def __exit__(self, *args: object) -> None: ...

    def tensor(
        self,
        data: ArrayLike | None = None,
        memory_type: MemoryTypes | str = MemoryTypes.device,
        *,
        shape: _Extent | None = None,
        dtype: DTypeLike | None = None,
        tensor_type: MemoryTypes | str | None = None,
        cast: bool = False,
    ) -> Tensor:
        """A tensor with the contents and shape of `data` (any array-like, NumPy array, DLPack or
        buffer object), or of `shape` with undefined contents. The first evaluation that uses the
        tensor finds the contents on the device. `memory_type` is a kp.MemoryTypes or its name.
        Numbers that an integer `dtype` cannot hold are errors, unless `cast` permits NumPy's
        conversion.

        Elements are float32 regardless of `data`, as in Kompute, or `dtype`; tensor_t() has
        NumPy's rule. Integers that float32 rounds are errors, unless `dtype` or `cast` is given.
        `tensor_type` is Kompute 0.9.0's name of `memory_type`.
        """

    def tensor_t(
        self,
        data: ArrayLike | None = None,
        memory_type: MemoryTypes | str = MemoryTypes.device,
        *,
        shape: _Extent | None = None,
        dtype: DTypeLike | None = None,
        tensor_type: MemoryTypes | str | None = None,
        cast: bool = False,
    ) -> Tensor:
        """A tensor with the contents and shape of `data` (any array-like, NumPy array, DLPack or
        buffer object), or of `shape` with undefined contents. The first evaluation that uses the
        tensor finds the contents on the device. `memory_type` is a kp.MemoryTypes or its name.
        Numbers that an integer `dtype` cannot hold are errors, unless `cast` permits NumPy's
        conversion.

        Elements have the type that NumPy chooses for `data`, or `dtype` (float32 for a shape
        alone). `tensor_type` is Kompute 0.9.0's name of `memory_type`.
        """

    def image(
        self,
        data: ArrayLike | None = None,
        width: SupportsIndex = 0,
        height: SupportsIndex = 0,
        num_channels: SupportsIndex = 0,
        memory_type: MemoryTypes | str = MemoryTypes.device,
        *,
        tiling: str = "",
        dtype: DTypeLike | None = None,
        tensor_type: MemoryTypes | str | None = None,
        cast: bool = False,
        format: str = "",
        image_type: str = "2d",
        depth: SupportsIndex = 0,
        layers: SupportsIndex = 0,
        usage: str = "auto",
    ) -> Image:
        """An image that shaders load, store and sample. Without extents, `data` has shape (height,
        width) or (height, width, channels): pictures of three channels have a fourth one, of 1,
        on the device alone.

        `image_type` is "2d", "1d", "3d", "1d_array" or "2d_array"; depth or layers are the first
        axis of the data. `format` is a name such as "rgba8unorm" or "R8G8B8A8_UNORM", and
        decides the dtype: unorm and snorm formats are numbers from 0 or -1 to 1 in shaders, srgb
        formats are converted to linear light when they are sampled. `usage` is "storage",
        "sampled", "storage_and_sampled" or, by default, all that the device supports for the
        format. `tiling` is "optimal" or "linear".

        Channels are float32 regardless of `data`, as in Kompute, or the type of `format` or
        `dtype`; image_t() has NumPy's rule.
        """

    def image_t(
        self,
        data: ArrayLike | None = None,
        width: SupportsIndex = 0,
        height: SupportsIndex = 0,
        num_channels: SupportsIndex = 0,
        memory_type: MemoryTypes | str = MemoryTypes.device,
        *,
        tiling: str = "",
        dtype: DTypeLike | None = None,
        tensor_type: MemoryTypes | str | None = None,
        cast: bool = False,
        format: str = "",
        image_type: str = "2d",
        depth: SupportsIndex = 0,
        layers: SupportsIndex = 0,
        usage: str = "auto",
    ) -> Image:
        """An image that shaders load, store and sample. Without extents, `data` has shape (height,
        width) or (height, width, channels): pictures of three channels have a fourth one, of 1,
        on the device alone.

        `image_type` is "2d", "1d", "3d", "1d_array" or "2d_array"; depth or layers are the first
        axis of the data. `format` is a name such as "rgba8unorm" or "R8G8B8A8_UNORM", and
        decides the dtype: unorm and snorm formats are numbers from 0 or -1 to 1 in shaders, srgb
        formats are converted to linear light when they are sampled. `usage` is "storage",
        "sampled", "storage_and_sampled" or, by default, all that the device supports for the
        format. `tiling` is "optimal" or "linear".

        Channels have the type of `data`, or of `format` or `dtype`.
        """

    def sampler(
        self,
        *,
        filter: str = "linear",
        address: str | collections.abc.Sequence[str] = "clamp_to_edge",
        border: str = "transparent_black",
        integer_border: bool = False,
        unnormalized_coordinates: bool = False,
    ) -> Sampler:
        """A sampler, to be given to algorithms and kernels as `samplers`.

        `filter` is "linear" or "nearest". `address` chooses the value outside of the image:
        "repeat", "mirrored_repeat", "clamp_to_edge" or "clamp_to_border"; one name, or three for
        x, y and z. `border` is the colour of the last one: "transparent_black", "opaque_black"
        or "opaque_white", of integers with `integer_border`. With `unnormalized_coordinates`,
        coordinates are texels instead of 0 to 1.
        """

    def exportable_semaphore(self) -> Semaphore:
        """A timeline semaphore with the value 0 that other devices of the GPU, other processes
        and CUDA can open; see Semaphore.export_handle(). Unsupported if the device cannot
        export semaphores.
        """

    def import_semaphore(self, fd: SupportsIndex) -> Semaphore:
        """Opens an exported timeline semaphore. The caller closes the file descriptor."""

    def algorithm(
        self,
        tensors: collections.abc.Iterable[Memory] = [],
        spirv: _Shader = b'',
        workgroup: _Extent = (0, 0, 0),
        spec_consts: _SpecConstants = (),
        push_consts: _Constants = (),
        *,
        thread_count: _Extent | None = None,
        reinterpret: bool = False,
        subgroup_size: SupportsIndex | None = None,
        full_subgroups: bool | None = None,
        addressed: collections.abc.Iterable[Tensor] | None = None,
        samplers: Sampler | collections.abc.Iterable[Sampler] | None = None,
        robust_access: bool | None = None,
        max_private_bytes: SupportsIndex | None = None,
        emulate_types: bool | None = None,
        check: bool | str | None = None,
    ) -> Algorithm:
        """A shader with the memory of its bindings 0, 1, ...

        `spirv` is SPIR-V as bytes, GLSL text, or a path. `workgroup` counts work groups (0: as
        many as the first object has elements); `thread_count` counts invocations instead.
        Constants are a list of numbers or a number, which get the types that the shader
        declares, a NumPy array of any dtype, a structured array, or a dict by the names in the
        shader. The push constants are the default of dispatches; a dict given to a dispatch
        keeps the default of the names it leaves out. The elements of the tensors must have the
        type that the shader declares, unless `reinterpret` is true.

        `subgroup_size` requires a number of invocations per subgroup, a power of two between
        min_subgroup_size and max_subgroup_size of Manager.get_device_properties(); 0 lets the
        driver choose. `full_subgroups` requires that no subgroup lacks invocations; the local
        size in x must then be a multiple of the subgroup size.

        `addressed` lists tensors that the shader reaches through buffer addresses
        (Tensor.device_address): dispatches then wait for earlier work on these and on the bound
        memory, instead of all earlier work.

        `samplers` is one sampler for all that the shader declares (sampler, sampler2D, ...), or
        one for each of them, in the order of set, binding and array element.

        With `robust_access`, reads outside of tensors and images give 0 and writes there are
        dropped; Unsupported if the device cannot. Checking bounds in the shader is faster.

        `max_private_bytes` limits the arrays that each invocation has for itself (64 KiB if not
        given), because the driver reserves them for all invocations in flight.

        With `emulate_types`, numbers of types that the device lacks, such as float64 and int64,
        are computed with others: right to the bit, but slowly.

        `check` turns checked mode on (True, or a list as for kp.checked) or off (False).
        """

    def queue(
        self,
        index: SupportsIndex = 0,
        in_order: bool = True,
        profiling: bool = False,
    ) -> Queue:
        """A queue on the manager's VkQueue with this index. A queue with a higher index is virtual:
        it shares VkQueue 0, and its name says so. In an in-order queue each launch comes after
        all earlier ones; in another only wait_for, barrier() and shared memory order launches.
        """

    @property
    def default_queue(self) -> Queue:
        """The queue of launchers that are given none: an in-order queue on the first VkQueue,
        always the same one, so all these launches are ordered.
        """

    def activity(self) -> dict[str, int]:
        """Activity of the manager's device so far, for all managers that share it: "launches" of
        launchers, sequences and arrays; "submissions", which may have many launches; "waits" of
        threads for submitted work, finished or not. Subtract two results to see the activity in
        between.
        """

    def _launch(self, *operations: OpBase) -> None:
        """Launches operations on the default queue, one after the other."""

    def sequence(
        self,
        queue_index: SupportsIndex | str = 0,
        total_timestamps: SupportsIndex = 0,
    ) -> Sequence:
        """A sequence on one of the manager's queues. `total_timestamps` is the number of operations
        that get_timestamps() covers. The old spelling sequence(name, queue_index) gets or
        creates a named sequence; see kp.compat.early.
        """

    def pinned_array(self, shape: _Extent | None, dtype: DTypeLike | None = None) -> NDArray[Any]:
        """An array in host memory that the device accesses directly: write() from it and
        read() into it are one copy by the device. Elements are float32, or `dtype`, and
        start undefined. It outlives the manager, and its memory cannot be swapped out.
        """

    def import_host(self, array: Any) -> HostImport:
        """Imports the memory of an array, so that write() from it and read() into it need no
        staging. Pays off for memory that is transferred several times. Do not resize the array
        meanwhile. If the device cannot import it, transfers go through staging as usual.
        """

    def tensor_over(self, array: Any) -> Tensor:
        """A tensor in the memory of an array: the device reads and writes it in place, without a
        copy. The array stays alive for as long as the device needs it, and must not be resized.
        Unsupported if the device or its driver does not accept this memory.
        """

    def exportable_tensor(
        self,
        shape: _Extent,
        dtype: DTypeLike | None = None,
        *,
        memory_type: MemoryTypes | str = MemoryTypes.storage,
    ) -> Tensor:
        """A tensor that other Vulkan devices of the same GPU can open; see
        Tensor.export_memory(). For few and large tensors.
        """

    def import_memory(
        self,
        memory: ExternalMemory,
        shape: _Extent,
        dtype: DTypeLike | None = None,
        *,
        memory_type: MemoryTypes | str = MemoryTypes.storage,
    ) -> Tensor:
        """A tensor in memory that another device of the same GPU exported. `memory` may be
        closed afterwards; the memory lives as long as one of the two tensors.
        """

    def shared_tensor(
        self,
        shape: _Extent | None,
        dtype: DTypeLike | None = None,
        *,
        memory_type: MemoryTypes | str = MemoryTypes.storage,
    ) -> Tensor:
        """A tensor in memory that CUDA allocates and Vulkan imports: kernels of both use it in
        place. torch.from_dlpack() and cupy.asarray() see the same address. Elements are
        float32, or `dtype`, and start undefined. For NVIDIA GPUs under Linux; Unsupported
        elsewhere, with the reason. See docs/guides/interop.md.
        """

    def cuda_event(self, stream: Any = 0) -> Event:
        """An event that is done when all work is done that a CUDA stream has now. Never
        waits.
        """

    @property
    def cuda_stream(self) -> int:
        """The handle of a CUDA stream that belongs to the library."""

    @property
    def cuda_device(self) -> int:
        """CUDA's number of the GPU. Unsupported if CUDA has no such GPU, with the reason."""

    def from_dlpack(self, x: Any, copy: bool | None = None) -> Tensor:
        """A tensor with the memory of another library's array, in place if that is possible:
        shared tensors, and memory that torch allocated in kp.torch_pool(). Other arrays of
        CUDA are copied on the device, and host arrays to it. With copy=False, a writable
        host array in C order is used in place, too, and anything else is a BufferError.
        Later work that uses the tensor waits for the array library's queued work.
        """

    def _tensor_at_cuda(
        self,
        address: SupportsIndex,
        count: SupportsIndex,
        dtype: DTypeLike | None,
        owner: Any,
    ) -> Tensor | None:
        """A tensor at an address in shared memory; None if it is in no such memory."""

    def _copy_from_cuda(self, tensor: Tensor, address: SupportsIndex, owner: Any) -> None:
        """Copies CUDA memory to a shared tensor, on the device."""

    def eval_tensor_create(
        self,
        tensors: collections.abc.Sequence[Memory],
        sequence_name: str,
        *args: Any,
        **kwargs: Any,
    ) -> None:
        """Create the tensors of kp.Tensor(data), and copy them to the device. The old spelling;
        see kp.compat.early.
        """

    def eval_tensor_create_def(
        self,
        tensors: collections.abc.Sequence[Memory],
        *args: Any,
        **kwargs: Any,
    ) -> None:
        """Create the tensors of kp.Tensor(data), and copy them to the device. The old spelling;
        see kp.compat.early.
        """

    def eval_async_tensor_create(
        self,
        tensors: collections.abc.Sequence[Memory],
        sequence_name: str,
        *args: Any,
        **kwargs: Any,
    ) -> None:
        """Create the tensors of kp.Tensor(data), and copy them to the device. The old spelling;
        see kp.compat.early.
        """

    def eval_async_tensor_create_def(
        self,
        tensors: collections.abc.Sequence[Memory],
        *args: Any,
        **kwargs: Any,
    ) -> None:
        """Create the tensors of kp.Tensor(data), and copy them to the device. The old spelling;
        see kp.compat.early.
        """

    def eval_tensor_copy(
        self,
        tensors: collections.abc.Sequence[Memory],
        sequence_name: str,
        *args: Any,
        **kwargs: Any,
    ) -> None:
        """Copy the first tensor to the others. The old spelling; see kp.compat.early."""

    def eval_tensor_copy_def(
        self,
        tensors: collections.abc.Sequence[Memory],
        *args: Any,
        **kwargs: Any,
    ) -> None:
        """Copy the first tensor to the others. The old spelling; see kp.compat.early."""

    def eval_async_tensor_copy(
        self,
        tensors: collections.abc.Sequence[Memory],
        sequence_name: str,
        *args: Any,
        **kwargs: Any,
    ) -> None:
        """Copy the first tensor to the others. The old spelling; see kp.compat.early."""

    def eval_async_tensor_copy_def(
        self,
        tensors: collections.abc.Sequence[Memory],
        *args: Any,
        **kwargs: Any,
    ) -> None:
        """Copy the first tensor to the others. The old spelling; see kp.compat.early."""

    def eval_tensor_sync_device(
        self,
        tensors: collections.abc.Sequence[Memory],
        sequence_name: str,
        *args: Any,
        **kwargs: Any,
    ) -> None:
        """Copy the host views of the tensors to the device. The old spelling; see
        kp.compat.early.
        """

    def eval_tensor_sync_device_def(
        self,
        tensors: collections.abc.Sequence[Memory],
        *args: Any,
        **kwargs: Any,
    ) -> None:
        """Copy the host views of the tensors to the device. The old spelling; see
        kp.compat.early.
        """

    def eval_async_tensor_sync_device(
        self,
        tensors: collections.abc.Sequence[Memory],
        sequence_name: str,
        *args: Any,
        **kwargs: Any,
    ) -> None:
        """Copy the host views of the tensors to the device. The old spelling; see
        kp.compat.early.
        """

    def eval_async_tensor_sync_device_def(
        self,
        tensors: collections.abc.Sequence[Memory],
        *args: Any,
        **kwargs: Any,
    ) -> None:
        """Copy the host views of the tensors to the device. The old spelling; see
        kp.compat.early.
        """

    def eval_tensor_sync_local(
        self,
        tensors: collections.abc.Sequence[Memory],
        sequence_name: str,
        *args: Any,
        **kwargs: Any,
    ) -> None:
        """Copy the tensors from the device to their host views. The old spelling; see
        kp.compat.early.
        """

    def eval_tensor_sync_local_def(
        self,
        tensors: collections.abc.Sequence[Memory],
        *args: Any,
        **kwargs: Any,
    ) -> None:
        """Copy the tensors from the device to their host views. The old spelling; see
        kp.compat.early.
        """

    def eval_async_tensor_sync_local(
        self,
        tensors: collections.abc.Sequence[Memory],
        sequence_name: str,
        *args: Any,
        **kwargs: Any,
    ) -> None:
        """Copy the tensors from the device to their host views. The old spelling; see
        kp.compat.early.
        """

    def eval_async_tensor_sync_local_def(
        self,
        tensors: collections.abc.Sequence[Memory],
        *args: Any,
        **kwargs: Any,
    ) -> None:
        """Copy the tensors from the device to their host views. The old spelling; see
        kp.compat.early.
        """

    def eval_algo_mult(
        self,
        tensors: collections.abc.Sequence[Memory],
        sequence_name: str,
        *args: Any,
        **kwargs: Any,
    ) -> None:
        """Write the product of the first two tensors to the third. The old spelling; see
        kp.compat.early.
        """

    def eval_algo_mult_def(
        self,
        tensors: collections.abc.Sequence[Memory],
        *args: Any,
        **kwargs: Any,
    ) -> None:
        """Write the product of the first two tensors to the third. The old spelling; see
        kp.compat.early.
        """

    def eval_async_algo_mult(
        self,
        tensors: collections.abc.Sequence[Memory],
        sequence_name: str,
        *args: Any,
        **kwargs: Any,
    ) -> None:
        """Write the product of the first two tensors to the third. The old spelling; see
        kp.compat.early.
        """

    def eval_async_algo_mult_def(
        self,
        tensors: collections.abc.Sequence[Memory],
        *args: Any,
        **kwargs: Any,
    ) -> None:
        """Write the product of the first two tensors to the third. The old spelling; see
        kp.compat.early.
        """

    def eval_algo_lro(
        self,
        tensors: collections.abc.Sequence[Memory],
        sequence_name: str,
        *args: Any,
        **kwargs: Any,
    ) -> None:
        """Run a shader of two inputs and an output: as algo_data, with exactly three tensors.
        The old spelling; see kp.compat.early.
        """

    def eval_algo_lro_def(
        self,
        tensors: collections.abc.Sequence[Memory],
        *args: Any,
        **kwargs: Any,
    ) -> None:
        """Run a shader of two inputs and an output: as algo_data, with exactly three tensors.
        The old spelling; see kp.compat.early.
        """

    def eval_async_algo_lro(
        self,
        tensors: collections.abc.Sequence[Memory],
        sequence_name: str,
        *args: Any,
        **kwargs: Any,
    ) -> None:
        """Run a shader of two inputs and an output: as algo_data, with exactly three tensors.
        The old spelling; see kp.compat.early.
        """

    def eval_async_algo_lro_def(
        self,
        tensors: collections.abc.Sequence[Memory],
        *args: Any,
        **kwargs: Any,
    ) -> None:
        """Run a shader of two inputs and an output: as algo_data, with exactly three tensors.
        The old spelling; see kp.compat.early.
        """

    def eval_algo_file(
        self,
        tensors: collections.abc.Sequence[Memory],
        sequence_name: str,
        *args: Any,
        **kwargs: Any,
    ) -> None:
        """Run the shader in a file, SPIR-V (.spv) or source text. The old spelling; see
        kp.compat.early.
        """

    def eval_algo_file_def(
        self,
        tensors: collections.abc.Sequence[Memory],
        *args: Any,
        **kwargs: Any,
    ) -> None:
        """Run the shader in a file, SPIR-V (.spv) or source text. The old spelling; see
        kp.compat.early.
        """

    def eval_async_algo_file(
        self,
        tensors: collections.abc.Sequence[Memory],
        sequence_name: str,
        *args: Any,
        **kwargs: Any,
    ) -> None:
        """Run the shader in a file, SPIR-V (.spv) or source text. The old spelling; see
        kp.compat.early.
        """

    def eval_async_algo_file_def(
        self,
        tensors: collections.abc.Sequence[Memory],
        *args: Any,
        **kwargs: Any,
    ) -> None:
        """Run the shader in a file, SPIR-V (.spv) or source text. The old spelling; see
        kp.compat.early.
        """

    def eval_algo_str(
        self,
        tensors: collections.abc.Sequence[Memory],
        sequence_name: str,
        *args: Any,
        **kwargs: Any,
    ) -> None:
        """Run a shader, SPIR-V bytes or source text, with specialization constants. The old
        spelling; see kp.compat.early.
        """

    def eval_algo_str_def(
        self,
        tensors: collections.abc.Sequence[Memory],
        *args: Any,
        **kwargs: Any,
    ) -> None:
        """Run a shader, SPIR-V bytes or source text, with specialization constants. The old
        spelling; see kp.compat.early.
        """

    def eval_async_algo_str(
        self,
        tensors: collections.abc.Sequence[Memory],
        sequence_name: str,
        *args: Any,
        **kwargs: Any,
    ) -> None:
        """Run a shader, SPIR-V bytes or source text, with specialization constants. The old
        spelling; see kp.compat.early.
        """

    def eval_async_algo_str_def(
        self,
        tensors: collections.abc.Sequence[Memory],
        *args: Any,
        **kwargs: Any,
    ) -> None:
        """Run a shader, SPIR-V bytes or source text, with specialization constants. The old
        spelling; see kp.compat.early.
        """

    def eval_algo_data(
        self,
        tensors: collections.abc.Sequence[Memory],
        sequence_name: str,
        *args: Any,
        **kwargs: Any,
    ) -> None:
        """Run a shader, SPIR-V bytes or source text, with specialization constants. The old
        spelling; see kp.compat.early.
        """

    def eval_algo_data_def(
        self,
        tensors: collections.abc.Sequence[Memory],
        *args: Any,
        **kwargs: Any,
    ) -> None:
        """Run a shader, SPIR-V bytes or source text, with specialization constants. The old
        spelling; see kp.compat.early.
        """

    def eval_async_algo_data(
        self,
        tensors: collections.abc.Sequence[Memory],
        sequence_name: str,
        *args: Any,
        **kwargs: Any,
    ) -> None:
        """Run a shader, SPIR-V bytes or source text, with specialization constants. The old
        spelling; see kp.compat.early.
        """

    def eval_async_algo_data_def(
        self,
        tensors: collections.abc.Sequence[Memory],
        *args: Any,
        **kwargs: Any,
    ) -> None:
        """Run a shader, SPIR-V bytes or source text, with specialization constants. The old
        spelling; see kp.compat.early.
        """

    def build_tensor(
        self,
        data: ArrayLike,
        tensor_type: MemoryTypes = MemoryTypes.device,
    ) -> Tensor:
        """Create a flat float32 tensor and copy its contents to the device."""

    def rebuild(
        self,
        tensors: collections.abc.Sequence[Memory] | Memory,
        sync: bool = True,
    ) -> None:
        """Create the tensors of kp.Tensor(data), and copy their contents to the device."""

    def create_sequence(self, name: str = "", queue_index: int = 0) -> Sequence:
        """Return the sequence with that name. Create it if there is none, or if no name is
        given.
        """

    def get_create_sequence(self, name: str = "", queue_index: int = 0) -> Sequence:
        """Return the sequence with that name. Create it if there is none, or if no name is
        given.
        """

    def eval_await(self, sequence_name: str, wait: int | None = None) -> None:
        """Wait for eval_async_<op> in a named sequence, at most `wait` nanoseconds."""

    def eval_await_def(self, wait: int | None = None) -> None:
        """Wait for every eval_async_<op>_def, at most `wait` nanoseconds for each."""

    def __dir__(self) -> list[str]:
        """Return the names of the members, without the old spelling."""

class Memory:
    """Base of Tensor and Image: memory on a device, and its host view."""

    def data(self) -> NDArray[Any]:
        """The host view as a flat, writable array without a copy, with what evaluations have
        written. Its base is this object. The next evaluation that reads the memory sees written
        values; device memory that the program synchronises itself needs OpSyncDevice
        (docs/reference/memory-types.md). Views of destroyed memory keep their last contents.
        ValueError for storage memory.
        """

    def is_init(self) -> bool:
        """False once this object or its manager is destroyed."""

    def can_be_reused(self) -> bool:
        """True if all work submitted from now on follows all launches that use the memory: it is
        not destroyed, and no launch of this process waits for the host. A pool of memory asks it
        before it gives this memory to others.
        """

    def size(self) -> int:
        """Number of elements; 0 after destroy()."""

    def __len__(self) -> int:
        """size(), as in Kompute. NumPy's arrays have shape[0] instead."""

    @property
    def nbytes(self) -> int:
        """Bytes in all."""

    def numpy(self) -> NDArray[Any]:
        """The host view with this object's shape; see data()."""

    @property
    def shape(self) -> tuple[int, ...]:
        """Extents. An image's are height, width and channels."""

    @property
    def dtype(self) -> np.dtype[Any]:
        """The NumPy type of an element."""

    @property
    def manager(self) -> Manager:
        """The manager that created this object."""

    def device_has_contents(self) -> bool:
        """False if neither write() nor an operation has written the device memory, so that its
        contents are undefined.
        """

    def item(self) -> int | float:
        """The element of memory that has only one, as a Python number."""

    def memory_type(self) -> MemoryTypes:
        """The place of the memory: a kp.MemoryTypes."""

    def tensor_type(self) -> MemoryTypes:
        """memory_type(); the name of Kompute 0.9.0."""

    def data_type(self) -> DataTypes:
        """The type of an element: a kp.DataTypes."""

    def destroy(self) -> None:
        """Frees the device memory, after the work that uses it. A second call does nothing."""

    def set_name(self, name: str) -> None:
        """Names the memory in validation messages and captures."""

    def write(
        self,
        data: ArrayLike,
        offset: SupportsIndex | None = None,
        *,
        cast: bool = False,
    ) -> None:
        """Copies any array-like straight to the device memory, for every memory type, after
        all earlier evaluations.

        The data has as many elements, in this object's shape or flat. With an `offset`,
        which counts elements, it may have fewer. Numbers that an integer cannot hold are
        errors, unless `cast` permits NumPy's conversion.
        """

    def read(
        self,
        offset: SupportsIndex = 0,
        count: SupportsIndex | None = None,
        out: NDArray[Any] | None = None,
    ) -> NDArray[Any]:
        """Copies device memory to a new array, or to `out`, after the earlier evaluations
        that write it. `offset` and `count` are in elements.
        """

    def __getitem__(self, arg0: Any, /) -> Any: ...

    def __setitem__(self, arg0: Any, arg1: Any, /) -> None: ...

    def __iter__(self) -> collections.abc.Iterator[Any]: ...

    def __eq__(self, arg0: object, /) -> Any: ...

    def __hash__(self) -> int: ...

    def __ne__(self, arg0: object, /) -> Any: ...

    @property
    def __array_interface__(self) -> dict[str, Any]:
        """For libraries of images."""

    def __array__(
        self,
        dtype: DTypeLike | None = None,
        copy: bool | None = None,
    ) -> NDArray[Any]: ...

    def __dlpack__(self, **kwargs: Any) -> Any: ...

    def __dlpack_device__(self) -> tuple[int, int]: ...

    def __repr__(self) -> str: ...

    def __reduce_ex__(self, protocol: Any) -> tuple[Any, ...]:
        """Pickle the elements. They are unpickled to the device of kp.default_manager()."""

    def __copy__(self) -> Memory:
        """Return new memory of the same manager with the same elements."""

    def __deepcopy__(self, memo: Any) -> Memory:
        """Return new memory of the same manager with the same elements."""

    def _repr_html_(self) -> str | None:
        """Return the elements as a table, or None if they are many, are a picture or were
        destroyed.
        """

    def set_data(self, data: ArrayLike) -> None:
        """Overwrite the host view."""

    def __dir__(self) -> list[str]:
        """Return the names of the members, without the old spelling."""

class Tensor(Memory):
    """An array on a device. Created by Manager.tensor and tensor_t."""

    def __init__(self, data: ArrayLike, tensor_type: MemoryTypes = MemoryTypes.device) -> None:
        """A float32 tensor that Manager.rebuild() creates: the old spelling; see
        kp.compat.early. New programs call Manager.tensor().
        """

    @property
    def _owner(self) -> Any:
        """The array whose memory this is; None for other tensors."""

    def _create(self, manager: Manager, data: ArrayLike, memory_type: MemoryTypes) -> None: ...

    @property
    def device_address(self) -> int:
        """The buffer device address, for shaders with buffer references. Give the tensor to
        Manager.algorithm as `addressed` as well. Unsupported if the device has none.
        """

    def export_memory(self) -> ExternalMemory:
        """A handle by which another Vulkan device of the same GPU opens the memory. The callers
        order the accesses of the two. For tensors of Manager.exportable_tensor().
        """

    @property
    def is_shared(self) -> bool:
        """Whether CUDA can use the memory in place."""

    @property
    def __cuda_array_interface__(self) -> dict[str, Any]:
        """The protocol of CuPy, Numba and others, for shared tensors."""

    @property
    def cuda_address(self) -> int:
        """Where CUDA finds a shared tensor. InvalidArgument for other tensors."""

    def cuda_wait(self, stream: Any) -> None:
        """Lets later work of a CUDA stream wait for all submitted work that uses this shared
        tensor. Never waits on the host.
        """

    def wait_for_cuda(self, stream: Any = 0) -> None:
        """Lets all later work that uses this shared tensor wait for the work that a CUDA
        stream has now. Never waits on the host.
        """

    def _set_shape(self, shape: collections.abc.Sequence[SupportsIndex]) -> None:
        """Changes the shape of a tensor that has no other owner yet."""

    def _cuda_dlpack(
        self,
        shape: collections.abc.Sequence[SupportsIndex],
        strides: collections.abc.Sequence[SupportsIndex],
        offset: SupportsIndex,
        versioned: bool,
        copied: bool = False,
    ) -> Any:
        """A capsule of a view of a shared tensor; offset and strides count elements."""

    def map_data_from_host(self) -> None:
        """Do nothing: the host view is the memory that transfers use."""

    def map_data_into_host(self) -> None:
        """Do nothing: the host view is the memory that transfers use."""

class Image(Memory):
    """Texels that shaders load, store and sample. Created by Manager.image and image_t."""

    @property
    def width(self) -> int:
        """Texels in a row."""

    @property
    def height(self) -> int:
        """Rows."""

    @property
    def num_channels(self) -> int:
        """Channels of a texel."""

    @property
    def depth(self) -> int:
        """Slices; 1 unless the image_type is "3d"."""

    @property
    def layers(self) -> int:
        """Images in an array of them; 1 in others."""

    @property
    def format(self) -> str:
        """Vulkan's name of the format on the device: "R8G8B8A8_UNORM"."""

    @property
    def image_type(self) -> str:
        """"1d", "2d", "3d", "1d_array" or "2d_array"."""

    @property
    def usage(self) -> str:
        """"storage", "sampled" or "storage_and_sampled"."""

    def _repr_png_(self) -> bytes | None:
        """Return the image as PNG, or None if it has no range of brightness or Pillow is missing.

        Bytes are brightness from 0 to 255, floats from 0 to 1.
        """

class Sampler:
    """How shaders read sampled images: filter, address modes, coordinates. Created by
    Manager.sampler; given to algorithms and kernels as `samplers`.
    """

    @property
    def filter(self) -> str:
        """"linear" or "nearest"."""

    @property
    def address(self) -> tuple[str, str, str]:
        """The address modes in x, y and z."""

    @property
    def unnormalized_coordinates(self) -> bool:
        """True if coordinates are texels."""

    def __repr__(self) -> str: ...

class Semaphore:
    """A timeline semaphore: a number that only grows, which devices, processes and CUDA signal
    and wait for. Created by Manager.exportable_semaphore and import_semaphore.
    """

    def at(self, value: SupportsIndex) -> Event:
        """An event that is done when the semaphore has this value or a larger one. The device
        waits: work that waits for the event occupies its queue until then, so the signal
        must come from the host, from another queue, or from earlier work.
        """

    def signal_after(self, event: Event, value: SupportsIndex) -> None:
        """Signals the semaphore with a value when an event is done; on the device if its work
        is submitted to this device. Values only grow.
        """

    def signal(self, value: SupportsIndex) -> None:
        """Signals it from the host, with a value larger than all before."""

    @property
    def value(self) -> int:
        """The value that it has now."""

    def export_handle(self) -> int:
        """An opaque file descriptor for import_semaphore() of another device or process, or
        for CUDA. The caller closes it.
        """

    def __repr__(self) -> str: ...

class Algorithm:
    """A compute shader with its memory, constants and work groups. Created by Manager.algorithm."""

    def rebuild(
        self,
        tensors: collections.abc.Iterable[Memory],
        spirv: _Shader,
        workgroup: _Extent = (0, 0, 0),
        spec_consts: _SpecConstants = (),
        push_consts: _Constants = (),
        *,
        thread_count: _Extent | None = None,
        reinterpret: bool = False,
        subgroup_size: SupportsIndex | None = None,
        full_subgroups: bool | None = None,
        addressed: collections.abc.Iterable[Tensor] | None = None,
        samplers: Sampler | collections.abc.Iterable[Sampler] | None = None,
        robust_access: bool | None = None,
        max_private_bytes: SupportsIndex | None = None,
        emulate_types: bool | None = None,
        check: bool | str | None = None,
    ) -> None:
        """Replaces shader, memory and constants; arguments as Manager.algorithm. Empty
        constants, and options that are None, keep the previous ones. Sequences keep their
        recording until rerecord().
        """

    def get_mem_objects(self) -> list[Memory]:
        """The tensors and images, in the order of their bindings."""

    def get_tensors(self) -> list[Tensor]:
        """The memory objects that are tensors."""

    def set_mem_objects(self, tensors: collections.abc.Iterable[Memory]) -> None:
        """Binds other memory to the same shader, without a new pipeline. Sequences keep their
        recording until rerecord().
        """

    def set_push_constants(self, push_consts: _Constants) -> None:
        """Sets the default push constants of later dispatches."""

    @property
    def workgroup(self) -> tuple[int, int, int]:
        """Work groups of a dispatch in x, y and z."""

    @property
    def local_size(self) -> tuple[int, int, int]:
        """Invocations of a work group in x, y and z, as the shader declares."""

    @property
    def subgroup_size(self) -> int:
        """Required invocations per subgroup; 0 if the driver chooses."""

    def set_workgroup(self, workgroup: _Extent) -> None:
        """Sets the work groups of a dispatch: a number, or up to three for x, y and z."""

    def set_thread_count(self, x: _Extent, y: SupportsIndex = 1, z: SupportsIndex = 1) -> None:
        """Starts at least this many invocations: the work groups are the counts divided by
        local_size, rounded up. `x` may be a sequence of all three.
        """

    def set_name(self, name: str) -> None:
        """Names the dispatches in captures, profiles and messages, such as DeviceLost's
        and CheckFailed, and the pipeline in captures. An empty name takes it away.
        """

    def is_init(self) -> bool:
        """True once there is a shader, and until destroy()."""

    def destroy(self) -> None:
        """Releases shader and memory. Recorded and running work keeps its resources."""

    def __repr__(self) -> str: ...

class OpBase:
    """An operation that a sequence records. Derive a class to compose one of others: define
    record() and, if needed, accesses(), pre_eval() and post_eval().
    """

    def __init__(self) -> None: ...

    def record(self) -> collections.abc.Iterable[OpBase]:
        """Returns the operations that this one consists of, in order. Called when a sequence
        records this operation, and by Sequence.rerecord. May be a generator.
        """

    def accesses(self) -> collections.abc.Iterable[tuple[Memory, str]] | None:
        """Returns memory that shaders access beyond their declarations, for example by address:
        pairs of a tensor or image and "r", "w" or "rw".
        """

    def pre_eval(self) -> None:
        """Called on the host before each submission."""

    def post_eval(self) -> None:
        """Called on the host after each evaluation that was waited for."""

class Sequence:
    """Records operations and evaluates them, with or without waiting. Created by
    Manager.sequence.
    """

    def record(self, op: OpBase) -> Sequence:
        """Appends an operation. After an evaluation the first record() starts a new recording."""

    def eval(self, op: OpBase | None = None) -> Sequence:
        """Submits the recording (or replaces it by one operation first) and waits for it. Other
        threads run meanwhile; Ctrl-C raises KeyboardInterrupt and leaves the sequence running.
        """

    def eval_async(
        self,
        op: OpBase | None = None,
        wait_for: _Events = (),
        cuda_stream: Any = None,
    ) -> Sequence:
        """Submits the recording (or replaces it by one operation first) and returns. The work
        starts when all events of `wait_for` are done; a CUDA stream there stands for its work so
        far. With `cuda_stream`, the work comes after that stream's current work, and before its
        later work. Wait with eval_await() or `await`.
        """

    def eval_await(self, wait: int | None = None) -> Sequence:
        """Waits for eval_async(). If `wait` nanoseconds pass first, is_running() becomes False and
        the sequence can be used again at once; the work continues. timed_out() tells.
        """

    def begin(self) -> Sequence:
        """Starts a recording; does nothing during one. record() calls it if needed."""

    def end(self) -> Sequence:
        """Ends the recording. eval_async() calls it if needed."""

    def clear(self) -> Sequence:
        """Removes the operations and ends the recording. The recorded commands can still be
        evaluated, without the hooks of their operations.
        """

    def rerecord(self) -> Sequence:
        """Records the same operations again, for example after Algorithm.rebuild."""

    def is_recording(self) -> bool:
        """True from the first record(), or begin(), until end() or an evaluation."""

    def is_running(self) -> bool:
        """True from eval_async() until it was waited for."""

    def timed_out(self) -> bool:
        """True if the last eval_await() returned before the evaluation ended."""

    def is_init(self) -> bool:
        """False once this sequence or its manager is destroyed."""

    def get_timestamps(self) -> list[int]:
        """Device times of the last evaluation, in ticks: one at its start and one after each
        operation. For sequences created with total_timestamps.
        """

    def get_timestamps_ns(self) -> list[int]:
        """get_timestamps() in nanoseconds."""

    def event(self) -> Event:
        """The event of the last submission."""

    def cancel(self) -> bool:
        """Cancels the last evaluation if it waits for an event on the host: it never runs, and
        waits for its event raise Cancelled. Work that was submitted cannot be cancelled.
        Returns whether there was something to cancel.
        """

    def set_name(self, name: str) -> None:
        """Names the sequence in captures, in messages such as DeviceLost's, and in
        Manager.under_way(). An empty name takes it away.
        """

    def destroy(self) -> None:
        """Waits for running work and releases everything. A second call does nothing."""

    @property
    def _manager(self) -> Manager: ...

    def __await__(self) -> collections.abc.Generator[Any, None, Sequence]: ...

    def __repr__(self) -> str: ...

    def __enter__(self) -> Self: ...

    def __exit__(self, *args: object) -> None: ...

    def record_tensor_create(
        self,
        tensors: collections.abc.Sequence[Memory],
        *args: Any,
        **kwargs: Any,
    ) -> Sequence:
        """Create the tensors of kp.Tensor(data), and copy them to the device. The old spelling;
        see kp.compat.early.
        """

    def record_tensor_copy(
        self,
        tensors: collections.abc.Sequence[Memory],
        *args: Any,
        **kwargs: Any,
    ) -> Sequence:
        """Copy the first tensor to the others. The old spelling; see kp.compat.early."""

    def record_tensor_sync_device(
        self,
        tensors: collections.abc.Sequence[Memory],
        *args: Any,
        **kwargs: Any,
    ) -> Sequence:
        """Copy the host views of the tensors to the device. The old spelling; see
        kp.compat.early.
        """

    def record_tensor_sync_local(
        self,
        tensors: collections.abc.Sequence[Memory],
        *args: Any,
        **kwargs: Any,
    ) -> Sequence:
        """Copy the tensors from the device to their host views. The old spelling; see
        kp.compat.early.
        """

    def record_algo_mult(
        self,
        tensors: collections.abc.Sequence[Memory],
        *args: Any,
        **kwargs: Any,
    ) -> Sequence:
        """Write the product of the first two tensors to the third. The old spelling; see
        kp.compat.early.
        """

    def record_algo_lro(
        self,
        tensors: collections.abc.Sequence[Memory],
        *args: Any,
        **kwargs: Any,
    ) -> Sequence:
        """Run a shader of two inputs and an output: as algo_data, with exactly three tensors.
        The old spelling; see kp.compat.early.
        """

    def record_algo_file(
        self,
        tensors: collections.abc.Sequence[Memory],
        *args: Any,
        **kwargs: Any,
    ) -> Sequence:
        """Run the shader in a file, SPIR-V (.spv) or source text. The old spelling; see
        kp.compat.early.
        """

    def record_algo_str(
        self,
        tensors: collections.abc.Sequence[Memory],
        *args: Any,
        **kwargs: Any,
    ) -> Sequence:
        """Run a shader, SPIR-V bytes or source text, with specialization constants. The old
        spelling; see kp.compat.early.
        """

    def record_algo_data(
        self,
        tensors: collections.abc.Sequence[Memory],
        *args: Any,
        **kwargs: Any,
    ) -> Sequence:
        """Run a shader, SPIR-V bytes or source text, with specialization constants. The old
        spelling; see kp.compat.early.
        """

    def init(self) -> None:
        """Do nothing: sequences are ready from the start."""

    def is_rec(self) -> bool:
        """Return is_recording()."""

    def __dir__(self) -> list[str]:
        """Return the names of the members, without the old spelling."""

class Event:
    """A point in the work of a device or of the host. Launchers, copies, queues and
    Sequence.event return events; wait_for takes them, done or not.
    """

    def __init__(self) -> None:
        """An event that is already done."""

    def wait(self, timeout: SupportsFloat | None = None) -> bool:
        """Waits until the work is done, or `timeout` seconds have passed: returns False then.
        Raises the reason if the work failed; for a host function, its exception.
        """

    @property
    def done(self) -> bool:
        """True once the work has finished or failed. Never waits."""

    @property
    def status(self) -> EventStatus:
        """State of the work. Never waits."""

    @property
    def profile(self) -> EventProfile | None:
        """Times of the work; None until it is done, if it failed, or if its queue did not
        profile it. Device times compare with others of the same device. Never waits.
        """

    @property
    def value(self) -> int:
        """The queue's submission count at this point; 0 for work that is not submitted to a
        device.
        """

    @property
    def queue_name(self) -> str:
        """Name of the kp.Queue that it was launched on; empty if there is none."""

    def _call_when_over(self, function: collections.abc.Callable[..., object]) -> None:
        """Calls a function on a thread of the library once the event is over."""

    def __await__(self) -> collections.abc.Generator[Any, None, None]: ...

    def __repr__(self) -> str: ...

    def cuda_wait(self, stream: Any) -> None:
        """Lets later work of a CUDA stream wait for this event. Never waits on the host. For work
        that is submitted: InvalidArgument if it waits for the host.
        """

class UserEvent(Event):
    """An event that the host signals: work that waits for it starts when set() is called. It
    fails if it is deleted before set() or fail().
    """

    def __init__(self) -> None: ...

    def set(self) -> None:
        """Signals it. Work that waits for it starts within this call."""

    def fail(self, error: BaseException | type[BaseException]) -> None:
        """Fails it with an exception, and with it all work that waits for it."""

class Queue:
    """A queue of a device: launchers submit work to it and return events. Created by
    Manager.queue.
    """

    @property
    def index(self) -> int:
        """As given."""

    @property
    def name(self) -> str:
        """"queue 2", with the suffix " (virtual, on queue 0)" for a virtual queue."""

    @property
    def in_order(self) -> bool:
        """Whether each launch comes after all earlier ones."""

    @property
    def is_virtual(self) -> bool:
        """Whether it shares the VkQueue of another index."""

    @property
    def device_name(self) -> str:
        """Name of its device."""

    @property
    def queue_family(self) -> int:
        """Vulkan's index of its queue family."""

    @property
    def profiling(self) -> bool:
        """Whether launches are timed; always False if the device has no timestamps."""

    def set_profiling(self, profiling: bool) -> None:
        """Switches timing on or off for later launches."""

    def barrier(self, wait_for: _Events = None) -> Event:
        """An event that is done when all earlier launches on this queue, and all of
        `wait_for`, are done. Later launches on this queue come after it.
        """

    def launch(
        self,
        operations: OpBase | collections.abc.Sequence[OpBase],
        wait_for: _Events = None,
    ) -> Event:
        """Launches an operation of the library, or several one after the other, and returns an
        event at once.
        They start after all of `wait_for` and, in an in-order queue, after all earlier
        launches.
        """

    def host_function(
        self,
        function: collections.abc.Callable[..., object],
        wait_for: _Events = None,
    ) -> Event:
        """Calls a function on a thread of the library when all of `wait_for` (and, in an
        in-order queue, all earlier launches) are done. Waiting for the event raises the
        function's exception. The function must not wait for later work.
        """

    def finish(self) -> None:
        """Waits for all earlier launches on this queue. Failures are reported by their events."""

    def __repr__(self) -> str: ...

class checked:
    """Checked mode for kernels, algorithms and shaders that are compiled and first run in a with
    statement, in this thread. A shader's mistake is then a CheckFailed from the call that
    waits.

    `checks` is True or a list: "bounds" (accesses outside of buffers, arrays and vectors),
    "arithmetic" (integer division by zero, shifts by the width or more, overflow of indices),
    "nan", "races" (accesses of two work items that nothing orders), "uninitialised" (reads of
    memory that was never written) and "steps=1000000". True is the first two, and False turns it
    off. The environment variable KOMPUTE_CHECK does the same for a program, and `check` of
    Manager, Manager.algorithm and Kernel for one of them.
    """

    def __init__(self, checks: bool | str | None = True) -> None: ...

    def __enter__(self) -> Self: ...

    def __exit__(self, *args: object) -> None: ...

def _checks() -> str:
    """Returns the checks of this thread as text, which tells kernels apart."""

class MemoryObject:
    """A tensor, image or array, and the device memory that it has."""

    @property
    def name(self) -> str:
        """As given to set_name(), or an empty text."""

    @property
    def kind(self) -> str:
        """A description, such as 'tensor of 8 eFloat'."""

    @property
    def bytes(self) -> int:
        """The memory that it has."""

    def __repr__(self) -> str: ...

class MemoryKind:
    """Device memory of one kind."""

    @property
    def kind(self) -> str:
        """The kind, such as 'tensors'."""

    @property
    def count(self) -> int:
        """Number of objects; 0 if they are not counted."""

    @property
    def bytes(self) -> int:
        """The memory that they have together."""

    def __repr__(self) -> str: ...

class MemoryHeap:
    """A heap of a device's memory, in bytes."""

    @property
    def device_local(self) -> bool:
        """True for memory of the device, False for memory of the host."""

    @property
    def size(self) -> int:
        """All of it."""

    @property
    def budget(self) -> int:
        """What this process can have, as the driver estimates it now; others use the rest. Without
        VK_EXT_memory_budget, four fifths of the size.
        """

    @property
    def used(self) -> int:
        """By this process."""

    @property
    def reserved(self) -> int:
        """Of it, by kp for this device."""

    def __repr__(self) -> str: ...

class MemoryUsage:
    """Device memory, in bytes. Host memory counts only if the device has no other."""

    @property
    def allocated(self) -> int:
        """Of the manager's living tensors, images and arrays, without memory of others that they
        wrap or import, and without exportable tensors.
        """

    @property
    def peak(self) -> int:
        """The largest `allocated` since reset_peak_memory()."""

    @property
    def cached(self) -> int:
        """Kept for reuse: the manager's freed arrays and, for all managers of the device, freed
        small tensors, memory of intermediate results, and constants of operations.
        Manager.clear() frees it.
        """

    @property
    def reserved(self) -> int:
        """Memory that the driver has given to the device, for all its managers: all of the above,
        memory of running operations, and unused parts of blocks.
        """

    @property
    def peak_reserved(self) -> int:
        """The largest `reserved` since a manager's reset_peak_memory()."""

    def __repr__(self) -> str: ...

def list_devices() -> list[dict[str, Any]]:
    """The devices of this machine, in the driver's order, as a list of dicts."""

class OpSyncDevice(OpBase):
    """Copies the host view of device memory to the device. Does nothing for other memory types."""

    def __init__(self, tensors: collections.abc.Iterable[Memory]) -> None: ...

class OpSyncLocal(OpBase):
    """Copies device memory to its host view. Does nothing for other memory types."""

    def __init__(self, tensors: collections.abc.Iterable[Memory]) -> None: ...

class OpCopy(OpBase):
    """Copies the device memory of the first object to each of the others."""

    def __init__(self, tensors: collections.abc.Iterable[Memory]) -> None: ...

class OpAlgoDispatch(OpBase):
    """Dispatches an algorithm."""

    def __init__(
        self,
        algorithm: Algorithm,
        push_consts: _Constants = (),
        *,
        group_counts: Tensor | None = None,
        offset: SupportsIndex = 0,
    ) -> None:
        """`push_consts` are for this dispatch only: a list (float32), a number, a NumPy array
        or structure, or a dict by name. `group_counts` is a tensor that holds the work
        groups in x, y and z as uint32 when the dispatch runs, `offset` bytes from its
        start. They are not checked: counts beyond the device's max_work_group_count
        hang.
        """

    def record(self) -> collections.abc.Iterable[OpBase]:
        """The dispatch itself."""

class OpFill(OpBase):
    """Fills the device memory of tensors with one value."""

    def __init__(self, tensors: collections.abc.Iterable[Memory], value: Any) -> None: ...

class OpMult(OpBase):
    """Multiplies two float tensors element by element into a third."""

    def __init__(self, tensors: collections.abc.Iterable[Memory], algorithm: Algorithm) -> None: ...

class OpRepeat(OpBase):
    """Repeats operations until a flag on the device is set, in one submission."""

    def __init__(
        self,
        operations: OpBase | collections.abc.Sequence[OpBase],
        flag: Tensor,
        most: SupportsIndex,
        element: SupportsIndex = 0,
    ) -> None:
        """Before each of at most `most` steps, the device looks at the `flag`, an element of a
        tensor of integers or booleans that the operations may write. Once it is not 0, no
        further step runs. A step consists of dispatches, primitives, OpCopy, OpFill and OpMult,
        which the device can skip; others raise InvalidArgument when they are recorded.
        """

class OpMemoryBarrier(OpBase):
    """A barrier placed by hand. Sequences place all barriers that their operations need."""

    def __init__(
        self,
        tensors: collections.abc.Iterable[Memory],
        src_access: AccessFlags | int,
        dst_access: AccessFlags | int,
        src_stage: PipelineStageFlags | int,
        dst_stage: PipelineStageFlags | int,
        barrier_on_primary: bool = True,
    ) -> None: ...

class EventStatus(enum.IntEnum):
    """State of the work behind an event.

    queued: it waits on the host for other work. submitted: the device has it, or the host
    function is running. complete: finished. error: it failed or could not start; wait() raises
    the reason.
    """

    queued = 0
    submitted = 1
    complete = 2
    error = 3

class EventProfile:
    """Times of profiled work, in nanoseconds."""

    @property
    def start(self) -> int:
        """Of the device's clock; see Event.profile."""

    @property
    def end(self) -> int:
        """Of the device's clock."""

    @property
    def queued(self) -> int:
        """Of the host's clock (time.monotonic_ns on Linux): the launch."""

    @property
    def submitted(self) -> int:
        """Of the host's clock: the submission to the device."""

    @property
    def duration(self) -> int:
        """From start to end."""

    def __repr__(self) -> str: ...

def wait_all(events: collections.abc.Iterable[Event], timeout: SupportsFloat | None = None) -> bool:
    """Waits until all events are done, or `timeout` seconds have passed: returns False then. After
    all have ended, raises the first failure in list order.
    """

def wait_any(
    events: collections.abc.Iterable[Event],
    timeout: SupportsFloat | None = None,
) -> int | None:
    """Waits until one event is done; returns its index, or None if `timeout` seconds have passed.
    Raises if that event failed.
    """

def eval_all(sequences: collections.abc.Iterable[Sequence]) -> None:
    """Evaluates several sequences in one submission, and waits for all of them. They are ordered
    as if evaluated one after the other.
    """

class HostImport:
    """An import of an array's memory into a device; see Manager.import_host. Ends with close(), a
    `with` block, or its deletion.
    """

    @property
    def imported(self) -> bool:
        """True if the device copies from and to the memory directly."""

    @property
    def reason(self) -> str:
        """Why it does not; empty if it does."""

    def close(self) -> None:
        """Ends the import, after the transfers that use it. A second call does nothing."""

    def __enter__(self) -> Self: ...

    def __exit__(self, *args: object) -> None: ...

class ExternalMemory:
    """Device memory that another Vulkan device can open: one of another process, of another
    library, or another logical device of the same GPU. Created by Tensor.export_memory(), or
    from the numbers that another process sent with its file descriptor. Owns the descriptor:
    close(), a `with` block, or its deletion closes it.
    """

    def __init__(
        self,
        fd: SupportsIndex,
        allocation_bytes: SupportsIndex,
        memory_type: SupportsIndex,
        offset: SupportsIndex = 0,
    ) -> None: ...

    @property
    def fd(self) -> int:
        """The file descriptor; -1 once it is closed or detached."""

    @property
    def allocation_bytes(self) -> int:
        """Bytes of the whole VkDeviceMemory."""

    @property
    def memory_type(self) -> int:
        """Vulkan's index of the memory type."""

    @property
    def offset(self) -> int:
        """Offset of the tensor's memory in it, in bytes."""

    def fileno(self) -> int:
        """The file descriptor."""

    def detach(self) -> int:
        """Returns the file descriptor and gives it up: the caller closes it from now on."""

    def close(self) -> None:
        """Closes the file descriptor. Tensors created from it stay valid. A second call does
        nothing.
        """

    def __repr__(self) -> str: ...

    def __enter__(self) -> Self: ...

    def __exit__(self, *args: object) -> None: ...

def _read_dlpack(capsule: Any) -> tuple[Any, ...]:
    """(address, device, dtype code, bits, shape, strides or None, read-only)"""

def _enable_cuda_pool(manager: Manager | None) -> int:
    """Lets kp_cuda_allocate() serve the manager's GPU; returns CUDA's number."""

class OpCholesky(OpBase):
    """Factors symmetric positive definite matrices: a = l l^T, with l lower triangular.

    It reads and writes device memory; afterwards the host views of the outputs show the result.
    """

    def __init__(self, a: _Range, factor: _Range, info: _Range) -> None:
        """The last two axes of `a` are matrices of float32 or float64, of which the lower triangles
        are read. `factor` has as many elements, and may be `a`. `info` has an element of int32
        or uint32 per matrix: 0, or the order of the first leading minor that is not positive,
        counted from 1; the factor of such a matrix is undefined.
        """

class OpEigh(OpBase):
    """Finds the eigenvalues and eigenvectors of symmetric matrices: a = v diag(w) v^T.

    It reads and writes device memory; afterwards the host views of the outputs show the result.
    """

    def __init__(
        self,
        a: _Range,
        values: _Range,
        vectors: _Range | None = None,
        *,
        upper: bool = False,
    ) -> None:
        """The last two axes of `a` are matrices of float32 or float64, of which the lower
        triangles are read, or the `upper` ones. `values` has as many elements as they have
        rows, and gets the eigenvalues in ascending order. `vectors`, with as many elements
        as `a`, gets an eigenvector in each column. Matrices with an infinity or NaN have
        NaN for results.
        """

class OpLu(OpBase):
    """Factors matrices with partial pivoting: p a = l u, with l lower and u upper triangular.

    It reads and writes device memory; afterwards the host views of the outputs show the result.
    """

    def __init__(
        self,
        a: _Range,
        lu: _Range,
        pivots: _Range,
        info: _Range,
        *,
        transposed: bool = False,
    ) -> None:
        """The last two axes of `a` are matrices of float32 or float64. `lu` has as many
        elements, and may be `a`: l without its diagonal of 1, and u. `pivots` has an
        element of int32 or uint32 per step, the row that was exchanged with the step's
        row, counted from 0. `info` has one per matrix: 0, or the first step, counted from
        1, whose pivot is 0. With `transposed`, `a` and `lu` hold transposed matrices,
        which is faster.
        """

class OpQr(OpBase):
    """Factors matrices: a = q r, with orthonormal columns of q, and r upper triangular.

    It reads and writes device memory; afterwards the host views of the outputs show the result.
    """

    def __init__(self, a: _Range, q: _Range | None, r: _Range, *, complete: bool = False) -> None:
        """The last two axes of `a` are matrices of float32 or float64. The columns of `q`, which
        may be None, and the rows of `r` are as many as the smaller extent of a matrix, or if
        `complete` as its rows. Signs as in numpy.linalg.qr.
        """

class OpSolve(OpBase):
    """Solves systems of linear equations a x = b, or inverts matrices.

    It reads and writes device memory; afterwards the host views of the outputs show the result.
    """

    def __init__(self, a: _Range, b: _Range | None, x: _Range, info: _Range) -> None:
        """The last two axes of `a` are square matrices of float32 or float64. `b` and `x` have as
        many matrices with as many rows, or an axis less if each is one column. Without `b`, x is
        the inverse of a. `info` has an element of int32 or uint32 per matrix: 0, or the first
        step of the factorization, counted from 1, whose pivot is 0; x is undefined then.
        """

class OpTriangularSolve(OpBase):
    """Solves systems of linear equations with triangular matrices: t x = b.

    It reads and writes device memory; afterwards the host view of `x` shows the solution.
    """

    def __init__(
        self,
        t: _Range,
        b: _Range,
        x: _Range,
        *,
        upper: bool = False,
        transposed: bool = False,
        unit_diagonal: bool = False,
    ) -> None:
        """The last two axes of `t` are square matrices of float32 or float64, of which the
        lower triangles are read, or the upper ones. `b` and `x` have as many matrices with
        as many rows, or an axis less if each is one column; `x` may be `b`. With
        `transposed`, the matrices are transposed. With `unit_diagonal`, their diagonals
        are 1.
        """

class OpSvd(OpBase):
    """Finds singular values and vectors of matrices: a = u diag(s) vh.

    It reads and writes device memory; afterwards the host views of the outputs show the result.
    """

    def __init__(
        self,
        a: _Range,
        u: _Range | None,
        s: _Range,
        vh: _Range | None,
        *,
        full: bool = False,
    ) -> None:
        """The last two axes of `a` are matrices of float32 or float64. `s` gets their singular
        values in descending order, as many as the smaller extent. `u` and `vh` may both be
        None. The columns of `u` and the rows of `vh` are as many as the singular values, or
        if `full` as the rows and the columns of `a`. Matrices with an infinity or NaN have
        NaN for results.
        """

class OpGather(OpBase):
    """Copies the elements, or slices along an axis, with given indices:
    output[i] = input[indices[i]].

    It reads and writes device memory; afterwards the host view of the output shows the result.
    """

    def __init__(
        self,
        input: _Range,
        indices: _Range,
        output: _Range,
        *,
        axis: SupportsIndex | None = None,
    ) -> None:
        """`indices` are integers of 32 or 64 bits. They count along an axis of the input's
        shape, or its elements without an axis. Indices out of range, negative ones among
        them, are skipped: these elements of the output keep their values. Each tensor may
        be a part of one: (tensor, first) or (tensor, first, count).
        """

class OpScatter(OpBase):
    """Copies elements, or slices along an axis, to given indices: output[indices[i]] = input[i].
    The other elements of the output keep their values.

    It reads and writes device memory; afterwards the host view of the output shows the result.
    """

    def __init__(
        self,
        input: _Range,
        indices: _Range,
        output: _Range,
        *,
        axis: SupportsIndex | None = None,
    ) -> None:
        """`indices` are integers of 32 or 64 bits. They count along an axis of the output's
        shape, or its elements without an axis. Indices out of range, negative ones among
        them, are skipped. Of equal indices, any may win; a slice, or an element of more
        than 4 bytes, may then be a mixture. Each tensor may be a part of one:
        (tensor, first) or (tensor, first, count).
        """

class OpHistogram(OpBase):
    """Counts the elements in each bin, or adds up their weights.

    It reads and writes device memory; afterwards the host view of the output shows the result.
    """

    def __init__(
        self,
        input: _Range,
        output: _Range,
        bins: tuple[float, float] | _Range | None = None,
        *,
        weights: _Range | None = None,
        deterministic: bool = True,
    ) -> None:
        """There are as many bins as the output has elements: integers of 32 or 64 bits, or for
        sums of `weights` (one per element, float32 or float64) of their type. `bins` is a
        pair (low, high) for bins of equal width, a tensor of one edge more than bins in
        ascending order, or None: bin i counts the integers i. The last bin includes its
        upper edge. Elements outside of all bins and NaNs are skipped. With
        `deterministic`, sums have equal bits in each run.
        """

class OpFFT(OpBase):
    """Transforms arrays between values and spectra, in one to three dimensions.

    It reads and writes device memory; afterwards the host view of `output` shows the result.
    """

    def __init__(
        self,
        input: _Range,
        output: _Range | None = None,
        *,
        inverse: bool = False,
        real: bool = False,
        norm: str = "backward",
        shape: collections.abc.Sequence[SupportsIndex] | None = None,
        axes: collections.abc.Sequence[SupportsIndex] | None = None,
        input_shape: collections.abc.Sequence[SupportsIndex] | None = None,
    ) -> None:
        """Complex numbers are elements of complex64, complex128 or complex32, or pairs of floats.
        With `real`, the values are real, and spectra have only the first n // 2 + 1 numbers of
        their last axis. `shape` are the extents of an array of values (None: all elements are
        one row); tensors with more elements hold several arrays. With `axes`, up to three axes
        of `shape` are transformed, which then covers the whole tensor. `input_shape` is the
        shape of the input, if others: it is cut or padded with zeros. `norm` is "backward",
        "ortho" or "forward", as in NumPy. Without `output`, in place.
        """

class OpConvolve(OpBase):
    """Convolves arrays along one to three axes by Fourier transforms.

    It reads and writes device memory; afterwards the host view of `output` shows the result.
    """

    def __init__(
        self,
        a: _Range,
        b: _Range,
        output: _Range,
        *,
        mode: str = "full",
        axes: collections.abc.Sequence[SupportsIndex] | None = None,
    ) -> None:
        """`mode` is the part of the convolution that `output` gets: "full", a + b - 1
        elements along each axis; "same", as many as `a`, from the middle; or "valid", those
        that all elements of the smaller array contribute to. With `axes`, up to three axes
        are convolved; along the others, extents are equal, or one of them is 1 and its
        array goes with all of the other.
        """

class OpMatMul(OpBase):
    """Multiplies matrices: c = epilogue(alpha a b + beta c).

    It reads and writes device memory; afterwards the host view of `c` shows the product.
    """

    def __init__(
        self,
        a: _Range,
        b: _Range,
        c: _Range,
        *,
        transpose_a: bool = False,
        transpose_b: bool = False,
        alpha: SupportsFloat = 1.0,
        beta: SupportsFloat = 0.0,
        epilogue: str = "",
        bias: _Range | None = None,
        bias_of_rows: bool = False,
        extents: tuple[SupportsIndex, SupportsIndex, SupportsIndex] | None = None,
        strides: tuple[SupportsIndex | None, SupportsIndex | None, SupportsIndex | None] | None = None,
        batches: SupportsIndex = 1,
        batch_strides: tuple[SupportsIndex | None, SupportsIndex | None, SupportsIndex | None] | None = None,
    ) -> None:
        """The last two axes of `a` and `b` are matrices; with more axes, there are as many
        products, and one of the two may be a single matrix for all. One-dimensional `a` is
        a row, `b` a column. `transpose_a` and `transpose_b` say that the matrices are
        stored transposed. `epilogue` is a GLSL expression over c, row, column, batch and
        bias, as in "c * c + bias"; `bias` has an element per column, or per row.
        `extents` (rows, columns, inner) replaces the shapes. It permits `strides` from row
        to row and `batch_strides` from matrix to matrix, in elements, of a, b and c (None:
        dense). Types as in OpMatMul.hpp: c has the type of a and b, or of their sums.
        """

class OpRandom(OpBase):
    """Fills a tensor with random numbers of the generator Philox 4x32-10.

    Element i is number `counter + i` of the sequence of `seed` and `stream`, the same on every
    device and however the sequence is cut into tensors. It writes device memory; afterwards the
    host view shows the numbers.
    """

    def __init__(
        self,
        output: _Range,
        distribution: str | tuple[Any, ...] = "uniform",
        *,
        seed: SupportsIndex = 0,
        counter: SupportsIndex = 0,
        stream: SupportsIndex = 0,
    ) -> None:
        """`distribution` is "bits", ("integers", lowest, highest), "uniform" or ("uniform",
        low, high), "normal" or ("normal", mean, deviation), "exponential" or
        ("exponential", mean). `highest` is included, `high` is not. `output` may be a part
        of a tensor: (tensor, first) or (tensor, first, count).
        """

class OpPermutation(OpBase):
    """Writes the indices 0, 1, ... in random order.

    It depends on their number, `seed`, `counter` and `stream` alone, not on the device. It
    writes device memory; afterwards the host view shows the indices.
    """

    def __init__(
        self,
        output: _Range,
        *,
        seed: SupportsIndex = 0,
        counter: SupportsIndex = 0,
        stream: SupportsIndex = 0,
    ) -> None:
        """`output` has integers of 32 or 64 bits. Of n indices, take a counter that is larger
        by 2 n for the next permutation.
        """

class OpReduce(OpBase):
    """Reduces elements to one, or to one per row, column or segment.

    It reads and writes device memory; afterwards the host view of the output shows the result.
    """

    def __init__(
        self,
        input: _Range,
        output: _Range,
        op: _Operator = "sum",
        *,
        axis: SupportsIndex | None = None,
        segments: _Range | None = None,
    ) -> None:
        """`op` is "sum", "product", "min", "max", "and", "or", "xor", "mean", "argmin",
        "argmax", "any", "all" or "count_nonzero", or a pair of GLSL texts: an associative
        and commutative expression over a and b, and its identity. `axis` is an axis of the
        input's shape; without it, everything is reduced. `segments` is a tensor of n + 1
        ascending offsets for n results. `input` and `output` may be parts of tensors:
        (tensor, first) or (tensor, first, count). Computed in the output's type, in at
        least 32 bits; see OpReduce.hpp for the types that go together.
        """

class OpScan(OpBase):
    """Reduces the elements up to each one: prefix sums, running maxima, ...

    It reads and writes device memory; afterwards the host view of the output shows the result.
    """

    def __init__(
        self,
        input: _Range,
        output: _Range,
        op: _Operator = "sum",
        *,
        axis: SupportsIndex | None = None,
        exclusive: bool = False,
        segments: _Range | None = None,
        deterministic: bool = True,
    ) -> None:
        """`op` is "sum", "product", "min", "max", "and", "or" or "xor", or a pair of GLSL
        texts: an associative expression over a and b, and its identity. `axis` is an axis
        of the input's shape; without it, the elements are one sequence. An exclusive scan
        leaves out the element itself. `segments` is a tensor of offsets at which the scan
        starts again. `input` and `output` may be parts of tensors, as for OpReduce, and
        may be the same. With `deterministic`, floating-point results have equal bits in
        each run.
        """

class OpSearchSorted(OpBase):
    """Finds, for each needle, where to insert it among sorted elements so that they stay sorted.

    It reads and writes device memory; afterwards the host view of the places shows the result.
    """

    def __init__(
        self,
        sorted: _Range,
        needles: _Range,
        places: _Range,
        *,
        side: str = "left",
    ) -> None:
        """The elements are in ascending order, NaNs last. `side` "left" is the place before
        all equal elements, "right" that after them. `places` are integers of 32 or 64
        bits. Each tensor may be a part of one: (tensor, first) or (tensor, first, count).
        """

class OpSelect(OpBase):
    """Copies the elements that fulfil a condition to the start of the output, in their order.

    It reads and writes device memory; afterwards the host views of the outputs show the result.
    """

    def __init__(
        self,
        input: _Range,
        condition: str | _Range,
        output: _Range,
        count: _Range | None = None,
        *,
        dispatch: _Range | None = None,
        group_size: SupportsIndex = 256,
    ) -> None:
        """`condition` is a GLSL expression over an element x, as in "x > 0", or a tensor with a
        flag per element: those with a flag that is not 0 are chosen. `output` may have any size:
        elements that do not fit are dropped, but counted. `count` is one integer of 32 or 64
        bits, the number of chosen elements. `dispatch` has three uint32, the work groups in x, y
        and z of a dispatch over the chosen elements, `group_size` of them each: give it to
        OpAlgoDispatch as group_counts. Each tensor may be a part of one: (tensor, first) or
        (tensor, first, count).
        """

class OpPartition(OpBase):
    """Copies the elements that fulfil a condition to the start of the output, and then the others,
    both in their order.

    It reads and writes device memory; afterwards the host views of the outputs show the result.
    """

    def __init__(
        self,
        input: _Range,
        condition: str | _Range,
        output: _Range,
        count: _Range | None = None,
        *,
        dispatch: _Range | None = None,
        group_size: SupportsIndex = 256,
    ) -> None:
        """`output` has as many elements as `input`. For the other arguments, see OpSelect."""

class OpSort(OpBase):
    """Sorts keys in a stable way, and moves values of 4 or 8 bytes with them.

    It reads and writes device memory; afterwards the host views of the outputs show the result.
    """

    def __init__(
        self,
        keys: _Range,
        values: _Range | None = None,
        *,
        axis: SupportsIndex | None = -1,
        descending: bool = False,
        equal_zeros: bool = False,
        bits: tuple[SupportsIndex, SupportsIndex] | None = None,
        segments: _Range | None = None,
        sorted_keys: _Range | None = None,
        sorted_values: _Range | None = None,
    ) -> None:
        """Rows along the last axis are sorted, or with `axis` None all elements. NaNs are the
        largest keys. -0 is before +0, or equals it with `equal_zeros`. `bits` is (first, end):
        only these bits of the keys in their order decide. `segments` is a tensor of n + 1
        ascending offsets of n segments, each of which is sorted by itself. The result replaces
        the keys and values, or goes to `sorted_keys` and `sorted_values`. Each tensor may be a
        part of one: (tensor, first) or (tensor, first, count).
        """

class OpArgSort(OpBase):
    """Sorts the indices of keys, from the start of each row or segment. The keys stay.

    It reads and writes device memory; afterwards the host views of the outputs show the result.
    """

    def __init__(
        self,
        keys: _Range,
        indices: _Range,
        *,
        axis: SupportsIndex | None = -1,
        descending: bool = False,
        equal_zeros: bool = False,
        bits: tuple[SupportsIndex, SupportsIndex] | None = None,
        segments: _Range | None = None,
        sorted_keys: _Range | None = None,
    ) -> None:
        """`indices` has integers of 32 or 64 bits. The sorted keys are written to
        `sorted_keys`, if given. For the other arguments, see OpSort.
        """

class OpSparseMatMul(OpBase):
    """Multiplies a sparse matrix in compressed rows (CSR) with a vector or a matrix.

    Row i has the elements from number offsets[i] up to, but without, offsets[i + 1]: `values`,
    and their columns `indices`. It reads and writes device memory; afterwards the host view of
    y shows the result. kp.sparse has matrices with SciPy's names.
    """

    def __init__(
        self,
        offsets: _Range,
        indices: _Range,
        values: _Range,
        x: _Range,
        y: _Range,
        *,
        method: str = "automatic",
        longest_row: SupportsIndex = 0,
    ) -> None:
        """The numbers are float32, float64, complex64 or complex128, the same for values, x
        and y. Offsets and indices are integers of 32 or 64 bits. An element with an index
        out of range counts as 0. `method` is "rows", "balanced" for rows of very different
        lengths, or "automatic": by `longest_row`, the most elements of a row. Each tensor
        may be a part of one: (tensor, first) or (tensor, first, count).
        """

class OpTopK(OpBase):
    """Finds the k largest (or smallest) elements and their indices, in order.

    It reads and writes device memory; afterwards the host views of the outputs show the result.
    """

    def __init__(
        self,
        input: _Range,
        k: SupportsIndex,
        values: _Range | None = None,
        indices: _Range | None = None,
        *,
        axis: SupportsIndex | None = None,
        smallest: bool = False,
    ) -> None:
        """Of equal elements, the one with the smallest index is first. NaN is larger than any
        number. `axis` is an axis of the input's shape, along which k elements each are
        found; without it, all elements are one row. `indices` are integers of 32 or 64
        bits. One of the outputs may be left out.
        """

class OpTranspose(OpBase):
    """Permutes the axes of an array: axis i of the output is axis axes[i] of the input.

    It reads and writes device memory; afterwards the host view of the output shows the result.
    """

    def __init__(self, input: _Range, output: _Range, axes: _Extent | None = None) -> None:
        """The input has up to 4 axes. Without `axes`, they are in reverse order. The output has as
        many elements.
        """

class OpReverse(OpBase):
    """Reverses the order of elements along some axes, or along all.

    It reads and writes device memory; afterwards the host view of the output shows the result.
    """

    def __init__(self, input: _Range, output: _Range, axis: _Extent | None = None) -> None:
        """`axis` is an axis of the input, or several; the input then has up to 4."""

class OpConcatenate(OpBase):
    """Joins arrays along an axis.

    It reads and writes device memory; afterwards the host view of the output shows the result.
    """

    def __init__(
        self,
        inputs: collections.abc.Iterable[_Range],
        output: _Range,
        *,
        axis: SupportsIndex | None = None,
    ) -> None:
        """`inputs` is a list of tensors, or of parts of them: (tensor, first) or
        (tensor, first, count). `axis` is an axis of the output's shape, whose other
        extents equal the inputs'. Without it, the elements of the inputs follow each
        other.
        """

class OpUnique(OpBase):
    """Copies the first of each run of equal elements, in their order. Sorted input gives each value
    once.

    It reads and writes device memory; afterwards the host views of the outputs show the result.
    """

    def __init__(
        self,
        input: _Range,
        output: _Range,
        count: _Range | None = None,
        *,
        counts: _Range | None = None,
        inverse: _Range | None = None,
        dispatch: _Range | None = None,
        group_size: SupportsIndex = 256,
    ) -> None:
        """NaN differs from NaN, and -0 equals 0. `count` is the number of results, `counts`
        how many elements each of them stands for, `inverse` the index of its result for
        each element: integers of 32 or 64 bits. `output` and `counts` may have any size:
        what does not fit is dropped, but counted. For `dispatch` and `group_size`, and for
        parts of tensors, see OpSelect.
        """

class OpRunLength(OpBase):
    """Encodes runs of equal elements as their values and lengths.

    It reads and writes device memory; afterwards the host views of the outputs show the result.
    """

    def __init__(
        self,
        input: _Range,
        values: _Range,
        lengths: _Range,
        count: _Range | None = None,
        *,
        dispatch: _Range | None = None,
        group_size: SupportsIndex = 256,
    ) -> None:
        """`lengths` and `count`, the number of runs, are integers of 32 or 64 bits. For the
        rest, see OpUnique.
        """

class KernelStatistics:
    """Times of the runs of one kernel, in nanoseconds. The sum of two equals the statistics of all
    their runs; they compare by mean.
    """

    def __init__(self) -> None: ...

    def add(self, nanoseconds: SupportsIndex, bytes: SupportsIndex = 0) -> None:
        """Adds a run."""

    @property
    def count(self) -> int:
        """Runs that were timed."""

    @property
    def nruns(self) -> int:
        """Same as count."""

    @property
    def unprofiled(self) -> int:
        """Runs that were not timed."""

    @property
    def total(self) -> int:
        """Sum of all runs."""

    @property
    def min(self) -> int:
        """The shortest run; 0 without runs."""

    @property
    def max(self) -> int:
        """The longest run."""

    @property
    def mean(self) -> float:
        """Total divided by count."""

    @property
    def variance(self) -> float:
        """Variance of all runs."""

    @property
    def stddev(self) -> float:
        """Square root of the variance."""

    @property
    def median(self) -> float:
        """Median of a bounded number of samples, as percentile()."""

    def percentile(self, percent: SupportsFloat) -> float:
        """`percent` is 0 to 100."""

    @property
    def bytes(self) -> int:
        """Bytes transferred by copies and fills."""

    @property
    def bytes_per_second(self) -> float:
        """Throughput; 0 if nothing was transferred."""

    def __add__(self, arg0: KernelStatistics, /) -> KernelStatistics: ...

    def __iadd__(self, arg0: KernelStatistics, /) -> Self: ...

    def __lt__(self, arg0: KernelStatistics, /) -> bool: ...

    def __str__(self) -> str: ...

    def __repr__(self) -> str: ...

def to_table(statistics: collections.abc.Mapping[str, KernelStatistics]) -> str:
    """A table with one line for each name, the longest total first. `statistics` is
    KernelListLauncher.statistics.
    """

class TimingSink:
    """Is notified of each profiled launch once its times are known."""

class FunctionProfiler(TimingSink):
    """Sums the times of one function: `profiler += seconds`, or as the `profiler` of
    launchers.
    """

    def __init__(self, name: str) -> None: ...

    @property
    def name(self) -> str:
        """As given."""

    @property
    def total_time(self) -> float:
        """Seconds."""

    @property
    def nb_calls(self) -> int:
        """Number of calls."""

    def __iadd__(self, arg0: SupportsFloat, /) -> Self: ...

    def __str__(self) -> str: ...

class TraceOptions:
    """Selects the launches that are traced and profiled."""

    def __init__(
        self,
        *,
        trace_kernels: bool = False,
        no_copy: bool = False,
        no_accumulate: bool = False,
        profile_kernels: bool = False,
        filter: str = "",
    ) -> None: ...

    @property
    def trace_kernels(self) -> bool:
        """Prints launches (KP_TRACE_KERNELS)."""

    @trace_kernels.setter
    def trace_kernels(self, value: bool) -> None: ...

    @property
    def no_copy(self) -> bool:
        """Skips those whose message begins "enqueue_copy" (KP_TRACE_NOCOPY)."""

    @no_copy.setter
    def no_copy(self, value: bool) -> None: ...

    @property
    def no_accumulate(self) -> bool:
        """Skips those with "add<" in their message (KP_TRACE_NOACCUMULATE)."""

    @no_accumulate.setter
    def no_accumulate(self, value: bool) -> None: ...

    @property
    def profile_kernels(self) -> bool:
        """Switches profile_kernel() on (KP_PROFILE_KERNELS)."""

    @profile_kernels.setter
    def profile_kernels(self, value: bool) -> None: ...

    @property
    def filter(self) -> str:
        """Comma-separated globs that select messages; a leading ! excludes them
        (KP_TRACE_FILTER).
        """

    @filter.setter
    def filter(self, value: str) -> None: ...

def trace_options() -> TraceOptions:
    """A copy of the current options, initially from the environment."""

def set_trace_options(
    options: TraceOptions | None = None,
    *,
    trace_kernels: bool | None = None,
    no_copy: bool | None = None,
    no_accumulate: bool | None = None,
    profile_kernels: bool | None = None,
    filter: str | None = None,
) -> None:
    """Changes the options that are given by name, and takes all others from `options`, by default
    the current ones.
    """

def trace_options_from_environment() -> TraceOptions:
    """The options in the environment variables now."""

def set_trace_output(output: collections.abc.Callable[[str], object] | None) -> None:
    """Sets the function that is called with each line of the trace; None writes to the C library's
    standard output.
    """

def should_trace_kernel(kernel_msg: str) -> bool:
    """Whether a launch with this message is printed."""

def trace_kernel(kernel_msg: str) -> None:
    """Prints the message if should_trace_kernel() returns True for it."""

def should_profile_kernel(kernel_msg: str) -> bool:
    """Whether profile_kernel() does something for this message."""

class ProfileEntry:
    """One line of a profiler's table."""

    @property
    def name(self) -> str:
        """Name of the scope, kernel or copy."""

    @property
    def track(self) -> str:
        """"host", or device and queue."""

    @property
    def depth(self) -> int:
        """Number of enclosing scopes."""

    @property
    def count(self) -> int:
        """Number of spans."""

    @property
    def total(self) -> int:
        """Sum of all spans in nanoseconds."""

    @property
    def min(self) -> int:
        """The shortest in nanoseconds."""

    @property
    def max(self) -> int:
        """The longest in nanoseconds."""

    @property
    def mean(self) -> float:
        """The mean in nanoseconds."""

    @property
    def share(self) -> float:
        """Share of the track's total, 0 to 1."""

    def __repr__(self) -> str: ...

class ProfilerScope:
    """A `with` block that is measured."""

    def __enter__(self) -> Self: ...

    def __exit__(self, *args: object) -> None: ...

class LaunchProfile:
    """A `with` block whose launches are timed."""

    def __enter__(self) -> Self: ...

    def __exit__(self, *args: object) -> None: ...

class Profiler(TimingSink):
    """Collects times: nested scopes of host code, and launches on devices. Prints a table, and
    writes a trace for ui.perfetto.dev. Any thread may use it.
    """

    def __init__(self, name: str = "kompute", max_spans: SupportsIndex = 1000000) -> None:
        """`name` is the name of the process in the trace, which keeps up to `max_spans`
        spans.
        """

    def now(self) -> int:
        """Nanoseconds of the clock of all host times here."""

    def scope(self, name: str) -> ProfilerScope:
        """Measures a `with` block, inside the open scopes of the same thread."""

    def launches(self, device: Manager | Queue | None = None) -> LaunchProfile:
        """Times the launches in a `with` block, which then waits for them: of arrays, by their
        functions; of operations; and of launchers without a profiler. `device` is a manager
        (its default queue, which arrays use) or a queue; default: default_manager().
        """

    def name_thread(self, name: str) -> None:
        """Names the calling thread's track in the trace."""

    def add_host_span(self, name: str, start: SupportsIndex, end: SupportsIndex) -> None:
        """Adds host code measured elsewhere, in nanoseconds of now()."""

    def add_device_span(
        self,
        name: str,
        device: str,
        queue: str,
        start: SupportsIndex,
        end: SupportsIndex,
        submitted: SupportsIndex = 0,
    ) -> None:
        """Adds work of a device, in its nanoseconds (Sequence.get_timestamps_ns()), and its
        submission, in nanoseconds of now(), if known.
        """

    def calibrate(self, device: str, manager: Manager) -> bool:
        """Relates the clock of the manager's device, called `device`, to the host's; False if
        the device does not support it.
        """

    def entries(self) -> list[ProfileEntry]:
        """The lines of the table."""

    def table(self) -> str:
        """Count, total, mean, min, max and share of each name, as text."""

    def trace(self) -> str:
        """The trace, JSON in Chrome's format."""

    def write_trace(self, path: _Path) -> None:
        """Writes the trace to a file."""

    @property
    def span_count(self) -> int:
        """Spans in the trace."""

    @property
    def dropped_spans(self) -> int:
        """Spans beyond max_spans; the table counts them."""

    def merge(self, other: Profiler) -> None:
        """Adds the times of another profiler."""

    def clear(self) -> None:
        """Discards everything except open scopes."""

class Kernel:
    """A shader from which launchers are created; each launcher has its own arguments. Options as
    in Manager.algorithm.
    """

    def __init__(
        self,
        manager: Manager,
        shader: _Shader,
        *,
        subgroup_size: SupportsIndex | None = None,
        full_subgroups: bool | None = None,
        addressed: collections.abc.Iterable[Tensor] | None = None,
        samplers: Sampler | collections.abc.Iterable[Sampler] | None = None,
        robust_access: bool | None = None,
        max_private_bytes: SupportsIndex | None = None,
        emulate_types: bool | None = None,
        check: bool | str | None = None,
    ) -> None: ...

class Launcher:
    """Base of everything that can be launched on a queue. A call returns an event at once."""

    def __init__(self, name: str, profiler: TimingSink | None = None) -> None: ...

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Launches and returns the event. Derived classes define it, with the keywords queue and
        wait_for and their parameters.
        """

    @property
    def name(self) -> str:
        """Its name in errors, trace and statistics."""

    def global_size_configured(self) -> bool:
        """Whether calls need no global size."""

    def parameters(self) -> dict[str, str]:
        """Names and types of the parameters of a call."""

    @property
    def events(self) -> list[Event]:
        """Profiled launches since the last `statistics`, and those that were unfinished then."""

    @property
    def statistics(self) -> KernelStatistics:
        """Times of all profiled launches that have finished. Never waits: unfinished launches
        stay in `events` and are counted by a later read.
        """

    def _notify_profiler(self) -> None:
        """Passes the launches that have finished to the profiler now."""

    def clear_statistics(self) -> None:
        """Discards all times and events."""

    def _register_event(self, event: Event) -> None:
        """Adds an event to `events`; for derived classes."""

    def __repr__(self) -> str: ...

class OpenClKernelLauncherI(Launcher):
    """Base of kernel launchers. Derived classes define __call__, which launches a kernel without
    further arguments.
    """

    def __init__(self, name: str, profiler: TimingSink | None = None) -> None: ...

    def check_kernel_arg(
        self,
        arg: Any,
        arg_id: SupportsIndex,
        arg_name: str | None = None,
        arg_type: Any = None,
    ) -> None:
        """Raises InvalidArgument if a value is not of a type: a class of memory, or a dtype,
        which NumPy's numbers must have and Python's must fit.
        """

class HostLauncherI(Launcher):
    """Base of launchers of host functions. Derived classes define __call__."""

    def __init__(self, name: str, profiler: TimingSink | None = None) -> None: ...

class HostLauncher(HostLauncherI):
    """Launches a Python function among kernels. It runs on a thread of the library when all work
    before it is done; work after it waits for it. If it raises, waiting for its event raises
    the same exception, and work that depends on it fails.
    """

    def __init__(
        self,
        name: str,
        function: collections.abc.Callable[..., object],
        parameters: collections.abc.Sequence[str] = (),
        default_queue: Queue | None = None,
        profiler: TimingSink | None = None,
    ) -> None: ...

    def __call__(
        self,
        queue: Queue | None = None,
        wait_for: _Events = None,
        **parameters: Any,
    ) -> Event:
        """Launches and returns at once."""

class KernelLauncher(OpenClKernelLauncherI):
    """A kernel whose arguments are all known. `kernel` is an Algorithm, a Kernel, SPIR-V, GLSL or
    a path. `args_list` has all arguments by position, or pairs of an index or a name and a
    value: bindings in ascending order, then push constants by offset, then specialization
    constants by id. Sizes count work items. The elements of tensors must have the type that the
    shader declares, unless `reinterpret` is true.
    """

    def __init__(
        self,
        name: str,
        kernel: Algorithm | Kernel | _Shader,
        args_list: collections.abc.Iterable[Any] | collections.abc.Mapping[Any, Any] | None = None,
        default_global_work_size: _Extent | None = None,
        default_local_work_size: _Extent | None = None,
        default_queue: Queue | None = None,
        profiler: TimingSink | None = None,
        *,
        round_up: bool = False,
        manager: Manager | None = None,
        reinterpret: bool = False,
    ) -> None: ...

    def queue_configured(self) -> bool:
        """Whether there is a default queue."""

    def check_kernel_arg(
        self,
        arg: Any,
        arg_id: SupportsIndex,
        arg_name: str | None = None,
        arg_type: Any = None,
    ) -> None:
        """Raises InvalidArgument if a value does not fit the argument with this index; the
        message names launcher, argument, position, expected and given value. If a derived
        class defines it, it is called with each parameter before that is set.
        """

    def as_list_launcher(self, name: str) -> KernelListLauncher:
        """A KernelListLauncher that holds this launcher."""

    @property
    def kernel(self) -> Any:
        """As given."""

    @property
    def args_list(self) -> Any:
        """As given; an iterator as a list."""

    @property
    def default_queue(self) -> Queue | None:
        """As given."""

    @property
    def default_global_work_size(self) -> tuple[int, int, int] | None:
        """Work items in x, y and z, or None."""

    @property
    def default_local_work_size(self) -> tuple[int, int, int] | None:
        """Work items of a group in x, y and z, or None."""

    @property
    def signature(self) -> list[tuple[int, str, str]]:
        """Index, name and type of each argument of the kernel."""

    def __call__(
        self,
        queue: Queue | None = None,
        wait_for: _Events = None,
        global_work_size: _Extent | None = None,
        local_work_size: _Extent | None = None,
        **parameters: Any,
    ) -> Event:
        """Launches and returns at once. Missing sizes are the launcher's defaults."""

class ParametrizedKernelLauncher(KernelLauncher):
    """A kernel with arguments that each call gives by name. `parameters_map` is name -> index,
    name in the shader, or (index, type).
    """

    def __init__(
        self,
        name: str,
        kernel: Algorithm | Kernel | _Shader,
        parameters_map: collections.abc.Mapping[str, Any],
        args_list: collections.abc.Iterable[Any] | collections.abc.Mapping[Any, Any] | None = None,
        default_global_work_size: _Extent | None = None,
        default_local_work_size: _Extent | None = None,
        default_queue: Queue | None = None,
        profiler: TimingSink | None = None,
        *,
        round_up: bool = False,
        manager: Manager | None = None,
        reinterpret: bool = False,
    ) -> None: ...

    @property
    def parameters_map(self) -> Any:
        """As given."""

    def __call__(
        self,
        queue: Queue | None = None,
        wait_for: _Events = None,
        global_work_size: _Extent | None = None,
        local_work_size: _Extent | None = None,
        **parameters: Any,
    ) -> Event:
        """Launches and returns at once. Missing sizes are the launcher's defaults."""

class IterativeKernelLauncher(ParametrizedKernelLauncher):
    """Launches its kernel once for each value of its iterated parameters, in one submission.
    `iterated_parameters` is name -> ParameterGenerator; `mode` is "product" (the first changes
    slowest) or "zip".
    """

    def __init__(
        self,
        name: str,
        kernel: Algorithm | Kernel | _Shader,
        parameters_map: collections.abc.Mapping[str, Any],
        args_list: collections.abc.Iterable[Any] | collections.abc.Mapping[Any, Any] | None,
        iterated_parameters: collections.abc.Mapping[str, Any],
        default_global_work_size: _Extent | None = None,
        default_local_work_size: _Extent | None = None,
        default_queue: Queue | None = None,
        profiler: TimingSink | None = None,
        *,
        round_up: bool = False,
        manager: Manager | None = None,
        mode: str = "product",
        reinterpret: bool = False,
    ) -> None: ...

    @property
    def iterated_parameters(self) -> dict[str, Any]:
        """As given."""

    @property
    def mode(self) -> str:
        """"product" or "zip"."""

    def iter_parameters(self) -> collections.abc.Iterator[tuple[Any, ...]]:
        """Yields the values of a fresh run, a tuple for each launch."""

    def __call__(  # type: ignore[override]
        self,
        queue: Queue | None = None,
        wait_for: _Events = None,
        enqueue_barrier: bool = True,
        global_work_size: _Extent | None = None,
        local_work_size: _Extent | None = None,
        **parameters: Any,
    ) -> Event | None:
        """Launches the kernel once for each value, in one submission. An out-of-order queue gets a
        barrier afterwards unless `enqueue_barrier` is False; then there is no event.
        """

class CopyLauncher(Launcher):
    """Copies between tensors, or between a tensor and an array, which stays alive until the copy
    is done. Images are copied whole. Offsets and counts are bytes.
    """

    def __init__(
        self,
        varname: str,
        src: Any,
        dst: Any,
        src_device_offset: SupportsIndex | None = None,
        dst_device_offset: SupportsIndex | None = None,
        byte_count: SupportsIndex | None = None,
        default_queue: Queue | None = None,
        profiler: TimingSink | None = None,
    ) -> None: ...

    def __call__(
        self,
        queue: Queue | None = None,
        wait_for: _Events = None,
        **parameters: Any,
    ) -> Event:
        """Launches and returns at once."""

class FillLauncher(Launcher):
    """Fills a tensor, or a range of its bytes, with one number."""

    def __init__(
        self,
        varname: str,
        dst: Any,
        value: Any,
        dst_device_offset: SupportsIndex = 0,
        byte_count: SupportsIndex | None = None,
        default_queue: Queue | None = None,
        profiler: TimingSink | None = None,
    ) -> None: ...

    def __call__(
        self,
        queue: Queue | None = None,
        wait_for: _Events = None,
        **parameters: Any,
    ) -> Event:
        """Launches and returns at once."""

class PrimitiveLauncher(Launcher):
    """Runs a primitive (kp.OpReduce, kp.OpSort, ...), alone or in a list. The operation may be
    in sequences, too.
    """

    def __init__(
        self,
        name: str,
        primitive: OpBase,
        default_queue: Queue | None = None,
        profiler: TimingSink | None = None,
    ) -> None: ...

    def __call__(
        self,
        queue: Queue | None = None,
        wait_for: _Events = None,
        **parameters: Any,
    ) -> Event:
        """Launches and returns at once."""

class KernelListLauncher:
    """Launchers that run one after the other on the queue given with the call, in one submission.
    Host launchers, and copies of arrays, split it; the call still returns at once.
    """

    def __init__(self, name: str, profiler: TimingSink | None = None) -> None: ...

    def push_kernels(self, *args: object) -> Self:
        """Appends launchers and the contents of lists; ignores None. Returns the list."""

    def __iadd__(self, launcher: _Pushed) -> Self:
        """push_kernels() of one."""

    @property
    def name(self) -> str:
        """As given."""

    @property
    def launchers(self) -> list[Launcher]:
        """The launchers, with pushed lists expanded."""

    def __len__(self) -> int: ...

    @property
    def parameters(self) -> dict[str, tuple[str, list[str]]]:
        """Name -> (type, names of the launchers that take it)."""

    @property
    def events(self) -> list[Event]:
        """Profiled launches of this list since the last `statistics`, and those that were
        unfinished then.
        """

    @property
    def statistics(self) -> dict[str, KernelStatistics]:
        """Times of the profiled launches that have finished, by launcher name. Never waits."""

    def _notify_profiler(self) -> None:
        """Passes the launches that have finished to the profiler now."""

    def clear_statistics(self) -> None:
        """Discards all times and events."""

    def __repr__(self) -> str: ...

    def push_copy_host_device(
        self,
        varname: str,
        src: Any,
        dst: Any,
        src_device_offset: SupportsIndex | None = None,
        dst_device_offset: SupportsIndex | None = None,
        byte_count: SupportsIndex | None = None,
    ) -> Self:
        """Appends a copy between tensors, or a tensor and an array, in bytes."""

    def push_copy_device_to_device(
        self,
        varname: str,
        src: Any,
        dst: Any,
        src_device_offset: SupportsIndex | None = None,
        dst_device_offset: SupportsIndex | None = None,
        byte_count: SupportsIndex | None = None,
    ) -> Self:
        """Appends a copy between tensors."""

    def push_copy_host_to_device(
        self,
        varname: str,
        src: Any,
        dst: Any,
        dst_device_offset: SupportsIndex | None = None,
    ) -> Self:
        """Appends a copy from an array, with its contents at the time of the copy."""

    def push_copy_device_to_host(
        self,
        varname: str,
        src: Any,
        dst: Any,
        src_device_offset: SupportsIndex | None = None,
    ) -> Self:
        """Appends a copy to an array."""

    def __call__(
        self,
        queue: Queue | None = None,
        wait_for: _Events = None,
        **parameters: Any,
    ) -> Event:
        """Launches everything on the queue, in order; only the first waits for `wait_for`. An empty
        list waits for them itself. Returns at once, with the event of the last launch.
        """

class RepeatLauncher(Launcher):
    """Repeats a list of launchers on the device until a flag is set, alone or in another list: a
    kp.OpRepeat. It takes the parameters of the list's launchers.
    """

    def __init__(
        self,
        name: str,
        step: KernelListLauncher,
        flag: Tensor,
        most: SupportsIndex,
        element: SupportsIndex = 0,
        default_queue: Queue | None = None,
        profiler: TimingSink | None = None,
    ) -> None: ...

    def __call__(
        self,
        queue: Queue | None = None,
        wait_for: _Events = None,
        **parameters: Any,
    ) -> Event:
        """Launches and returns at once."""

def compile(
    source_or_path: _Path,
    *,
    includes: collections.abc.Iterable[_Path] = (),
    defines: collections.abc.Mapping[str, Any] | None = None,
    entry_point: str = "main",
    language: str = "",
    file_name: str = "",
    debug_info: bool = False,
    include_policy: str = "folders",
    isolate: bool = False,
) -> bytes:
    """Compiles a compute shader to SPIR-V, for Vulkan 1.1.

    `source_or_path` is source text, or a path: an os.PathLike, or one line of text that
    ends in .comp, .glsl, .hlsl, .slang or .spv. `includes` are folders searched for
    #include, `defines` is a dict of macros, `language` is "glsl", "hlsl" or "slang" (by
    default .hlsl files are HLSL, .slang files are Slang, and everything else is GLSL; Slang
    needs Slang's library, such as the one in the package slangpy), `file_name` names the
    source in errors, and `debug_info` keeps names and lines for debuggers.
    `include_policy` is "folders" (#include reads files below the source's folder and
    `includes`), "anywhere" or "none". With `isolate`, the compiler runs in a child process
    with bounded time and memory, for untrusted sources.

    ShaderError has line and column, and shows the line.
    """

def _compile_kernel(
    shader: _Shader,
    includes: collections.abc.Iterable[_Path],
    defines: collections.abc.Mapping[str, Any] | None,
    file_name: str,
    include_policy: str,
) -> bytes: ...

def _keep_kernel(
    folder: str,
    shader: _Shader,
    includes: collections.abc.Iterable[_Path],
    defines: collections.abc.Mapping[str, Any] | None,
    file_name: str,
    include_policy: str,
) -> None: ...

def _reflect(shader: _Shader, entry_point: str) -> dict[str, Any]: ...

class _LibraryText:
    """_LibraryText"""

    def __init__(self) -> None: ...

    def use(self, text: str, computed: str) -> None: ...

    def use_by_part(
        self,
        name: str,
        number: str,
        whole: str,
        result: str,
        count: SupportsIndex,
    ) -> None: ...

    @property
    def text(self) -> str: ...

def _number_types() -> tuple[tuple[Any, ...], ...]: ...

def _convert(value: str, source: str, target: str, observed: bool) -> str: ...

def _rounding_function(source: str, target: str) -> str: ...

def _set_array_hooks(binary: Any, unary: Any, compare: Any, get: Any) -> None:
    """Set the functions that handle the general cases."""

def _set_default_float(dtype: DTypeLike | None) -> None:
    """Set the default floating-point type; None: undo."""

def _resolve(name: str, kinds: Any) -> Any:
    """Return the types of the operands and of the result, or None if the function refuses them."""

def _computes(name: str, dtype: DTypeLike | None) -> bool:
    """Return whether devices compute a function of a dtype."""

def _apply(name: str, operands: Any) -> Any:
    """Return a function of arrays and numbers, or None if devices cannot compute it."""

def _random_numbers(
    manager: Manager | None,
    shape: _Extent | None,
    dtype: DTypeLike | None,
    distribution: Any,
    seed: SupportsIndex,
    counter: SupportsIndex,
    stream: SupportsIndex,
) -> Array: ...

def _refuse_captured_random() -> None: ...

def _random_order(
    manager: Manager | None,
    count: SupportsIndex,
    seed: SupportsIndex,
    counter: SupportsIndex,
    stream: SupportsIndex,
) -> Array: ...

def _blank(manager: Manager | None, shape: _Extent | None, dtype: DTypeLike | None) -> Array: ...

def _host_number(manager: Manager | None, dtype: DTypeLike | None) -> Array: ...

def _expression(
    text: str,
    dtype: DTypeLike | None,
    shape: _Extent | None,
    operands: Any,
) -> Array: ...

def _filled(manager: Manager | None, shape: _Extent | None, number: Any) -> Array: ...

def _call(
    name: str,
    dtype: DTypeLike | None,
    shape: _Extent | None,
    operands: Any,
    types: Any,
) -> Array: ...

def _addresses(
    manager: Manager | None,
    shape: _Extent | None,
    offset: SupportsIndex,
    strides: Any,
    dtype: DTypeLike | None,
) -> Array: ...

def _take(base: Array, indices: Any, steps: Any) -> Array: ...

def _put(
    target: Array,
    value: Array,
    indices: Any = (),
    steps: Any = (),
    mask: Array | None = None,
) -> None: ...

def _reduce(
    name: str,
    x: Array,
    axes: Any,
    accumulated: Any,
    dtype: DTypeLike | None,
    keepdims: bool,
) -> Array: ...

def _mean(x: Array, axes: Any, keepdims: bool) -> Array: ...

def _var(x: Array, axes: Any, correction: SupportsFloat, keepdims: bool) -> Array: ...

def _index_of_number(name: str, x: Array, axis: SupportsIndex | None, keepdims: bool) -> Array: ...

def _reduce_text(
    x: Array,
    axes: Any,
    dtype: DTypeLike | None,
    combine: str,
    identity: str,
    finish: str,
    keepdims: bool,
    name: str = "reduce",
) -> Array: ...

def _unsupported_reason(manager: Manager | None, dtype: DTypeLike | None) -> str: ...

def _has_doubles(manager: Manager | None) -> bool:
    """Return whether the device has shaderFloat64."""

def _exchange_singles_noted(noted: bool) -> bool:
    """Set whether the warning of the default float was given; return whether it was before."""

def _require(manager: Manager | None, dtype: DTypeLike | None) -> None: ...

def _pretend_range(manager: Manager | None, bytes: SupportsIndex) -> None:
    """For tests: let kernels of arrays bind so many bytes at most."""

def _pretend_lack(manager: Manager | None, dtype: DTypeLike | None, reason: str) -> None:
    """For tests: let arrays lack a dtype."""

def _require_countable(shape: _Extent | None) -> None: ...

class _ElementwiseKernel:
    """_ElementwiseKernel"""

    def __init__(
        self,
        inputs: Any,
        results: Any,
        operation: str,
        name: str,
        preamble: str,
    ) -> None: ...

    def run(self, shape: _Extent | None, inputs: Any, results: Any) -> str: ...

def _together(arrays: Any) -> None:
    """Let one kernel compute arrays of one shape once the first of them is needed."""

def _where(condition: Array, x: Any, y: Any) -> Array: ...

def _compress(mask: Array, x: Array) -> Array: ...

def _flatnonzero(x: Array) -> Array: ...

def _nonzero(x: Array) -> Any: ...

def _joined(arrays: Any, axis: SupportsIndex) -> Array: ...

def _pad(x: Array, widths: Any, value: Any) -> Array:
    """Widths are pairs of two numbers."""

def _reshape(x: Array, shape: _Extent | None) -> Array: ...

def _have_one_memory(x: Array, y: Array) -> bool: ...

def _take_of_axis(x: Array, indices: Array, axis: SupportsIndex) -> Array: ...

def _take_along_axis(x: Array, indices: Array, axis: SupportsIndex) -> Array: ...

def _convolve(a: Array, v: Array, mode: str, method: str) -> Array: ...

def _correlate(a: Array, v: Array, mode: str, method: str) -> Array: ...

def _matmul(a: Array, b: Array) -> Array: ...

def _tensordot(a: Array, b: Array, axes_of_a: Any, axes_of_b: Any) -> Array: ...

def _cholesky(a: Array, upper: bool) -> Any: ...

def _solve(a: Array, b: Array) -> Any: ...

def _inv(a: Array) -> Any: ...

def _slogdet(a: Array) -> tuple[Array, Array]: ...

def _qr(a: Array, complete: bool) -> tuple[Array, Array]: ...

def _qr_triangle(a: Array) -> Array: ...

def _eigh(a: Array, upper: bool) -> tuple[Array, Array]: ...

def _eigvalsh(a: Array, upper: bool) -> Array: ...

def _svd(a: Array, full: bool) -> tuple[Array, Array, Array]: ...

def _svdvals(a: Array) -> Array: ...

def _sort(x: Array, axis: SupportsIndex, descending: bool) -> Array: ...

def _argsort(x: Array, axis: SupportsIndex, descending: bool) -> Array: ...

def _searchsorted(sorted: Array, values: Array, right: bool) -> Array: ...

def _unique(x: Array) -> Array: ...

def _roll(x: Array, shift: SupportsIndex, axis: SupportsIndex) -> Array: ...

def _real(x: Array) -> Array: ...

def _imag(x: Array) -> Array: ...

def _is_capturing() -> bool:
    """True while this thread traces a captured function."""

class _CapturedFunction:
    """_CapturedFunction"""

    def __init__(self, function: collections.abc.Callable[..., object]) -> None: ...

    def __call__(self, arguments: Any) -> Any: ...

def _while_loop(condition: Any, body: Any, state: Any, most: SupportsIndex) -> Any: ...

class _ProgramOperation(OpBase):
    """A run of a program."""

class _Program:
    """_Program"""

    @staticmethod
    def parse(manager: Manager | None, content: bytes, trusted: bool) -> _Program: ...

    @staticmethod
    def of(
        work: Any,
        inputs: Any,
        outputs: Any,
        parameters: collections.abc.Iterable[str],
    ) -> _Program: ...

    @staticmethod
    def captured(
        manager: Manager | None,
        function: collections.abc.Callable[..., object],
        arguments: Any,
    ) -> _Program: ...

    @staticmethod
    def joined(programs: Any) -> _Program: ...

    def content(self) -> bytes: ...

    def variants(self) -> int: ...

    def tensors(self, variant: SupportsIndex) -> Any: ...

    def operation(self, named: Any) -> _ProgramOperation: ...

    def run(self, named: Any) -> None: ...

    def run_with_arrays(self, named: Any) -> Any: ...

    @property
    def device(self) -> Any: ...

class _Csr:
    """A sparse matrix in compressed rows: what kp.sparse is made of."""

    def __init__(
        self,
        data: Array,
        indices: Array,
        offsets: Array,
        rows: SupportsIndex,
        columns: SupportsIndex,
    ) -> None: ...

    @staticmethod
    def of_elements(
        data: Array,
        row: Array,
        column: Array,
        rows: SupportsIndex,
        columns: SupportsIndex,
    ) -> _Csr: ...

    @staticmethod
    def of_dense(dense: Array) -> _Csr: ...

    @property
    def data(self) -> Array: ...

    @property
    def indices(self) -> Array: ...

    @property
    def offsets(self) -> Array: ...

    @property
    def rows(self) -> int: ...

    @property
    def columns(self) -> int: ...

    def longest_row(self) -> int: ...

    def is_canonical(self) -> bool: ...

    def with_data(self, data: Array) -> _Csr: ...

    def row_numbers(self) -> Array: ...

    def canonical(self) -> _Csr: ...

    def transposed(self) -> _Csr: ...

    def dense(self) -> Array: ...

    def diagonal(self, k: SupportsIndex) -> Array: ...

    def rows_between(self, begin: SupportsIndex, end: SupportsIndex) -> _Csr: ...

    def matmul(self, x: Array) -> Array: ...

    def product(self, b: _Csr) -> _Csr: ...

    def sum(self, b: _Csr) -> _Csr: ...

    def times(self, dense: Array) -> _Csr: ...

class _LinearMap:
    """A linear map that solvers repeat on the device."""

    @staticmethod
    def of_matrix(a: _Csr) -> _LinearMap: ...

    @staticmethod
    def of_dense(a: Array) -> _LinearMap: ...

    @staticmethod
    def jacobi(a: _Csr) -> _LinearMap: ...

    @staticmethod
    def block_jacobi(a: _Csr, size: SupportsIndex) -> _LinearMap: ...

    @staticmethod
    def incomplete_cholesky(a: _Csr, shift: SupportsFloat) -> _LinearMap: ...

    def __call__(self, x: Array) -> Array: ...

class _Triangle:
    """A triangular matrix whose rows are sorted into levels."""

    def __init__(self, a: _Csr, upper: bool, unit_diagonal: bool) -> None: ...

    def solve(self, b: Array) -> Array: ...

def _cg(
    a: Any,
    b: Array,
    start: SupportsIndex | None,
    relative: SupportsFloat,
    absolute: SupportsFloat,
    max_steps: SupportsIndex,
    preconditioner: Any,
    callback: Any,
) -> Any: ...

def _bicgstab(
    a: Any,
    b: Array,
    start: SupportsIndex | None,
    relative: SupportsFloat,
    absolute: SupportsFloat,
    max_steps: SupportsIndex,
    preconditioner: Any,
    callback: Any,
) -> Any: ...

def _minres(
    a: Any,
    b: Array,
    start: SupportsIndex | None,
    relative: SupportsFloat,
    absolute: SupportsFloat,
    max_steps: SupportsIndex,
    preconditioner: Any,
    callback: Any,
) -> Any: ...

def _gmres(
    a: Any,
    b: Array,
    start: SupportsIndex | None,
    relative: SupportsFloat,
    absolute: SupportsFloat,
    max_steps: SupportsIndex,
    preconditioner: Any,
    callback: Any,
    restart: SupportsIndex,
) -> Any: ...

def _lsqr(
    a: Any,
    adjoint: Any,
    b: Array,
    damp: SupportsFloat,
    atol: SupportsFloat,
    btol: SupportsFloat,
    conlim: SupportsFloat,
    max_steps: SupportsIndex | None,
    variance: bool,
    start: Array | None,
) -> tuple[Array, int, int, float, float, float, float, float, float, Array]: ...

def _eigsh(
    a: Any,
    start: Array,
    count: SupportsIndex,
    which: SupportsIndex,
    basis: SupportsIndex | None,
    max_restarts: SupportsIndex | None,
    tolerance: SupportsFloat,
    vectors: bool,
) -> tuple[Array, Array, bool]:
    """Returns eigenvalues, eigenvectors, and whether all have converged."""

class TunableKernel:
    """A shader with its tunable properties: work-group size, specialization constants, variants,
    and everything that a factory makes of a configuration. A configuration is a dict with a
    value for each parameter.
    """

    def __init__(self, name: str, spirv: _Shader | None = None) -> None:
        """`name` names the kernel in messages and in the cache. `spirv` is SPIR-V, source
        text or a path; without it, use variant() or factory().
        """

    @property
    def name(self) -> str:
        """Its name."""

    @property
    def configuration_count(self) -> int:
        """Number of configurations, before constraints and limits."""

    def parameter(
        self,
        name: str,
        values: collections.abc.Iterable[int | float | str],
    ) -> TunableKernel:
        """Adds a parameter with these numbers or texts, for factories, constraints and
        work-group rules.
        """

    def specialization(
        self,
        id: SupportsIndex,
        name: str,
        values: collections.abc.Iterable[int | float],
    ) -> TunableKernel:
        """Tunes the specialization constant with constant_id `id`."""

    def local_size(self, x: _Extent, y: _Extent = 1, z: _Extent = 1) -> TunableKernel:
        """Tunes the work-group size, every x with every y and z: the parameters local_size_x
        and so on. The shader has them as specialization constants, or a factory inserts
        them.
        """

    def variant(self, name: str, spirv: _Shader) -> TunableKernel:
        """Adds one of several equivalent shaders; `name` is a value of the parameter variant."""

    def factory(
        self,
        function: collections.abc.Callable[[dict[str, Any]], _Shader],
        key: str = "",
    ) -> TunableKernel:
        """`function` makes SPIR-V or source text of a configuration. Raising kp.ShaderError skips
        the configuration. With a `key`, which changes when the function does, known
        configurations are not compiled again.
        """

    def constraint(
        self,
        description: str,
        predicate: collections.abc.Callable[[dict[str, Any]], Any],
    ) -> TunableKernel:
        """Skips configurations for which `predicate` returns false, before anything is
        compiled.
        """

    def workgroups(
        self,
        rule: collections.abc.Callable[[dict[str, Any]], _Extent],
    ) -> TunableKernel:
        """Work groups of a configuration, one to three numbers, if they are not the
        invocations divided by the local size.
        """

    def __repr__(self) -> str: ...

class TuningArguments:
    """The memory and numbers that a kernel is tuned with. Written memory is restored after
    tuning.
    """

    def __init__(
        self,
        tensors: collections.abc.Iterable[Memory],
        thread_count: _Extent | None = None,
        push_consts: ArrayLike = (),
    ) -> None:
        """`tensors` are for bindings 0, 1, ...; `thread_count` are the invocations, and the
        problem size unless problem() sets another.
        """

    def problem(self, size: _Extent) -> TuningArguments:
        """Sets the problem size: the cache tells problems apart by it, and measures nearness
        with it.
        """

    def key(self, text: str) -> TuningArguments:
        """Names another property that times depend on, such as "float16"."""

    def reset_to_zero(self, tensor: Memory) -> TuningArguments:
        """Fills the tensor with zeros before every run."""

    def leave(self, tensor: Memory) -> TuningArguments:
        """Does not restore the tensor, which saves a copy of it."""

    def expect(
        self,
        tensor: Memory,
        values: ArrayLike,
        relative: SupportsFloat = 0.0001,
        absolute: SupportsFloat = 1e-06,
    ) -> TuningArguments:
        """Rejects configurations that do not write `values`, which have the tensor's dtype.
        Integers must be equal, other numbers within absolute + relative x |value|.
        """

    def verify(
        self,
        function: collections.abc.Callable[[dict[str, Any]], bool | str | None],
    ) -> TuningArguments:
        """Rejects configurations for which `function` returns False, or text that describes the
        error. It may read() the results, but must not change anything.
        """

    def __repr__(self) -> str: ...

class TuningRecord:
    """The known facts about one configuration."""

    @property
    def configuration(self) -> dict[str, Any]:
        """A value for each parameter."""

    @property
    def status(self) -> str:
        """"measured", "wrong" (its results were rejected), "failed" or "skipped"."""

    @property
    def reason(self) -> str:
        """Why it is wrong or failed."""

    @property
    def nanoseconds(self) -> float:
        """The shortest run."""

    @property
    def median_ns(self) -> float:
        """The median of the runs."""

    @property
    def runs(self) -> int:
        """Runs that were timed."""

    @property
    def from_cache(self) -> bool:
        """True if nothing was run for it."""

    def __repr__(self) -> str: ...

class TuningProgress:
    """The state of tuning."""

    @property
    def kernel(self) -> str:
        """Name of the kernel."""

    @property
    def round(self) -> int:
        """Number of the round, from 1 on."""

    @property
    def rounds(self) -> int:
        """Largest number of rounds."""

    @property
    def done(self) -> int:
        """Finished configurations of the round."""

    @property
    def total(self) -> int:
        """Configurations of the round."""

    @property
    def configuration(self) -> dict[str, Any]:
        """The last one that was run."""

    @property
    def nanoseconds(self) -> float:
        """Its time; 0 if it was rejected."""

    @property
    def best(self) -> dict[str, Any]:
        """The fastest one so far."""

    @property
    def best_ns(self) -> float:
        """Its time."""

    @property
    def elapsed(self) -> float:
        """Seconds since the start."""

    @property
    def budget(self) -> float:
        """Largest number of seconds; 0: no limit."""

class TuningResult:
    """The fastest configuration."""

    @property
    def configuration(self) -> dict[str, Any]:
        """A value for each parameter."""

    @property
    def nanoseconds(self) -> float:
        """Its time; 0 if it was not measured for this size."""

    @property
    def workgroup(self) -> tuple[int, int, int]:
        """Work groups of the dispatch."""

    @property
    def spirv(self) -> bytes:
        """Its shader."""

    @property
    def algorithm(self) -> Algorithm | None:
        """Ready to be recorded, with the memory and push constants of the arguments; None in
        results of a TunedAlgorithm.
        """

    @property
    def source(self) -> str:
        """"measured", "cache", "nearest" (the nearest known problem size) or "estimate"."""

    @property
    def benchmarks(self) -> int:
        """Timed runs of this call."""

    @property
    def configurations(self) -> int:
        """Configurations before constraints and limits."""

    @property
    def constrained(self) -> int:
        """Configurations that constraints excluded."""

    @property
    def pruned(self) -> int:
        """Configurations that limits of the device excluded."""

    @property
    def stopped(self) -> bool:
        """True if the budget or the progress function ended it."""

    @property
    def seconds(self) -> float:
        """Duration of tuning."""

    @property
    def records(self) -> list[TuningRecord]:
        """The known facts about each configuration, fastest first."""

    def __repr__(self) -> str: ...

class Autotuner:
    """Finds the fastest configuration of a kernel on a device, and caches it on disk."""

    def __init__(
        self,
        manager: Manager,
        *,
        effort: str = "measure",
        budget: SupportsFloat = 0.0,
        time: str = "auto",
        cache_folder: _Path = "",
        lock_timeout: SupportsFloat = 2.0,
        subgroup_multiple: bool = True,
        remeasure: bool = False,
        runs: SupportsIndex = 15,
        seed: SupportsIndex = 1,
        progress: collections.abc.Callable[[TuningProgress], Any] | bool | None = None,
    ) -> None:
        """`effort` is "estimate" (runs nothing), "measure", "patient" or "exhaustive";
        `budget` a limit in seconds for each call, 0 for none; `time` "auto", "device" or
        "host"; `cache_folder` the folder of the cache ("off": none, "": the manager's).
        `progress` is True for a bar, or a function that takes a TuningProgress and ends
        tuning by returning False.
        """

    def tune(self, kernel: TunableKernel, arguments: TuningArguments) -> TuningResult:
        """The fastest configuration. Runs nothing if the cache has everything. Restores memory
        before it returns or raises. Exceptions of the kernel's functions are raised as they
        are.
        """

    def export_records(self, path: _Path) -> int:
        """Writes all times of this device to one file; returns their number."""

    def import_records(self, path: _Path) -> int:
        """Adds the times of an exported file; returns the number of new ones."""

    @property
    def cache_folder(self) -> str:
        """The place of the cache; "" if there is none."""

class TunedAlgorithm:
    """A kernel that is tuned at its first use, once per problem size."""

    def __init__(self, tuner: Autotuner, kernel: TunableKernel) -> None:
        """Tunes nothing yet."""

    def algorithm(self, arguments: TuningArguments) -> Algorithm:
        """A new algorithm of the fastest configuration, with the memory of the arguments. Tunes
        first if problem size and key are new.
        """

    def result(self, arguments: TuningArguments) -> TuningResult:
        """The result for these arguments, without an algorithm."""

    def is_tuned(self, arguments: TuningArguments) -> bool:
        """True if algorithm() would not tune."""

    def forget(self) -> None:
        """Discards all results; the cache on disk stays."""

class TunedKernelLauncher(Launcher):
    """A kernel that tunes itself at its first call and then launches the fastest configuration,
    alone or in lists. The first call waits for its queue and for `wait_for`, so that nothing
    else writes the memory during tuning; tune() keeps that wait out of it. `parameters_map` as
    in ParametrizedKernelLauncher.
    """

    def __init__(
        self,
        name: str,
        tuned: TunedAlgorithm,
        arguments: TuningArguments,
        default_global_work_size: _Extent | None = None,
        default_queue: Queue | None = None,
        profiler: TimingSink | None = None,
        parameters_map: collections.abc.Mapping[str, Any] | None = None,
    ) -> None:
        """`default_global_work_size` counts invocations, and replaces the thread_count of the
        arguments. The arguments hold a value for each parameter, to tune with.
        """

    def tune(self) -> TuningResult:
        """The result of tuning, without an algorithm. Tunes if the problem size is new. Launches
        nothing.
        """

    def is_tuned(self) -> bool:
        """True if a call would not tune."""

    @property
    def default_queue(self) -> Queue | None:
        """As given."""

    def __call__(
        self,
        queue: Queue | None = None,
        wait_for: _Events = None,
        **parameters: Any,
    ) -> Event:
        """Launches and returns at once."""

class GroupLimits:
    """Limits that hold on every device of a group: the minimum of each."""

    @property
    def max_work_group_count(self) -> tuple[int, int, int]:
        """Work groups in x, y and z."""

    @property
    def max_work_group_size(self) -> tuple[int, int, int]:
        """Work items of a group in x, y and z."""

    @property
    def max_work_group_invocations(self) -> int:
        """Work items of a group in all."""

    @property
    def memory_bytes(self) -> int:
        """Memory of the smallest device."""

    @property
    def timestamps_supported(self) -> bool:
        """Whether all devices have timestamps."""

    def __repr__(self) -> str: ...

class DeviceGroup:
    """Several devices as one: a Manager for each, and one list of all queues.

    `group[i]` is the Manager of a device, and `group.queue(i)` one of the queues of all
    devices. Buffers and kernels of a group keep its devices alive.
    """

    def __init__(
        self,
        device_ids: collections.abc.Sequence[SupportsIndex] | None = None,
        queue_counts: _Extent | None = None,
        queue_families: collections.abc.Iterable[collections.abc.Sequence[SupportsIndex]] | None = None,
        *,
        exchange: str = "auto",
        desired_extensions: collections.abc.Sequence[str] = [],
        required_extensions: collections.abc.Sequence[str] = [],
        validation: str = "",
        wait: str = "auto",
        cache_folder: _Path = "",
        cache_path: _Path | collections.abc.Sequence[_Path] = "",
        trust_cache_path: bool = False,
        timeline_semaphores: bool = True,
        coalesce: bool = True,
        reorder: bool = True,
    ) -> None:
        """Without arguments: every GPU, or the devices that the environment variable
        KOMPUTE_DEVICE names, or else the software driver.

        `device_ids` are indices in list_devices(); the same index twice creates two
        logical devices on one physical device. `queue_counts` is the number of queues of
        each device, or one number for all; `queue_families` has for each device a list
        with the family of each queue instead. `exchange` forces the exchange path between
        devices, for tests: see exchange_path(). The rest is as for Manager.
        """

    def __len__(self) -> int: ...

    def __getitem__(self, arg0: SupportsIndex, /) -> Manager: ...

    def __iter__(self) -> collections.abc.Iterator[Manager]: ...

    @property
    def device_ids(self) -> list[int]:
        """Index of each device in list_devices()."""

    @property
    def queues(self) -> tuple[Queue, ...]:
        """The queues of all devices: of the first, of the second, and so on."""

    @property
    def queue_count(self) -> int:
        """Number of queues of all devices."""

    def queue(self, index: SupportsIndex) -> Queue:
        """One of the queues."""

    def device_of_queue(self, index: SupportsIndex | None) -> int:
        """Index of the device that a queue belongs to."""

    def first_queue_of(self, device: SupportsIndex) -> int:
        """The index of the first queue of a device."""

    @property
    def limits(self) -> GroupLimits:
        """Limits that hold on every device."""

    def exchange_path(self, source: SupportsIndex, destination: SupportsIndex) -> str | None:
        """How data is exchanged between two devices: "shared" (memory that both have open), "peer"
        (directly between the GPUs), "host" (both access the same host memory) or "staging" (the
        host copies between the two). None within one device.
        """

    def for_each(
        self,
        function: collections.abc.Callable[[Manager, int, list[Event]], Event | None],
        target: _Target = "all",
        wait_for: _Events = None,
    ) -> list[Event]:
        """Calls `function(manager, queue_index, wait_for)` once for each device that `target`
        selects, in this thread; it returns an Event, or None if its work is done. `target`
        is "all", "any" (the device with the least work) or the index of a queue.

        Raises the exception of the first call. The exception of a later call fails the
        event of its device, since the others are already running. Returns an event for
        each selected device.
        """

    def _launch_algorithms(
        self,
        algorithms: collections.abc.Sequence[Algorithm],
        target: _Target,
        wait_for: _Events,
    ) -> list[Event]:
        """launch() of algorithms."""

    def wait_idle(self) -> None:
        """Waits until every device has finished all its work, and all work on the group's queues
        is over.
        """

    def is_init(self) -> bool:
        """False after destroy()."""

    def destroy(self) -> None:
        """Destroys all objects that the group's managers created, after the work that uses them. A
        second call does nothing.
        """

    def __repr__(self) -> str: ...

    def __enter__(self) -> Self: ...

    def __exit__(self, *args: object) -> None: ...

    def kernel(
        self,
        shader: _Shader,
        args: collections.abc.Iterable[Any] | collections.abc.Mapping[Any, Any] | None = None,
        global_work_size: _Extent | collections.abc.Callable[[Shard], _Extent] | None = None,
        local_work_size: _Extent | None = None,
        *,
        round_up: bool = True,
        parameters_map: collections.abc.Mapping[str, Any] | collections.abc.Iterable[str] | None = None,
        name: str = "kernel",
        reinterpret: bool = False,
    ) -> GroupKernel:
        """A kernel on every device. `shader` is SPIR-V, GLSL or a path. `args` has all arguments by
        position, or pairs of an index or a name and a value, or a dict of those: buffers of this
        group, and values as launchers take them. `global_work_size` counts work items: a number
        or up to three, the same for each device, or a function that returns them for a kp.Shard;
        by default the elements of the largest shard, or of the largest buffer if none is
        sharded. `parameters_map` is name -> index, name in the shader or (index, type) for the
        arguments of each call, or just names. The elements of buffers must have the type that
        the shader declares, unless `reinterpret` is true.

        The group sets the push constants kp_shard_index, kp_shard_count, kp_shard_offset,
        kp_shard_shape and kp_whole_shape, if the shader declares them.
        """

    def _move(self, moves: list[Any]) -> None:
        """Moves bytes between tensors of the devices: ((device, tensor, byte), (device, tensor,
        byte), bytes) for each move, from the first place to the second. Follows earlier
        launches on the default queues of the managers; later ones that use the tensors
        follow it.
        """

    def reduce_into(
        self,
        buffer: Buffer,
        out: Buffer,
        op: _Operator = "sum",
        axis: SupportsIndex | None = None,
        wait_for: _Events = None,
    ) -> list[Event]:
        """Starts a reduction of the elements of a sharded buffer, or along an axis of it.

        `op` is as for OpReduce. `out` is another buffer: replicated, for all elements (it
        has one) and along axis 0; along another axis, sharded with the rows of `buffer`.
        Returns the events of the queues.
        """

    def sort_async(
        self,
        keys: Buffer,
        values: Buffer | None = None,
        *,
        descending: bool = False,
        wait_for: _Events = None,
    ) -> list[Event]:
        """Starts a stable sort of a sharded buffer of one dimension, in place. `values`, a
        buffer with the same shards and elements of 4 or 8 bytes, moves along.
        """

    def matmul_into(
        self,
        a: Buffer,
        b: Buffer,
        out: Buffer,
        wait_for: _Events = None,
    ) -> list[Event]:
        """Starts the product of a sharded matrix and another one, or a vector, which is
        sharded or replicated. `out` has the rows of `a`, in the same shards.
        """

    def launch(
        self,
        what: GroupKernel | collections.abc.Sequence[Launcher | KernelListLauncher] | collections.abc.Sequence[Algorithm] | collections.abc.Callable[..., Event | None],
        wait_for: collections.abc.Iterable[Event | None] | Event | None = None,
        target: str | int = "all",
        **parameters: Any,
    ) -> list[Event]:
        """Launch work once on each device that `target` selects.

        - `what`: a GroupKernel; a list with one launcher, one list of launchers or one algorithm
          for each device; or a function with the signature that for_each() expects.
        - `wait_for`: the events that the work waits for.
        - `target`: "all", "any" or the index of a queue.
        - `parameters`: passed on to `what` with each call. Algorithms take none.

        Returns one event per selected device. Failures are reported as by for_each().
        """

    def sum(
        self,
        buffer: Buffer,
        axis: int | None = None,
        dtype: DTypeLike | None = None,
        out: Buffer | None = None,
    ) -> Buffer:
        """Return the sum of all elements of a sharded buffer, or along an axis.

        The result is `out` or a new buffer: of one element, or without the axis. It is
        replicated, or for an axis other than 0 sharded as `buffer`. Integers are summed in 64
        bits unless `dtype` says otherwise.
        """

    def prod(
        self,
        buffer: Buffer,
        axis: int | None = None,
        dtype: DTypeLike | None = None,
        out: Buffer | None = None,
    ) -> Buffer:
        """Return the product of all elements of a sharded buffer, or along an axis; see sum()."""

    def mean(
        self,
        buffer: Buffer,
        axis: int | None = None,
        dtype: DTypeLike | None = None,
        out: Buffer | None = None,
    ) -> Buffer:
        """Return the mean of all elements of a sharded buffer, or along an axis; see sum().

        The mean of integers is the default float.
        """

    def min(self, buffer: Buffer, axis: int | None = None, out: Buffer | None = None) -> Buffer:
        """Return the smallest element of a sharded buffer, or NaN if any element is; see sum()."""

    def max(self, buffer: Buffer, axis: int | None = None, out: Buffer | None = None) -> Buffer:
        """Return the largest element of a sharded buffer, or NaN if any element is; see sum()."""

    def argmin(self, buffer: Buffer, axis: int | None = None, out: Buffer | None = None) -> Buffer:
        """Return the index (int64) of the first smallest element, or of the first NaN; see
        sum().
        """

    def argmax(self, buffer: Buffer, axis: int | None = None, out: Buffer | None = None) -> Buffer:
        """Return the index (int64) of the first largest element, or of the first NaN; see sum()."""

    def any(self, buffer: Buffer, axis: int | None = None, out: Buffer | None = None) -> Buffer:
        """Return whether any element of a sharded buffer is not 0; see sum()."""

    def all(self, buffer: Buffer, axis: int | None = None, out: Buffer | None = None) -> Buffer:
        """Return whether no element of a sharded buffer is 0; see sum()."""

    def count_nonzero(
        self,
        buffer: Buffer,
        axis: int | None = None,
        out: Buffer | None = None,
    ) -> Buffer:
        """Return the number (int64) of elements of a sharded buffer that are not 0; see sum()."""

    def reduce(
        self,
        buffer: Buffer,
        op: str | tuple[str, str],
        axis: int | None = None,
        out: Buffer | None = None,
    ) -> Buffer:
        """Return a reduction of a sharded buffer by an operator, in its type; see sum().

        `op` is as for kp.reduce: a name, or a GLSL expression over a and b and its identity.
        """

    def sort(self, keys: Buffer, values: Buffer | None = None, *, descending: bool = False) -> None:
        """Sort a sharded buffer of one dimension in place, as kp.OpSort: stable, NaN last.

        `values`, a buffer with the same shards and elements of 4 or 8 bytes, moves with the
        keys.
        """

    def matmul(self, a: Buffer, b: Buffer, out: Buffer | None = None) -> Buffer:
        """Return the product of matrices, sharded by rows as `a`.

        `a` is sharded. `b` is a matrix or a vector, replicated or sharded.
        """

class Shard:
    """The part of a buffer that one copy holds."""

    @property
    def index(self) -> int:
        """Its index among the copies."""

    @property
    def count(self) -> int:
        """Number of copies."""

    @property
    def offset(self) -> int:
        """Its first row in the whole buffer."""

    @property
    def shape(self) -> tuple[int, ...]:
        """Extents of this part."""

    @property
    def whole_shape(self) -> tuple[int, ...]:
        """Extents of the whole buffer."""

    @property
    def size(self) -> int:
        """Elements of this part."""

    def __repr__(self) -> str: ...

class Buffer:
    """An array of up to three dimensions on all devices of a group: a copy on each, or distributed
    among them by rows.

    An index is the index of a queue of the group, and selects the copy (or shard) of this
    queue's device; with one queue for each device it is the device's index. An operation of a
    buffer comes after all earlier launches on the queues of the copies it accesses, and before
    all later ones. So a host function on such a queue must not call read() or write(), which
    would wait for its own end; it uses tensor().
    """

    def __init__(
        self,
        shape: _Extent,
        var_type: DTypeLike | None = None,
        external_buffer: Tensor | collections.abc.Sequence[Tensor | None] | None = None,
        *,
        dtype: DTypeLike | None = None,
        group: DeviceGroup | None = None,
        placement: str = "replicated",
        shard_rows: collections.abc.Iterable[SupportsIndex] | None = None,
        memory_type: MemoryTypes | str = MemoryTypes.storage,
        writable: bool = True,
    ) -> None:
        """`shape` is a number or up to three, none of them 0, with at most 2**30 elements.
        `var_type`, or `dtype`, is one of NumPy's (default: float32; structs and
        sub-arrays, too), one of this module (kp.vec3), or the name of a vector or matrix
        of GLSL: "vec3", "ivec2", "mat4". Elements are stored without padding. `group` is
        default_group() by default.

        `external_buffer` is existing memory: a tensor, or one for each copy, of the
        group's devices in their order; None for a shard without rows. `writable=False`
        refuses everything that would change it.

        `placement` is "replicated" (a whole copy on each device), "replicated_by_queue"
        (one for each queue) or "sharded" (each device has some of the rows); `shard_rows`
        are the rows of each device then, by default as even as possible.
        """

    @staticmethod
    def from_tensors(
        shape: _Extent,
        dtype: DTypeLike | None,
        tensors: collections.abc.Iterable[Tensor | None],
        group: DeviceGroup | None = None,
        placement: str = "replicated",
        shard_rows: collections.abc.Iterable[SupportsIndex] | None = None,
        writable: bool = True,
    ) -> Buffer:
        """A buffer with `tensors` as its `external_buffer`."""

    @property
    def shape(self) -> tuple[int, ...]:
        """Extents of the whole buffer."""

    @property
    def dtype(self) -> np.dtype[Any]:
        """The type of an element; a sub-array if that is a vector or a matrix."""

    @property
    def var_type(self) -> np.dtype[Any]:
        """Same as dtype."""

    @property
    def size(self) -> int:
        """Elements of the whole buffer."""

    @property
    def mem_size(self) -> int:
        """Bytes of all elements, once."""

    @property
    def shader_shape(self) -> tuple[int, int, int, int]:
        """The three extents, 1 for missing ones, and the number of elements."""

    @property
    def placement(self) -> str:
        """"replicated", "replicated_by_queue" or "sharded"."""

    @property
    def copy_count(self) -> int:
        """Number of copies, or of shards."""

    @property
    def group(self) -> DeviceGroup:
        """Its devices."""

    @property
    def writable(self) -> bool:
        """False if write(), collectives and kernels must not change it."""

    @property
    def is_writable(self) -> bool:
        """Same as writable."""

    @property
    def is_external(self) -> bool:
        """True if it was made around existing tensors."""

    @property
    def owns_memory(self) -> bool:
        """False if it was made around existing tensors."""

    @property
    def shards(self) -> list[Shard]:
        """The part that each copy holds."""

    def shard(self, index: SupportsIndex) -> Shard:
        """The part that the copy of a queue's device holds."""

    def copy_of(self, index: SupportsIndex) -> int:
        """Which copy belongs to the index of a queue."""

    def tensor(self, index: SupportsIndex = 0) -> Tensor:
        """The memory of a copy: an ordinary Tensor of that device, of the numbers in the elements
        (bytes, for structs).
        """

    def is_init(self) -> bool:
        """False after destroy()."""

    def read(
        self,
        index: SupportsIndex | None = None,
        *,
        start: SupportsIndex | None = None,
        stop: SupportsIndex | None = None,
        out: NDArray[Any] | None = None,
    ) -> NDArray[Any]:
        """Copies to a new array, or to `out`, and waits for it.

        With an index: its copy or shard. Without: all copies, stacked along a new first
        axis; for a sharded buffer, the whole array. Axes of vectors and matrices come
        last. `start` and `stop` select rows (of the first axis) of each copy.
        """

    def read_async(
        self,
        index: SupportsIndex | None = None,
        *,
        start: SupportsIndex | None = None,
        stop: SupportsIndex | None = None,
        out: NDArray[Any] | None = None,
        wait_for: _Events = None,
    ) -> tuple[NDArray[Any], list[Event]]:
        """read() without waiting: returns the array, and the events after which it is filled."""

    def write(
        self,
        data: _Data,
        index: SupportsIndex | None = None,
        *,
        start: SupportsIndex | None = None,
    ) -> None:
        """Copies from host memory, which may be reused when the call returns.

        With an index: to its copy or shard. Without, or with -1: to every copy; for a
        sharded buffer, to the shards. Arrays have the buffer's dtype. Arrays, bytes,
        bytearray and memoryview may be shorter than the buffer, and are written to its
        start. Lists are converted, and have all elements. `start` is the row (of the first
        axis) of the first element; arrays and lists have whole rows then.
        """

    def write_async(
        self,
        data: _Data,
        index: SupportsIndex | None = None,
        *,
        start: SupportsIndex | None = None,
        wait_for: _Events = None,
    ) -> list[Event]:
        """write() without waiting. `data` stays alive, and must not change, until the
        returned events are done.
        """

    def copy(
        self,
        source: SupportsIndex,
        destination: SupportsIndex,
        *,
        source_start: SupportsIndex = 0,
        destination_start: SupportsIndex = 0,
        rows: SupportsIndex | None = None,
        wait_for: _Events = None,
    ) -> Event:
        """Copies rows of the copy or shard `source` to `destination`, both indices; by
        default as many as both have.
        """

    def copy_to(self, destination: Buffer, wait_for: _Events = None) -> list[Event]:
        """Copies the contents of this buffer to another one, of any placement. If the copies
        differ, each device uses its own if it has one, else the first.
        """

    def broadcast(self, root: SupportsIndex = 0, wait_for: _Events = None) -> list[Event]:
        """Makes every copy equal to `root`'s copy."""

    def scatter(
        self,
        destination: Buffer,
        root: SupportsIndex = 0,
        wait_for: _Events = None,
    ) -> list[Event]:
        """From the copy of `root` to the shards of `destination`."""

    def gather(
        self,
        destination: Buffer,
        root: SupportsIndex = 0,
        wait_for: _Events = None,
    ) -> list[Event]:
        """From the shards of this buffer to the copy of `root` in `destination`."""

    def all_gather(self, destination: Buffer, wait_for: _Events = None) -> list[Event]:
        """From the shards of this buffer to every copy of `destination`."""

    def reduce(
        self,
        op: str = "sum",
        root: SupportsIndex = 0,
        wait_for: _Events = None,
    ) -> list[Event]:
        """Replaces the copy of `root` by the sum of all copies, or another `op`:
        "product", "min", "max", "and", "or" or "xor", element by element, in a fixed
        order.
        """

    def all_reduce(self, op: str = "sum", wait_for: _Events = None) -> list[Event]:
        """Replaces every copy by the sum (or `op`) of all copies, with the same bits."""

    def reduce_scatter(
        self,
        destination: Buffer,
        op: str = "sum",
        wait_for: _Events = None,
    ) -> list[Event]:
        """Replaces each shard of `destination` by the sum (or `op`) of its rows in all copies
        of this buffer.
        """

    def destroy(self) -> None:
        """Frees the memory on every device, after the work that uses it. A second call does
        nothing.
        """

    def _destroy(self) -> None:
        """Same as destroy()."""

    @staticmethod
    def __class_getitem__(dtype: DTypeLike | None) -> Any:
        """An annotation: kp.Buffer[kp.float32] is a buffer of this dtype."""

    def __repr__(self) -> str: ...

    def __enter__(self) -> Self: ...

    def __exit__(self, *args: object) -> None: ...

    def __array__(self, dtype: DTypeLike | None = None, copy: bool | None = None) -> NDArray[Any]:
        """Return read(): for NumPy, which sees the copies of a replicated buffer along a first
        axis.
        """

class GroupKernel:
    """A kernel on every device of a group, each working on its copy or shard of the buffers.
    Created by DeviceGroup.kernel.
    """

    def __call__(
        self,
        wait_for: _Events = None,
        target: _Target = "all",
        **kwargs: Any,
    ) -> list[Event]:
        """Launches it once on each device that `target` selects ("all", "any" or the index of
        a queue), and returns at once with an event for each of them. Parameters are given
        by name.
        """

    @property
    def name(self) -> str:
        """Its name in errors, trace and statistics."""

    @property
    def group(self) -> DeviceGroup:
        """Its devices."""

    def __repr__(self) -> str: ...

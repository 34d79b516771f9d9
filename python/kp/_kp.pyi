# SPDX-License-Identifier: Apache-2.0
# Written by scripts/python_stubs.py. Do not edit it: change the docstrings and signatures in
# python/src, or the types in that script.

import collections.abc
import enum
import os
from typing import Any, SupportsFloat, SupportsIndex

import numpy as np
from numpy.typing import ArrayLike, DTypeLike, NDArray
from typing_extensions import Self, TypeAlias

_Path: TypeAlias = str | os.PathLike[str]
# SPIR-V, or source text, or a path.
_Shader: TypeAlias = bytes | bytearray | memoryview | NDArray[Any] | str | os.PathLike[str]
# Numbers, or numbers by name; specialization constants have ids, too.
_Constants: TypeAlias = ArrayLike | collections.abc.Mapping[str, Any]
_SpecConstants: TypeAlias = (
    _Constants | collections.abc.Mapping[int, Any] | collections.abc.Mapping[str | int, Any]
)
# Arrays, bytes, and numbers in lists.
_Data: TypeAlias = ArrayLike | bytes | bytearray | memoryview
_Extent: TypeAlias = SupportsIndex | collections.abc.Sequence[SupportsIndex]
_Pushed: TypeAlias = "Launcher | KernelListLauncher | None"
_Events: TypeAlias = "collections.abc.Iterable[Event | None] | Event | None"
# "all", "any" or the index of a queue.
_Target: TypeAlias = str | SupportsIndex

__version__: str

class DataTypes(enum.IntEnum):
    """What an element is. char, short, int and long have 8, 16, 32 and 64
    bits, uchar to ulong the same without a sign; custom is a struct.
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

class MemoryTypes(enum.IntEnum):
    """Where memory lives.

    device: on the device, with a host view that OpSyncDevice and OpSyncLocal
    copy from and to. host: host memory that the device reads and writes.
    storage: on the device, without a host view. deviceAndHost: one memory that
    both reach at full speed; where there is none, as device.
    """

    device = 0
    host = 1
    storage = 2
    deviceAndHost = 3

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
    """Owns a device and makes the objects that live on it.

    Objects hold on to their manager, so it goes when the last of them goes, or with
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
        cache_folder: str = "",
        timeline_semaphores: bool = True,
    ) -> None:
        """Without arguments: the best device, or what the environment variable KOMPUTE_DEVICE
        names.

        `device` is a place in list_devices(); `name` a part of a name, `uuid` and
        `device_type` ("discrete", "integrated", "virtual", "cpu") further conditions.
        `family_queue_indices` asks for one queue per entry, of the family with that index;
        `desired_extensions` are left out where missing, `required_extensions` an error.
        `validation` is a list of checks ("core,sync"), `wait` one of "auto", "spin",
        "hybrid", "block", `cache_folder` where pipelines are kept ("off": nowhere).
        """

    def queue(
        self,
        index: SupportsIndex = 0,
        in_order: bool = True,
        profiling: bool = False,
    ) -> Queue:
        """A line of work on the manager's queue of this index. Past the last it is virtual: it
        shares queue 0 and says so. In an in-order queue each launch comes after all before it;
        in another only wait_for, barrier() and the memory that launches share give an order.
        """

    def tensor(
        self,
        data: ArrayLike | None = None,
        memory_type: MemoryTypes = MemoryTypes.device,
        *,
        shape: _Extent | None = None,
        dtype: DTypeLike | None = None,
        tensor_type: MemoryTypes | None = None,
    ) -> Tensor:
        """A tensor with the contents and shape of `data` (any array-like, NumPy array, DLPack or
        buffer object), or of `shape` with undefined contents. What it holds gets to the device
        by OpSyncDevice or write().

        Elements are float32, or `dtype`.
        `tensor_type` is Kompute 0.9.0's name of `memory_type`.
        """

    def tensor_t(
        self,
        data: ArrayLike | None = None,
        memory_type: MemoryTypes = MemoryTypes.device,
        *,
        shape: _Extent | None = None,
        dtype: DTypeLike | None = None,
        tensor_type: MemoryTypes | None = None,
    ) -> Tensor:
        """A tensor with the contents and shape of `data` (any array-like, NumPy array, DLPack or
        buffer object), or of `shape` with undefined contents. What it holds gets to the device
        by OpSyncDevice or write().

        Elements are what `data` has, or `dtype` (float32 for a shape alone).
        `tensor_type` is Kompute 0.9.0's name of `memory_type`.
        """

    def image(
        self,
        data: ArrayLike | None = None,
        width: SupportsIndex = 0,
        height: SupportsIndex = 0,
        num_channels: SupportsIndex = 0,
        memory_type: MemoryTypes = MemoryTypes.device,
        *,
        tiling: str = "",
        dtype: DTypeLike | None = None,
        tensor_type: MemoryTypes | None = None,
    ) -> Image:
        """A storage image of `width` x `height` texels with 1 to 4 channels. Where the three are
        left out, `data` has shape (height, width) or (height, width, channels). `tiling` is
        "optimal" or "linear".

        Channels are float32, or `dtype`.
        """

    def image_t(
        self,
        data: ArrayLike | None = None,
        width: SupportsIndex = 0,
        height: SupportsIndex = 0,
        num_channels: SupportsIndex = 0,
        memory_type: MemoryTypes = MemoryTypes.device,
        *,
        tiling: str = "",
        dtype: DTypeLike | None = None,
        tensor_type: MemoryTypes | None = None,
    ) -> Image:
        """A storage image of `width` x `height` texels with 1 to 4 channels. Where the three are
        left out, `data` has shape (height, width) or (height, width, channels). `tiling` is
        "optimal" or "linear".

        Channels are what `data` has, or `dtype`.
        """

    def algorithm(
        self,
        tensors: collections.abc.Iterable[Memory] = [],
        spirv: _Shader = b'',
        workgroup: _Extent = (0, 0, 0),
        spec_consts: _SpecConstants = (),
        push_consts: _Constants = (),
        *,
        thread_count: _Extent | None = None,
    ) -> Algorithm:
        """A shader with the memory of its bindings 0, 1, ...

        `spirv` is SPIR-V as bytes, GLSL text, or a path. `workgroup` counts work groups (0:
        as many as the first object has elements); `thread_count` counts invocations instead.
        Constants are a list (float32), a number, a NumPy array of any dtype, a structured
        array, or a dict by the names in the shader. The push constants are the default of
        dispatches; a dict given to a dispatch keeps the default where it names nothing.
        """

    def sequence(
        self,
        queue_index: SupportsIndex = 0,
        total_timestamps: SupportsIndex = 0,
    ) -> Sequence:
        """A sequence on one of the manager's queues. `total_timestamps` is the number of
        operations that get_timestamps() covers.
        """

    def pinned_array(self, shape: _Extent | None, dtype: DTypeLike | None = None) -> NDArray[Any]:
        """An array in host memory that the device reaches directly: write() from it and read()
        into it are one copy by the device. Elements are float32, or `dtype`, and start
        undefined. It outlives the manager, and takes memory that cannot be swapped out.
        """

    def import_host(self, array: Any) -> HostImport:
        """Tells the device of the memory of an array, so that write() from it and read() into it
        need no staging. Pays for memory that is sent or fetched several times. The array must
        not be resized meanwhile. Where the device cannot do it, transfers go through staging
        as always.
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
    ) -> bytes:
        """kp.compile for the Vulkan version of this manager's device."""

    def list_devices(self) -> list[dict[str, Any]]:
        """The devices of this machine; see kp.list_devices."""

    def get_device_properties(self) -> dict[str, Any]:
        """What the device is and can do."""

    @property
    def queue_count(self) -> int:
        """Number of queues that sequence() can be asked for."""

    @property
    def allocated_bytes(self) -> int:
        """Bytes of device and host memory that the driver gave to this device, for all its
        managers together.
        """

    def clear(self) -> None:
        """Forgets the objects that are gone. Happens by itself now and then."""

    def is_init(self) -> bool:
        """False after destroy()."""

    def destroy(self) -> None:
        """Destroys everything that this manager made, after the work that uses it. A second call
        does nothing.
        """

    def __enter__(self) -> Self: ...

    def __exit__(self, *args: object) -> None: ...

    def __repr__(self) -> str: ...

    def tensor_over(self, array: Any) -> Tensor:
        """A tensor whose memory is that of an array: the device reads and writes it in place,
        and no copy is made. The array is kept for as long as the device needs it, and must
        not be resized. Unsupported where the device or its driver does not take this memory.
        """

    def exportable_tensor(
        self,
        shape: _Extent,
        dtype: DTypeLike | None = None,
        *,
        memory_type: MemoryTypes = MemoryTypes.storage,
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
        memory_type: MemoryTypes = MemoryTypes.storage,
    ) -> Tensor:
        """A tensor in memory that another device of the same GPU exported. `memory` may be
        closed afterwards; the memory lives as long as one of the two.
        """

    def eval_tensor_create(
        self,
        tensors: collections.abc.Sequence[Memory],
        sequence_name: str,
        *args: Any,
        **kwargs: Any,
    ) -> None:
        """Tensors exist from the start today; what is left is to copy what they hold. The old
        spelling; see kp._early.
        """

    def eval_tensor_create_def(
        self,
        tensors: collections.abc.Sequence[Memory],
        *args: Any,
        **kwargs: Any,
    ) -> None:
        """Tensors exist from the start today; what is left is to copy what they hold. The old
        spelling; see kp._early.
        """

    def eval_async_tensor_create(
        self,
        tensors: collections.abc.Sequence[Memory],
        sequence_name: str,
        *args: Any,
        **kwargs: Any,
    ) -> None:
        """Tensors exist from the start today; what is left is to copy what they hold. The old
        spelling; see kp._early.
        """

    def eval_async_tensor_create_def(
        self,
        tensors: collections.abc.Sequence[Memory],
        *args: Any,
        **kwargs: Any,
    ) -> None:
        """Tensors exist from the start today; what is left is to copy what they hold. The old
        spelling; see kp._early.
        """

    def eval_tensor_copy(
        self,
        tensors: collections.abc.Sequence[Memory],
        sequence_name: str,
        *args: Any,
        **kwargs: Any,
    ) -> None:
        """Copies the first tensor to the others. The old spelling; see kp._early."""

    def eval_tensor_copy_def(
        self,
        tensors: collections.abc.Sequence[Memory],
        *args: Any,
        **kwargs: Any,
    ) -> None:
        """Copies the first tensor to the others. The old spelling; see kp._early."""

    def eval_async_tensor_copy(
        self,
        tensors: collections.abc.Sequence[Memory],
        sequence_name: str,
        *args: Any,
        **kwargs: Any,
    ) -> None:
        """Copies the first tensor to the others. The old spelling; see kp._early."""

    def eval_async_tensor_copy_def(
        self,
        tensors: collections.abc.Sequence[Memory],
        *args: Any,
        **kwargs: Any,
    ) -> None:
        """Copies the first tensor to the others. The old spelling; see kp._early."""

    def eval_tensor_sync_device(
        self,
        tensors: collections.abc.Sequence[Memory],
        sequence_name: str,
        *args: Any,
        **kwargs: Any,
    ) -> None:
        """Copies what the host sees of the tensors to the device. The old spelling; see
        kp._early.
        """

    def eval_tensor_sync_device_def(
        self,
        tensors: collections.abc.Sequence[Memory],
        *args: Any,
        **kwargs: Any,
    ) -> None:
        """Copies what the host sees of the tensors to the device. The old spelling; see
        kp._early.
        """

    def eval_async_tensor_sync_device(
        self,
        tensors: collections.abc.Sequence[Memory],
        sequence_name: str,
        *args: Any,
        **kwargs: Any,
    ) -> None:
        """Copies what the host sees of the tensors to the device. The old spelling; see
        kp._early.
        """

    def eval_async_tensor_sync_device_def(
        self,
        tensors: collections.abc.Sequence[Memory],
        *args: Any,
        **kwargs: Any,
    ) -> None:
        """Copies what the host sees of the tensors to the device. The old spelling; see
        kp._early.
        """

    def eval_tensor_sync_local(
        self,
        tensors: collections.abc.Sequence[Memory],
        sequence_name: str,
        *args: Any,
        **kwargs: Any,
    ) -> None:
        """Copies the tensors from the device to what the host sees. The old spelling; see
        kp._early.
        """

    def eval_tensor_sync_local_def(
        self,
        tensors: collections.abc.Sequence[Memory],
        *args: Any,
        **kwargs: Any,
    ) -> None:
        """Copies the tensors from the device to what the host sees. The old spelling; see
        kp._early.
        """

    def eval_async_tensor_sync_local(
        self,
        tensors: collections.abc.Sequence[Memory],
        sequence_name: str,
        *args: Any,
        **kwargs: Any,
    ) -> None:
        """Copies the tensors from the device to what the host sees. The old spelling; see
        kp._early.
        """

    def eval_async_tensor_sync_local_def(
        self,
        tensors: collections.abc.Sequence[Memory],
        *args: Any,
        **kwargs: Any,
    ) -> None:
        """Copies the tensors from the device to what the host sees. The old spelling; see
        kp._early.
        """

    def eval_algo_mult(
        self,
        tensors: collections.abc.Sequence[Memory],
        sequence_name: str,
        *args: Any,
        **kwargs: Any,
    ) -> None:
        """Multiplies the first two tensors into the third. The old spelling; see kp._early."""

    def eval_algo_mult_def(
        self,
        tensors: collections.abc.Sequence[Memory],
        *args: Any,
        **kwargs: Any,
    ) -> None:
        """Multiplies the first two tensors into the third. The old spelling; see kp._early."""

    def eval_async_algo_mult(
        self,
        tensors: collections.abc.Sequence[Memory],
        sequence_name: str,
        *args: Any,
        **kwargs: Any,
    ) -> None:
        """Multiplies the first two tensors into the third. The old spelling; see kp._early."""

    def eval_async_algo_mult_def(
        self,
        tensors: collections.abc.Sequence[Memory],
        *args: Any,
        **kwargs: Any,
    ) -> None:
        """Multiplies the first two tensors into the third. The old spelling; see kp._early."""

    def eval_algo_file(
        self,
        tensors: collections.abc.Sequence[Memory],
        sequence_name: str,
        *args: Any,
        **kwargs: Any,
    ) -> None:
        """Runs the shader in a file: SPIR-V (.spv) or source. The old spelling; see kp._early."""

    def eval_algo_file_def(
        self,
        tensors: collections.abc.Sequence[Memory],
        *args: Any,
        **kwargs: Any,
    ) -> None:
        """Runs the shader in a file: SPIR-V (.spv) or source. The old spelling; see kp._early."""

    def eval_async_algo_file(
        self,
        tensors: collections.abc.Sequence[Memory],
        sequence_name: str,
        *args: Any,
        **kwargs: Any,
    ) -> None:
        """Runs the shader in a file: SPIR-V (.spv) or source. The old spelling; see kp._early."""

    def eval_async_algo_file_def(
        self,
        tensors: collections.abc.Sequence[Memory],
        *args: Any,
        **kwargs: Any,
    ) -> None:
        """Runs the shader in a file: SPIR-V (.spv) or source. The old spelling; see kp._early."""

    def eval_algo_data(
        self,
        tensors: collections.abc.Sequence[Memory],
        sequence_name: str,
        *args: Any,
        **kwargs: Any,
    ) -> None:
        """Runs a shader: SPIR-V bytes or source text, with specialization constants. The old
        spelling; see kp._early.
        """

    def eval_algo_data_def(
        self,
        tensors: collections.abc.Sequence[Memory],
        *args: Any,
        **kwargs: Any,
    ) -> None:
        """Runs a shader: SPIR-V bytes or source text, with specialization constants. The old
        spelling; see kp._early.
        """

    def eval_async_algo_data(
        self,
        tensors: collections.abc.Sequence[Memory],
        sequence_name: str,
        *args: Any,
        **kwargs: Any,
    ) -> None:
        """Runs a shader: SPIR-V bytes or source text, with specialization constants. The old
        spelling; see kp._early.
        """

    def eval_async_algo_data_def(
        self,
        tensors: collections.abc.Sequence[Memory],
        *args: Any,
        **kwargs: Any,
    ) -> None:
        """Runs a shader: SPIR-V bytes or source text, with specialization constants. The old
        spelling; see kp._early.
        """

    def build_tensor(
        self,
        data: ArrayLike,
        tensor_type: MemoryTypes = MemoryTypes.device,
    ) -> Tensor:
        """A float32 tensor whose contents are on the device already."""

    def create_sequence(self, name: str = "DEFAULT", queue_index: int = 0) -> Sequence:
        """The sequence of that name; made where there is none."""

    def eval_await(self, sequence_name: str, wait: int | None = None) -> None:
        """Waits for eval_async_<op> under a named sequence; `wait` is in nanoseconds."""

    def eval_await_def(self, wait: int | None = None) -> None:
        """Waits for every eval_async_<op>_def; `wait` is in nanoseconds, for each."""

class Memory:
    """Base of Tensor and Image: memory on a device, and what the host sees of it."""

    def data(self) -> NDArray[Any]:
        """The host view as a flat, writable array without a copy. Its base is this
        object. The device sees what is written after OpSyncDevice (device memory) or
        at the next evaluation (host and deviceAndHost memory). Views of destroyed
        memory keep what they showed last. ValueError for storage memory.
        """

    def numpy(self) -> NDArray[Any]:
        """The host view with this object's shape; see data()."""

    def size(self) -> int:
        """Number of elements; 0 after destroy()."""

    def __len__(self) -> int: ...

    @property
    def shape(self) -> tuple[int, ...]:
        """Extents. An image's are height, width and channels."""

    @property
    def dtype(self) -> np.dtype[Any]:
        """What an element is, for NumPy."""

    @property
    def nbytes(self) -> int:
        """Bytes in all."""

    def memory_type(self) -> MemoryTypes:
        """Where the memory lives: a kp.MemoryTypes."""

    def tensor_type(self) -> MemoryTypes:
        """memory_type(); the name of Kompute 0.9.0."""

    def data_type(self) -> DataTypes:
        """What an element is: a kp.DataTypes."""

    def is_init(self) -> bool:
        """False once this object or its manager was destroyed."""

    def destroy(self) -> None:
        """Frees the device memory, after the work that uses it. A second call does nothing."""

    def set_name(self, name: str) -> None:
        """Names the memory in validation messages and captures."""

    def write(self, data: ArrayLike, offset: SupportsIndex = 0) -> None:
        """Copies any array-like straight to the device memory, whatever the memory type, after
        all evaluations started before. `offset` counts elements.
        """

    def read(
        self,
        offset: SupportsIndex = 0,
        count: SupportsIndex | None = None,
        out: NDArray[Any] | None = None,
    ) -> NDArray[Any]:
        """Copies device memory to a new array, or to `out`, after the evaluations started before
        that write it. `offset` and `count` are in elements.
        """

    def __getitem__(self, arg0: Any, /) -> Any: ...

    def __setitem__(self, arg0: Any, arg1: Any, /) -> None: ...

    def __iter__(self) -> collections.abc.Iterator[Any]: ...

    def __array__(
        self,
        dtype: DTypeLike | None = None,
        copy: bool | None = None,
    ) -> NDArray[Any]: ...

    def __dlpack__(self, **kwargs: Any) -> Any: ...

    def __dlpack_device__(self) -> tuple[int, int]: ...

    def __repr__(self) -> str: ...

    def set_data(self, data: ArrayLike) -> None:
        """Overwrites what the host sees."""

class Tensor(Memory):
    """An array on a device. Made by Manager.tensor and tensor_t."""

    def export_memory(self) -> ExternalMemory:
        """A handle by which another Vulkan device of the same GPU opens the memory.
        What the two do with it, they order themselves. For tensors of
        Manager.exportable_tensor().
        """

class Image(Memory):
    """A storage image. Made by Manager.image and image_t."""

    @property
    def width(self) -> int:
        """Texels in a row."""

    @property
    def height(self) -> int:
        """Rows."""

    @property
    def num_channels(self) -> int:
        """Channels of a texel."""

class Algorithm:
    """A compute shader with its memory, constants and work groups. Made by
    Manager.algorithm.
    """

    def rebuild(
        self,
        tensors: collections.abc.Iterable[Memory],
        spirv: _Shader,
        workgroup: _Extent = (0, 0, 0),
        spec_consts: _SpecConstants = (),
        push_consts: _Constants = (),
        *,
        thread_count: _Extent | None = None,
    ) -> None:
        """Replaces shader, memory and constants; arguments as Manager.algorithm. Empty constants
        leave the previous ones in force. Sequences keep what they recorded until rerecord().
        """

    def get_mem_objects(self) -> list[Memory]:
        """The tensors and images, in the order of their bindings."""

    def get_tensors(self) -> list[Tensor]:
        """The memory objects that are tensors."""

    def set_mem_objects(self, tensors: collections.abc.Iterable[Memory]) -> None:
        """Binds other memory to the same shader, which costs no pipeline. Sequences keep what
        they recorded until rerecord().
        """

    def set_push_constants(self, push_consts: _Constants) -> None:
        """Default push constants of later dispatches."""

    @property
    def workgroup(self) -> tuple[int, int, int]:
        """Work groups that a dispatch starts in x, y and z."""

    @property
    def local_size(self) -> tuple[int, int, int]:
        """Invocations of a work group in x, y and z, as the shader says."""

    def set_workgroup(self, workgroup: _Extent) -> None:
        """Work groups that a dispatch starts: a number, or up to three for x, y and z."""

    def set_thread_count(
        self,
        x: SupportsIndex,
        y: SupportsIndex = 1,
        z: SupportsIndex = 1,
    ) -> None:
        """Starts at least this many invocations: the counts divided by local_size, rounded up."""

    def is_init(self) -> bool:
        """True once there is a shader, and until destroy()."""

    def destroy(self) -> None:
        """Lets go of shader and memory. What is recorded or runs keeps what it needs."""

    def __repr__(self) -> str: ...

class OpBase:
    """An operation that a sequence records. Derive from it to make one out of others:
    define record(), and where wanted accesses(), pre_eval() and post_eval().
    """

    def __init__(self) -> None: ...

    def record(self) -> collections.abc.Iterable[OpBase]:
        """The operations that this one consists of, in order. Called when a sequence records
        this operation, and by Sequence.rerecord. May be a generator.
        """

    def accesses(self) -> collections.abc.Iterable[tuple[Memory, str]] | None:
        """Memory that shaders reach beyond what they declare, for instance by addresses: pairs
        of a tensor or image and "r", "w" or "rw".
        """

    def pre_eval(self) -> None:
        """Called on the host before each submission."""

    def post_eval(self) -> None:
        """Called on the host after each evaluation that was waited for."""

class Sequence:
    """Records operations and evaluates them, waiting or not. Made by Manager.sequence."""

    def record(self, op: OpBase) -> Sequence:
        """Appends an operation. After an evaluation the first record() starts a new recording."""

    def eval(self, op: OpBase | None = None) -> Sequence:
        """Submits what is recorded (or replaces it by one operation first) and waits for it.
        Other threads run meanwhile; Ctrl-C raises KeyboardInterrupt and leaves the sequence
        running.
        """

    def eval_async(
        self,
        op: OpBase | None = None,
        wait_for: collections.abc.Iterable[Event] = (),
    ) -> Sequence:
        """Submits what is recorded (or replaces it by one operation first) and returns. The
        work starts when all events of `wait_for` are done. Wait with eval_await() or
        `await`.
        """

    def eval_await(self, wait: int | None = None) -> Sequence:
        """Waits for eval_async(). When `wait` nanoseconds are over first, is_running() becomes
        False and the sequence can be used again at once; the work goes on.
        """

    def begin(self) -> Sequence:
        """Starts a recording; nothing where one is on. record() does it by itself."""

    def end(self) -> Sequence:
        """Ends the recording. eval_async() does it by itself."""

    def clear(self) -> Sequence:
        """Forgets the operations and ends the recording. What was recorded can still be
        evaluated, without the hooks of its operations.
        """

    def rerecord(self) -> Sequence:
        """Records the same operations again, for instance after Algorithm.rebuild."""

    def is_recording(self) -> bool:
        """True from the first record(), or begin(), until end() or an evaluation."""

    def is_running(self) -> bool:
        """True from eval_async() until it was waited for."""

    def is_init(self) -> bool:
        """False once this sequence or its manager was destroyed."""

    def get_timestamps(self) -> list[int]:
        """Device times of the last evaluation, in ticks: one at its start and one after each
        operation. For sequences made with total_timestamps.
        """

    def get_timestamps_ns(self) -> list[int]:
        """get_timestamps() in nanoseconds."""

    def event(self) -> Event:
        """The last submission, to be waited for anywhere."""

    def destroy(self) -> None:
        """Waits for what runs, and lets go of everything. A second call does nothing."""

    @property
    def _manager(self) -> Manager: ...

    def __enter__(self) -> Self: ...

    def __exit__(self, *args: object) -> None: ...

    def __await__(self) -> collections.abc.Generator[Any, None, Sequence]: ...

    def __repr__(self) -> str: ...

    def record_tensor_create(
        self,
        tensors: collections.abc.Sequence[Memory],
        *args: Any,
        **kwargs: Any,
    ) -> Sequence:
        """Tensors exist from the start today; what is left is to copy what they hold. The old
        spelling; see kp._early.
        """

    def record_tensor_copy(
        self,
        tensors: collections.abc.Sequence[Memory],
        *args: Any,
        **kwargs: Any,
    ) -> Sequence:
        """Copies the first tensor to the others. The old spelling; see kp._early."""

    def record_tensor_sync_device(
        self,
        tensors: collections.abc.Sequence[Memory],
        *args: Any,
        **kwargs: Any,
    ) -> Sequence:
        """Copies what the host sees of the tensors to the device. The old spelling; see
        kp._early.
        """

    def record_tensor_sync_local(
        self,
        tensors: collections.abc.Sequence[Memory],
        *args: Any,
        **kwargs: Any,
    ) -> Sequence:
        """Copies the tensors from the device to what the host sees. The old spelling; see
        kp._early.
        """

    def record_algo_mult(
        self,
        tensors: collections.abc.Sequence[Memory],
        *args: Any,
        **kwargs: Any,
    ) -> Sequence:
        """Multiplies the first two tensors into the third. The old spelling; see kp._early."""

    def record_algo_file(
        self,
        tensors: collections.abc.Sequence[Memory],
        *args: Any,
        **kwargs: Any,
    ) -> Sequence:
        """Runs the shader in a file: SPIR-V (.spv) or source. The old spelling; see kp._early."""

    def record_algo_data(
        self,
        tensors: collections.abc.Sequence[Memory],
        *args: Any,
        **kwargs: Any,
    ) -> Sequence:
        """Runs a shader: SPIR-V bytes or source text, with specialization constants. The old
        spelling; see kp._early.
        """

class Event:
    """A point in the work of a device, or of the host. Launchers, copies, queues and
    Sequence.event give them; wait_for takes them, done or not.
    """

    def __init__(self) -> None:
        """An event that is done already."""

    @property
    def done(self) -> bool:
        """True once the work is over, done or failed. Never waits."""

    @property
    def status(self) -> EventStatus:
        """How far the work has come. Never waits."""

    @property
    def profile(self) -> EventProfile | None:
        """When it ran; None until it is done, where it failed, and where its queue did not
        profile it. Device times of one device compare with each other. Never waits.
        """

    @property
    def value(self) -> int:
        """The queue's count at this point; 0 for what the device was not given."""

    @property
    def queue_name(self) -> str:
        """Name of the kp.Queue it was launched on; empty where there is none."""

    def wait(self, timeout: SupportsFloat | None = None) -> bool:
        """Waits until the work is done, or `timeout` seconds are over; says which. Raises what
        made it fail: for a host function, what that raised.
        """

    def _call_when_over(self, function: collections.abc.Callable[..., object]) -> None:
        """Calls a function in a thread of the library once the event is over."""

    def __await__(self) -> collections.abc.Generator[Any, None, None]: ...

    def __repr__(self) -> str: ...

class UserEvent(Event):
    """An event that the host signals: what waits for it starts when set() is called.
    Where it is gone without set() or fail(), it fails.
    """

    def __init__(self) -> None: ...

    def set(self) -> None:
        """Signals it. What waits for it is started in this call."""

    def fail(self, error: BaseException | type[BaseException]) -> None:
        """Fails it with an exception, and with it all that waits for it."""

class Queue:
    """A line of work of a device: launches go to it, events come from it. Made by
    Manager.queue.
    """

    @property
    def index(self) -> int:
        """As asked for."""

    @property
    def name(self) -> str:
        """"queue 2", with " (virtual, on queue 0)" where it is."""

    @property
    def in_order(self) -> bool:
        """Whether each launch comes after all before it."""

    @property
    def is_virtual(self) -> bool:
        """Whether it shares the device's queue with that of another index."""

    @property
    def device_name(self) -> str:
        """Name of its device."""

    @property
    def queue_family(self) -> int:
        """Vulkan's index of its queue family."""

    @property
    def profiling(self) -> bool:
        """Whether launches are timed; False also where the device cannot."""

    def set_profiling(self, profiling: bool) -> None:
        """Switches timing for launches from now on."""

    def barrier(self, wait_for: _Events = None) -> Event:
        """An event that is done when all launched on this queue so far, and all of `wait_for`,
        is done. Later launches of this queue come after it.
        """

    def host_function(
        self,
        function: collections.abc.Callable[..., object],
        wait_for: _Events = None,
    ) -> Event:
        """Calls a function in a thread of the library when all of `wait_for` (and, in an
        in-order queue, everything before) is done. What it raises is raised in those who
        wait for the event. It must not wait for what comes after it.
        """

    def finish(self) -> None:
        """Waits for everything launched on this queue so far. Failures are left to those who
        hold the events.
        """

    def __repr__(self) -> str: ...

class OpSyncDevice(OpBase):
    """Copies the host view of device memory to the device. Nothing for other memory types."""

    def __init__(self, tensors: collections.abc.Iterable[Memory]) -> None: ...

class OpSyncLocal(OpBase):
    """Copies device memory to its host view. Nothing for other memory types."""

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
        """`push_consts` are those of this dispatch alone: a list (float32), a number, a NumPy
        array or structure, or a dict by name. `group_counts` is a tensor that holds the work
        groups in x, y and z as uint32 when the dispatch runs, `offset` bytes from its start.
        """

    def record(self) -> collections.abc.Iterable[OpBase]:
        """The dispatch itself."""

class OpFill(OpBase):
    """Fills the device memory of tensors with one value."""

    def __init__(self, tensors: collections.abc.Iterable[Memory], value: Any) -> None: ...

class OpMult(OpBase):
    """Multiplies two float tensors element by element into a third."""

    def __init__(self, tensors: collections.abc.Iterable[Memory], algorithm: Algorithm) -> None: ...

class OpMemoryBarrier(OpBase):
    """A barrier placed by hand. Sequences place all that their operations need by themselves."""

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
    """How far the work behind an event has come.

    queued: it waits on the host for something else. submitted: the
    device has it, or the host function runs. complete: done.
    error: it failed or could not be started; wait() says why.
    """

    queued = 0
    submitted = 1
    complete = 2
    error = 3

class EventProfile:
    """When profiled work ran, in nanoseconds."""

    @property
    def start(self) -> int:
        """Of the device's clock; see Event.profile."""

    @property
    def end(self) -> int:
        """Of the device's clock."""

    @property
    def queued(self) -> int:
        """Of the host's clock (time.monotonic_ns on Linux): the call."""

    @property
    def submitted(self) -> int:
        """Of the host's clock: the device was given it."""

    @property
    def duration(self) -> int:
        """From start to end."""

    def __repr__(self) -> str: ...

def wait_all(events: collections.abc.Iterable[Event], timeout: SupportsFloat | None = None) -> bool:
    """Waits until all are done, or `timeout` seconds are over; says which. Once all are
    over, raises the first failure in the order of the list.
    """

def wait_any(
    events: collections.abc.Iterable[Event],
    timeout: SupportsFloat | None = None,
) -> int | None:
    """Waits until one is done; gives its place in the list, or None where `timeout`
    seconds were over first. Raises where the first that is over failed.
    """

def eval_all(sequences: collections.abc.Iterable[Sequence]) -> None:
    """Evaluates several sequences at the price of one submission, and waits for all.
    They are ordered as if evaluated one after the other.
    """

def list_devices() -> list[dict[str, Any]]:
    """The devices of this machine, in the driver's order, as a list of dicts."""

class KernelStatistics:
    """Times of the runs of one kernel, in nanoseconds. Two of them add up to
    what one that saw all runs would say; they compare by mean.
    """

    def __init__(self) -> None: ...

    def add(self, nanoseconds: SupportsIndex, bytes: SupportsIndex = 0) -> None:
        """Adds a run."""

    @property
    def count(self) -> int:
        """Runs that were timed."""

    @property
    def nruns(self) -> int:
        """The same."""

    @property
    def unprofiled(self) -> int:
        """Runs that were not timed."""

    @property
    def total(self) -> int:
        """Sum of all runs."""

    @property
    def min(self) -> int:
        """The shortest; 0 without runs."""

    @property
    def max(self) -> int:
        """The longest."""

    @property
    def mean(self) -> float:
        """Total divided by count."""

    @property
    def variance(self) -> float:
        """Of the runs themselves."""

    @property
    def stddev(self) -> float:
        """Square root of the variance."""

    @property
    def median(self) -> float:
        """Of a bounded number of samples, as percentile()."""

    def percentile(self, percent: SupportsFloat) -> float:
        """`percent` is 0 to 100."""

    @property
    def bytes(self) -> int:
        """Moved, for copies and fills."""

    @property
    def bytes_per_second(self) -> float:
        """0 where nothing was copied."""

    def __add__(self, arg0: KernelStatistics, /) -> KernelStatistics: ...

    def __iadd__(self, arg0: KernelStatistics, /) -> Self: ...

    def __lt__(self, arg0: KernelStatistics, /) -> bool: ...

    def __str__(self) -> str: ...

    def __repr__(self) -> str: ...

def to_table(statistics: collections.abc.Mapping[str, KernelStatistics]) -> str:
    """A table with one line for each name, the longest total first. `statistics` is what
    KernelListLauncher.statistics gives.
    """

class TimingSink:
    """Is told of each profiled launch once its times are known."""

class FunctionProfiler(TimingSink):
    """Adds up the times of one function: `profiler += seconds`, or as the `profiler` of
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
        """How often."""

    def __iadd__(self, arg0: SupportsFloat, /) -> Self: ...

    def __str__(self) -> str: ...

class TraceOptions:
    """Which launches are traced and profiled."""

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
        """Launches are printed (KP_TRACE_KERNELS)."""

    @property
    def no_copy(self) -> bool:
        """Not those whose message begins "enqueue_copy" (KP_TRACE_NOCOPY)."""

    @property
    def no_accumulate(self) -> bool:
        """Not those with "add<" in their message (KP_TRACE_NOACCUMULATE)."""

    @property
    def profile_kernels(self) -> bool:
        """profile_kernel() does something (KP_PROFILE_KERNELS)."""

    @property
    def filter(self) -> str:
        """Comma-separated globs of messages; with ! in front: those not
        (KP_TRACE_FILTER).
        """

def trace_options() -> TraceOptions:
    """The options in force; at first those of the environment."""

def set_trace_options(options: TraceOptions) -> None:
    """Puts other options in force."""

def trace_options_from_environment() -> TraceOptions:
    """What the environment variables say now."""

def set_trace_output(output: collections.abc.Callable[[str], object] | None) -> None:
    """What is called with each line of the trace; None writes to the C library's
    standard output.
    """

def should_trace_kernel(kernel_msg: str) -> bool:
    """Whether a launch with this message is printed."""

def trace_kernel(kernel_msg: str) -> None:
    """Prints the message where should_trace_kernel() says so."""

def should_profile_kernel(kernel_msg: str) -> bool:
    """Whether profile_kernel() does something for this message."""

class Kernel:
    """A shader that launchers are made of; they do not disturb each
    other's arguments.
    """

    def __init__(self, manager: Manager, shader: _Shader) -> None: ...

class Launcher:
    """Something that is launched on a queue. A call returns at
    once, with an event.
    """

    def __init__(self, name: str, profiler: TimingSink | None = None) -> None: ...

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Launches and returns the event. Classes of one's own define it, with the keywords
        queue and wait_for and their parameters.
        """

    @property
    def name(self) -> str:
        """Its name in errors, trace and statistics."""

    def global_size_configured(self) -> bool:
        """Whether a call needs no global size."""

    def parameters(self) -> dict[str, str]:
        """Names and types of the parameters that calls take."""

    @property
    def events(self) -> list[Event]:
        """Profiled launches since `statistics` was read last, and those unfinished then."""

    @property
    def statistics(self) -> KernelStatistics:
        """Times of all profiled runs that are done by now. Never waits; what is unfinished
        stays in `events` and counts the next time.
        """

    def clear_statistics(self) -> None:
        """Starts anew, without the events so far."""

    def _register_event(self, event: Event) -> None:
        """Adds an event to `events`; for launchers of one's own."""

    def __repr__(self) -> str: ...

class HostLauncher(Launcher):
    """A Python function among kernels. It runs on a thread of the library when everything
    before it is done, and what comes after waits for it. What it raises is raised in those
    who wait for the event, and fails what depends on it.
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
        wait_for: collections.abc.Iterable[Event | None] | Event | None = None,
        **parameters: Any,
    ) -> Event:
        """Launches and returns at once."""

class KernelLauncher(Launcher):
    """A kernel with arguments that are all known. `kernel` is an Algorithm, a Kernel, SPIR-V,
    GLSL or a path. `args_list` has all arguments by position, or pairs of an index or a name
    and a value: bindings in ascending order, then push constants by offset, then
    specialization constants by id. Sizes count work items.
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
        """Raises InvalidArgument where a value does not fit the argument with this index; the
        message names launcher, argument, position, expected and given. Where a class of
        one's own defines it, it is called with each parameter before that is set.
        """

    def as_list_launcher(self, name: str) -> KernelListLauncher:
        """A KernelListLauncher that holds this launcher."""

    @property
    def kernel(self) -> Any:
        """As given."""

    @property
    def args_list(self) -> Any:
        """As given."""

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
        wait_for: collections.abc.Iterable[Event | None] | Event | None = None,
        global_work_size: collections.abc.Sequence[int] | int | None = None,
        local_work_size: collections.abc.Sequence[int] | int | None = None,
        **parameters: Any,
    ) -> Event:
        """Launches and returns at once. What is not given is the launcher's default."""

class ParametrizedKernelLauncher(KernelLauncher):
    """A kernel some of whose arguments are given by name with each call. `parameters_map` is
    name -> index, name in the shader, or (index, type).
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
    ) -> None: ...

    @property
    def parameters_map(self) -> Any:
        """As given."""

    def __call__(
        self,
        queue: Queue | None = None,
        wait_for: collections.abc.Iterable[Event | None] | Event | None = None,
        global_work_size: collections.abc.Sequence[int] | int | None = None,
        local_work_size: collections.abc.Sequence[int] | int | None = None,
        **parameters: Any,
    ) -> Event:
        """Launches and returns at once. What is not given is the launcher's default."""

class IterativeKernelLauncher(ParametrizedKernelLauncher):
    """Launches its kernel once for each value of its iterated parameters, in one submission.
    `iterated_parameters` is name -> ParameterGenerator; `mode` is "product" (the first
    changes slowest) or "zip".
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
        wait_for: collections.abc.Iterable[Event | None] | Event | None = None,
        enqueue_barrier: bool = True,
        global_work_size: collections.abc.Sequence[int] | int | None = None,
        local_work_size: collections.abc.Sequence[int] | int | None = None,
        **parameters: Any,
    ) -> Event | None:
        """Launches the kernel once for each value, in one submission. An out-of-order queue gets a
        barrier afterwards unless `enqueue_barrier` is False; then there is no event.
        """

class CopyLauncher(Launcher):
    """Copies between tensors, or between a tensor and an array, which is kept alive
    until the copy is done. Images are copied whole. Offsets and counts are bytes.
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
        wait_for: collections.abc.Iterable[Event | None] | Event | None = None,
        **parameters: Any,
    ) -> Event:
        """Launches and returns at once."""

class FillLauncher(Launcher):
    """Fills a tensor, or a range of bytes of it, with one number."""

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
        wait_for: collections.abc.Iterable[Event | None] | Event | None = None,
        **parameters: Any,
    ) -> Event:
        """Launches and returns at once."""

class KernelListLauncher:
    """Launchers that run one after the other on the queue given with the call, in one
    submission. Host launchers, and copies of arrays, split it; the call returns at once all
    the same.
    """

    def __init__(self, name: str, profiler: TimingSink | None = None) -> None: ...

    def push_kernels(self, *args: object) -> Self:
        """Appends launchers, and those of lists; None is ignored. Gives the list."""

    def __iadd__(self, launcher: _Pushed) -> Self:
        """push_kernels() of one."""

    @property
    def name(self) -> str:
        """As given."""

    @property
    def launchers(self) -> list[Launcher]:
        """What was pushed, lists taken apart."""

    def __len__(self) -> int: ...

    @property
    def parameters(self) -> dict[str, tuple[str, list[str]]]:
        """Name -> (type, names of the launchers that take it)."""

    @property
    def events(self) -> list[Event]:
        """Profiled launches of this list since `statistics` was read last, and those
        unfinished then.
        """

    @property
    def statistics(self) -> dict[str, KernelStatistics]:
        """Times of the profiled runs that are done, by launcher name. Never waits."""

    def clear_statistics(self) -> None:
        """Starts anew, without the events so far."""

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
        """Appends a copy from an array, as it is when the copy runs."""

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
        wait_for: collections.abc.Iterable[Event | None] | Event | None = None,
        **parameters: Any,
    ) -> Event:
        """Launches everything on the queue, in order; only the first waits for `wait_for`. An empty
        list waits for them itself. Returns at once, with the event of the last.
        """

class HostImport:
    """Memory of an array that the device was told of; see
    Manager.import_host. Ends with close(), a `with` block, or itself.
    """

    @property
    def imported(self) -> bool:
        """True where the device copies from and to the memory directly."""

    @property
    def reason(self) -> str:
        """Why it does not; empty where it does."""

    def close(self) -> None:
        """Lets go of the memory, after the transfers that use it. A second call does nothing."""

    def __enter__(self) -> Self: ...

    def __exit__(self, *args: object) -> None: ...

def compile(
    source_or_path: _Path,
    *,
    includes: collections.abc.Iterable[_Path] = (),
    defines: collections.abc.Mapping[str, Any] | None = None,
    entry_point: str = "main",
    language: str = "",
    file_name: str = "",
    debug_info: bool = False,
) -> bytes:
    """Compiles a compute shader to SPIR-V, for Vulkan 1.1.

    `source_or_path` is source text, or a path: an os.PathLike, or one line of text that ends
    in .comp, .glsl, .hlsl or .spv. `includes` are folders searched for #include, `defines` is
    a dict of macros, `language` is "glsl" or "hlsl" (where it is left out, .hlsl files are
    HLSL and all else is GLSL), `file_name` names the source in errors, and `debug_info` keeps
    names and lines for debuggers.

    ShaderError says line and column, and shows the line.
    """

def _reflect(shader: _Shader, entry_point: str) -> dict[str, Any]: ...

class TunableKernel:
    """A shader with what may be chosen about it: its work-group size,
    specialization constants, variants, and whatever a factory makes of a
    configuration. A configuration is a dict with a value for each parameter.
    """

    def __init__(self, name: str, spirv: _Shader | None = None) -> None:
        """`name` names the kernel in messages and in the cache. `spirv` is SPIR-V, source text
        or a path; without it, use variant() or factory().
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
        """Numbers or texts of whatever meaning, for factories, constraints and work-group rules."""

    def specialization(
        self,
        id: SupportsIndex,
        name: str,
        values: collections.abc.Iterable[int | float],
    ) -> TunableKernel:
        """The specialization constant with constant_id `id`."""

    def local_size(self, x: _Extent, y: _Extent = 1, z: _Extent = 1) -> TunableKernel:
        """Work-group sizes, every x with every y with every z: the parameters local_size_x and
        so on. The shader has them as specialization constants, or a factory writes them in.
        """

    def variant(self, name: str, spirv: _Shader) -> TunableKernel:
        """One of several shaders that do the same; `name` is a value of the parameter variant."""

    def factory(
        self,
        function: collections.abc.Callable[[dict[str, Any]], _Shader],
        key: str = "",
    ) -> TunableKernel:
        """`function` makes SPIR-V or source text of a configuration. A kp.ShaderError that it
        raises leaves the configuration out. With a `key`, which changes when the function
        does, known configurations are not compiled at all.
        """

    def constraint(
        self,
        description: str,
        predicate: collections.abc.Callable[[dict[str, Any]], Any],
    ) -> TunableKernel:
        """Leaves out configurations for which `predicate` is false, before anything is compiled."""

    def workgroups(
        self,
        rule: collections.abc.Callable[[dict[str, Any]], _Extent],
    ) -> TunableKernel:
        """Work groups of a configuration, one to three numbers, where they are not the
        invocations divided by the local size.
        """

    def __repr__(self) -> str: ...

class TuningArguments:
    """The memory and numbers that a kernel is tuned with. What it writes is put
    back after tuning.
    """

    def __init__(
        self,
        tensors: collections.abc.Iterable[Memory],
        thread_count: _Extent | None = None,
        push_consts: ArrayLike = (),
    ) -> None:
        """`tensors` are for bindings 0, 1, ...; `thread_count` are the invocations, and the size
        of the problem unless problem() says otherwise.
        """

    def problem(self, size: _Extent) -> TuningArguments:
        """Size of the problem: what the cache tells problems apart by, and measures nearness
        with.
        """

    def key(self, text: str) -> TuningArguments:
        """Whatever else makes times differ, such as "float16"."""

    def reset_to_zero(self, tensor: Memory) -> TuningArguments:
        """Fills it with zeros before every run."""

    def leave(self, tensor: Memory) -> TuningArguments:
        """Leaves it as runs leave it, which saves a copy of it."""

    def expect(
        self,
        tensor: Memory,
        values: ArrayLike,
        relative: SupportsFloat = 0.0001,
        absolute: SupportsFloat = 1e-06,
    ) -> TuningArguments:
        """Refuses configurations that do not write `values`, which are of the tensor's dtype.
        Integers must be equal, other numbers within absolute + relative x |value|.
        """

    def verify(
        self,
        function: collections.abc.Callable[[dict[str, Any]], bool | str | None],
    ) -> TuningArguments:
        """Refuses configurations for which `function` gives False, or text that says what is
        wrong. It may read() what they wrote, and changes nothing.
        """

    def __repr__(self) -> str: ...

class TuningRecord:
    """What is known of one configuration."""

    @property
    def configuration(self) -> dict[str, Any]:
        """A value for each parameter."""

    @property
    def status(self) -> str:
        """"measured", "wrong" (its results were refused), "failed" or "skipped"."""

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
        """True where nothing was run for it."""

    def __repr__(self) -> str: ...

class TuningProgress:
    """What tuning is doing."""

    @property
    def kernel(self) -> str:
        """Name of the kernel."""

    @property
    def round(self) -> int:
        """Which round of how many, from 1 on."""

    @property
    def rounds(self) -> int:
        """Rounds there are at most."""

    @property
    def done(self) -> int:
        """Configurations of the round that are done."""

    @property
    def total(self) -> int:
        """Configurations of the round."""

    @property
    def configuration(self) -> dict[str, Any]:
        """The last one that was run."""

    @property
    def nanoseconds(self) -> float:
        """Its time; 0 where it was refused."""

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
        """Seconds there are; 0: no bound."""

class TuningResult:
    """The fastest configuration."""

    @property
    def configuration(self) -> dict[str, Any]:
        """A value for each parameter."""

    @property
    def nanoseconds(self) -> float:
        """Its time; 0 where it was not measured for this size."""

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
        """"measured", "cache", "nearest" (the nearest known problem size) or
        "estimate".
        """

    @property
    def benchmarks(self) -> int:
        """Timed runs of this call."""

    @property
    def configurations(self) -> int:
        """Configurations before constraints and limits."""

    @property
    def constrained(self) -> int:
        """Configurations that constraints left out."""

    @property
    def pruned(self) -> int:
        """Configurations that limits of the device left out."""

    @property
    def stopped(self) -> bool:
        """True where the budget or the progress function ended it."""

    @property
    def seconds(self) -> float:
        """How long it took."""

    @property
    def records(self) -> list[TuningRecord]:
        """What is known of each configuration, fastest first."""

    def __repr__(self) -> str: ...

class Autotuner:
    """Finds the fastest configuration of a kernel on a device, and
    remembers it on disk.
    """

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
        """`effort` is "estimate" (runs nothing), "measure", "patient" or
        "exhaustive"; `budget` a bound in seconds for each call, 0 for none; `time`
        "auto", "device" or "host"; `cache_folder` where times are kept ("off":
        nowhere, "": where the manager keeps pipelines). `progress` is True for a bar, or a
        function that takes a TuningProgress and ends tuning by giving False.
        """

    def tune(self, kernel: TunableKernel, arguments: TuningArguments) -> TuningResult:
        """The fastest configuration. Runs nothing where the cache knows everything. Memory is
        as before when it returns or raises. What functions of the kernel raise comes out.
        """

    def export_records(self, path: _Path) -> int:
        """Writes all times of this device to one file; gives their number."""

    def import_records(self, path: _Path) -> int:
        """Adds the times of an exported file; gives the number of new ones."""

    @property
    def cache_folder(self) -> str:
        """Where times are kept; "" where nothing is."""

class TunedAlgorithm:
    """A kernel that tunes itself at its first use, once per size of the problem."""

    def __init__(self, tuner: Autotuner, kernel: TunableKernel) -> None:
        """Tunes nothing yet."""

    def algorithm(self, arguments: TuningArguments) -> Algorithm:
        """A new algorithm of the fastest configuration, with the memory of the arguments. Tunes
        first where problem size and key are new.
        """

    def result(self, arguments: TuningArguments) -> TuningResult:
        """The result for these arguments, without an algorithm."""

    def is_tuned(self, arguments: TuningArguments) -> bool:
        """True where algorithm() would not tune."""

    def forget(self) -> None:
        """Forgets all results; the cache on disk stays."""

class ProfileEntry:
    """One line of a profiler's table."""

    @property
    def name(self) -> str:
        """Of the scope, kernel or copy."""

    @property
    def track(self) -> str:
        """"host", or device and queue."""

    @property
    def depth(self) -> int:
        """Scopes around it."""

    @property
    def count(self) -> int:
        """How often."""

    @property
    def total(self) -> int:
        """Nanoseconds together."""

    @property
    def min(self) -> int:
        """Nanoseconds of the shortest."""

    @property
    def max(self) -> int:
        """Nanoseconds of the longest."""

    @property
    def mean(self) -> float:
        """Nanoseconds on average."""

    @property
    def share(self) -> float:
        """Of the track's total, 0 to 1."""

    def __repr__(self) -> str: ...

class ProfilerScope:
    """A `with` block that is measured."""

    def __enter__(self) -> Self: ...

    def __exit__(self, *args: object) -> None: ...

class Profiler(TimingSink):
    """Collects where the time goes: nested scopes of host code, and launches on devices. Prints
    a table, and writes a trace for ui.perfetto.dev. Any thread may use it.
    """

    def __init__(self, name: str = "kompute", max_spans: SupportsIndex = 1000000) -> None:
        """`name` is that of the process in the trace, which keeps up to `max_spans` spans."""

    def now(self) -> int:
        """Nanoseconds of the clock of all host times here."""

    def scope(self, name: str) -> ProfilerScope:
        """Measures a `with` block, inside those that the same thread has open."""

    def name_thread(self, name: str) -> None:
        """The calling thread's track in the trace."""

    def add_host_span(self, name: str, start: SupportsIndex, end: SupportsIndex) -> None:
        """Host code that was measured elsewhere, in nanoseconds of now()."""

    def add_device_span(
        self,
        name: str,
        device: str,
        queue: str,
        start: SupportsIndex,
        end: SupportsIndex,
        submitted: SupportsIndex = 0,
    ) -> None:
        """Work of a device, in its nanoseconds (Sequence.get_timestamps_ns()), and when it was
        submitted, in those of now(), where that is known.
        """

    def calibrate(self, device: str, manager: Manager) -> bool:
        """Relates the clock of the manager's device, called `device`, to the host's; False where
        the device cannot.
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
        """Spans that the trace has."""

    @property
    def dropped_spans(self) -> int:
        """Spans that were too many for the trace; the table has them."""

    def merge(self, other: Profiler) -> None:
        """Adds what another profiler collected."""

    def clear(self) -> None:
        """Forgets everything but open scopes."""

class ExternalMemory:
    """Device memory that another Vulkan device can open: one of another process, of another
    library, or another logical device of the same GPU. Made by Tensor.export_memory(), or
    of the numbers that another process sent with its file descriptor. Owns the descriptor:
    close(), a `with` block, or its end closes it.
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
        """Bytes from its beginning to what is meant."""

    def fileno(self) -> int:
        """The file descriptor."""

    def detach(self) -> int:
        """Gives the file descriptor away: the caller closes it from now on."""

    def close(self) -> None:
        """Closes the file descriptor. Tensors that were made of it stay. A second call does
        nothing.
        """

    def __enter__(self) -> Self: ...

    def __exit__(self, *args: object) -> None: ...

    def __repr__(self) -> str: ...

class GroupLimits:
    """What holds on every device of a group: the least of each limit."""

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
        """Of the smallest device."""

    @property
    def timestamps_supported(self) -> bool:
        """Whether all devices have timestamps."""

    def __repr__(self) -> str: ...

class DeviceGroup:
    """Several devices as one: a Manager for each, and their queues in one row.

    `group[i]` is the Manager of a device, and `group.queue(i)` one of the queues of all
    devices. Buffers and kernels of a group keep its devices.
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
        cache_folder: str = "",
        timeline_semaphores: bool = True,
    ) -> None:
        """Without arguments: every GPU, or what the environment variable KOMPUTE_DEVICE names,
        or else the software driver.

        `device_ids` are places in list_devices(); the same place twice gives two logical
        devices on one physical one. `queue_counts` is the number of queues of each device,
        or one number for all; `queue_families` has for each device a list with the family
        of each queue instead. `exchange` forces the way data travel between devices, for
        tests: see exchange_path(). The rest is as for Manager.
        """

    def __len__(self) -> int: ...

    def __getitem__(self, arg0: SupportsIndex, /) -> Manager: ...

    def __iter__(self) -> collections.abc.Iterator[Manager]: ...

    @property
    def device_ids(self) -> list[int]:
        """Place of each device in list_devices()."""

    @property
    def queues(self) -> tuple[Queue, ...]:
        """The queues of all devices: those of the first, of the second, and so on."""

    @property
    def queue_count(self) -> int:
        """Number of queues of all devices together."""

    def queue(self, index: SupportsIndex) -> Queue:
        """One of the queues."""

    def device_of_queue(self, index: SupportsIndex | None) -> int:
        """Which device of the group a queue belongs to."""

    def first_queue_of(self, device: SupportsIndex) -> int:
        """The index of the first queue of a device."""

    @property
    def limits(self) -> GroupLimits:
        """What holds on every device."""

    def exchange_path(self, source: SupportsIndex, destination: SupportsIndex) -> str | None:
        """How data travel between two devices: "shared" (memory that both have open),
        "peer" (from GPU to GPU, past the host), "host" (both reach the same host memory)
        or "staging" (the host copies between the two). None within one device.
        """

    def for_each(
        self,
        function: collections.abc.Callable[[Manager, int, list[Event]], Event | None],
        target: _Target = "all",
        wait_for: _Events = None,
    ) -> list[Event]:
        """Calls `function(manager, queue_index, wait_for)` for each device that `target`
        chooses, exactly once each, in this thread; it gives an Event, or None where nothing
        is left to wait for. `target` is "all", "any" (the device with the least to do) or
        the index of a queue.

        What the first call raises is raised. What a later one raises fails the event of its
        device, since the others are on their way. Gives an event for each device chosen.
        """

    def _launch_algorithms(
        self,
        algorithms: collections.abc.Sequence[Algorithm],
        target: _Target,
        wait_for: _Events,
    ) -> list[Event]:
        """launch() of algorithms."""

    def wait_idle(self) -> None:
        """Waits until every device has done everything it was given, and everything on the
        group's queues is over.
        """

    def is_init(self) -> bool:
        """False after destroy()."""

    def destroy(self) -> None:
        """Destroys everything that the group's managers made, after the work that uses it. A
        second call does nothing.
        """

    def __enter__(self) -> Self: ...

    def __exit__(self, *args: object) -> None: ...

    def __repr__(self) -> str: ...

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
    ) -> GroupKernel:
        """A kernel on every device. `shader` is SPIR-V, GLSL or a path. `args` has all arguments
        by position, or pairs of an index or a name and a value, or a dict of those: buffers of
        this group, and values as launchers take them. `global_work_size` counts work items: a
        number or up to three, the same for each device, or a function that gives them for a
        kp.Shard; without, the elements of the shard. `parameters_map` is name -> index, name in
        the shader or (index, type) of what is given with each call, or just names.

        Push constants kp_shard_index, kp_shard_count, kp_shard_offset, kp_shard_shape and
        kp_whole_shape are given by the group, as far as the shader declares them.
        """

    def launch(
        self,
        what: GroupKernel | collections.abc.Sequence[Launcher | KernelListLauncher] | collections.abc.Sequence[Algorithm] | collections.abc.Callable[..., Event | None],
        wait_for: collections.abc.Iterable[Event | None] | Event | None = None,
        target: str | int = "all",
        **parameters: Any,
    ) -> list[Event]:
        """Launches something on the devices that `target` chooses, exactly once on each.

        `what` is a GroupKernel; a list with a launcher, a list of launchers or an algorithm for
        each device; or a function as for_each() takes it. Parameters go to it with each call.
        Errors as with for_each(). Gives an event for each device.
        """

class Shard:
    """The part of a buffer that one copy holds."""

    @property
    def index(self) -> int:
        """Its place among the copies."""

    @property
    def count(self) -> int:
        """Number of copies."""

    @property
    def offset(self) -> int:
        """Its first row in the whole buffer."""

    @property
    def shape(self) -> tuple[int, ...]:
        """Of this part."""

    @property
    def whole_shape(self) -> tuple[int, ...]:
        """Of the whole buffer."""

    @property
    def size(self) -> int:
        """Elements of this part."""

    def __repr__(self) -> str: ...

class Buffer:
    """An array of up to three dimensions on all devices of a group: a copy on each, or shared
    out among them by rows.

    An index is that of a queue of the group, and means the copy (or shard) that this
    queue's device has; with one queue for each device it is the device's number. What a
    buffer does comes after what was launched before on the queues of the copies it touches,
    and before what is launched there later. So a host function on such a queue must not call
    read() or write(), which would wait for its end; it uses tensor().
    """

    def __init__(
        self,
        shape: _Extent,
        dtype: DTypeLike | None = None,
        group: DeviceGroup | None = None,
        placement: str = "replicated",
        shard_rows: collections.abc.Iterable[SupportsIndex] | None = None,
        *,
        memory_type: MemoryTypes = MemoryTypes.storage,
    ) -> None:
        """`shape` is a number or up to three, none of them 0, with at most 2**30 elements.
        `dtype` is one of NumPy's (float32 where it is not given; structs and sub-arrays,
        too) or the name of a vector or matrix of GLSL: "vec3", "ivec2", "mat4".
        Elements lie one after the other without padding. `group` is default_group() where
        it is not given.

        `placement` is "replicated" (a whole copy on each device), "replicated_by_queue"
        (one for each queue) or "sharded" (each device has some of the rows); `shard_rows`
        are the rows of each device then, as even as can be where they are not given.
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
        """A buffer around tensors that exist: one for each copy, of the group's devices
        in their order; None where a shard has no rows. `writable=False` refuses
        everything that would change them.
        """

    @property
    def shape(self) -> tuple[int, ...]:
        """Extents of the whole buffer."""

    @property
    def dtype(self) -> np.dtype[Any]:
        """What an element is; a sub-array where that is a vector or a matrix."""

    @property
    def size(self) -> int:
        """Elements of the whole buffer."""

    @property
    def mem_size(self) -> int:
        """Bytes of all elements, once."""

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
        """False where write(), collectives and kernels that would change it are refused."""

    @property
    def shards(self) -> list[Shard]:
        """What each copy holds."""

    def shard(self, index: SupportsIndex) -> Shard:
        """What the copy of a queue's device holds."""

    def copy_of(self, index: SupportsIndex) -> int:
        """Which copy the index of a queue means."""

    def tensor(self, index: SupportsIndex = 0) -> Tensor:
        """The memory of a copy: an ordinary Tensor of that device, of the numbers that the
        elements consist of (bytes, for structs).
        """

    def read(
        self,
        index: SupportsIndex | None = None,
        *,
        start: SupportsIndex | None = None,
        stop: SupportsIndex | None = None,
        out: NDArray[Any] | None = None,
    ) -> NDArray[Any]:
        """Copies to a new array, or to `out`, and waits for it.

        With an index: its copy or shard. Without: all copies, one after the other along a
        new first axis; where the buffer is sharded, the whole array. Axes of vectors and
        matrices come last. `start` and `stop` are rows (of the first axis) of what is read.
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
        """read() that does not wait: gives the array, and the events after which it is filled."""

    def write(
        self,
        data: _Data,
        index: SupportsIndex | None = None,
        *,
        start: SupportsIndex | None = None,
    ) -> None:
        """Copies from host memory, which may be used again when the call is back.

        With an index: to its copy or shard. Without: to every copy; where the buffer is
        sharded, to the shards. Arrays have the buffer's dtype and number of bytes; bytes,
        bytearray and memoryview may be shorter; lists are converted. `start` is the row (of
        the first axis) that the data begin at; arrays may be of fewer rows then.
        """

    def write_async(
        self,
        data: _Data,
        index: SupportsIndex | None = None,
        *,
        start: SupportsIndex | None = None,
        wait_for: _Events = None,
    ) -> list[Event]:
        """write() that does not wait. `data` is kept, and must not change, until the events
        that it gives are done.
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
        """Copies rows of the copy or shard `source` to `destination`, both indices; as many as
        both have where `rows` is not given.
        """

    def copy_to(self, destination: Buffer, wait_for: _Events = None) -> list[Event]:
        """Gives all of another buffer, however it is placed, the contents of this one. Of
        copies that are not equal, a device's own is taken where it has one, else the first.
        """

    def broadcast(self, root: SupportsIndex = 0, wait_for: _Events = None) -> list[Event]:
        """Every copy becomes equal to that of `root`."""

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
        """The copy of `root` becomes the sum of all copies, or what `op` says: "sum",
        "product", "min" or "max", number by number, in a fixed order.
        """

    def all_reduce(self, op: str = "sum", wait_for: _Events = None) -> list[Event]:
        """Every copy becomes the sum (or what `op` says) of all copies, with the same bits."""

    def reduce_scatter(
        self,
        destination: Buffer,
        op: str = "sum",
        wait_for: _Events = None,
    ) -> list[Event]:
        """Each shard of `destination` becomes the sum (or what `op` says) of its rows in all
        copies of this buffer.
        """

    def is_init(self) -> bool:
        """False after destroy()."""

    def destroy(self) -> None:
        """Frees the memory on every device, after the work that uses it. A second call does
        nothing.
        """

    def __enter__(self) -> Self: ...

    def __exit__(self, *args: object) -> None: ...

    def __repr__(self) -> str: ...

class GroupKernel:
    """A kernel on every device of a group, each working on its copy or shard of the buffers.
    Made by DeviceGroup.kernel.
    """

    def __call__(
        self,
        wait_for: _Events = None,
        target: _Target = "all",
        **kwargs: Any,
    ) -> list[Event]:
        """Launches it on the devices that `target` chooses ("all", "any" or the index of a
        queue), exactly once on each, and returns at once with an event for each of them.
        Parameters are given by name.
        """

    @property
    def name(self) -> str:
        """Its name in errors, trace and statistics."""

    @property
    def group(self) -> DeviceGroup:
        """Its devices."""

    def __repr__(self) -> str: ...

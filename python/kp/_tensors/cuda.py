# SPDX-License-Identifier: Apache-2.0
"""Arrays of CUDA: DLPack both ways, the CUDA array interface, and torch's memory pool.

docs/guides/interop.md is the users' page.
"""

from __future__ import annotations

import contextlib
import threading
import weakref
from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .. import _kp
from .._errors import InvalidArgument, Unsupported
from .._kp import Event, Manager, Tensor

CPU, CUDA, CUDA_HOST, CUDA_MANAGED = 1, 2, 3, 13

#: The default stream, by DLPack's numbers.
_LEGACY = 1

_KINDS = {0: "i", 1: "u", 2: "f", 5: "c", 6: "b"}
_BFLOAT16 = 4


# --- From kp to other libraries -----------------------------------------------------------------


def dlpack_device(tensor: Any) -> tuple[int, int]:
    """Return the DLPack device of a tensor or an image."""
    if isinstance(tensor, Tensor) and tensor.is_shared:
        return (CUDA, tensor.manager.cuda_device)
    device: tuple[int, int] = tensor.numpy().__dlpack_device__()
    return device


def dlpack(tensor: Any, **options: Any) -> Any:
    """Return a DLPack capsule of a tensor or an image."""
    if isinstance(tensor, Tensor) and tensor.is_shared:
        return shared_dlpack(tensor, tensor.shape, _row_major(tensor.shape), 0, **options)
    return tensor.numpy().__dlpack__(**options)


def host_dlpack(
    values: NDArray[Any], max_version: tuple[int, int] | None, copy: bool | None
) -> Any:
    """Return a capsule of a host array, of the version that the consumer knows.

    With `copy`, a versioned capsule says that it has a copy.
    """
    if max_version is None:
        return values.__dlpack__()
    try:
        return values.__dlpack__(max_version=max_version, copy=copy or None)
    except TypeError:  # NumPy before 2.1, which has capsules without a version
        return values.__dlpack__()


def shared_dlpack(
    tensor: Tensor,
    shape: tuple[int, ...],
    strides: tuple[int, ...],
    offset: int,
    *,
    stream: Any = None,
    max_version: tuple[int, int] | None = None,
    dl_device: tuple[int, int] | None = None,
    copy: bool | None = None,
) -> Any:
    """Return a capsule of a view of a shared tensor, in device memory unless `dl_device` differs."""
    here = (CUDA, tensor.manager.cuda_device)
    wanted = here if dl_device is None else (int(dl_device[0]), int(dl_device[1]))
    if wanted == (CPU, 0):
        if copy is False:
            raise BufferError("an array in device memory must be copied to become a host array")
        if stream is not None:
            raise ValueError("stream must be None for an array of the host")
        flat = tensor.read().reshape(-1)[offset:]
        steps = tuple(step * flat.itemsize for step in strides)
        values = np.lib.stride_tricks.as_strided(flat, shape, steps)
        return host_dlpack(np.array(values), max_version, copy)
    if wanted != here:
        raise BufferError(
            f"the array is on CUDA device {here[1]}; dl_device may be {here} or (1, 0), not {wanted}"
        )
    if copy:
        tensor = _copied(tensor)
    if stream is None:
        stream = _LEGACY
    elif stream == 0:
        raise ValueError("stream 0 is ambiguous: 1 is the default stream, 2 the thread's")
    if stream != -1:
        tensor.cuda_wait(stream)
    versioned = max_version is not None and int(max_version[0]) >= 1
    return tensor._cuda_dlpack(shape, strides, offset, versioned, copied=bool(copy))


def array_interface(tensor: Tensor) -> dict[str, Any]:
    """Return a shared tensor's __cuda_array_interface__, of version 3."""
    if not tensor.is_shared:
        raise AttributeError(
            "only shared tensors (Manager.shared_tensor) have a __cuda_array_interface__"
        )
    dtype = tensor.dtype
    if dtype.kind not in "iufcb":
        raise AttributeError(f"the CUDA array interface has no dtype {dtype}; use DLPack")
    stream = tensor.manager.cuda_stream
    tensor.cuda_wait(stream)
    return {
        "shape": tuple(tensor.shape),
        "typestr": dtype.str,
        "data": (tensor.cuda_address, False),
        "version": 3,
        "strides": None,
        "stream": stream,
    }


def _row_major(shape: tuple[int, ...]) -> tuple[int, ...]:
    strides: list[int] = []
    step = 1
    for extent in reversed(shape):
        strides.append(step)
        step *= max(extent, 1)
    return tuple(reversed(strides))


def _copied(tensor: Tensor) -> Tensor:
    made = tensor.manager.shared_tensor(tensor.shape, tensor.dtype)
    tensor.cuda_wait(tensor.manager.cuda_stream)
    tensor.manager._copy_from_cuda(made, tensor.cuda_address, tensor)
    return made


# --- From other libraries to kp -----------------------------------------------------------------


class Source:
    """An array of another library: its memory and its owner."""

    def __init__(
        self,
        address: int,
        device: tuple[int, int],
        dtype: np.dtype[Any],
        shape: tuple[int, ...],
        strides: tuple[int, ...] | None,
        read_only: bool,
        owner: Any,
    ) -> None:
        """Take the description in a capsule or an array interface. Strides count elements."""
        self.address = address
        self.device = device
        self.dtype = dtype
        self.shape = shape
        self.strides = _row_major(shape) if strides is None else strides
        self.read_only = read_only
        self.owner = owner

    @property
    def contiguous(self) -> bool:
        """Whether the elements are in C order without gaps."""
        return 0 in self.shape or all(
            extent == 1 or own == wanted
            for extent, own, wanted in zip(
                self.shape, self.strides, _row_major(self.shape), strict=True
            )
        )

    @property
    def span(self) -> int:
        """Elements from the first in memory to the last."""
        if 0 in self.shape:
            return 0
        return 1 + sum((n - 1) * s for n, s in zip(self.shape, self.strides, strict=True))


def _dtype_of(code: int, bits: int) -> np.dtype[Any]:
    if code == _BFLOAT16 and bits == 16:
        try:
            import ml_dtypes  # type: ignore[import-not-found, unused-ignore]
        except ImportError:
            raise BufferError(
                "NumPy has no bfloat16 without the package ml_dtypes; install it, or pass the bits: "
                "x.view(torch.uint16)"
            ) from None
        bfloat16: np.dtype[Any] = np.dtype(ml_dtypes.bfloat16)
        return bfloat16
    kind = _KINDS.get(code)
    if kind is None or bits % 8:
        raise BufferError(
            f"elements of DLPack's type code {code} with {bits} bits are not supported; convert "
            "the array to integers, floats, complex numbers or bool of whole bytes first"
        )
    return np.dtype(f"{kind}{bits // 8}")


def _device_of(x: Any) -> tuple[int, int] | None:
    if hasattr(x, "__dlpack_device__"):
        kind, number = x.__dlpack_device__()
        return (int(kind), int(number))
    return None


def is_cuda(x: Any) -> bool:
    """Return whether an array of another library is in CUDA's memory."""
    device = _device_of(x)
    if device is not None:
        return device[0] in (CUDA, CUDA_MANAGED)
    return hasattr(x, "__cuda_array_interface__")


def _capsule(x: Any, **options: Any) -> Any:
    try:
        return x.__dlpack__(max_version=(1, 0), **options)
    except TypeError:  # a library from before DLPack 1.0
        return x.__dlpack__(**options)


def _from_interface(x: Any, manager: Manager) -> tuple[Source, int | None]:
    given = x.__cuda_array_interface__
    dtype = np.dtype(given["typestr"])
    strides = given.get("strides")
    if strides is not None:
        if any(each % dtype.itemsize for each in strides):
            raise BufferError(
                f"strides of {tuple(strides)} bytes are not whole elements of {dtype.itemsize} "
                "bytes; copy the array to C order first"
            )
        strides = tuple(each // dtype.itemsize for each in strides)
    address, read_only = given["data"]
    source = Source(
        address,
        (CUDA, manager.cuda_device),
        dtype,
        tuple(given["shape"]),
        strides,
        bool(read_only),
        x,
    )
    return source, given.get("stream")


def cuda_tensor(x: Any, manager: Manager, copy: bool | None) -> tuple[Tensor, Source]:
    """Return a flat tensor with a CUDA array's memory, or a copy of it, and its layout.

    The tensor begins at the array's first element in memory. Later work that uses it waits for the
    work that the array's library has queued.
    """
    device = manager.cuda_device
    stream: Any = manager.cuda_stream
    found = _device_of(x)
    if found is None:
        source, stream = _from_interface(x, manager)
    else:
        if found[0] == CUDA and found[1] != device:
            raise InvalidArgument(
                f"the array is on CUDA device {found[1]}, but the manager's GPU is CUDA device "
                f"{device}; move it there (x.to('cuda:{device}')), or use a manager of its GPU "
                "(kp.Manager(uuid=...))"
            )
        capsule = _capsule(x, stream=stream)
        address, where, code, bits, shape, strides, read_only = _kp._read_dlpack(capsule)
        source = Source(
            address, where, _dtype_of(code, bits), shape, strides, read_only, (capsule, x)
        )
    if any(step < 0 for step in source.strides):
        raise BufferError("the array has negative strides; copy it to C order first")
    if source.span == 0:
        raise InvalidArgument("an array without elements has no memory to share; create one here")
    shared = None
    reason = "its memory is not shared with Vulkan (shared_tensor(), or kp.torch_pool)"
    if not copy:
        if source.read_only:
            reason = "it is read-only"
        else:
            try:
                shared = manager._tensor_at_cuda(
                    source.address, source.span, source.dtype, source.owner
                )
            except InvalidArgument as error:
                reason = str(error)
        if shared is not None:
            if stream is not None:
                shared.wait_for_cuda(stream)
            return shared, source
        if copy is False:
            raise BufferError(f"the array cannot be used in place: {reason}")
    if not source.contiguous:
        raise BufferError(
            "an array with gaps between its elements is not copied; make it contiguous first "
            "(x.contiguous(), cupy.ascontiguousarray(x))"
        )
    made = manager.shared_tensor((source.span,), source.dtype)
    if stream is not None and stream != manager.cuda_stream:
        manager.cuda_event(stream).cuda_wait(manager.cuda_stream)
    manager._copy_from_cuda(made, source.address, source.owner)
    return made, source


def tensor_from(x: Any, manager: Manager, copy: bool | None = None) -> Tensor:
    """Return a tensor at the memory of another library's array; see Manager.from_dlpack."""
    if isinstance(x, Tensor):
        if x.manager is manager and not copy:
            return x
        if not x.is_shared:
            raise InvalidArgument("the tensor belongs to another manager; create both with one")
    if is_cuda(x):
        made, source = cuda_tensor(x, manager, copy)
        if not source.contiguous:
            raise BufferError(
                "a tensor has no gaps between its elements; make the array contiguous first "
                "(x.contiguous()), or use kp.from_dlpack(), whose arrays have strides"
            )
        made._set_shape(source.shape)
        return made
    values = x if isinstance(x, np.ndarray) else np.from_dlpack(x)
    shared = host_tensor(values, manager, copy)
    return manager.tensor_t(values) if shared is None else shared


def host_tensor(values: NDArray[Any], manager: Manager, copy: bool | None) -> Tensor | None:
    """Return a tensor in the memory of a host array if copy=False, or None if it must be copied."""
    if copy is not False:
        return None
    try:
        return manager.tensor_over(values)
    except (ValueError, TypeError, Unsupported, InvalidArgument) as error:
        raise BufferError(f"the array cannot be used in place: {error}") from None


# --- Order ---------------------------------------------------------------------------------------


def has_streams(wait_for: Any) -> bool:
    """Return whether a wait_for argument, if it is a list or one object, has a CUDA stream."""
    items = wait_for if isinstance(wait_for, (list, tuple)) else [wait_for]
    return any(_is_stream(each) for each in items)


def events_of(manager: Manager, wait_for: Any) -> Any:
    """Return a wait_for argument with an event in place of each CUDA stream."""
    items = wait_for if isinstance(wait_for, (list, tuple)) else [wait_for]
    return [manager.cuda_event(each) if _is_stream(each) else each for each in items]


def _is_stream(each: Any) -> bool:
    return not isinstance(each, Event) and any(
        hasattr(each, name) for name in ("cuda_stream", "__cuda_stream__", "ptr", "handle")
    )


# --- torch's memory ------------------------------------------------------------------------------


class _TorchPools:
    """The torch.cuda.MemPools of one manager.

    torch lets one thread at a time allocate from a pool, and calls gradients in threads of its own,
    so each `with` block takes an unused pool.
    """

    def __init__(self, torch: Any, manager: Manager) -> None:
        self._torch = torch
        self.device = _kp._enable_cuda_pool(manager)
        self._allocator = torch.cuda.memory.CUDAPluggableAllocator(
            _kp.__file__, "kp_cuda_allocate", "kp_cuda_free"
        )
        self._idle: list[Any] = []
        self._lock = threading.Lock()
        self.current = threading.local()

    @contextlib.contextmanager
    def use(self) -> Iterator[Any]:
        inside = getattr(self.current, "pool", None)
        if inside is not None:
            yield inside
            return
        torch = self._torch
        with self._lock:
            pool = self._idle.pop() if self._idle else None
        with torch.cuda.device(self.device):
            if pool is None:
                pool = torch.cuda.MemPool(self._allocator.allocator())
            try:
                with torch.cuda.use_mem_pool(pool):
                    self.current.pool = pool
                    yield pool
            finally:
                self.current.pool = None
                with self._lock:
                    self._idle.append(pool)


_pools: weakref.WeakKeyDictionary[Manager, _TorchPools] = weakref.WeakKeyDictionary()


@contextlib.contextmanager
def torch_pool(manager: Manager | None = None) -> Iterator[Any]:
    """Let torch allocate CUDA memory that kernels use in place, inside a `with` block.

    Tensors that torch creates inside it, in the thread that entered it, can be passed to
    from_dlpack() without a copy. They may be used after it, and keep their memory. The value is the
    torch.cuda.MemPool. Blocks inside one another, and in several threads at once, are fine. The
    default manager is kp.default_manager().
    """
    from .._default import default_manager

    manager = default_manager() if manager is None else manager
    try:
        import torch  # type: ignore[import-not-found, unused-ignore]
    except ImportError:
        raise Unsupported("kp.torch_pool needs PyTorch; install the package torch") from None
    if not torch.cuda.is_available():
        raise Unsupported("kp.torch_pool needs a PyTorch with CUDA that sees a GPU")
    if not hasattr(torch.cuda, "MemPool") or not hasattr(torch.cuda, "use_mem_pool"):
        raise Unsupported(
            f"kp.torch_pool needs PyTorch 2.5 or newer, not {torch.__version__}: the older ones "
            "have no torch.cuda.MemPool"
        )
    pools = _pools.get(manager)
    if pools is None:
        pools = _pools.setdefault(manager, _TorchPools(torch, manager))
    with pools.use() as pool:
        yield pool

# SPDX-License-Identifier: Apache-2.0
"""Matches the files and shapes of the command line with the shader's bindings."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

import kp
from kp.cli.arguments import MemoryArgument, Role
from kp.cli.errors import CommandError
from kp.cli.files import Array, is_image_file, read_array
from kp.cli.image_formats import channels, element_type, is_normalised, to_normalised
from kp.cli.shaders import binding_name, kind_name
from kp.cli.table import format_bytes, format_shape, plural

BUFFERS = ("storage_buffer", "uniform_buffer")
IMAGE = "storage_image"


@dataclass
class Slot:
    """A binding and its memory from the command line."""

    binding: kp.Binding | None  # None if the shader does not use this binding number
    index: int
    role: Role
    source: str
    shape: tuple[int, ...]
    dtype: np.dtype[Any]
    data: Array | None

    @property
    def is_image(self) -> bool:
        return self.binding is not None and self.binding.kind == IMAGE

    @property
    def nbytes(self) -> int:
        return math.prod(self.shape) * self.dtype.itemsize

    @property
    def name(self) -> str:
        return binding_name(self.binding) if self.binding else f"binding {self.index}"


def fit(arguments: Sequence[MemoryArgument], reflection: kp.Reflection, cast: bool) -> list[Slot]:
    """Return one slot per memory argument. Raise CommandError if one does not match the shader."""
    slots = [
        make_slot(argument, binding, index, cast)
        for argument, (index, binding) in zip(arguments, assign(arguments, reflection), strict=True)
    ]
    for slot in slots:
        if slot.binding is not None:
            check_role(slot, slot.binding)
            (check_image if slot.is_image else check_buffer)(slot, slot.binding)
    return slots


def assign(
    arguments: Sequence[MemoryArgument], reflection: kp.Reflection
) -> list[tuple[int, kp.Binding | None]]:
    """Assign the arguments to the used bindings, or to all binding numbers up to the highest."""
    used = list(reflection.bindings)
    for binding in used:
        if binding.set != 0 or binding.count != 1 or binding.kind not in (*BUFFERS, IMAGE):
            raise CommandError(
                f"{binding_name(binding)} is a {kind_name(binding.kind)} in set {binding.set}; kp "
                "run supports only single buffers and storage images in set 0"
            )
    if len(arguments) == len(used):
        return [(binding.binding, binding) for binding in used]
    by_number = {binding.binding: binding for binding in used}
    highest = max(by_number, default=-1)
    if len(arguments) == highest + 1:
        return [(number, by_number.get(number)) for number in range(highest + 1)]
    wanted = "".join(f"\n  {describe(binding)}" for binding in used)
    raise CommandError(
        f"the shader has {plural(len(used), 'binding')}, but {len(arguments)} of --in, --out and "
        f"--in-out were given; give one for each{wanted}"
    )


def describe(binding: kp.Binding) -> str:
    """Describe a binding: ``binding 0 'a': storage buffer of float32, read``."""
    dtype = element_type(binding)
    many = f"{binding.components} " if binding.components > 1 else ""
    element = f" of {many}{dtype}" if dtype is not None else ""
    return f"{binding_name(binding)}: {kind_name(binding.kind)}{element}, {access(binding)}"


def access(binding: kp.Binding) -> str:
    kinds = [word for word, on in (("read", binding.reads), ("written", binding.writes)) if on]
    return " and ".join(kinds) or "not used"


def make_slot(argument: MemoryArgument, binding: kp.Binding | None, index: int, cast: bool) -> Slot:
    if argument.dtype is not None:
        source = f"--out {format_shape(argument.shape)}x{argument.dtype}"
        shape, dtype = argument.shape, argument.dtype
        if binding is not None and binding.kind == IMAGE and len(shape) == 2:
            shape = (*shape, 1)
        return Slot(binding, index, argument.role, source, shape, dtype, None)
    array = read_array(argument.path)
    if binding is not None:
        if is_image_file(argument.path):
            array = suit_pixels(array, binding)
        array = suit_dtype(array, binding, argument.path, cast)
        if binding.kind == IMAGE and array.ndim == 2:
            array = array[:, :, np.newaxis]
    return Slot(binding, index, argument.role, argument.path, array.shape, array.dtype, array)


def suit_pixels(pixels: Array, binding: kp.Binding) -> Array:
    """Convert pixels to the binding's type (numbers from 0 to 1) and its image's channels."""
    declared = element_type(binding) or binding.dtype
    if declared is not None and pixels.dtype.kind == "u":
        full = np.iinfo(pixels.dtype).max
        if declared.kind == "f":
            pixels = (pixels / np.float32(full)).astype(declared)
        elif is_normalised(binding):
            pixels = to_normalised(pixels / np.float64(full), declared)
    return suit_channels(pixels, channels(binding)) if binding.kind == IMAGE else pixels


def suit_channels(pixels: Array, wanted: int) -> Array:
    """Convert pixels of 1 (grey), 3 or 4 channels to `wanted` channels, which is 1 or 4.

    0 accepts both: grey pixels stay as they are, and colours get an alpha channel.
    """
    grey = pixels.ndim == 2
    if wanted == 1 and not grey:
        weights = np.array([0.299, 0.587, 0.114])
        return np.asarray((pixels[:, :, :3] @ weights).astype(pixels.dtype))
    if (grey and wanted in (0, 1)) or (not grey and pixels.shape[2] == 4):
        return pixels
    colours = np.repeat(pixels[:, :, np.newaxis], 3, axis=2) if grey else pixels
    opaque = 1 if pixels.dtype.kind == "f" else np.iinfo(pixels.dtype).max
    alpha = np.full((*colours.shape[:2], 1), opaque, dtype=pixels.dtype)
    return np.concatenate([colours, alpha], axis=2)


def suit_dtype(array: Array, binding: kp.Binding, path: str, cast: bool) -> Array:
    if fits(array.dtype, binding):
        return array
    wanted = element_type(binding) or binding.dtype
    if not cast:
        raise CommandError(
            f"{binding_name(binding)} holds {wanted}, but {path} holds {array.dtype}; "
            "--cast converts it"
        )
    if is_normalised(binding) and array.dtype.kind == "f" and wanted is not None:
        return to_normalised(array, wanted)
    with np.errstate(all="ignore"):
        return array.astype(wanted)


def fits(dtype: np.dtype[Any], binding: kp.Binding) -> bool:
    """Whether the dtype matches the binding's type. Smaller integers may be packed."""
    declared = element_type(binding)
    if dtype == declared or dtype.names is not None:
        return True
    if binding.kind == IMAGE:
        kind = binding.dtype.kind if binding.dtype is not None else dtype.kind
        return declared is None and dtype.kind == kind
    if declared is None:
        return True
    if declared.kind not in "iu" or dtype.kind not in "biu":
        return False
    return dtype.itemsize == declared.itemsize or (declared.itemsize == 4 and dtype.itemsize < 4)


def check_role(slot: Slot, binding: kp.Binding) -> None:
    if slot.role != "in" and not binding.writes:
        raise CommandError(
            f"{slot.name} is only read by the shader; give it --in, not --{slot.role}"
        )
    if not fits(slot.dtype, binding):
        wanted = element_type(binding) or binding.dtype
        raise CommandError(f"{slot.name} holds {wanted}, but {slot.source} was given")


def check_buffer(slot: Slot, binding: kp.Binding) -> None:
    least = binding.fixed_size + binding.array_stride
    if slot.nbytes < least:
        raise CommandError(
            f"{slot.name} needs at least {format_bytes(least)}, but {slot.source} has "
            f"{format_bytes(slot.nbytes)}"
        )


def check_image(slot: Slot, binding: kp.Binding) -> None:
    if len(slot.shape) != 3 or not 1 <= slot.shape[2] <= 4:
        raise CommandError(
            f"{slot.name} is an image, which needs the shape HEIGHTxWIDTH or HEIGHTxWIDTHxCHANNELS "
            f"with 1 to 4 channels, but {slot.source} has the shape {format_shape(slot.shape)}"
        )
    declared = channels(binding)
    if declared not in (0, slot.shape[2]):
        raise CommandError(
            f"{slot.name} has {plural(declared, 'channel')}, but {slot.source} has {slot.shape[2]}"
        )


def warnings(slots: Sequence[Slot]) -> list[str]:
    """Return warnings about arguments that work but are probably mistakes."""
    found: list[str] = []
    for slot in slots:
        if slot.binding is None:
            found.append(f"{slot.source}: the shader does not use {slot.name}")
        elif slot.role == "in" and not slot.binding.reads and slot.binding.writes:
            found.append(
                f"{slot.name} is only written by the shader, but was given --in; use --out or "
                "--in-out to keep the result"
            )
        elif slot.binding.array_stride and not slot.is_image:
            rest = (slot.nbytes - slot.binding.fixed_size) % slot.binding.array_stride
            if rest:
                found.append(
                    f"{slot.name}: the last {plural(rest, 'byte')} of {slot.source} are not used, "
                    f"because an element has {plural(slot.binding.array_stride, 'byte')}"
                )
    return found


def default_threads(slots: Sequence[Slot], local_size: Sequence[int]) -> tuple[int, int, int]:
    """Return one invocation per element (texel, vector or scalar) of the first output.

    If the local size has two or three dimensions, the invocations have the shape of the output,
    last axis first.
    """
    chosen = next((slot for slot in slots if slot.role != "in"), slots[0] if slots else None)
    if chosen is None:
        return 1, 1, 1
    if chosen.is_image:
        return chosen.shape[1], chosen.shape[0], 1
    shape = list(chosen.shape)
    components = chosen.binding.components if chosen.binding is not None else 1
    if components > 1 and shape[-1] == components:
        shape.pop()
        components = 1
    if (local_size[1] > 1 or local_size[2] > 1) and len(shape) > 1:
        x, y, *rest = reversed(shape)
        return max(1, x // components), y, math.prod(rest)
    elements = chosen.nbytes
    if chosen.binding is not None and chosen.binding.array_stride:
        elements = (elements - chosen.binding.fixed_size) // chosen.binding.array_stride
    else:
        elements = math.prod(chosen.shape)
    return max(1, elements), 1, 1


def placeholder() -> npt.NDArray[np.uint32]:
    """Return the contents of a tensor for a binding number that the shader does not use."""
    return np.zeros(1, dtype=np.uint32)

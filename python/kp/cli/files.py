# SPDX-License-Identifier: Apache-2.0
"""Arrays in files: .npy, and images if Pillow is installed."""

from __future__ import annotations

import importlib
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from kp.cli.errors import CommandError
from kp.cli.table import format_shape

Array = npt.NDArray[Any]

IMAGE_SUFFIXES = (".png", ".jpg", ".jpeg", ".bmp", ".tif", ".tiff", ".ppm", ".webp")
NPY_MAGIC = b"\x93NUMPY"
SHADER_KINDS = "biuf"


def is_image_file(path: str) -> bool:
    return path.lower().endswith(IMAGE_SUFFIXES)


def read_array(path: str) -> Array:
    """Read an array in C order and native byte order. Raise CommandError if it is empty."""
    array = read_image(path) if is_image_file(path) else read_npy(path)
    if array.size == 0:
        raise CommandError(f"{path}: the array is empty (shape {format_shape(array.shape)})")
    dtype: Any = array.dtype
    return np.ascontiguousarray(array, dtype=dtype.newbyteorder("="))


def read_npy(path: str) -> Array:
    try:
        with open(path, "rb") as file:
            if file.read(len(NPY_MAGIC)) != NPY_MAGIC:
                raise CommandError(
                    f"{path}: not a .npy file and not an image; numpy.save() writes .npy files"
                )
            file.seek(0)
            array = np.load(file, allow_pickle=False)
    except (ValueError, EOFError, SyntaxError, TypeError, UnicodeDecodeError) as fault:
        raise CommandError(f"{path}: damaged .npy file: {first_line(fault)}") from fault
    if array.dtype.kind not in SHADER_KINDS and array.dtype.names is None:
        raise CommandError(
            f"{path}: shaders have no type for {array.dtype}; save numbers or structs"
        )
    return np.asarray(array)


def read_image(path: str) -> Array:
    pillow = import_pillow(path)
    with open(path, "rb") as file:
        try:
            with pillow.open(file) as image:
                if image.mode in ("P", "LA", "PA"):
                    image = image.convert("RGBA")
                elif image.mode == "1":
                    image = image.convert("L")
                elif image.mode in ("CMYK", "YCbCr", "LAB", "HSV"):
                    image = image.convert("RGB")
                return np.asarray(image)
        except Exception as fault:
            raise CommandError(f"{path}: not a readable image: {first_line(fault)}") from fault


def check_can_write(path: str) -> None:
    """Raise CommandError if the file cannot be written, before the work instead of after it."""
    target = Path(path)
    if not target.parent.is_dir():
        raise CommandError(f"{path}: there is no folder {target.parent}")
    if target.is_dir():
        raise CommandError(f"{path} is a folder; give a file name")
    if is_image_file(path):
        import_pillow(path)


def write_array(path: str, array: Array) -> None:
    """Write an image if the file name has an image's extension, else a .npy file."""
    if is_image_file(path):
        write_image(path, array)
    else:
        with open(path, "wb") as file:
            np.save(file, array, allow_pickle=False)


def write_image(path: str, array: Array) -> None:
    pillow = import_pillow(path)
    pixels = to_pixels(path, array)
    try:
        pillow.fromarray(pixels).save(path)
    except (ValueError, KeyError, TypeError) as fault:
        raise CommandError(f"{path}: {first_line(fault)}") from fault


def to_pixels(path: str, array: Array) -> Array:
    """Return 8-bit pixels of shape (height, width[, channels]). Floats range from 0 to 1."""
    if array.ndim == 3 and array.shape[2] == 1:
        array = array[:, :, 0]
    if array.ndim != 2 and not (array.ndim == 3 and array.shape[2] in (3, 4)):
        raise CommandError(
            f"{path}: an image needs the shape HEIGHTxWIDTH, HEIGHTxWIDTHx3 or HEIGHTxWIDTHx4, but "
            f"the output has {format_shape(array.shape)}; save it as .npy, or change --out"
        )
    if array.dtype.kind == "f":
        clean = np.nan_to_num(array.astype(np.float32), nan=0.0, posinf=1.0, neginf=0.0)
        array = np.rint(np.minimum(np.maximum(clean, 0), 1) * 255).astype(np.uint8)
    elif array.dtype == np.bool_:
        array = np.where(array, np.uint8(255), np.uint8(0))
    if array.dtype != np.uint8:
        raise CommandError(
            f"{path}: pixels must be uint8 or floats from 0 to 1, but the output is {array.dtype}; "
            "save it as .npy"
        )
    return array


def import_pillow(path: str) -> Any:
    try:
        return importlib.import_module("PIL.Image")
    except ImportError as fault:
        raise CommandError(f"{path}: images need Pillow: pip install pillow") from fault


def first_line(fault: BaseException) -> str:
    return (str(fault) or type(fault).__name__).splitlines()[0]

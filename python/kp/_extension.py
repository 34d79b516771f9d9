# SPDX-License-Identifier: Apache-2.0
"""The Python functions that the extension module calls without importing them itself."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from . import _kp

#: The modules of functions and classes, by the names that python/src has for them. A name after a
#: colon is the function's, if it differs.
_PLACES = {
    **dict.fromkeys(("CopyLauncher", "KernelLauncher"), "_kp"),
    **dict.fromkeys(("Cancelled", "CheckFailed", "CheckFault", "DeviceLost"), "_errors"),
    **dict.fromkeys(("Error", "InvalidArgument", "point_at"), "_errors"),
    **dict.fromkeys(("OutOfMemory", "ShaderError", "Unsupported", "clear_frames"), "_errors"),
    "copied_error": "_errors:copied",
    **dict.fromkeys(("OF_KERNELS", "pack_push_constants", "shape_problem"), "_shaders.constants"),
    **dict.fromkeys(("pack_specialization_constants", "single_floats"), "_shaders.constants"),
    "struct_mismatch": "_shaders.struct_layouts:mismatch",
    "slang_library": "_shaders.slang:library",
    **dict.fromkeys(("array_interface", "dlpack", "dlpack_device", "tensor_from"), "_tensors.cuda"),
    "transfer_source": "_tensors.transfers:source",
    "transfer_target": "_tensors.transfers:target",
    "element": "_dtypes",
    "not_unicode": "_wording",
    **dict.fromkeys(("wait_event", "wait_sequence"), "_waiting"),
    "TuningBar": "_messages.progress",
    "default_manager": "_default",
    "default_group": "_groups",
    "combinations": "_kernels.iterated",
    "fresh_values": "_kernels.iterated:fresh",
    "profile_kernel": "launcher",
    "create_sequence": "compat.early_sequences",
    "destroy_objects": "compat.early_sequences:destroy",
}


def find(name: str) -> Any:
    """Return a function or class. Its module is imported at its first use."""
    module, _, attribute = _PLACES[name].partition(":")
    path = f"{__package__}.{module}"
    return getattr(import_module(path), attribute or name)  # waits for another thread's import


_kp._set_package(find)

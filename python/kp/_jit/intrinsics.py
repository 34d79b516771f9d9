# SPDX-License-Identifier: Apache-2.0
"""Functions that exist only in kernels, such as kp.global_id(). Elsewhere they raise TypeError."""

from __future__ import annotations

from typing import Any, NoReturn

from numpy.typing import DTypeLike

__all__ = [
    "atomic_add",
    "atomic_and",
    "atomic_compare_exchange",
    "atomic_exchange",
    "atomic_max",
    "atomic_min",
    "atomic_or",
    "atomic_sub",
    "atomic_xor",
    "barrier",
    "check",
    "global_id",
    "global_size",
    "group_count",
    "group_id",
    "local_array",
    "local_id",
    "local_size",
    "memory_barrier",
    "shared_array",
    "subgroup_add",
    "subgroup_all",
    "subgroup_and",
    "subgroup_any",
    "subgroup_broadcast_first",
    "subgroup_elect",
    "subgroup_exclusive_add",
    "subgroup_inclusive_add",
    "subgroup_lane",
    "subgroup_max",
    "subgroup_min",
    "subgroup_mul",
    "subgroup_or",
    "subgroup_shuffle",
    "subgroup_shuffle_xor",
    "subgroup_size",
    "subgroup_xor",
]


def _outside(name: str) -> NoReturn:
    raise TypeError(f"kp.{name}() is for functions with @kp.jit")


def global_id(axis: int = 0) -> int:
    """Return the index of the work item, along x (0), y (1) or z (2)."""
    _outside("global_id")


def global_size(axis: int = 0) -> int:
    """Return the number of work items. With barriers or subgroups, it counts whole groups."""
    _outside("global_size")


def local_id(axis: int = 0) -> int:
    """Return the index of the work item in its group."""
    _outside("local_id")


def local_size(axis: int = 0) -> int:
    """Return the number of work items of a group, which is a constant."""
    _outside("local_size")


def group_id(axis: int = 0) -> int:
    """Return the index of the group."""
    _outside("group_id")


def group_count(axis: int = 0) -> int:
    """Return the number of groups."""
    _outside("group_count")


def shared_array(shape: int | tuple[int, ...], dtype: DTypeLike) -> Any:
    """Make an array that the work items of a group share. Its contents are undefined at first."""
    _outside("shared_array")


def local_array(shape: int | tuple[int, ...], dtype: DTypeLike) -> Any:
    """Make an array private to the work item, filled with zeros."""
    _outside("local_array")


def barrier() -> None:
    """Wait until all work items of the group are here and see each other's shared arrays."""
    _outside("barrier")


def check(condition: Any, text: str = "", value: Any = 0) -> None:
    """In checked mode, fail with a text and a number if the condition is false; see kp.checked.

    Otherwise do nothing. `assert condition, "text"` does the same.
    """
    _outside("check")


def memory_barrier() -> None:
    """Order the memory accesses of the work item, as other work items see them."""
    _outside("memory_barrier")


def atomic_add(target: Any, *index_and_value: Any) -> Any:
    """Add to an element, x[i] or x, i, in one step, and return its old value."""
    _outside("atomic_add")


def atomic_sub(target: Any, *index_and_value: Any) -> Any:
    """Subtract from an element in one step, and return its old value."""
    _outside("atomic_sub")


def atomic_min(target: Any, *index_and_value: Any) -> Any:
    """Replace an element by the smaller number in one step, and return its old value."""
    _outside("atomic_min")


def atomic_max(target: Any, *index_and_value: Any) -> Any:
    """Replace an element by the larger number in one step, and return its old value."""
    _outside("atomic_max")


def atomic_and(target: Any, *index_and_value: Any) -> Any:
    """Replace an integer by its bitwise and with another in one step; return its old value."""
    _outside("atomic_and")


def atomic_or(target: Any, *index_and_value: Any) -> Any:
    """Replace an integer by its bitwise or with another in one step; return its old value."""
    _outside("atomic_or")


def atomic_xor(target: Any, *index_and_value: Any) -> Any:
    """Replace an integer by its bitwise xor with another in one step; return its old value."""
    _outside("atomic_xor")


def atomic_exchange(target: Any, *index_and_value: Any) -> Any:
    """Replace an element in one step, and return its old value."""
    _outside("atomic_exchange")


def atomic_compare_exchange(target: Any, *index_and_values: Any) -> Any:
    """Replace an integer by the second value if it equals the first; return its old value."""
    _outside("atomic_compare_exchange")


def subgroup_size() -> int:
    """Return the number of work items of the subgroup."""
    _outside("subgroup_size")


def subgroup_lane() -> int:
    """Return the index of the work item in its subgroup."""
    _outside("subgroup_lane")


def subgroup_add(value: Any) -> Any:
    """Return the sum of a value over the active work items of the subgroup."""
    _outside("subgroup_add")


def subgroup_mul(value: Any) -> Any:
    """Return the product of a value over the subgroup."""
    _outside("subgroup_mul")


def subgroup_min(value: Any) -> Any:
    """Return the smallest value in the subgroup."""
    _outside("subgroup_min")


def subgroup_max(value: Any) -> Any:
    """Return the largest value in the subgroup."""
    _outside("subgroup_max")


def subgroup_and(value: Any) -> Any:
    """Return the bitwise and of an integer over the subgroup."""
    _outside("subgroup_and")


def subgroup_or(value: Any) -> Any:
    """Return the bitwise or of an integer over the subgroup."""
    _outside("subgroup_or")


def subgroup_xor(value: Any) -> Any:
    """Return the bitwise xor of an integer over the subgroup."""
    _outside("subgroup_xor")


def subgroup_inclusive_add(value: Any) -> Any:
    """Return the sum of a value over the work items up to this one."""
    _outside("subgroup_inclusive_add")


def subgroup_exclusive_add(value: Any) -> Any:
    """Return the sum of a value over the work items before this one."""
    _outside("subgroup_exclusive_add")


def subgroup_broadcast_first(value: Any) -> Any:
    """Return the value of the first active work item of the subgroup."""
    _outside("subgroup_broadcast_first")


def subgroup_shuffle(value: Any, lane: int) -> Any:
    """Return the value of another work item of the subgroup."""
    _outside("subgroup_shuffle")


def subgroup_shuffle_xor(value: Any, mask: int) -> Any:
    """Return the value of the work item whose index differs by the bits of `mask`."""
    _outside("subgroup_shuffle_xor")


def subgroup_all(condition: Any) -> bool:
    """Return whether a condition holds for all work items of the subgroup."""
    _outside("subgroup_all")


def subgroup_any(condition: Any) -> bool:
    """Return whether a condition holds for a work item of the subgroup."""
    _outside("subgroup_any")


def subgroup_elect() -> bool:
    """Return True in one work item of the subgroup."""
    _outside("subgroup_elect")

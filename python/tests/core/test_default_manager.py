# SPDX-License-Identifier: Apache-2.0
"""The manager that is used if none is given."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest
from conftest import run_python

import kp


@pytest.fixture(autouse=True)
def previous() -> Iterator[None]:
    before = kp.default_manager()
    yield
    kp.set_default_manager(before if before.is_init() else None)


def test_default_manager_is_always_the_same() -> None:
    assert kp.default_manager() is kp.default_manager()


def test_default_manager_can_be_set_and_is_replaced_once_destroyed() -> None:
    with kp.Manager() as mine:
        kp.set_default_manager(mine)
        assert kp.default_manager() is mine
    assert kp.default_manager().is_init()
    kp.set_default_manager(None)
    assert kp.default_manager().is_init()


def test_only_usable_managers_become_the_default() -> None:
    with pytest.raises(TypeError, match="must be a kp.Manager or None, not str"):
        kp.set_default_manager("gpu")  # type: ignore[arg-type]
    destroyed = kp.Manager()
    destroyed.destroy()
    with pytest.raises(ValueError, match="is destroyed"):
        kp.set_default_manager(destroyed)


def test_default_manager_obeys_the_environment() -> None:
    run_python(
        "import kp, pytest\nwith pytest.raises(kp.Error): kp.default_manager()",
        KOMPUTE_DEVICE="no such device",
    )


def test_synchronize_waits_for_all_submitted_work() -> None:
    manager = kp.default_manager()
    slow = (
        "#version 450\nlayout(binding = 0) buffer X { float x[]; };\n"
        "void main() { float a = 0; for (int i = 0; i < 5000000; i++) a = sin(a + x[1]); x[0] = a; }"
    )
    dispatch = kp.OpAlgoDispatch(manager.algorithm([manager.tensor([1, 2])], slow, (1, 1, 1)))
    for wait in (kp.synchronize, manager.wait_idle, lambda: kp.synchronize(manager)):
        event = manager.sequence().record(dispatch).eval_async().event()
        wait()
        assert event.done
    with pytest.raises(TypeError, match="device must be a kp.Manager or None, not int"):
        kp.synchronize(3)  # type: ignore[arg-type]


def test_types_are_callable_as_numpys() -> None:
    assert kp.float32(3) == 3 and isinstance(kp.float32(3), np.float32)
    assert kp.bool(3) is np.True_ and kp.int(3.7) == 3
    assert kp.zeros(2, dtype=kp.float32).dtype == kp.float32
    assert kp.float32 == kp.zeros(2, dtype="float32").dtype

# SPDX-License-Identifier: Apache-2.0
"""The manager that is used if none is given."""

from __future__ import annotations

from collections.abc import Iterator

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

# SPDX-License-Identifier: Apache-2.0
"""Common code of the tests of checked mode."""

from __future__ import annotations

from typing import Any

import pytest

import kp


def failure(call: Any) -> kp.CheckFailed:
    """Return what a call raises."""
    with pytest.raises(kp.CheckFailed) as raised:
        call()
    return raised.value

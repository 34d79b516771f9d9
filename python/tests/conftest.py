# SPDX-License-Identifier: Apache-2.0
"""What all tests share.

The environment variable KOMPUTE_VALIDATION (core, sync) runs them under the validation layers; a
message of a layer fails the test that caused it.
"""

from __future__ import annotations

import logging
import signal
from collections.abc import Iterator

import pytest

import kp

# Shells start programs in the background with Control-C ignored, and children inherit that.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

#: Adds one to every element.
INCREMENT = """#version 450
layout(local_size_x = 64) in;
layout(binding = 0) buffer Values { float values[]; };
void main() {
    uint i = gl_GlobalInvocationID.x;
    if (i < values.length())
        values[i] += 1.0;
}
"""

#: The product of two buffers into a third.
MULTIPLY = """#version 450
layout(local_size_x = 1) in;
layout(binding = 0) readonly buffer A { float a[]; };
layout(binding = 1) readonly buffer B { float b[]; };
layout(binding = 2) writeonly buffer C { float c[]; };
void main() {
    uint i = gl_GlobalInvocationID.x;
    c[i] = a[i] * b[i];
}
"""

#: Spins for a while: `rounds` dependent steps of every one of 64 invocations.
SPIN = """#version 450
layout(local_size_x = 64) in;
layout(binding = 0) buffer Values { uint values[]; };
layout(push_constant) uniform Push { uint rounds; };
void main() {
    uint i = gl_GlobalInvocationID.x;
    uint x = values[i] + 1u;
    for (uint k = 0u; k < rounds; ++k)
        x = x * 1664525u + 1013904223u;
    values[i] = x;
}
"""


class _ValidationMessages(logging.Handler):
    """What the validation layers said."""

    def __init__(self) -> None:
        super().__init__(logging.WARNING)
        self.messages: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        if record.pathname.endswith("Validation.cpp"):
            self.messages.append(record.getMessage())


@pytest.fixture(autouse=True)
def validation() -> Iterator[list[str]]:
    """Fails the test where a validation layer had something to say."""
    handler = _ValidationMessages()
    log = logging.getLogger("kp")
    log.addHandler(handler)
    try:
        yield handler.messages
    finally:
        log.removeHandler(handler)
    assert not handler.messages, "\n".join(handler.messages)


@pytest.fixture
def mgr() -> Iterator[kp.Manager]:
    """A manager of the best device."""
    with kp.Manager() as manager:
        yield manager


def run_python(code: str, *arguments: str, timeout: float = 60, **environment: str) -> str:
    """Runs a program in another interpreter and gives its output; both streams together.

    A failure shows what it printed.
    """
    import os
    import subprocess
    import sys

    result = subprocess.run(
        [sys.executable, "-X", "dev", "-W", "error", "-c", code, *arguments],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=timeout,
        env={**os.environ, **environment},
        check=False,
    )
    assert result.returncode == 0, f"exit status {result.returncode}\n{result.stdout}"
    return result.stdout

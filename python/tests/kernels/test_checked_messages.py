# SPDX-License-Identifier: Apache-2.0
"""What the exceptions of checked mode say."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest

import kp

from checked_support import failure


def _logarithms(x: Any, y: Any) -> None:
    i = kp.global_id()
    y[i] = np.log(x[i])


def _powers(x: Any, y: Any) -> None:
    i = kp.global_id()
    y[i] = x[i] ** y[i]


def test_messages_quote_the_shader_and_names_as_they_are(mgr: kp.Manager) -> None:
    text = """#version 450
layout(local_size_x = 1) in;
layout(binding = 0, r32f) uniform image2D picture;
void main() {
    imageStore(picture, ivec2(8, 0), vec4(1));
}"""
    with kp.checked():
        algorithm = mgr.algorithm([mgr.image(np.zeros((4, 8), np.float32))], text, (1, 1, 1))
    algorithm.set_name("evalAsync")
    error = failure(mgr.sequence().record(kp.OpAlgoDispatch(algorithm)).eval)
    assert "imageStore(picture, ivec2(8, 0), vec4(1));" in str(error)
    assert "dispatch of 'evalAsync'" in str(error)
    assert "binding 0 'picture', an image of 32 float" in str(error)


@pytest.mark.parametrize("checks", ["bounds,off", "0,1", "steps=5,steps=7"])
def test_checks_that_contradict_each_other_are_refused(checks: str) -> None:
    with pytest.raises(kp.InvalidArgument, match="contradicts|one of them"):
        kp.checked(checks)


@pytest.mark.parametrize(
    "function, text, call",
    [(_logarithms, "np.log(x[i])", r"log\(-1\) is"), (_powers, "x[i] ** y[i]", r"pow\(-1, 0.5\)")],
)
def test_functions_that_make_nan_name_the_line_of_the_call(
    function: Any, text: str, call: str
) -> None:
    kernel = kp.jit(function)
    y = np.full(4, 0.5, np.float32)
    with kp.checked("nan"):
        fault = failure(lambda: kernel(np.full(4, -1, np.float32), y)).faults[0]
        kernel(np.full(4, 2, np.float32), y)
    assert re.search(call, fault.message)
    assert fault.file == __file__ and text in fault.text

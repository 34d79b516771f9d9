# SPDX-License-Identifier: Apache-2.0
"""Work and calls of the tests of waiting and processes. Programs in other processes import them, too."""

from __future__ import annotations

import time

import numpy as np
from conftest import SPIN

import kp

# Software drivers end loops of a shader after 65,535 rounds.
ROUNDS = 60_000

#: Each call waits for a sequence of about a second, and gets SIGINT after a tenth of one.
CALLS = {
    "tensor.read": "tensor.read()",
    "tensor.read(out=pinned)": "tensor.read(out=pinned)",
    "tensor.write": "tensor.write(np.zeros(64, np.uint32))",
    "tensor.data": "tensor.data()",
    "tensor.__getitem__": "tensor[0]",
    "tensor.numpy": "tensor.numpy()",
    "np.asarray": "np.asarray(tensor)",
    "memoryview": "memoryview(tensor)",
    "np.from_dlpack": "np.from_dlpack(tensor)",
    "storage.read": "storage.read()",
    "host.read": "host.read()",
    "image.read": "image.read()",
    "Sequence.eval": "other = mgr.sequence(); other.eval(kp.OpSyncLocal([tensor]))",
    "Event.wait": "sequence.event().wait()",
    "Event.wait, with a timeout": "sequence.event().wait(30)",
    "kp.wait_all": "kp.wait_all([sequence.event()])",
    "kp.wait_any": "kp.wait_any([sequence.event()])",
    "kp.eval_all": "other = mgr.sequence().record(kp.OpSyncLocal([tensor])); kp.eval_all([other])",
    "Queue.finish": "mgr.default_queue.barrier([sequence.event()]); mgr.default_queue.finish()",
    "Sequence.destroy": "sequence.destroy()",
    "Manager.destroy": "mgr.destroy()",
}


def long_sequence(mgr: kp.Manager, tensors: list[kp.Tensor], seconds: float) -> kp.Sequence:
    """Record a sequence that writes the tensors and takes as long as asked, or longer."""
    source = "".join(
        f"layout(binding = {i}) buffer B{i} {{ uint b{i}[]; }};\n" for i in range(len(tensors))
    )
    source += """layout(push_constant) uniform Push { uint rounds; };
    void main() {
        uint x = b0[0] + 1u;
        for (uint k = 0u; k < rounds; ++k)
            x = x * 1664525u + 1013904223u;
    """
    source += "".join(f"b{i}[0] = x;\n" for i in range(len(tensors))) + "}"
    algorithm = mgr.algorithm(tensors, source, (1, 1, 1), push_consts=np.array([60_000], np.uint32))

    def recorded(dispatches: int) -> kp.Sequence:
        sequence = mgr.sequence()
        for _ in range(dispatches):
            sequence.record(kp.OpAlgoDispatch(algorithm))
        return sequence

    def measured(sequence: kp.Sequence) -> float:
        start = time.perf_counter()
        sequence.eval()
        return time.perf_counter() - start

    # The fastest of several: the machine may be busy now, and idle when the sequence runs.
    sample = recorded(50)
    return recorded(int(seconds / min(measured(sample) for _ in range(4)) * 50) + 1)


def spinning(mgr: kp.Manager, dispatches: int = 1) -> tuple[kp.Sequence, kp.Tensor]:
    """Record a sequence that takes a while. Return it and its tensor."""
    tensor = mgr.tensor_t(np.zeros(64, np.uint32))
    algorithm = mgr.algorithm([tensor], SPIN, (1,), push_consts=np.array([ROUNDS], np.uint32))
    sequence = mgr.sequence().record(kp.OpSyncDevice([tensor]))
    for _ in range(dispatches):
        sequence.record(kp.OpAlgoDispatch(algorithm))
    return sequence.record(kp.OpSyncLocal([tensor])), tensor


def double(value: float) -> float:
    """Double a number on the device. It runs in other processes."""
    shader = """#version 450
        layout(local_size_x = 1) in;
        layout(binding = 0) buffer A { float a[]; };
        void main() { a[0] *= 2.0; }
    """
    with kp.Manager() as mgr:
        tensor = mgr.tensor([value])
        algorithm = mgr.algorithm([tensor], shader)
        mgr.sequence().record(kp.OpSyncDevice([tensor])).record(
            kp.OpAlgoDispatch(algorithm)
        ).record(kp.OpSyncLocal([tensor])).eval()
        return float(tensor[0])

#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A layer of a torch network as a Vulkan kernel, with its gradient.

    python torch_layer.py
    python torch_layer.py --points 20000 --steps 300

The activation y = x * sigmoid(slope * x) has a learned slope for each feature. Forward and backward
are kernels of kp, which torch calls through torch.autograd.Function. Inside kp.torch_pool(), torch
allocates memory that kernels use in place, and the order is kept on the GPU: nothing is copied, and
the host never waits. The gradients are compared with torch's own. Needs PyTorch with CUDA.
"""

from __future__ import annotations

import argparse
import sys
import time
from typing import Any

import kp

FORWARD = kp.kernel(
    """
kernel void forward(in float x[], in float slope[], out float y[], uint features) {
    y[i] = x[i] / (1.0 + exp(-slope[i % features] * x[i]));
}
"""
)

BACKWARD = kp.kernel(
    """
kernel void backward(in float x[], in float slope[], in float dy[], out float dx[], out float dslope[],
                     uint features) {
    float b = slope[i % features];
    float s = 1.0 / (1.0 + exp(-b * x[i]));
    float change = x[i] * s * (1.0 - s);
    dx[i] = dy[i] * (s + b * change);
    dslope[i] = dy[i] * x[i] * change;  // torch adds up the rows
}
"""
)


def make_layer(torch: Any, mgr: kp.Manager) -> Any:
    """Return the activation as a function of torch."""

    def launch(kernel: kp.Kernel, inputs: list[Any], outputs: list[Any], features: int) -> None:
        # A tensor of kp waits for what torch's stream has queued, ...
        given = [mgr.from_dlpack(each.detach(), copy=False) for each in (*inputs, *outputs)]
        kernel(*given, features=features, threads=inputs[0].numel())
        # ... and torch's stream waits for the kernel.
        for made in given[len(inputs) :]:
            made.cuda_wait(torch.cuda.current_stream())

    class Activation(torch.autograd.Function):  # type: ignore[misc, unused-ignore]
        @staticmethod
        def forward(ctx: Any, x: Any, slope: Any) -> Any:
            x = x.contiguous()
            y = torch.empty_like(x)
            launch(FORWARD, [x, slope], [y], slope.numel())
            ctx.save_for_backward(x, slope)
            return y

        @staticmethod
        def backward(ctx: Any, dy: Any) -> tuple[Any, Any]:
            x, slope = ctx.saved_tensors
            with kp.torch_pool(mgr):  # torch calls it in a thread of its own
                dy = dy.contiguous().clone()
                dx, dslope = torch.empty_like(x), torch.empty_like(x)
                launch(BACKWARD, [x, slope, dy], [dx, dslope], slope.numel())
                return dx, dslope.sum(0)

    return Activation.apply


def check_gradients(torch: Any, activation: Any) -> float:
    """Return the largest difference from torch's own gradients."""
    x = torch.randn(64, 16, device="cuda", requires_grad=True)
    slope = torch.rand(16, device="cuda", requires_grad=True)
    weight = torch.randn(64, 16, device="cuda")
    ours = torch.autograd.grad((activation(x, slope) * weight).sum(), (x, slope))
    theirs = torch.autograd.grad((x * torch.sigmoid(slope * x) * weight).sum(), (x, slope))
    return max((a - b).abs().max().item() for a, b in zip(ours, theirs, strict=True))


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(description=str(__doc__).partition("\n")[0])
    parser.add_argument("--points", type=int, default=4096, help="points to classify")
    parser.add_argument("--steps", type=int, default=200, help="steps of training")
    options = parser.parse_args(arguments)
    try:
        import torch
    except ImportError:
        print("skipped: PyTorch is not installed")
        return 0
    if not torch.cuda.is_available():
        print("skipped: PyTorch sees no GPU with CUDA")
        return 0

    mgr = kp.Manager(device_type="gpu")
    activation = make_layer(torch, mgr)
    torch.manual_seed(1)
    with kp.torch_pool(mgr):
        difference = check_gradients(torch, activation)
        angle = torch.rand(options.points, device="cuda") * 12
        arm = torch.randint(0, 2, (options.points,), device="cuda")
        radius = angle / 12 + torch.randn_like(angle) * 0.02
        turn = angle + arm * torch.pi
        points = torch.stack([radius * torch.cos(turn), radius * torch.sin(turn)], 1)

        first = torch.nn.Linear(2, 64).cuda()
        second = torch.nn.Linear(64, 64).cuda()
        last = torch.nn.Linear(64, 1).cuda()
        slopes = [torch.ones(64, device="cuda", requires_grad=True) for _ in range(2)]
        layers = (first, second, last)
        weights = [w for layer in layers for w in layer.parameters()] + slopes
        optimizer = torch.optim.Adam(weights, lr=0.01)
        start = time.perf_counter()
        for step in range(options.steps):
            hidden = activation(first(4 * points), slopes[0])
            hidden = activation(second(hidden), slopes[1])
            scores = last(hidden).squeeze(1)
            loss = torch.nn.functional.binary_cross_entropy_with_logits(scores, arm.float())
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            if step % max(options.steps // 5, 1) == 0:
                print(f"step {step:4}: loss {loss.item():.4f}")
        right = float(((scores > 0) == arm.bool()).float().mean())
        seconds = time.perf_counter() - start
    print(f"{right:.1%} of the points are right after {options.steps} steps, {seconds:.2f} s")
    print(f"slopes from {slopes[1].min().item():.2f} to {slopes[1].max().item():.2f}")
    ok = difference < 1e-4 and (options.steps < 100 or right > 0.9)
    print(f"check: gradients differ from torch's by {difference:.1e}", "ok" if ok else "WRONG")
    return 0 if ok else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

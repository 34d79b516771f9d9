# SPDX-License-Identifier: Apache-2.0
"""Measures kp.linalg beside CuPy or PyTorch (cuSOLVER) and NumPy, worst ratio first.

  env PYTHONPATH=<build>/python python3 benchmark/python/dense.py [--float64] [--most N] [function ...]

Each line is one function of single matrices from 64 x 64 to 4096 x 4096, or of stacks of small ones. The times are
calls whose results stay on the device, ended by a wait for the device; NumPy's use its own arrays.
A ratio is the other library's time through ours: above 1, kp is faster. CuPy is measured if it is there, else PyTorch
with CUDA, else NumPy alone.
"""

from __future__ import annotations

import argparse
import importlib
from collections.abc import Callable
from dataclasses import dataclass
from time import perf_counter
from typing import Any

import numpy as np

import kp
from kp.arrays.operands import launch, operand

SHAPES = [
    *((size, size) for size in (64, 128, 256, 512, 1024, 2048, 4096)),
    (4096, 16, 16),
    (4096, 32, 32),
    (1024, 64, 64),
    (64, 256, 256),
]
#: Functions of `a`, of symmetric positive definite `s`, and of right sides `b` and `c` (one column). Each text has
#: `xp`, the library.
FUNCTIONS = {
    "cholesky": "xp.linalg.cholesky(s)",
    "solve": "xp.linalg.solve(a, b)",
    "solve one": "xp.linalg.solve(a, c)",
    "inv": "xp.linalg.inv(a)",
    "det": "xp.linalg.det(a)",
    "slogdet": "xp.linalg.slogdet(a)",
    "qr": "xp.linalg.qr(a)",
    "lstsq": "xp.linalg.lstsq(a, b)",
    "eigh": "xp.linalg.eigh(s)",
    "eigvalsh": "xp.linalg.eigvalsh(s)",
    "svd": "xp.linalg.svd(a)",
    "svdvals": "xp.linalg.svdvals(a)",
    "lu": "lu(a)",
    "triangular": "triangular(s, b)",
}
#: Functions that take one matrix, and those that grow so fast that larger matrices are left out.
SINGLE = ("lstsq",)
SLOW = {"eigh": 2048, "eigvalsh": 2048, "svd": 1024, "svdvals": 2048, "lstsq": 1024}
#: Seconds of each measurement; the best call counts.
SECONDS = 0.3


@dataclass
class Library:
    name: str
    xp: Any
    given: Callable[[np.ndarray], Any]
    wait: Callable[[], Any]
    own: dict[str, Callable[..., Any]]

    def time(self, text: str, values: dict[str, np.ndarray]) -> float | None:
        """Return the seconds of a call, or None if the library lacks the function."""
        names = {"xp": self.xp, **self.own, **{k: self.given(v) for k, v in values.items()}}
        code = compile(text, "<benchmark>", "eval")
        self.wait()
        best, until = float("inf"), 0.0
        try:
            eval(code, names)
        except (AttributeError, NameError, NotImplementedError, RuntimeError) as error:
            print(f"  {self.name}: {text}: {error}")
            return None
        self.wait()
        until = perf_counter() + SECONDS
        while perf_counter() < until:
            start = perf_counter()
            eval(code, names)
            self.wait()
            best = min(best, perf_counter() - start)
        return best


def _kompute() -> Library:
    mgr = kp.default_manager()

    def lu(a: kp.Array) -> kp.Array:
        steps = kp.empty(a.shape[:-1], dtype="int32")
        made, info = kp.empty(a.shape, dtype=a.dtype), kp.empty((*a.shape[:-2], 1), dtype="int32")
        launch(mgr, kp.OpLu(*[operand(each, each.shape) for each in (a, made, steps, info)]))
        return made

    def triangular(t: kp.Array, b: kp.Array) -> kp.Array:
        made = kp.empty(b.shape, dtype=b.dtype)
        launch(mgr, kp.OpTriangularSolve(*[operand(each, each.shape) for each in (t, b, made)]))
        return made

    own: dict[str, Callable[..., Any]] = {"lu": lu, "triangular": triangular}
    return Library("kp", kp, kp.array, mgr.default_queue.finish, own)


def _cupy() -> Library:
    cupy = importlib.import_module("cupy")
    solving = importlib.import_module("cupyx.scipy.linalg")

    def lu(a: Any) -> Any:
        return solving.lu_factor(a, check_finite=False) if a.ndim == 2 else None

    def triangular(t: Any, b: Any) -> Any:
        return solving.solve_triangular(t, b, lower=True, check_finite=False)

    own = {"lu": lu, "triangular": triangular}
    return Library("CuPy", cupy, cupy.asarray, cupy.cuda.Device().synchronize, own)


def _torch() -> Library:
    torch = importlib.import_module("torch")
    if not torch.cuda.is_available():
        raise ImportError("PyTorch has no CUDA device")

    def lu(a: Any) -> Any:
        return torch.linalg.lu_factor(a)

    def triangular(t: Any, b: Any) -> Any:
        return torch.linalg.solve_triangular(t, b, upper=False)

    own = {"lu": lu, "triangular": triangular}
    return Library(
        "PyTorch",
        torch,
        lambda values: torch.from_numpy(values).cuda(),
        torch.cuda.synchronize,
        own,
    )


def _numpy() -> Library:
    return Library("NumPy", np, np.asarray, lambda: None, {})


def _others() -> list[Library]:
    found = []
    for make in (_cupy, _torch):
        try:
            found.append(make())
            break
        except ImportError as error:
            print(f"left out: {error}")
    return [*found, _numpy()]


def _values(shape: tuple[int, ...], dtype: str) -> dict[str, np.ndarray]:
    rng = np.random.default_rng(1)
    size = shape[-1]
    a = rng.standard_normal(shape).astype(dtype)
    s = a @ np.swapaxes(a, -1, -2) / size + np.eye(size, dtype=dtype)
    return {
        "a": a,
        "s": s.astype(dtype),
        "b": rng.standard_normal(shape).astype(dtype),
        "c": rng.standard_normal((*shape[:-1], 1)).astype(dtype),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("functions", nargs="*", metavar="function", help=", ".join(FUNCTIONS))
    parser.add_argument("--float64", action="store_true", help="measure float64, not float32")
    parser.add_argument("--most", type=int, default=4096, help="the largest matrix (4096)")
    args = parser.parse_args()
    unknown = sorted(set(args.functions) - set(FUNCTIONS))
    if unknown:
        parser.error(f"no such function: {', '.join(unknown)}; there are {', '.join(FUNCTIONS)}")
    ours, others = _kompute(), _others()
    lines = []
    for shape in SHAPES:
        if shape[-1] > args.most:
            continue
        values = _values(shape, "float64" if args.float64 else "float32")
        for name in args.functions or FUNCTIONS:
            if (name in SINGLE and len(shape) > 2) or shape[-1] > SLOW.get(name, args.most):
                continue
            own = ours.time(FUNCTIONS[name], values)
            if own is None:
                continue
            times = {each.name: each.time(FUNCTIONS[name], values) for each in others}
            ratios = {each: time / own for each, time in times.items() if time is not None}
            first = ratios.get(others[0].name, float("inf"))
            lines.append((first, name, " x ".join(map(str, shape)), own, ratios))
            print(f"  {name} {lines[-1][2]}: {own * 1e6:.0f} us", flush=True)
    print(f"\n{'function':12} {'matrices':16} {'kp us':>10}  ratios")
    for _, name, text, own, ratios in sorted(lines, key=lambda line: line[:3]):
        shown = "  ".join(f"{each} {ratio:.2f}" for each, ratio in ratios.items())
        print(f"{name:12} {text:16} {own * 1e6:10.0f}  {shown}")


if __name__ == "__main__":
    main()

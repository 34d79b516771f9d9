# SPDX-License-Identifier: Apache-2.0
"""Measures the first calls of array functions, with empty caches: mostly what their kernels take to compile.

For each function, in a process of its own: seconds of processor time and of wall time until its values are on the
host, the arrays being on the device already. The worst first. Drivers have caches of their own; Mesa's is off here.

    python benchmark/python/first_calls.py [--only fft,sort] [--size 1024] [--most 0.3]

With --most, the program ends with 1 if a function takes more processor time. With --elementwise, it measures every
elementwise function of a type, for example with doubles that the device lacks:

    KOMPUTE_PROFILE=apple-m python benchmark/python/first_calls.py --elementwise float64 --size 64
"""

import argparse
import os
import subprocess
import sys
import tempfile

import numpy as np

from kp.arrays.functions import FUNCTIONS as FUNCTIONS_OF_ARRAYS

#: Of x, `--size` random float32 numbers; m, the first 1024 of them or fewer as a square matrix; and r, a generator.
FUNCTIONS = {
    "x + 1": "x + 1",
    "x[mask]": "x[x > 0.5]",
    "x[indices]": "x[kp.array([1, 2, 3])]",
    "all": "(x > 0).all()",
    "argmax": "x.argmax()",
    "argsort": "kp.argsort(x)",
    "bincount": "kp.bincount(kp.arange(100))",
    "concatenate": "kp.concatenate([x, x])",
    "convolve": "kp.convolve(x, x[:5])",
    "cumsum": "kp.cumsum(x)",
    "einsum": "kp.einsum('ij,jk->ik', m, m)",
    "exp": "kp.exp(x)",
    "exp of float64": "kp.exp(x.astype('float64'))",
    "fft": "kp.fft.fft(x)",
    "fft of 105": "kp.fft.fft(x[:105])",
    "fft2": "kp.fft.fft2(m)",
    "gamma": "r.gamma(2.0, size=1000)",
    "gradient": "kp.gradient(x)",
    "histogram": "kp.histogram(x, bins=10)[0]",
    "integers": "r.integers(0, 10, 1000)",
    "interp": "kp.interp(x, kp.sort(x), x)",
    "intersect1d": "kp.intersect1d(x, x[:10])",
    "isin": "kp.isin(x, x[:10])",
    "lexsort": "kp.lexsort((x, x))",
    "matmul": "m @ m",
    "matvec": "m @ m[0]",
    "mean": "x.mean()",
    "median": "kp.median(x)",
    "nanmean": "kp.nanmean(x)",
    "nonzero": "kp.nonzero(x)[0]",
    "normal": "r.normal(size=1000)",
    "pad": "kp.pad(x, 3)",
    "percentile": "kp.percentile(x, 30)",
    "permutation": "r.permutation(100)",
    "poisson": "r.poisson(2.0, size=1000)",
    "power of float64": "x.astype('float64') ** 0.3",
    "rfft": "kp.fft.rfft(x)",
    "roll": "kp.roll(x, 3)",
    "searchsorted": "kp.searchsorted(kp.sort(x), x)",
    "sin of complex64": "kp.sin(x.astype('complex64'))",
    "sin of complex128": "kp.sin(x.astype('complex128'))",
    "sin of float64": "kp.sin(x.astype('float64'))",
    "solve": "kp.linalg.solve(m + 9 * kp.eye(m.shape[0]), m[0])",
    "sort": "kp.sort(x)",
    "sum": "x.sum()",
    "sum of columns": "m.sum(axis=0)",
    "sum of rows": "m.sum(axis=1)",
    "uniform": "r.random(1000)",
    "unique": "kp.unique(x)",
    "var": "x.var()",
    "where": "kp.where(x > 0.5, x, 0)",
}

#: Seconds after which a call is given up.
LONGEST = 600

PROGRAM = """
import sys
import time

import numpy as np

import kp

size = int(sys.argv[1])
side = min(32, int(size**0.5))
x = kp.asarray(np.random.default_rng(1).random(size, np.float32))
m = x[: side * side].reshape(side, side)
r = kp.random.default_rng(1)
kp.synchronize()
processor, wall = time.process_time(), time.perf_counter()
np.asarray({call})
print(time.process_time() - processor, time.perf_counter() - wall)
"""


def elementwise(dtype: str) -> dict[str, str]:
    """Return a call of each elementwise function that NumPy has for a floating type, by name."""
    number = np.dtype(dtype).char
    calls = {}
    for name, function in FUNCTIONS_OF_ARRAYS.items():
        count = function.ufunc.nargs - 1
        values = [f"x.astype('{dtype}')"] * count
        if name == "ldexp":
            values[1] = "kp.arange(x.size)"
        elif not any(each.startswith(number * count) for each in function.ufunc.types):
            continue
        calls[f"{name} of {dtype}"] = f"kp.{name}({', '.join(values)})"
    return calls


def measure(call: str, size: int) -> tuple[float, float]:
    """Return the seconds of processor time and wall time of a first call."""
    with tempfile.TemporaryDirectory() as folder:
        environment = os.environ | {
            "KOMPUTE_CACHE_DIR": folder,
            "MESA_SHADER_CACHE_DISABLE": "true",
        }
        command = [sys.executable, "-c", PROGRAM.format(call=call), str(size)]
        try:
            done = subprocess.run(
                command, env=environment, capture_output=True, text=True, timeout=LONGEST
            )
        except subprocess.TimeoutExpired:
            raise RuntimeError(f"more than {LONGEST} s") from None
    if done.returncode != 0:
        raise RuntimeError(
            done.stderr.strip().rpartition("\n")[2] or f"exit code {done.returncode}"
        )
    processor, wall = map(float, done.stdout.split()[-2:])
    return processor, wall


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--size", type=int, default=1024)
    parser.add_argument("--only", default="")
    parser.add_argument(
        "--most", type=float, default=float("inf"), help="seconds of processor time"
    )
    parser.add_argument(
        "--elementwise", default="", metavar="TYPES", help="such as float64,complex128"
    )
    options = parser.parse_args()
    found, failed = {}, False
    calls = FUNCTIONS if not options.elementwise else {}
    for dtype in filter(None, options.elementwise.split(",")):
        calls |= elementwise(dtype)
    for name, call in calls.items():
        if not options.only or any(each in name for each in options.only.split(",")):
            try:
                found[name] = measure(call, options.size)
                print(f"# {name}: {found[name][0]:.2f} s", file=sys.stderr, flush=True)
            except RuntimeError as error:
                print(f"{name}: {error}")
                failed = True
    print(f"{'function':24} {'processor':>9} {'wall':>9}  s, {options.size} elements")
    for name, (processor, wall) in sorted(found.items(), key=lambda item: -item[1][0]):
        slow = processor > options.most
        failed |= slow
        print(
            f"{name:24} {processor:9.3f} {wall:9.3f}{f'  more than {options.most}' if slow else ''}"
        )
    sys.exit(failed)


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Prices of European options after Black and Scholes: twenty array operations in one kernel.

    python black_scholes.py --options 1000000

The formula is written as in NumPy. Nothing is computed until the prices are read; then the whole
formula is one kernel. kp.elementwise does the same from a few lines of GLSL.
"""

from __future__ import annotations

import argparse
import sys
import time
from typing import Any

import numpy as np

import kp

#: The price of a call, for kp.elementwise.
CALL = """
    T spread = volatility * sqrt(years);
    T d1 = (log(price / strike) + (rate + T(0.5) * volatility * volatility) * years) / spread;
    call = price * normal(d1) - strike * exp(-rate * years) * normal(d1 - spread)
"""

NORMAL = """
float normal(float x)
{
    float k = 1.0 / (1.0 + 0.2316419 * abs(x));
    float tail = k * (0.31938153 + k * (-0.356563782 + k * (1.781477937 + k * (-1.821255978 +
                 k * 1.330274429))));
    float upper = 0.39894228 * exp(-0.5 * x * x) * tail;
    return x < 0.0 ? upper : 1.0 - upper;
}
"""


def normal(xp: Any, x: Any) -> Any:
    """Return the distribution function of the normal distribution.

    Source: Abramowitz and Stegun, "Handbook of Mathematical Functions", 26.2.17.
    """
    k = 1 / (1 + 0.2316419 * xp.abs(x))
    tail = k * (
        0.31938153 + k * (-0.356563782 + k * (1.781477937 + k * (-1.821255978 + k * 1.330274429)))
    )
    upper = 0.39894228 * xp.exp(-0.5 * x * x) * tail
    return xp.where(x < 0, upper, 1 - upper)


def prices(xp: Any, price: Any, strike: Any, years: Any, rate: float, volatility: float) -> Any:
    """Return the prices of calls and puts, computed by a namespace of arrays: numpy or kp."""
    spread = volatility * xp.sqrt(years)
    d1 = (xp.log(price / strike) + (rate + 0.5 * volatility * volatility) * years) / spread
    discounted = strike * xp.exp(-rate * years)
    call = price * normal(xp, d1) - discounted * normal(xp, d1 - spread)
    return call, call - price + discounted


def main(arguments: list[str] | None = None) -> int:
    """Price random options, and compare with NumPy."""
    parser = argparse.ArgumentParser(description="Black-Scholes prices of random options.")
    parser.add_argument("--options", type=int, default=1_000_000, help="number of options")
    parser.add_argument("--rate", type=float, default=0.02, help="interest rate")
    parser.add_argument("--volatility", type=float, default=0.3)
    given = parser.parse_args(arguments)
    if given.options < 1:
        print("black_scholes.py: --options must be at least 1", file=sys.stderr)
        return 2

    kp.set_default_float("float32")  # GPUs compute these many times as fast as doubles
    rng = kp.random.default_rng(1)
    price = rng.uniform(10, 100, given.options)
    strike = rng.uniform(10, 100, given.options)
    years = rng.uniform(0.25, 10, given.options)
    host = [each.numpy().astype(np.float64) for each in (price, strike, years)]

    # The first round compiles the kernels.
    for words in ("first round", "second round"):
        start = time.perf_counter()
        call, put = prices(kp, price, strike, years, given.rate, given.volatility)
        kp.evaluate(call, put)
        best = float(kp.max(call))
        print(f"{words}: {1000 * (time.perf_counter() - start):8.2f} ms, highest call {best:.2f}")
    start = time.perf_counter()
    expected = prices(np, *host, given.rate, given.volatility)
    print(f"NumPy:        {1000 * (time.perf_counter() - start):8.2f} ms, in double precision")

    kernel = kp.elementwise(
        "T price, T strike, T years, T rate, T volatility", "T call", CALL, preamble=NORMAL
    )
    own = kernel(price, strike, years, given.rate, given.volatility)
    error = 0.0
    for found, wanted in ((call, expected[0]), (put, expected[1]), (own, expected[0])):
        error = max(error, float(np.abs(found.numpy() - wanted).max()))
    print(f"largest difference: {error:.1e}")
    return 0 if error < 1e-3 else 1


if __name__ == "__main__":
    sys.exit(main())

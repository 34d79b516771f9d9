#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes shaders/primitives/random/NormalQuantiles.glsl: polynomials for quantiles of the normal distribution.

  python3 scripts/shaders/normal_quantiles.py

Row 8 e + s is of the probabilities from 2^(e - 33) (1 + s / 8) on, up to 2^(e - 33) (1 + (s + 1) / 8),
e < 32, s < 8: the x that a normal number exceeds with such a probability, as a polynomial in y, which goes
from -1/2 to 1/2 meanwhile. It is exact at Chebyshev's points. (Segments that double in size: D. Lee,
R. Cheung, J. Villasenor, W. Luk, "Inversion-based hardware Gaussian random number generator", 2006.)
"""

from __future__ import annotations

import math
from pathlib import Path
from statistics import NormalDist

PARTS = 8
TERMS = 4
Y_STEP = 2.0**-23  # y is cut to a multiple of this, so its middle is half a step above
TARGET = (
    Path(__file__).resolve().parents[2]
    / "shaders"
    / "primitives"
    / "random"
    / "NormalQuantiles.glsl"
)

HEAD = """// SPDX-License-Identifier: Apache-2.0
//
// Made by scripts/shaders/normal_quantiles.py, which describes the rows.

const vec4 kNormalQuantiles[256] = vec4[](
"""


def quantile(exponent: int, part: int, y: float) -> float:
    """Return the x that a normal number exceeds with this probability."""
    place = part + 0.5 + y + Y_STEP / 2
    return -NormalDist().inv_cdf(2.0 ** (exponent - 33) * (1 + place / PARTS))


def polynomial(exponent: int, part: int) -> list[float]:
    """Return the coefficients of 1, y, y^2, ..., by Newton's divided differences."""
    points = [math.cos(math.pi * (2 * j + 1) / (2 * TERMS)) / 2 for j in range(TERMS)]
    differences = [quantile(exponent, part, y) for y in points]
    for order in range(1, TERMS):
        for j in range(TERMS - 1, order - 1, -1):
            difference = differences[j] - differences[j - 1]
            differences[j] = difference / (points[j] - points[j - order])
    terms = [0.0] * TERMS
    for j in range(TERMS - 1, -1, -1):
        terms = [
            (terms[k - 1] if k else differences[j]) - points[j] * terms[k] for k in range(TERMS)
        ]
    return terms


def main() -> None:
    rows = [
        "vec4(" + ", ".join(f"{term:.9g}" for term in polynomial(exponent, part)) + ")"
        for exponent in range(32)
        for part in range(PARTS)
    ]
    TARGET.write_text(HEAD + ",\n".join(f"    {row}" for row in rows) + ");\n", encoding="utf-8")


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Removes noise from a photograph: only the strong waves that it consists of are kept.

    python fft_denoising.py photo.png clean.png
    python fft_denoising.py photo.png clean.png --keep 0.02 --noise 30

The photograph is made grey and noisy, transformed with kp.fft, and freed of all but its largest
waves by a shader. The result is compared with the same steps in NumPy. The program needs Pillow.
"""

from __future__ import annotations

import argparse
import sys

import numpy as np
from numpy.typing import NDArray

import kp

# Two words per wave: its real and imaginary part.
SHADER = """
#version 450
layout(local_size_x = 64) in;
layout(binding = 0) buffer Spectrum { vec2 waves[]; };
layout(push_constant) uniform Push { float threshold; };
void main() {
    uint i = gl_GlobalInvocationID.x;
    if (i < waves.length() && length(waves[i]) < threshold)
        waves[i] = vec2(0);
}
"""


def threshold_of(values: NDArray[np.float32], keep: float) -> float:
    """Return a size that about the strongest `keep` of all waves exceed, and none nearly has."""
    sizes = np.sort(np.abs(np.fft.rfft2(values)), axis=None)
    place = min(max(0, sizes.size - round(keep * sizes.size)), sizes.size - 2)
    near = sizes[max(0, place - 8) : place + 8]
    widest = int(np.argmax(np.diff(near)))
    return float((near[widest] + near[widest + 1]) / 2)


def denoised(manager: kp.Manager, values: NDArray[np.float32], threshold: float) -> kp.Tensor:
    spectrum = kp.fft.rfft2(manager.tensor(values))
    limit = np.array([threshold], np.float32)
    filtering = manager.algorithm(
        [spectrum], kp.compile(SHADER), ((spectrum.size() + 63) // 64, 1, 1), [], limit
    )
    manager.sequence().record(kp.OpAlgoDispatch(filtering)).eval()
    return kp.fft.irfft2(spectrum, s=values.shape)


def denoised_in_numpy(values: NDArray[np.float32], threshold: float) -> NDArray[np.float64]:
    spectrum = np.fft.rfft2(values)
    spectrum[np.abs(spectrum) < threshold] = 0
    return np.fft.irfft2(spectrum, s=values.shape)


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description="Removes noise from a photograph.")
    parser.add_argument("photo")
    parser.add_argument("output")
    parser.add_argument("--keep", type=float, default=0.02, help="the part of all waves to keep")
    parser.add_argument("--noise", type=float, default=25, help="standard deviation to add")
    options = parser.parse_args(arguments)
    if not 0 < options.keep <= 1:
        print("--keep must be above 0 and at most 1", file=sys.stderr)
        return 2
    from PIL import Image

    try:
        with Image.open(options.photo) as photo:
            original = np.asarray(photo.convert("L"), np.float32)
    except OSError as error:
        print(f"the photograph cannot be read: {error}", file=sys.stderr)
        return 2
    noise = np.random.default_rng(1).normal(0, options.noise, original.shape)
    noisy = (original + noise).astype(np.float32)

    threshold = threshold_of(noisy, options.keep)
    with kp.Manager() as manager:
        result = denoised(manager, noisy, threshold).read()
    difference = float(np.abs(result - denoised_in_numpy(noisy, threshold)).max())
    before, after = (float(np.sqrt(np.mean((v - original) ** 2))) for v in (noisy, result))
    print(
        f"noise {before:.1f} before, {after:.1f} after; largest difference to NumPy {difference:.4f}"
    )
    Image.fromarray(np.clip(np.rint(result), 0, 255).astype(np.uint8)).save(options.output)
    return 0 if difference < 0.05 else 1


if __name__ == "__main__":
    sys.exit(main())

# SPDX-License-Identifier: Apache-2.0
"""Fourier transforms."""

from __future__ import annotations

from collections.abc import Iterator

from .cases import Case, cases


def table() -> Iterator[Case]:
    """Yield all of them."""
    family = "transforms"
    fft = "xp.fft."
    loose = {"tolerance": 2e-3, "low": -1.0}
    yield from cases(
        family, (f"{fft}fft(x)", f"{fft}ifft(x)"), "complex64", "flat rows columns narrow", **loose
    )
    yield from cases(
        family, f"{fft}fft(x)", "complex128", "flat rows", **{**loose, "tolerance": 1e-8}
    )
    yield from cases(
        family, f"{fft}fft(x)", "float32 float64", "flat rows", **loose, other_types=True
    )
    yield from cases(family, f"{fft}fft(x, axis=0)", "complex64", "rows", **loose)
    yield from cases(family, f"{fft}rfft(x)", "float32 float64", "flat rows", **loose)
    yield from cases(family, f"{fft}irfft(x[: n // 2 + 1])", "complex64", **loose)
    yield from cases(family, f"{fft}irfft(x[:, : side // 2 + 1])", "complex64", "rows", **loose)
    yield from cases(family, f"{fft}irfft(x)", "complex64", most=1 << 14, **loose)
    yield from cases(family, f"{fft}irfft2(x[:, : side // 2 + 1])", "complex64", "rows", **loose)
    yield from cases(
        family, f"{fft}irfftn(x[..., : x.shape[0] // 2 + 1])", "complex64", "cube", **loose
    )
    yield from cases(family, f"{fft}hfft(x[: n // 2 + 1])", "complex64", **loose)
    yield from cases(family, (f"{fft}fft2(x)", f"{fft}ifft2(x)"), "complex64", "rows", **loose)
    yield from cases(family, f"{fft}fft2(x)", "complex128", "rows", **loose)
    yield from cases(family, f"{fft}rfft2(x)", "float32 float64", "rows", **loose)
    yield from cases(family, (f"{fft}fftn(x)", f"{fft}ifftn(x)"), "complex64", "cube", **loose)
    yield from cases(family, f"{fft}rfftn(x)", "float32", "cube", **loose)
    yield from cases(family, (f"{fft}fft(odd)", f"{fft}fft(prime)"), "complex64", **loose)
    yield from cases(family, f"{fft}ihfft(x.real)", "complex64", **loose)
    yield from cases(
        family, (f"{fft}fftshift(x)", f"{fft}ifftshift(x)"), "complex64 float32", "flat rows"
    )
    yield from cases(family, (f"{fft}fftfreq(n)", f"{fft}rfftfreq(n)"), other_types=True)
    yield from cases(family, f"{fft}ifft({fft}fft(x) * {fft}fft(y)).real", "complex64", **loose)
    yield from cases(family, f"{fft}convolve(x, window)", "float32", **loose, other_types=True,
                     others=(f"{fft}irfft({fft}rfft(x, n + 30) * {fft}rfft(window, n + 30), n + 30)",))  # fmt: skip

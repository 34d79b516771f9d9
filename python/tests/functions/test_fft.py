# SPDX-License-Identifier: Apache-2.0
"""Fourier transforms against numpy.fft."""

from __future__ import annotations

import numpy as np
import pytest

import kp


@pytest.fixture(autouse=True)
def _needs_vkfft(mgr: kp.Manager) -> None:
    try:
        kp.OpFFT(mgr.tensor([1.0, 0.0]))
    except kp.Unsupported as error:
        pytest.skip(str(error))


def _random(shape: tuple[int, ...], dtype: str = "complex64") -> np.ndarray:
    random = np.random.default_rng(len(shape) + shape[0])
    values = random.standard_normal(shape)
    if np.dtype(dtype).kind == "c":
        values = values + 1j * random.standard_normal(shape)
    return values.astype(dtype)


def _expect(found: kp.Tensor | kp.Array, expected: np.ndarray, tolerance: float = 1e-5) -> None:
    assert found.shape == expected.shape
    scale = max(1.0, float(np.abs(expected).max(initial=0)))
    np.testing.assert_allclose(found.numpy(), expected, rtol=0, atol=tolerance * scale)


@pytest.mark.parametrize(("shape", "axis"), [((2, 9), -1), ((4, 3), 0)])
def test_one_axis(mgr: kp.Manager, shape: tuple[int, ...], axis: int) -> None:
    values = _random(shape)
    tensor = mgr.tensor_t(values)
    spectrum = kp.fft.fft(tensor, axis=axis)
    assert spectrum.dtype == np.complex64
    _expect(spectrum, np.fft.fft(values, axis=axis))
    _expect(kp.fft.ifft(spectrum, axis=axis), values)


@pytest.mark.parametrize("norm", ["ortho", "forward"])
def test_normalizations(mgr: kp.Manager, norm: str) -> None:
    values = _random((6,))
    _expect(kp.fft.fft(mgr.tensor_t(values), norm=norm), np.fft.fft(values, norm=norm))
    _expect(kp.fft.ifft(mgr.tensor_t(values), norm=norm), np.fft.ifft(values, norm=norm))


@pytest.mark.parametrize("shape", [(8194,), (2, 16384), (33000,)])
def test_long_rows_of_real_values_return(mgr: kp.Manager, shape: tuple[int, ...]) -> None:
    values = _random(shape, "float32")
    _expect(kp.fft.irfft(kp.fft.rfft(mgr.tensor_t(values))), values)


def test_long_rows_are_convolved(mgr: kp.Manager) -> None:
    values, kernel = _random((16384,), "float32"), _random((301,), "float32")
    _expect(kp.fft.convolve(kp.array(values), kp.array(kernel)), np.convolve(values, kernel))


def test_real_values(mgr: kp.Manager) -> None:
    values = _random((4, 5), "float32")
    tensor = mgr.tensor_t(values)
    half = kp.fft.rfft(tensor)
    _expect(half, np.fft.rfft(values))
    _expect(kp.fft.irfft(half, n=5), values)
    _expect(kp.fft.irfft(half), np.fft.irfft(np.fft.rfft(values)))
    _expect(kp.fft.rfft2(tensor), np.fft.rfft2(values))
    _expect(kp.fft.irfft2(kp.fft.rfft2(tensor), s=(4, 5)), values)
    _expect(kp.fft.fft2(tensor), np.fft.fft2(values))


def test_lengths_cut_and_pad(mgr: kp.Manager) -> None:
    values = _random((3, 6))
    tensor = mgr.tensor_t(values)
    for n in (4, 8):
        _expect(kp.fft.fft(tensor, n), np.fft.fft(values, n))
    _expect(kp.fft.fftn(tensor, s=(4, 5)), np.fft.fftn(values, s=(4, 5), axes=(0, 1)))


def test_several_dimensions(mgr: kp.Manager) -> None:
    values = _random((2, 3, 4))
    tensor = mgr.tensor_t(values)
    _expect(kp.fft.fftn(tensor), np.fft.fftn(values))
    _expect(kp.fft.ifftn(kp.fft.fftn(tensor)), values)
    _expect(kp.fft.fftn(tensor, axes=(0, 2)), np.fft.fftn(values, axes=(0, 2)))
    four = _random((2, 2, 2, 3), "float32")
    _expect(kp.fft.rfftn(mgr.tensor_t(four)), np.fft.rfftn(four))


def test_types(mgr: kp.Manager) -> None:
    integers = np.arange(8, dtype=np.int32)
    spectrum = kp.fft.rfft(mgr.tensor_t(integers))
    assert spectrum.dtype == np.complex128
    _expect(spectrum, np.fft.rfft(integers), 1e-12)
    with pytest.raises(TypeError, match="real numbers"):
        kp.fft.rfft(mgr.tensor_t(_random((4,))))
    with pytest.raises(TypeError, match="arrays hold numbers"):
        kp.fft.fft("1234")
    with pytest.raises(ValueError, match="axis 2"):
        kp.fft.fft(mgr.tensor_t(_random((4,))), axis=2)
    with pytest.raises(ValueError, match="at least 1"):
        kp.fft.fft(mgr.tensor_t(_random((4,))), n=0)


def test_out_and_operations(mgr: kp.Manager) -> None:
    values = _random((4,))
    tensor = mgr.tensor_t(values)
    out = mgr.tensor(shape=(4,), dtype=np.complex64)
    assert kp.fft.fft(tensor, out=out) is out
    _expect(out, np.fft.fft(values))
    sequence = mgr.sequence().record(kp.OpSyncDevice([tensor]))
    sequence.record(kp.OpFFT(tensor, inverse=True)).record(kp.OpSyncLocal([tensor])).eval()
    _expect(tensor, np.fft.ifft(values))


@pytest.mark.parametrize("mode", ["full", "same", "valid"])
def test_convolution(mgr: kp.Manager, mode: str) -> None:
    a, b = _random((7,), "float32"), _random((4,), "float32")
    expected = np.convolve(a, b, mode)  # type: ignore[call-overload]
    _expect(kp.fft.convolve(mgr.tensor_t(a), mgr.tensor_t(b), mode), expected)
    _expect(kp.fft.convolve(mgr.tensor_t(b), mgr.tensor_t(a), mode), expected)


def test_convolution_in_two_dimensions(mgr: kp.Manager) -> None:
    a, b = _random((3, 4), "float32"), _random((2, 3), "float32")
    full = np.fft.irfft2(np.fft.rfft2(a, (4, 6)) * np.fft.rfft2(b, (4, 6)), (4, 6))
    _expect(kp.fft.convolve(mgr.tensor_t(a), mgr.tensor_t(b)), full)
    _expect(kp.fft.convolve(mgr.tensor_t(a), mgr.tensor_t(b), "same"), full[0:3, 1:5])
    with pytest.raises(kp.InvalidArgument, match="valid needs"):
        out = mgr.tensor(shape=(2, 2))
        wide, tall = mgr.tensor(shape=(1, 4)), mgr.tensor(shape=(3, 2))
        kp.OpConvolve(wide, tall, out, mode="valid")


def _convolved(a: np.ndarray, b: np.ndarray, axes: tuple[int, ...], mode: str) -> np.ndarray:
    """What scipy.signal.fftconvolve returns for `axes`, with batches broadcast."""
    extents = [a.shape[i] + b.shape[i] - 1 for i in axes]
    spectra = [np.fft.fftn(x.astype("float64"), extents, axes) for x in (a, b)]
    full = np.fft.ifftn(spectra[0] * spectra[1], extents, axes).real
    part = [slice(None)] * a.ndim
    for i in axes:
        m, n = a.shape[i], b.shape[i]
        if mode == "same":
            part[i] = slice((n - 1) // 2, (n - 1) // 2 + m)
        if mode == "valid":
            part[i] = slice(min(m, n) - 1, max(m, n))
    return full[tuple(part)]


@pytest.mark.parametrize("mode", ["full", "same", "valid"])
@pytest.mark.parametrize(
    "first, second, axes",
    [
        ((3, 7), (1, 4), (1,)),  # one kernel, many signals
        ((1, 7), (3, 4), (-1,)),  # many kernels, one signal
        ((3, 7), (3, 4), (1,)),  # a kernel for each
        ((3, 1, 7), (1, 2, 4), (2,)),  # each with each
        ((7, 3), (4, 1), (0,)),  # neighbours are other signals
        ((2, 5, 3, 6), (1, 2, 3, 3), (1, 3)),
        ((4, 3), (3, 2), (0, 1)),
    ],
)
def test_batches_are_convolved_with_batches(
    mgr: kp.Manager,
    mode: str,
    first: tuple[int, ...],
    second: tuple[int, ...],
    axes: tuple[int, ...],
) -> None:
    a, b = _random(first, "float32"), _random(second, "float32")
    positive = tuple(axis % a.ndim for axis in axes)
    expected = _convolved(a, b, positive, mode)
    found = kp.fft.convolve(mgr.tensor_t(a), mgr.tensor_t(b), mode, axes=axes)
    assert found.shape == expected.shape
    _expect(found, expected)


def test_batches_that_do_not_match_are_refused(mgr: kp.Manager) -> None:
    a, b = mgr.tensor(shape=(3, 7)), mgr.tensor(shape=(2, 4))
    with pytest.raises(kp.InvalidArgument, match="along axis 0, which is not convolved"):
        kp.fft.convolve(a, b, axes=1)
    with pytest.raises(kp.InvalidArgument, match="given twice"):
        kp.fft.convolve(a, b, axes=(0, -2))
    with pytest.raises(kp.InvalidArgument, match="axis 2 does not exist"):
        kp.OpConvolve(a, b, mgr.tensor(shape=(3, 10)), axes=[2])


def test_frequencies_and_shifts(mgr: kp.Manager) -> None:
    _expect(kp.fft.fftfreq(5, 0.5, device=mgr), np.fft.fftfreq(5, 0.5))
    _expect(kp.fft.rfftfreq(6, device=mgr), np.fft.rfftfreq(6))
    values = _random((3, 4))
    for axes in (None, 0, (1,)):
        shifted = kp.fft.fftshift(mgr.tensor_t(values), axes)
        _expect(shifted, np.fft.fftshift(values, axes))
        _expect(kp.fft.ifftshift(shifted, axes), values)


def test_arrays_and_their_views_give_arrays(mgr: kp.Manager) -> None:
    values = _random((4, 6))
    array = kp.asarray(values, device=mgr)
    for x, expected in ((array, values), (array[1:, ::2], values[1:, ::2]), (array.T, values.T)):
        _expect(kp.fft.fft(x, axis=0), np.fft.fft(expected, axis=0))
    spectrum = kp.fft.rfft(array.real)
    assert isinstance(spectrum, kp.Array)
    _expect(kp.fft.irfft(spectrum * 2), values.real * 2)
    flat = kp.asarray(mgr.tensor_t(values)).reshape(-1)
    _expect(kp.fft.fft(flat), np.fft.fft(values.ravel()))
    _expect(kp.fft.fftshift(array, axes=1), np.fft.fftshift(values, axes=1))
    out = kp.zeros((4, 6), dtype=np.complex64, device=mgr)
    assert kp.fft.ifft(array, out=out) is out
    _expect(out, np.fft.ifft(values))


def test_hermitian_transforms_agree_with_numpy(mgr: kp.Manager) -> None:
    values = _random((5,))
    array = kp.asarray(values, device=mgr)
    for norm in (None, "ortho", "forward"):
        _expect(kp.fft.hfft(array, norm=norm), np.fft.hfft(values, norm=norm))
        _expect(kp.fft.ihfft(array.real, norm=norm), np.fft.ihfft(values.real, norm=norm))


@pytest.mark.parametrize("length", [2, 3, 8])
def test_rows_of_real_transforms_do_not_share_nan(mgr: kp.Manager, length: int) -> None:
    values = np.ones((4, length), np.float32)
    values[0, 0] = np.nan
    found = kp.fft.rfft(kp.array(values, device=mgr)).numpy()
    assert np.isnan(found[0]).all()
    assert np.allclose(found[1:], np.fft.rfft(values[1:]))


@pytest.mark.parametrize("name", ["fftn", "ifftn", "rfftn", "irfftn"])
def test_a_length_of_minus_1_is_the_whole_axis(name: str) -> None:
    x = np.random.default_rng(1).normal(size=(4, 6)).astype(np.float32)
    for s in ((3, -1), (-1, 4), (-1, -1)):
        lengths = [own if n == -1 else n for n, own in zip(s, x.shape, strict=True)]
        expected = getattr(np.fft, name)(x, s=lengths, axes=(0, 1))
        given = getattr(kp.fft, name)(kp.array(x), s=s, axes=(0, 1)).numpy()
        np.testing.assert_allclose(given, expected, atol=1e-4)

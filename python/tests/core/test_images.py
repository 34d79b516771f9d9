# SPDX-License-Identifier: Apache-2.0
"""Images: formats, dimensions, samplers, pictures of three channels."""

from __future__ import annotations

import copy
import pickle
from typing import Any

import kp
import numpy as np
import pytest

SAMPLE = """#version 450
layout(local_size_x = 1) in;
layout(binding = 0) uniform sampler2D picture;
layout(binding = 1) readonly buffer At { vec2 at[]; };
layout(binding = 2) writeonly buffer Result { vec4 result[]; };
void main() {
    uint i = gl_GlobalInvocationID.x;
    result[i] = textureLod(picture, at[i], 0.0);
}
"""

INVERT = """#version 450
layout(local_size_x = 1) in;
layout(binding = 0, rgba8) uniform image2D picture;
void main() {
    ivec2 at = ivec2(gl_GlobalInvocationID.xy);
    imageStore(picture, at, vec4(1.0 - imageLoad(picture, at).rgb, 1.0));
}
"""


def sampled(mgr: kp.Manager, image: kp.Image, at: Any, sampler: kp.Sampler) -> Any:
    points = mgr.tensor(np.asarray(at, np.float32))
    result = mgr.tensor(np.zeros((len(at), 4), np.float32))
    algorithm = mgr.algorithm(
        [image, points, result], SAMPLE, thread_count=len(at), samplers=sampler
    )
    mgr.sequence().eval(kp.OpAlgoDispatch(algorithm))
    return result.numpy()


def test_images_are_sampled(mgr: kp.Manager) -> None:
    pixels = np.array([[0, 255], [0, 255]], np.uint8)
    image = mgr.image(pixels, format="r8unorm")
    assert (image.format, image.dtype, image.usage) == (
        "R8_UNORM",
        np.uint8,
        "storage_and_sampled",
    )
    values = sampled(mgr, image, [(0.25, 0.5), (0.5, 0.5), (1.25, 0.5)], mgr.sampler())
    np.testing.assert_allclose(values[:, 0], [0, 0.5, 1], atol=0.01)
    repeat = mgr.sampler(filter="nearest", address="repeat")
    np.testing.assert_allclose(sampled(mgr, image, [(1.25, 0.5)], repeat)[:, 0], [0])
    assert repeat.filter == "nearest"
    assert repeat.address == ("repeat",) * 3
    assert repr(repeat).startswith("<kp.Sampler filter=nearest")


@pytest.mark.parametrize("maker", ["image", "image_t"])
def test_pictures_have_three_channels(mgr: kp.Manager, maker: str) -> None:
    pixels = np.arange(4 * 5 * 3, dtype=np.uint8).reshape(4, 5, 3)
    image = getattr(mgr, maker)(pixels)
    assert image.shape == (4, 5, 3)
    assert image.size() == 60
    np.testing.assert_array_equal(image.numpy(), pixels)
    np.testing.assert_array_equal(image.read(), pixels)
    image.numpy()[0, 0] = 9
    assert image.read()[0, 0].tolist() == [9, 9, 9]
    image.write(pixels[::-1].copy())
    np.testing.assert_array_equal(np.asarray(image), pixels[::-1])
    with pytest.raises(ValueError, match="use numpy"):
        image.data()


def test_shaders_change_pictures(mgr: kp.Manager) -> None:
    pixels = np.array([[[255, 0, 51], [1, 2, 3]]], np.uint8)
    image = mgr.image(pixels, format="rgba8unorm")
    invert = mgr.algorithm([image], INVERT, (2, 1, 1))
    sequence = mgr.sequence()
    sequence.record(kp.OpSyncDevice([image])).record(kp.OpAlgoDispatch(invert))
    sequence.record(kp.OpSyncLocal([image])).eval()
    np.testing.assert_array_equal(image.numpy(), 255 - pixels)


def test_pillow_reads_and_makes_pictures(mgr: kp.Manager) -> None:
    pillow = pytest.importorskip("PIL.Image")
    picture = pillow.new("RGB", (3, 2), (10, 20, 30))
    image = mgr.image(np.asarray(picture), format="rgba8unorm")
    assert pillow.fromarray(image.numpy()).getpixel((2, 1)) == (10, 20, 30)
    assert mgr.image(np.asarray(picture)).dtype == np.float32


@pytest.mark.parametrize(
    ("kind", "shape"),
    [
        ("1d", (7,)),
        ("1d", (7, 2)),
        ("1d_array", (3, 7)),
        ("2d", (3, 7, 4)),
        ("2d_array", (2, 3, 7)),
        ("3d", (2, 3, 7, 1)),
        ("3d", (2, 3, 7, 3)),
    ],
)
def test_axes_follow_the_type(mgr: kp.Manager, kind: str, shape: tuple[int, ...]) -> None:
    values = np.arange(np.prod(shape), dtype=np.float32).reshape(shape)
    image = mgr.image(values, image_type=kind)
    axes = {"1d": 1, "1d_array": 2, "2d": 2, "2d_array": 3, "3d": 3}[kind]
    assert image.shape == (shape if len(shape) > axes else (*shape, 1))
    assert image.image_type == kind
    np.testing.assert_array_equal(image.read().reshape(shape), values)
    np.testing.assert_array_equal(copy.copy(image).read(), image.read())


def test_copies_keep_type_and_format(mgr: kp.Manager) -> None:
    image = mgr.image(np.full((2, 3, 3), 7, np.uint8), format="rgba8unorm", image_type="2d")
    for made in (copy.deepcopy(image), pickle.loads(pickle.dumps(image))):
        assert (made.format, made.shape) == ("R8G8B8A8_UNORM", (2, 3, 3))
        np.testing.assert_array_equal(made.read(), image.read())
    volume = mgr.image(np.zeros((2, 3, 4)), image_type="3d")
    assert copy.copy(volume).image_type == "3d"


def test_without_data(mgr: kp.Manager) -> None:
    image = mgr.image(width=4, height=2, format="rg16float")
    assert (image.shape, image.dtype) == ((2, 4, 2), np.float16)
    volume = mgr.image(width=4, height=2, depth=3, num_channels=1, image_type="3d")
    assert volume.shape == (3, 2, 4, 1)
    layers = mgr.image(width=4, layers=5, format="r32uint", image_type="1d_array")
    assert (layers.shape, layers.layers, layers.depth) == ((5, 4, 1), 5, 1)


def test_kernels_take_samplers(mgr: kp.Manager) -> None:
    image = mgr.image(np.array([[0, 255]], np.uint8), format="r8unorm")
    at, result = mgr.tensor([[0.5, 0.5]]), mgr.tensor(np.zeros((1, 4)))
    kernel = kp.kernel(SAMPLE, samplers=mgr.sampler())
    kernel(image, at, result, threads=1)
    assert abs(result.numpy()[0, 0] - 0.5) < 0.01
    launcher = kp.launcher.KernelLauncher(
        "sample",
        kp.launcher.Kernel(mgr, SAMPLE, samplers=[mgr.sampler(filter="nearest")]),
        [image, at, result],
        1,
    )
    launcher().wait()
    assert result.numpy()[0, 0] in (0, 1)


def test_separate_samplers_take_no_memory_object(mgr: kp.Manager) -> None:
    shader = """#version 450
layout(local_size_x = 1) in;
layout(binding = 0) uniform texture2D picture;
layout(binding = 1) uniform sampler soft;
layout(binding = 2) writeonly buffer Result { float result[]; };
void main() { result[0] = textureLod(sampler2D(picture, soft), vec2(0.5), 0.0).r; }
"""
    bindings = kp.reflect(shader).bindings
    assert [(each.kind, each.argument) for each in bindings] == [
        ("sampled_image", 0),
        ("sampler", None),
        ("storage_buffer", 1),
    ]
    image, result = mgr.image([[1.0, 3.0]]), mgr.tensor([0])
    algorithm = mgr.algorithm([image, result], shader, 1, samplers=[mgr.sampler(filter="nearest")])
    mgr.sequence().eval(kp.OpAlgoDispatch(algorithm))
    assert result[0] in (1, 3)
    assert [each.name for each in kp.kernel(shader).parameters] == ["picture", "result"]


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ({"format": "rgb8"}, kp.InvalidArgument, "rgba8unorm"),
        ({"image_type": "cube"}, kp.InvalidArgument, "image_type is one of"),
        ({"usage": "both"}, kp.InvalidArgument, "usage is one of"),
        ({"image_type": "1d"}, ValueError, r"shape \(width\)"),
        ({"format": "rg8unorm"}, kp.InvalidArgument, "has 2 channels"),
        ({"format": "rgba32float", "dtype": np.uint8}, ValueError, "holds float32, not uint8"),
        ({"width": 2, "height": 2, "num_channels": 4, "depth": 3}, kp.InvalidArgument, "depth"),
        ({"format": "rgba8srgb", "usage": "storage"}, kp.Unsupported, "R8G8B8A8_SRGB"),
    ],
)
def test_what_does_not_exist_is_refused(
    mgr: kp.Manager, arguments: dict[str, Any], error: type[Exception], message: str
) -> None:
    with pytest.raises(error, match=message):
        mgr.image_t(np.zeros((2, 2, 4), np.uint8), **arguments)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"filter": "cubic"}, "filter is one of"),
        ({"address": "mirror"}, "address is one of"),
        ({"address": ("repeat", "repeat")}, "three of them"),
        ({"address": "repeat", "unnormalized_coordinates": True}, "cannot repeat"),
        ({"border": "white"}, "border is one of"),
    ],
)
def test_samplers_say_what_they_take(
    mgr: kp.Manager, arguments: dict[str, Any], message: str
) -> None:
    with pytest.raises((kp.InvalidArgument, TypeError), match=message):
        mgr.sampler(**arguments)


def test_samplers_must_fit_the_shader(mgr: kp.Manager) -> None:
    image, at = mgr.image(np.zeros((1, 1), np.uint8), format="r8unorm"), mgr.tensor([[0.0, 0.0]])
    objects = [image, at, mgr.tensor(np.zeros((1, 4)))]
    with pytest.raises(kp.InvalidArgument, match="the shader takes 1"):
        mgr.algorithm(objects, SAMPLE)
    with pytest.raises(TypeError, match=r"samplers\[0\]"):
        mgr.algorithm(objects, SAMPLE, samplers=[image])
    with pytest.raises(TypeError, match="samplers"):
        mgr.algorithm(objects, SAMPLE, samplers=3)


def test_missing_extents_are_named(mgr: kp.Manager) -> None:
    with pytest.raises(ValueError, match="zero-sized.*num_channels is 0 or was not given"):
        mgr.image(width=6, height=4)
    with pytest.raises(ValueError, match="height is 0 or was not given"):
        mgr.image(width=6, num_channels=1)


def test_a_thread_count_leaves_no_warning_about_work_groups(
    mgr: kp.Manager, caplog: pytest.LogCaptureFixture
) -> None:
    volume = mgr.image_t(np.zeros((4, 5, 6, 3), np.float32), image_type="3d")
    fill = """#version 450
layout(local_size_x = 1) in;
layout(binding = 0, rgba32f) uniform image3D volume;
void main() { imageStore(volume, ivec3(gl_GlobalInvocationID), vec4(1)); }
"""
    mgr.sequence().eval(kp.OpAlgoDispatch(mgr.algorithm([volume], fill, thread_count=(6, 5, 4))))
    assert volume.numpy().all()
    assert "by default" not in caplog.text


def increment(kind: str, place: str, local: str) -> str:
    """Return a shader that adds 1 to each pixel of its image."""
    return f"""#version 450
layout({local}) in;
layout(binding = 0, r32f) uniform {kind} picture;
void main() {{
    {place} at = {place}(gl_GlobalInvocationID);
    if (at == min(at, imageSize(picture) - 1)) imageStore(picture, at, imageLoad(picture, at) + 1);
}}
"""


KINDS = [
    ("1d", (7,), "image1D", "int"),
    ("1d_array", (3, 7), "image1DArray", "ivec2"),
    ("2d", (5, 7), "image2D", "ivec2"),
    ("2d_array", (3, 5, 7), "image2DArray", "ivec3"),
    ("3d", (3, 5, 7), "image3D", "ivec3"),
]


@pytest.mark.parametrize("local", ["local_size_x = 1", "local_size_x = 64"])
@pytest.mark.parametrize(("name", "shape", "kind", "place"), KINDS)
def test_kernels_cover_images_of_every_dimension_by_default(
    mgr: kp.Manager, name: str, shape: tuple[int, ...], kind: str, place: str, local: str
) -> None:
    image = mgr.image(np.zeros((*shape, 1)), image_type=name)
    image.write(np.zeros(image.shape))
    kp.kernel(increment(kind, place, local))(image)
    assert (image.read() == 1).all()


def test_algorithms_warn_if_their_default_does_not_cover_an_image(
    mgr: kp.Manager, caplog: pytest.LogCaptureFixture
) -> None:
    text = increment("image2D", "ivec2", "local_size_x = 64")
    image = mgr.image(np.zeros((5, 7)))
    algorithm = mgr.algorithm([image], text)
    assert "by default" not in caplog.text
    mgr.sequence().record(kp.OpAlgoDispatch(algorithm))
    found = [each for each in caplog.messages if "by default" in each]
    assert len(found) == 1 and "so 1 invocation in y and 1 in z" in found[0]
    assert "binding 0, an image with more" in found[0]
    caplog.clear()
    small = increment("image2D", "ivec2", "local_size_x = 8")
    square = increment("image2D", "ivec2", "local_size_x = 2, local_size_y = 5")
    for quiet in (
        mgr.algorithm([image], text, (1, 5, 1)),
        mgr.algorithm([image], text, thread_count=(7, 5)),
        mgr.algorithm([image], square),
        mgr.algorithm([mgr.image(np.zeros((1, 7)))], small),
    ):
        mgr.sequence().record(kp.OpAlgoDispatch(quiet))
    flat = small.replace(
        "ivec2(gl_GlobalInvocationID)",
        "ivec2(gl_GlobalInvocationID.x % 7, gl_GlobalInvocationID.x / 7)",
    )
    mgr.sequence().record(kp.OpAlgoDispatch(mgr.algorithm([image], flat)))
    assert "by default" not in caplog.text

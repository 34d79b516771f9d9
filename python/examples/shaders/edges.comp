// SPDX-License-Identifier: Apache-2.0
#version 450

// The magnitude of the Sobel gradient of the brightness at each pixel, clamped to 255.

layout(local_size_x = 16, local_size_y = 16) in;

layout(binding = 0, rgba8ui) uniform readonly uimage2D picture;
layout(binding = 1, r8ui) uniform writeonly uimage2D edges;

int brightness(ivec2 at)
{
    at = clamp(at, ivec2(0), imageSize(picture) - 1);
    return int(imageLoad(picture, at).r * 77u + imageLoad(picture, at).g * 150u +
               imageLoad(picture, at).b * 29u) / 256;
}

void main()
{
    const ivec2 at = ivec2(gl_GlobalInvocationID.xy);
    if (any(greaterThanEqual(at, imageSize(edges))))
        return;

    ivec2 gradient = ivec2(0);
    for (int i = -1; i <= 1; ++i) {
        const int weight = 2 - abs(i);
        gradient.x += weight * (brightness(at + ivec2(1, i)) - brightness(at + ivec2(-1, i)));
        gradient.y += weight * (brightness(at + ivec2(i, 1)) - brightness(at + ivec2(i, -1)));
    }

    // sqrt() may be off in its last bits, so the integer is corrected.
    const int square = gradient.x * gradient.x + gradient.y * gradient.y;
    int root = int(sqrt(float(square)));
    root -= int(root * root > square);
    root += int((root + 1) * (root + 1) <= square);
    imageStore(edges, at, uvec4(min(root, 255)));
}

// SPDX-License-Identifier: Apache-2.0
#version 450

// Sobel operator: the magnitude of the brightness gradient at each pixel, from 0 to 255.
// Coordinates outside the picture are clamped to its edge.

layout(local_size_x = 16, local_size_y = 16) in;

layout(binding = 0, rgba8ui) uniform readonly uimage2D picture;
layout(binding = 1, r8ui) uniform writeonly uimage2D edges;

int brightness(ivec2 at, ivec2 size)
{
    const uvec4 pixel = imageLoad(picture, clamp(at, ivec2(0), size - 1));
    return int((77u * pixel.r + 150u * pixel.g + 29u * pixel.b + 128u) >> 8);
}

// Returns the square root, rounded down. sqrt() alone may be wrong in the last bits.
uint integerRoot(uint square)
{
    uint root = uint(sqrt(float(square)));
    while (root * root > square)
        --root;
    while ((root + 1u) * (root + 1u) <= square)
        ++root;
    return root;
}

void main()
{
    const ivec2 at = ivec2(gl_GlobalInvocationID.xy);
    const ivec2 size = imageSize(picture);
    if (any(greaterThanEqual(at, size)))
        return;

    int around[3][3];
    for (int y = 0; y < 3; ++y)
        for (int x = 0; x < 3; ++x)
            around[y][x] = brightness(at + ivec2(x - 1, y - 1), size);

    const int dx = around[0][2] + 2 * around[1][2] + around[2][2] - around[0][0] -
                   2 * around[1][0] - around[2][0];
    const int dy = around[2][0] + 2 * around[2][1] + around[2][2] - around[0][0] -
                   2 * around[0][1] - around[0][2];
    imageStore(edges, at, uvec4(min(integerRoot(uint(dx * dx + dy * dy)), 255u)));
}

// SPDX-License-Identifier: Apache-2.0
#version 450

// The number of iterations z = z * z + c until each pixel escapes, and a colour for it.

layout(local_size_x = 16, local_size_y = 16) in;

layout(binding = 0) writeonly buffer Counts { uint counts[]; };
layout(binding = 1, rgba8ui) uniform writeonly uimage2D picture;

layout(push_constant) uniform Parameters
{
    vec2 corner; // top left
    float pixel; // distance between two pixels
    uint rounds;
};

vec3 colour(float count)
{
    return 0.5 + 0.5 * cos(vec3(3.2, 3.9, 4.7) + 0.12 * count);
}

void main()
{
    const ivec2 at = ivec2(gl_GlobalInvocationID.xy);
    const ivec2 size = imageSize(picture);
    if (any(greaterThanEqual(at, size)))
        return;

    // "precise" prevents fused multiply-adds, so that NumPy computes the same numbers.
    precise float cx = corner.x + float(at.x) * pixel;
    precise float cy = corner.y - float(at.y) * pixel;
    precise float x = 0.0;
    precise float y = 0.0;
    precise float square = 0.0;
    uint count = 0u;
    for (; count < rounds && square <= 256.0; ++count) {
        precise float product = x * y;
        x = x * x - y * y + cx;
        y = product + product + cy;
        square = x * x + y * y;
    }
    counts[at.y * size.x + at.x] = count;

    vec3 rgb = vec3(0.0);
    if (square > 256.0)
        rgb = colour(float(count) - log2(log2(square) / 8.0)); // smooth between the counts
    imageStore(picture, at, uvec4(uvec3(255.0 * rgb + 0.5), 255u));
}

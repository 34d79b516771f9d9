// SPDX-License-Identifier: Apache-2.0
#version 450

// One direction of a separable blur. `weights` has the middle weight first, then one side's.

layout(local_size_x = 16, local_size_y = 16) in;

layout(binding = 0, rgba32f) uniform readonly image2D picture;
layout(binding = 1, rgba32f) uniform writeonly image2D blurred;
layout(binding = 2) readonly buffer Weights { float weights[]; };

layout(push_constant) uniform Parameters { ivec2 direction; };

vec4 pixel(ivec2 at)
{
    return imageLoad(picture, clamp(at, ivec2(0), imageSize(picture) - 1));
}

void main()
{
    const ivec2 at = ivec2(gl_GlobalInvocationID.xy);
    if (any(greaterThanEqual(at, imageSize(blurred))))
        return;

    vec4 sum = weights[0] * pixel(at);
    for (int i = 1; i < weights.length(); ++i)
        sum += weights[i] * (pixel(at + i * direction) + pixel(at - i * direction));
    imageStore(blurred, at, sum);
}

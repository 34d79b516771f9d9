// SPDX-License-Identifier: Apache-2.0
// Centres as sums divided by counts. A centre without rows stays where it is.
#version 450
layout(local_size_x = 64) in;
layout(binding = 0) readonly buffer Sums { float sums[]; }; // column by column
layout(binding = 1) readonly buffer Counts { uint counts[]; };
layout(binding = 2) buffer Centres { float centres[]; }; // row by row
layout(push_constant) uniform Sizes {
    uint columns;
    uint clusters;
};

void main() {
    const uint i = gl_GlobalInvocationID.x;
    const uint cluster = i / columns;
    const uint column = i % columns;
    if (cluster < clusters && counts[cluster] > 0)
        centres[i] = sums[column * clusters + cluster] / float(counts[cluster]);
}

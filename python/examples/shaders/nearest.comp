// SPDX-License-Identifier: Apache-2.0
// The nearest centre of each row, whether it is another one than before, and the squared distance.
#version 450
layout(local_size_x = 64) in;
layout(binding = 0) readonly buffer Values { float values[]; }; // column by column
layout(binding = 1) readonly buffer Centres { float centres[]; }; // row by row
layout(binding = 2) buffer Labels { uint labels[]; };
layout(binding = 3) writeonly buffer Changed { uint changed[]; };
layout(binding = 4) writeonly buffer Distances { float distances[]; };
layout(push_constant) uniform Sizes {
    uint rows;
    uint columns;
    uint clusters;
};

void main() {
    const uint row = gl_GlobalInvocationID.x;
    if (row >= rows)
        return;
    uint nearest = 0;
    float smallest = 0.0;
    for (uint cluster = 0; cluster < clusters; ++cluster) {
        float square = 0.0;
        for (uint column = 0; column < columns; ++column) {
            const float apart = values[column * rows + row] - centres[cluster * columns + column];
            square += apart * apart;
        }
        if (cluster == 0 || square < smallest) {
            nearest = cluster;
            smallest = square;
        }
    }
    changed[row] = nearest != labels[row] ? 1 : 0;
    labels[row] = nearest;
    distances[row] = smallest;
}

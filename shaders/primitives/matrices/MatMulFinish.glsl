// SPDX-License-Identifier: Apache-2.0
//
// Adds the sums of the slices, in their order, to the elements of C.

void main() {
    uint index = flatGroup() * GROUP_SIZE + gl_LocalInvocationIndex;
    uint elements = rows * columns;
    uint batch = index / elements;
    if (batch >= batches)
        return;
    uint row = index % elements / columns;
    uint column = index % columns;
    ACC sum = ACC(0);
    for (uint slice = 0u; slice < slices; ++slice)
        sum += partials[partialIndex(slice, batch, row, column)];
    writeElement(sum, row, column, batch);
}

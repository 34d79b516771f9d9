// SPDX-License-Identifier: Apache-2.0
//
// Shared by the kernels of transposes: elements that are neighbours along axis A in the input are
// neighbours along axis B in the output. A work group moves a tile of TILE_A x TILE_B elements
// through shared memory, so that it reads and writes whole rows of the tile (Ruetsch and
// Micikevicius, "Optimizing matrix transpose in CUDA", 2009).

layout(push_constant) uniform Push {
    uint firstIn; // as strides, in units of the kernel's accesses
    uint firstOut;
    uint extentA; // elements
    uint extentB;
    uint inStrideB;
    uint outStrideA;
    uint tilesA;
    uint tilesB;
    uint batches;
    uint inner; // batches = outer x inner
    uint inInner;
    uint outInner;
    uint inOuter;
    uint outOuter;
};

struct Tile {
    uint firstA;
    uint firstB;
    uint from; // where the batch begins
    uint to;
    bool exists;
};

Tile tileOfGroup() {
    uint group = flatGroup();
    uint tileB = group % tilesB;
    uint rest = group / tilesB;
    uint batch = rest / tilesA;
    uint outer = batch / inner;
    uint from = firstIn + outer * inOuter + (batch - outer * inner) * inInner;
    uint to = firstOut + outer * outOuter + (batch - outer * inner) * outInner;
    return Tile(rest % tilesA * TILE_A, tileB * TILE_B, from, to, batch < batches);
}

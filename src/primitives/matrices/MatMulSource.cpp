// SPDX-License-Identifier: Apache-2.0
#include "primitives/matrices/MatMulSource.hpp"

#include <string_view>

#include <MatMulOperand.glsl.hpp>

#include "base/Text.hpp"
#include "primitives/source/Source.hpp"

namespace kp::primitives {

std::string matMulOperandText(const char* name) {
    std::string text(MATMULOPERAND_GLSL);
    for (const std::string_view word : {"Operand", "OPERAND"})
        for (size_t at = text.find(word); at != std::string::npos; at = text.find(word, at))
            text.replace(at, word.size(), name);
    return text;
}

uint32_t matMulTurn(const MatMulTile& tile, const DeviceTraits& traits) {
    return traits.isCpu ? tile.depth : 2 * tile.depth;
}

std::string matMulTileMacros(const MatMulTile& tile, const DeviceTraits& traits) {
    const uint32_t threads = tile.threads(traits);
    const uint32_t loadsA = tile.rows * tile.depth / 4 / threads;
    const uint32_t loadsB = tile.columns * tile.depth / 4 / threads;
    std::string macros =
        formatted("#define A_TILE {}u\n#define B_TILE {}u\n#define DEPTH {}u\n#define THREADS {}u\n"
                  "#define THREAD_ROWS {}u\n#define THREAD_COLUMNS {}u\n#define A_LOADS {}u\n"
                  "#define B_LOADS {}u\n",
                  tile.rows, tile.columns, tile.depth, threads, tile.partRows, tile.partColumns,
                  loadsA, loadsB);
    macros += eachMacro("A_LOAD", "", loadsA) + eachMacro("B_LOAD", "", loadsB);
    macros += eachMacro("ROW", "", tile.partRows) + eachMacro("FOUR_ROWS", "", tile.partRows / 4);
    macros += eachMacro("COLUMN", "row", tile.partColumns / 4);
    macros += eachMacro("FOUR_COLUMNS", "", tile.partColumns / 4);
    if (matMulTurn(tile, traits) > tile.depth)
        return macros + formatted("#define AHEAD\n#define STORE_STEP {}u\n", tile.depth / 2 - 1) +
               eachMacro("STEP", "", tile.depth);
    // A CPU driver takes seconds to compile steps that are unrolled, and gains nothing from it. It
    // has no time to hide.
    return macros + eachMacro("STEP", "", tile.depth, false);
}

} // namespace kp::primitives

// SPDX-License-Identifier: Apache-2.0
//
// Offsets of segments. Macros: OFFSETS_BINDING; OFFSET_WORDS, of each offset; OFFSET_SIGNED: they
// may be negative.

layout(binding = OFFSETS_BINDING) readonly buffer Offsets { uint offsets[]; };

// Offset number `at`, limited to 0 and `most`.
uvec2 offsetAt(uint at, uvec2 most) {
    uvec2 offset =
        OFFSET_WORDS == 2 ? uvec2(offsets[2u * at], offsets[2u * at + 1u]) : uvec2(offsets[at], 0u);
#ifdef OFFSET_SIGNED
    if (int(OFFSET_WORDS == 2 ? offset.y : offset.x) < 0)
        return uvec2(0u);
#endif
    return isLess(offset, most) ? offset : most;
}

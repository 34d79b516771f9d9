// SPDX-License-Identifier: Apache-2.0
//
// The common part of OpReduce's kernels. T is the type that elements are combined in (with indices,
// a struct of value and index). The text before this one defines combine(), identity(),
//
//     mapped(v, index)       T of an input element with an index along the axis
//     finished(t, count)     OUT_STORED of the result of so many elements (a uvec2)
//
// Macros: FROM_PARTIALS: the input is T, of an earlier dispatch. FINAL: the output is the result,
// else T. SEGMENTED: rows are given by the offsets of Offsets.glsl.

#ifdef FROM_PARTIALS
layout(binding = 0) readonly buffer In { T elements[]; };
T element(uint at, uvec2 index) { return elements[at]; }
#else
layout(binding = 0) readonly buffer In { IN_STORED elements[]; };
T element(uint at, uvec2 index) { return mapped(IN_LOAD(elements[at]), index); }
#endif

// The lower limit is 0: no underflow.
uvec2 minus(uvec2 a, uvec2 b) {
    return isLess(a, b) ? uvec2(0u) : difference(a, b);
}

shared T sPartials[GROUP_SIZE];

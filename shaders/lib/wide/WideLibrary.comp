// SPDX-License-Identifier: Apache-2.0
//
// All functions of wide numbers as one module, of which the library takes those that a shader calls. It
// is compiled with --keep-uncalled.
#version 450
#extension GL_GOOGLE_include_directive : require

#include "WideWords.glsl"
#include "WideIntegers.glsl"
#include "WideConversions.glsl"
#include "WideDoubles.glsl"
#include "WideComparisons.glsl"
#include "WideRounding.glsl"
#include "WideRoots.glsl"
#include "WideFused.glsl"
#include "WideDoubleConversions.glsl"

layout(local_size_x = 1) in;

void main() {}

// SPDX-License-Identifier: Apache-2.0
#ifndef KOMPUTE_CHECK_GLSL
#define KOMPUTE_CHECK_GLSL
// kp_assert(condition, "text", value): in checked mode, reports the text and the value (a number of
// 32 bits) of each invocation in which the condition is false. Otherwise it expands to nothing, and
// its arguments are not evaluated. For GLSL and HLSL.
//
// The compiler of checked mode defines KOMPUTE_CHECK as 1 in GLSL and as 2 in HLSL.
#extension GL_EXT_debug_printf : enable // for texts, even if they are not used
#ifndef KOMPUTE_CHECK
#define kp_assert(condition, text, value)
#elif KOMPUTE_CHECK == 1
#define kp_assert(condition, text, value) \
    if (condition) {} else debugPrintfEXT(text, 0x6b70u, value)
#else
#define kp_assert(condition, text, value) \
    if (condition) {} else printf(text, 0x6b70u, value)
#endif
#endif

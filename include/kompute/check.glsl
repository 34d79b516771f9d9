// SPDX-License-Identifier: Apache-2.0
#ifndef KOMPUTE_CHECK_GLSL
#define KOMPUTE_CHECK_GLSL
// kp_assert(condition, "text", value): in checked mode, reports the text and the value (a number of
// 32 bits) of each invocation in which the condition is false. Otherwise it is nothing, and its
// arguments are not computed. For GLSL and HLSL.
#ifdef __VERSION__
#extension GL_EXT_debug_printf : require // for texts, even if they are not used
#endif
#ifndef KOMPUTE_CHECK
#define kp_assert(condition, text, value)
#elif defined(__VERSION__)
#define kp_assert(condition, text, value) \
    if (condition) {} else debugPrintfEXT(text, 0x6b70u, value)
#else
#define kp_assert(condition, text, value) \
    if (condition) {} else printf(text, 0x6b70u, value)
#endif
#endif

# SPDX-License-Identifier: Apache-2.0
"""The functions of pyshader's standard library, for functions with python2shader."""

from __future__ import annotations

from ..._jit.values import Named

__all__ = [
    "abs",
    "acos",
    "acosh",
    "asin",
    "asinh",
    "atan",
    "atan2",
    "atanh",
    "ceil",
    "clamp",
    "cos",
    "cosh",
    "cross",
    "distance",
    "dot",
    "exp",
    "exp2",
    "floor",
    "fract",
    "inversesqrt",
    "length",
    "log",
    "log2",
    "max",
    "min",
    "mix",
    "normalize",
    "pow",
    "reflect",
    "round_even",
    "sign",
    "sin",
    "sinh",
    "smoothstep",
    "sqrt",
    "step",
    "tan",
    "tanh",
    "trunc",
]

abs, min, max, pow = Named("abs"), Named("min"), Named("max"), Named("pow")
sin, cos, tan = Named("sin"), Named("cos"), Named("tan")
asin, acos, atan, atan2 = Named("asin"), Named("acos"), Named("atan"), Named("atan2")
sinh, cosh, tanh = Named("sinh"), Named("cosh"), Named("tanh")
asinh, acosh, atanh = Named("asinh"), Named("acosh"), Named("atanh")
exp, exp2, log, log2 = Named("exp"), Named("exp2"), Named("log"), Named("log2")
sqrt, inversesqrt = Named("sqrt"), Named("inversesqrt")
floor, ceil, trunc, fract = Named("floor"), Named("ceil"), Named("trunc"), Named("fract")
sign, round_even = Named("sign"), Named("round_even")
clamp, mix, step, smoothstep = Named("clamp"), Named("mix"), Named("step"), Named("smoothstep")
dot, cross, length, distance = Named("dot"), Named("cross"), Named("length"), Named("distance")
normalize, reflect = Named("normalize"), Named("reflect")

# SPDX-License-Identifier: Apache-2.0
"""Arrays over tensors, with NumPy's semantics and the names of the array API standard.

From the bottom up: `types` and `functions` say how numbers and functions are written in GLSL,
`expressions` hold what is not computed yet, `codegen` writes kernels, `launching` runs them, `array`
is what users see, and the other modules are the functions of the namespace.
"""

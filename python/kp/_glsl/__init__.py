# SPDX-License-Identifier: Apache-2.0
"""GLSL functions with the results of NumPy and Python, for the kernels of arrays and of kp.jit.

`helpers` finds them by name and writes what a text needs; the other modules hold the texts.
"""

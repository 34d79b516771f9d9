# SPDX-License-Identifier: Apache-2.0
"""Kernels that are called with arrays: kp.kernel, and the parts shared with kp.jit."""

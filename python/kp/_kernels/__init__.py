# SPDX-License-Identifier: Apache-2.0
"""Kernels that are called with arrays: kp.kernel, and what kp.jit shares with it."""

# SPDX-License-Identifier: Apache-2.0
"""Tensors in Python: copies, CUDA and DLPack, transfers, and hints in messages."""

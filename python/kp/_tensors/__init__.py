# SPDX-License-Identifier: Apache-2.0
"""What Python does about tensors: copies, CUDA and DLPack, transfers, and hints in messages."""

# SPDX-License-Identifier: Apache-2.0
"""What random numbers are made of: distributions, checks of their parameters, and tensors of numbers."""

# SPDX-License-Identifier: Apache-2.0
"""Parts of kp.random: distributions, checks of parameters, and tensors of random numbers."""

# SPDX-License-Identifier: Apache-2.0
"""Reductions and running reductions of arrays."""

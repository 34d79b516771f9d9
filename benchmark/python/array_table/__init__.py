# SPDX-License-Identifier: Apache-2.0
"""What functions.py and programs.py measure, and how they measure, compare and report it."""

# SPDX-License-Identifier: Apache-2.0
"""Functions of arrays that are recorded, and programs that are saved."""

# SPDX-License-Identifier: Apache-2.0
"""How elements are arranged: shapes, indexing, joined arrays, grids."""

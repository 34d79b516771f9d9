# SPDX-License-Identifier: Apache-2.0
"""Elements by value, place or condition: sorting, searching, choosing, sets."""

# SPDX-License-Identifier: Apache-2.0
"""Products, decompositions and equations of matrices."""

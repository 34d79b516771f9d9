# SPDX-License-Identifier: Apache-2.0
"""Statistics, histograms, and samples of functions."""

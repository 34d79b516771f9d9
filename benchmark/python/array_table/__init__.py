# SPDX-License-Identifier: Apache-2.0
"""The cases of functions.py and programs.py, and their measurement, comparison and report."""

# SPDX-License-Identifier: Apache-2.0
"""Runs functions with @kp.jit in Python, work item by work item: kernel.python()."""

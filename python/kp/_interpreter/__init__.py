# SPDX-License-Identifier: Apache-2.0
"""Functions with @kp.jit that Python runs, work item by work item: kernel.python()."""

# SPDX-License-Identifier: Apache-2.0
"""The command line: ``kp info``, ``kp run``, ``kp compile``, ``kp bench`` and ``kp report``.

Exit codes: 0 success, 1 failure, 2 invalid command line, 130 interrupted, 141 the reader closed the
output.
"""

from kp.cli.entry import main

__all__ = ["main"]

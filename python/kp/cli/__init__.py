# SPDX-License-Identifier: Apache-2.0
"""The command line: ``kp info``, ``kp run``, ``kp compile`` and ``kp bench``.

Exit codes: 0 done, 1 the work failed, 2 the command line makes no sense, 130 interrupted,
141 the reader of the output went away.
"""

from kp.cli.entry import main

__all__ = ["main"]

# SPDX-License-Identifier: Apache-2.0
"""Run the command line as ``python -m kp``. See ``kp.cli``."""

import sys

from kp.cli import main

if __name__ == "__main__":
    sys.exit(main())

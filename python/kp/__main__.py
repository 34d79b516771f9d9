# SPDX-License-Identifier: Apache-2.0
"""``python -m kp``: the command line, see ``kp.cli``."""

import sys

from kp.cli import main

if __name__ == "__main__":
    sys.exit(main())

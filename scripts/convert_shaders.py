#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The command convert_shaders of the Python package, run from the source tree."""

import runpy
from pathlib import Path

FILE = Path(__file__).resolve().parents[1] / "python" / "kp" / "cli" / "convert_shaders.py"

runpy.run_path(str(FILE), run_name="__main__")

# SPDX-License-Identifier: Apache-2.0
"""User-visible output: messages of refused calls, warnings, progress, and notebooks."""

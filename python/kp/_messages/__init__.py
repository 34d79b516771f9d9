# SPDX-License-Identifier: Apache-2.0
"""What people see: messages of refused calls, warnings, progress, and notebooks."""

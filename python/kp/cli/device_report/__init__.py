# SPDX-License-Identifier: Apache-2.0
"""``kp report``: a text about a device that its owner can send."""
